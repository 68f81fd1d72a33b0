"""The names of a text, as far as their form shows them.

Korean has no capital letters, so a name is recognised by its head noun (``영통구청``, ``수원
청소년센터``), by its ending as a place (``가평군``), by a title after it (``김해솔 과장``), by
quotes beside a head or the word 이름 (``레스토랑 '물빛뜰'``), or by Latin capitals. A bare name in
Hangul is not seen.

The words before the head must name something, not only describe it: ``고객센터`` and ``관할 구청``
are no names. A person's name has three syllables, begins with one of the commonest family names and
ends as given names do; a shorter or longer name cannot be distinguished from a word (``담당
과장``). Quotes alone prove nothing, because Korean quotes words for emphasis too. Among Latin
words, a gloss behind a Korean word (``자기자본이익률(ROE)``) and a sentence in another language are
none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from guards.lexicons.loading import section_words, sections
from guards.lexicons.loading import words as listed
from guards.text.citing.references import citation_places
from guards.text.laws.law import is_law_name
from guards.text.normal import Normal, dense
from guards.text.particles import final_consonant, stem, word_stem
from guards.text.scripts import prose_only
from guards.text.slots.windows import blotted


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text.

    Attributes:
        text: As it stands, without its particle.
        start: Where it begins, in code points.
        end: Where it ends (half-open).
        head: The noun that it ends with (구청, 센터), in small letters; empty if there is none.
        specific: The part that distinguishes it (영통), in comparable form.
    """

    text: str
    start: int
    end: int
    head: str
    specific: str

    @property
    def key(self) -> str:
        """The whole name, in comparable form."""
        return dense(self.text)


TITLES = (
    "씨|과장|부장|차장|팀장|실장|국장|교수|박사|의원|감독|선수|기자|변호사|회장|사장|총장|시장|구청장|"
    "대통령|총리|장관|판사|대표"
)
_MORE_TITLES = (
    "대표이사|매니저|주임|원장|소장|관장|센터장|지점장|본부장|이사장|위원장|간호사|강사|코치|작가|"
    "선생님"
)
# 대표 번호, 대리 신청: before a noun these are no titles.
_MODIFYING_TITLES = "대표|대리"
_FAMILY_NAMES = "김이박최정강조윤장임한오서신권황안송류홍전고문손배백허유남심노하곽성차주우"
# Endings of many names are left out, because of nouns, particles and endings: 은, 원, 서, 이, 도.
_GIVEN_NAMES_END = (
    "수영호희민준현우연아경미정선숙순철석훈환규태혁윤빈나래라리린솔늘람름슬찬욱웅율범식섭균근곤광덕득"
    "룡림봉빛샘승애언엽예옥온완왕유재종필하헌혜홍휘흠흥울결봄솜지진주"
)
# 전까지, 오거나, 정해진, 강사진, 배송지, 이번주, 배터리
_NO_NAME = r"[가-힣](?:까지|든지|는지|거나|[해어러려여뤄사원]진|[송소]지|번주|사람|주민|자율|터리)"
_PARTICLE = "(?:님|은|는|이|가|을|를|의|에게|께|께서|도|와|과|로|으로|입니다|이며|이고|이다)"
# Most texts have no such word: this spares the expensive pattern.
_THREE_SYLLABLES = re.compile(rf"[{_FAMILY_NAMES}][가-힣][{_GIVEN_NAMES_END}]\s")
_PERSON = re.compile(
    rf"(?<![가-힣A-Za-z0-9])(?!{_NO_NAME})(?P<name>[{_FAMILY_NAMES}][가-힣][{_GIVEN_NAMES_END}])"
    rf"(?=\s(?:전\s)?[가-힣]{{0,4}}"
    rf"(?:(?:{_MODIFYING_TITLES})(?:{_PARTICLE}{{1,2}}(?![가-힣])|(?!\s?[가-힣]))"
    rf"|(?!{_MODIFYING_TITLES})(?:{TITLES}|{_MORE_TITLES}){_PARTICLE}{{0,2}}(?![가-힣])))"
)


def people(text: str) -> Iterator[Name]:
    """Yield the people of a text, in order."""
    if not _THREE_SYLLABLES.search(text):
        return
    for found in _PERSON.finditer(text):
        yield Name(found["name"], *found.span("name"), "", found["name"])


_ORGANISATIONS = section_words("name_heads", "organisations")
_BUSINESSES = section_words("name_heads", "businesses")
_PRODUCTS = section_words("name_heads", "products")
_PAPERS = section_words("name_heads", "papers")
_POINTING = section_words("name_heads", "pointing")
_DESCRIBING = section_words("name_heads", "pointing", "describing")
_OF_ANY_PAPER = section_words("name_heads", "pointing", "words of any paper")
# Places that are named with an ending, by it: 강남구, 부여군.
_BEARERS = {head: section_words("places", head) for head in "시군구"}
_FUNCTION_WORDS = listed("latin_function_words")
_ORDINARY_LATIN = frozenset(word.casefold() for word in listed("ordinary_latin"))
_WORD = r"[A-Za-z][A-Za-z0-9&+'-]{0,40}"
_RUN = re.compile(rf"(?<![A-Za-z0-9@/.#_-]){_WORD}(?: {_WORD})*(?![A-Za-z0-9@/_])")
_GLOSS_BEFORE = re.compile(r"[가-힣]\s?\((?:이하|약칭|영문|영어)?[\s:\"']*\Z")
_LOOK_BACK_CHARS = 16
_SHORTEST = 3
_MOST_LATIN_WORDS = 4


def latin_names(text: str) -> Iterator[Name]:
    """Yield the Latin names of a text, in order."""
    for run in _RUN.finditer(text):
        words = run[0].split(" ")
        if len(words) > _MOST_LATIN_WORDS or any(w.lower() in _FUNCTION_WORDS for w in words):
            continue
        if _GLOSS_BEFORE.search(text, max(0, run.start() - _LOOK_BACK_CHARS), run.start()):
            continue
        if any(_names(word) for word in words):
            yield Name(run[0], run.start(), run.end(), "", dense(run[0]))


def _names(word: str) -> bool:
    has_capital = any(char.isupper() for char in word)
    return len(word) >= _SHORTEST and has_capital and word.casefold() not in _ORDINARY_LATIN


_HEADS_OF_QUOTED = "|".join(sorted(_ORGANISATIONS | _BUSINESSES | _PRODUCTS, key=len, reverse=True))
_APPS = "|".join(sorted(section_words("name_heads", "apps"), key=len, reverse=True))
_INSIDE = r"[^\"'\n「」『』《》〈〉]{2,24}"
_CALLED = r"(?:이름|명칭|상호|상호명|호텔명|업체명|상품명|브랜드)(?:은|는|이|:)?\s?"
_TITLE = re.compile(rf"[『《](?P<name>{_INSIDE})[』》]")
_QUOTE = re.compile(r"[\"'「〈]")
_QUOTED = rf"{_QUOTE.pattern}(?P<name>{_INSIDE})[\"'」〉]"
_BEHIND = re.compile(rf"(?:{_CALLED}|(?:{_HEADS_OF_QUOTED})(?:인|은|는|:|명)?\s?){_QUOTED}")
_BEFORE = re.compile(rf"{_QUOTED}\s?(?:{_HEADS_OF_QUOTED}|{_APPS}|이?라는|이?라고\s?(?:불|부|하))")
_BARE = re.compile(rf"{_CALLED}(?P<name>[가-힣A-Za-z0-9]{{2,16}}(?: [가-힣A-Za-z0-9]{{1,16}})?)")
_PREDICATE = re.compile(r"(?:이며|이고|입니다|예요|이에요)$")
_IS_SENTENCE = re.compile(r"(?:[다요까죠음함]|\.)$")
_MOST_QUOTED_WORDS = 3


def quoted_names(text: str) -> Iterator[Name]:
    """Yield the names of a text in quotes or beside a word like 이름, grouped by pattern."""
    for found in _TITLE.finditer(text):
        yield Name(found["name"], *found.span("name"), "", dense(found["name"]))
    for pattern in (_BEHIND, _BEFORE) if _QUOTE.search(text) else ():
        for found in pattern.finditer(text):
            inside = found["name"].strip()
            if _may_name(inside):
                yield Name(inside, *found.span("name"), "", dense(inside))
    for found in _BARE.finditer(text):
        said = _PREDICATE.sub("", found["name"])
        if said != found["name"] and _may_name(said):
            start = found.start("name")
            yield Name(said, start, start + len(said), "", dense(word_stem(said)))


def _may_name(inside: str) -> bool:
    if len(inside.split()) > _MOST_QUOTED_WORDS or _IS_SENTENCE.search(inside):
        return False
    return not is_law_name(inside)


_TOKEN = re.compile(r"[가-힣A-Za-z0-9]{1,40}")
_ROAD = re.compile(
    r"(?<![가-힣])(?P<road>(?P<name>[가-힣]{2,8})(?:로|길))(?=\s?\d{1,4}(?:번길|-\d|[\s,.)]|에|$))"
)
_MAY_BE_ROAD = re.compile(r"[로길]\s?\d")
_BUILDING = re.compile(
    r"(?<![가-힣A-Za-z0-9])(?P<name>[본별신구동서남북A-Z]관)(?=\s?(?:지하\s?)?\d{1,2}\s?층)"
)
_NEVER_APART = _PRODUCTS | section_words("name_heads", "documents", "papers", "officers")
"""Heads to whose name a word apart does not belong: 제출용 확인서."""
_HEADS = _ORGANISATIONS | _BUSINESSES | _NEVER_APART
_DESCRIPTION_NAMES = section_words("name_heads", "institutions", "documents", "officers")
"""Heads before which even a describing word names: 시설팀장, 주민등록등본."""
_LONGEST_HEAD = max(map(len, _HEADS))
_LONGEST_WORD = max(map(len, _DESCRIBING))
_PLACES = section_words("places", *sections("places"))
_SHORTEST_SPECIFIC = 2
_SHORTEST_OWN_WORD = 3
_SHORTEST_PRODUCT = 4
_WORDS_KEPT = 16_384
# 세무과에, 복지정책과로: after a consonant 과 alone may be the particle "and".
_AFTER_DEPARTMENT = frozenset(("에", "에서", "에는", "에서는", "로"))
# What ends a word that describes, connects, has a particle or is a predicate: 가까운, 국가적,
# 따르면, 통하여, 지하철로, 무료이므로, 받으실.
_NO_NOUN = re.compile(
    r"(?:[는은한된운던할될인른의적및등면며고서해여어도에를을로와과만]|부터|까지|니까|지만|거나|[는은인한]데"
    r"|보다|에게|마다|처럼|만큼|[으하되가오보쓰타드리주계]실)$"
)
_OPEN = 0


class _Form(NamedTuple):
    """A reading of a token as head and what stands before it."""

    head: str
    modifier: str


def headed_names(text: str) -> Iterator[Name]:
    """Yield the names of a text that a head ends, in order."""
    previous: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        if forms := _forms(token[0]):
            name = _name_of(forms, token, previous, text)
            if name is not None:
                yield name
        previous = token
    for road in _ROAD.finditer(text) if _MAY_BE_ROAD.search(text) else ():
        # A particle makes no road: 무료로 2시간.
        if stem(road["road"]) == road["road"]:
            yield Name(road["road"], *road.span("road"), road["road"][-1], road["name"])
    for building in _BUILDING.finditer(text) if "층" in text else ():
        yield Name(building["name"], *building.span("name"), "", building["name"].casefold())


def _name_of(
    forms: Sequence[tuple[int, _Form]],
    token: re.Match[str],
    previous: re.Match[str] | None,
    text: str,
) -> Name | None:
    for length, form in forms:
        end = token.start() + length
        if form.modifier:
            specific = _specific(form)
            return _name(text, token.start(), end, form, specific) if specific else None
        if previous is not None and text[previous.end() : token.start()] == " ":
            own = _own_word(previous[0], form.head)
            return _name(text, previous.start(), end, form, own) if own else None
    return None


def _name(text: str, start: int, end: int, form: _Form, specific: str) -> Name:
    return Name(text[start:end], start, end, form.head, dense(specific))


@lru_cache(maxsize=_WORDS_KEPT)
def _forms(word: str) -> tuple[tuple[int, _Form], ...]:
    """Return the readings of a word, each with the length of what is read."""
    bare_words = dict.fromkeys((word, stem(word), word_stem(word)))
    read = ((len(bare), _form(bare, word)) for bare in bare_words)
    return tuple((length, form) for length, form in read if form is not None)


def _form(bare: str, surface: str) -> _Form | None:
    """Read a word without its particle as a head with what stands before it."""
    for size in range(min(_LONGEST_HEAD, len(bare)), 1, -1):
        head = bare[-size:]
        if head in _HEADS:
            return None if bare.endswith("도지사") else _Form(head, bare[:-size])
    head, modifier, ending = bare[-1:], bare[:-1], bare[-2:]
    if len(modifier) < _SHORTEST_SPECIFIC:
        return None
    if (
        head == "팀"
        or (head == "청" and ending not in section_words("name_heads", "ordinary offices"))
        or (head == "과" and _is_department(bare, surface))
        or (head in _BEARERS and modifier in _BEARERS[head])
        or (head == "점" and modifier in _PLACES)
    ):
        return _Form(head, modifier)
    return None


def _is_department(bare: str, surface: str) -> bool:
    if bare[-2:] in section_words("name_heads", "ordinary departments"):
        return False
    return final_consonant(bare[-2]) == _OPEN or surface[len(bare) :] in _AFTER_DEPARTMENT


def _specific(form: _Form) -> str:
    """Return what of a glued name names: 수원 of 수원상담센터; nothing if it only describes."""
    if form.modifier.casefold() in _ORDINARY_LATIN:
        return ""
    if len(form.head) == 1 or form.head in _DESCRIPTION_NAMES:
        return "" if form.modifier in _POINTING else form.modifier
    if form.head in _PAPERS:
        is_of_any = form.modifier in _OF_ANY_PAPER
        return "" if is_of_any or len(form.modifier) < _SHORTEST_SPECIFIC else form.modifier
    if form.head in _PRODUCTS and len(form.modifier) < _SHORTEST_PRODUCT:
        return ""
    left = _undescribed(form.modifier)
    return left if len(left) >= _SHORTEST_SPECIFIC else ""


def _own_word(word: str, head: str) -> str:
    """Return the separate word before a head if it names: 벨라루나 of 벨라루나 레스토랑."""
    if head in _NEVER_APART or word[0].isdigit() or len(word) < _SHORTEST_OWN_WORD:
        return ""
    if _NO_NOUN.search(word) or word in listed("grammar_words"):
        return ""
    left = _undescribed(word)
    return left if len(left) >= _SHORTEST_SPECIFIC else ""


def _undescribed(modifier: str) -> str:
    """Take describing words off both ends of a modifier."""
    while (cut := next(_cuts(modifier), None)) is not None:
        modifier = cut
    return modifier


def _cuts(modifier: str) -> Iterator[str]:
    for size in range(min(_LONGEST_WORD, len(modifier)), 0, -1):
        if modifier[-size:] in _DESCRIBING:
            yield modifier[:-size]
        if modifier[:size] in _DESCRIBING:
            yield modifier[size:]


_LAW = re.compile(r"「[^「」\n]{2,80}」")


def find_names(raw: str, normal: Normal) -> tuple[Name, ...]:
    """Return the names of a text in order of where they begin, each place once.

    Code, addresses, names of files, of laws in their brackets and of cited sources are left out.
    """
    text = blotted(normal.text, citation_places(normal.text))
    text = _LAW.sub(_without_law, prose_only(text))
    found = [*quoted_names(text), *headed_names(text), *latin_names(text), *people(text)]
    places: dict[tuple[int, int], Name] = {}
    for name in found:
        start, end = normal.to_raw(name.start, name.end)
        places.setdefault((start, end), replace(name, text=raw[start:end], start=start, end=end))
    return tuple(places[place] for place in sorted(places))


def _without_law(quoted: re.Match[str]) -> str:
    return " " * len(quoted[0]) if is_law_name(quoted[0]) else quoted[0]
