"""Names of a question that no source knows, although they know others of the same kind.

``제주점`` where the sources speak of ``서울점``, 2026 where their titles say 2025, grade ``P4``
where they list P1 to P3: what they say of the others is no answer. A number is not told to be
unknown where the sources give a range (``3종 이상``), which may include it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from guards.core.reading import SourceSet
from guards.evidence.coverage import Topics, forms_of, without_spacing
from guards.evidence.topic import Word, is_frame_noun, runs, topic_words
from guards.korean.morphemes import morphemes
from guards.lexicons.loading import sections

_CODE = re.compile(r"(?<![a-z0-9.-])(?P<kind>[a-z]{1,5})-?(?P<which>\d{1,4})(?![a-z0-9%.-])")
_YEAR = re.compile(r"(?<!\d)(?P<which>20\d{2})(?:학년도|년도|년)?(?![.\d]|\s?[./]\s?\d)")
_EDITION_ASKED = re.compile(
    r"(?<!\d)(?P<which>20\d{2})(?:학년도|년도|년)\s(?:도\s)?(?!\d|이후|이전|말|초)(?P<of>\S+)"
)
_ARTICLE = re.compile(r"제\s?(?P<which>\d{1,4}조(?:의\s?\d{1,2})?)")
_IN_RANGE = re.compile(r"^\s?(?:[~∼～–-]|이상|이하|이후|이전|초과|미만|부터|까지|내지|등)")
_AFTER_RANGE = re.compile(r"(?:[~∼～–-]|부터|내지)\s?$")
_PLACE_NAME = re.compile(r"[가-힣a-z]{2,6}")
_ONLY = r"[^.\n]{0,9}?(?:만(?![가-힣\d]*\s?원)|한하|한해|한정|원칙|제외|불가|이외|외에)"
_LEAST_KNOWN = 2


class UnknownName(NamedTuple):
    """A name that a question gives, and those of its kind that the sources know.

    Attributes:
        name: The name.
        known: The others.
        may_describe: Whether it may be another word for one of them (교내장학금 for 근로장학금).
    """

    name: str
    known: tuple[str, ...]
    may_describe: bool = False


class _Name(NamedTuple):
    """One of the things of a kind."""

    kind: str
    which: str


def _may_name(question: str) -> bool:
    """Tell whether a question has a name, a number, a year or a compound to look for at all."""
    folded = question.casefold()
    return bool(topic_words(question)) and (
        any(True for names_in in _READERS for _ in names_in(folded))
        or any(pattern.search(folded) for pattern in (_EDITION_ASKED, _ARTICLE))
        or any(True for _ in _compounds(question))
    )


def unknown_name(question: str, sources: SourceSet) -> UnknownName | None:
    """Return a name of the question that no source knows while one knows others like it."""
    if not _may_name(question):
        return None
    folded = question.casefold()
    topics = sources.once(Topics)
    for names_in in _READERS:
        found = _unknown(names_in, folded, topics.text)
        if found and found.name not in topics.dense:
            return found
    return (
        _unknown_edition(folded, topics.titles, topics.text)
        or _unknown_article(folded, topics.titles, topics.text)
        or _unknown_compound(question, topics)
    )


def _unknown(
    names_in: Callable[[str], Iterator[_Name]], question: str, sources: str
) -> UnknownName | None:
    known = list(names_in(sources)) if any(True for _ in names_in(question)) else []
    for name in names_in(question):
        others = {other.which for other in known if other.kind == name.kind}
        least = _LEAST_KNOWN if names_in is _grades else 1
        if name.which not in others and len(others - {_ANY}) >= least and _ANY not in others:
            return UnknownName(name.which, tuple(sorted(others)))
    return None


_ANY = ""
"""Stands for every one of a kind: the text gives a range of them."""


def _codes(text: str) -> Iterator[_Name]:
    """Yield names such as P1 and WD-21."""
    for match in _CODE.finditer(text):
        if match["kind"] not in _kinds("measures"):
            yield from _numbers(match["kind"], match["kind"] + match["which"], match)


def _numbered(text: str) -> Iterator[_Name]:
    """Yield names such as 2유형 and 3호선."""
    for match in _numbered_pattern().finditer(text):
        yield from _numbers(match["kind"], match["which"] + match["kind"], match)


def _numbers(kind: str, which: str, match: re.Match[str]) -> Iterator[_Name]:
    yield _Name(kind, which)
    text = match.string
    if _IN_RANGE.match(text[match.end() :]) or _AFTER_RANGE.search(text[: match.start()]):
        yield _Name(kind, _ANY)


def _grades(text: str) -> Iterator[_Name]:
    """Yield the grades and classes of closed sets (실버, 이코노미)."""
    for kind, line in enumerate(sections("name_kinds")["grades"]):
        for ways in line.split():
            spellings = ways.split("=")
            if any(_stands(spelling, text) for spelling in spellings):
                yield _Name(str(kind), spellings[0])


def _stands(spelling: str, text: str) -> bool:
    if spelling not in text:
        return False
    pattern = rf"(?<![가-힣a-z]){spelling}(?![a-z]|그램|모션|필|젝트)"
    return re.search(pattern, text) is not None


def _places(text: str) -> Iterator[_Name]:
    """Yield the names of branches, and the proper names of other places and of products."""
    for match in _placed_pattern().finditer(text):
        if match["kind"] in _kinds("branches"):
            if not (match["which"].endswith(_no_branch()) or _is_bound(match["which"])):
                yield _Name("점", match["which"])
        elif _is_proper(match["which"]):
            yield _Name(match["kind"], match["which"])


@cache
def _is_bound(name: str) -> bool:
    """Tell whether a word ends in a particle or an ending: 해지는 매장."""
    return morphemes(name)[-1].tag.startswith(("E", "J"))


@cache
def _is_proper(name: str) -> bool:
    read = morphemes(name)
    return _PLACE_NAME.fullmatch(name) is not None and all(one.tag == "NNP" for one in read)


def _unknown_edition(question: str, titles: Sequence[str], sources: str) -> UnknownName | None:
    """Return the year of an edition that no source is of, if a title has another year of it."""
    for match in _EDITION_ASKED.finditer(question):
        subject = topic_words(match["of"])
        years = {
            year["which"]
            for title in titles
            if subject and any(form in without_spacing(title) for form in forms_of(subject[0]))
            for year in _YEAR.finditer(title)
        }
        if years and match["which"] not in sources:
            return UnknownName(match["which"], tuple(sorted(years)))
    return None


def _unknown_article(question: str, titles: Sequence[str], sources: str) -> UnknownName | None:
    """Return an article that is no source's, if every source is an article by its title."""
    known = [_ARTICLE.search(title) for title in titles]
    if not all(known):
        return None
    told_articles = {match["which"] for match in _ARTICLE.finditer(sources)}
    for match in _ARTICLE.finditer(question):
        if match["which"] not in told_articles:
            return UnknownName(match[0], tuple(one[0] for one in known if one))
    return None


def _unknown_compound(question: str, topics: Topics) -> UnknownName | None:
    """Return a compound (육아휴직) of which the sources know only others (질병휴직, 가사휴직)."""
    for which, kind in _compounds(question):
        word = Word(which, which + kind, is_minor=False)
        stands = which + kind in without_spacing(topics.text)
        if stands or any(map(any, topics.speaking_of(word))):
            continue
        known = {one for one, of in _compounds(topics.text) if of == kind}
        is_like_one = any(_shares_a_pair(one, which) for one in known)
        is_open = not _are_all(known, kind, topics.text)
        if len(known) >= _LEAST_KNOWN and not is_like_one and is_open:
            others = tuple(sorted(one + kind for one in known))
            return UnknownName(which + kind, others, may_describe=True)
    return None


def _shares_a_pair(one: str, other: str) -> bool:
    """Tell whether two words have two neighbouring syllables in common."""
    return any(first + second in other for first, second in pairwise(one))


def _are_all(known: set[str], kind: str, sources: str) -> bool:
    """Tell whether a text says that some of a kind are all there are (국내배송만 가능)."""
    return any(re.search(rf"{re.escape(one)}\s?{kind}{_ONLY}", sources) for one in known)


def _compounds(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of nouns that stand together as one word."""
    for run in runs(text):
        nouns = [one.form.casefold() for one in run]
        for which, kind in pairwise(nouns):
            if min(len(which), len(kind)) > 1 and not (is_frame_noun(which) or is_frame_noun(kind)):
                yield which, kind


@cache
def _kinds(section: str) -> frozenset[str]:
    return frozenset(word for line in sections("name_kinds")[section] for word in line.split())


@cache
def _no_branch() -> tuple[str, ...]:
    """Return what a word ends with that names no branch."""
    return tuple(_kinds("no branch"))


@cache
def _numbered_pattern() -> re.Pattern[str]:
    kinds = "|".join(sorted(_kinds("numbered"), key=len, reverse=True))
    return re.compile(rf"(?<![\d.])(?P<which>\d{{1,2}})\s?(?P<kind>{kinds})(?![가-힣]*\s?동안)")


@cache
def _placed_pattern() -> re.Pattern[str]:
    kinds = "|".join(
        sorted(_kinds("branches") | _kinds("places") | _kinds("products"), key=len, reverse=True)
    )
    return re.compile(
        rf"(?<![가-힣a-z])(?P<which>[가-힣a-z]{{2,6}}?)\s?(?P<kind>{kinds})"
        r"(?=$|[^가-힣a-z]|[은는이가의도을를에로과와랑]|까지|부터|만)"
    )


_READERS = (_codes, _numbered, _grades, _places)
