"""Claims: what each clause, list item and table cell of a text says, as data with its place.

One reader for answers and for sources. A claim is a clause; its labels, the clauses before it in
its sentence and the topic carried from the sentences before say what it is about. Its modality is
one field whatever the verb or noun: 금지, 불가, -면 안 된다 and -ㄹ 수 없다 forbid; 가능, 허용,
-아도 된다 and -ㄹ 수 있다 permit; -아야 한다 and 필수 require. A fact is told or denied.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from guards.claims.layout import Block, Level, Page, read_layout
from guards.korean.morphemes import Morpheme, morphemes
from guards.korean.words import Word, content_words
from guards.lexicons.loading import Candidates, sections
from guards.text.sentences import split_sentences
from guards.text.slots.quantity import Quantity, sentence_quantities


class Modality(StrEnum):
    """Modality of the predicate of a clause."""

    PERMITTED = "permitted"
    FORBIDDEN = "forbidden"
    REQUIRED = "required"
    NOT_REQUIRED = "not_required"
    FACT = "fact"
    DENIED = "denied"


_DENIED = re.compile(
    r"지/(?:EC|VX) (?:는/(?:JX|ETM) |(?:도|까지)/JX |를/JKO )*(?:않|아니하)/"
    r"|아니/VCN(?! 라/EC)|안/MAG \S+/V|없/VA|없이/MAG$"
)
# What frames a statement says nothing of its act: …다는 점을 기억하세요, …다고 안내되어 있습니다.
_REPORTED = re.compile(
    r"(?:는|은|인|ㄴ)다/EC |다는/ETM (?:점|것|사실|내용|말|뜻|의미|안내|규정|조건|원칙)/|다고/EC "
    r"|라는/ETM (?:점|것)|(?:은|는|ㄴ)/ETM (?:점|것|사실)/NN\S+ (?:을|은|이|도)/J\S+ "
    r"(?:기억|참고|유의|알|주의|확인|잊)"
)


# Texts without which none of the above matches: much quicker to look for.
_REPORTING = ("다/EC ", "다/ETM ", "다는/", "다고/EC ", "라는/ETM ", "점/NN", "것/NN", "사실/NN")
# 소득이 없는 배우자는 …: what only describes an argument does not deny the clause.
_DESCRIBES = re.compile(
    r"[^ ]*(?: \S+/XS\w)?(?: \S+/EP)? ?(?:는|은|ㄴ|던)/ETM "
    r"(?:(?!(?:것|거|점|사실|경우|때|셈|편|한|데)/)"
    r"(?:\S+/(?:N\w+|MM|XR|XPN|XSN|S[A-Z]+) ){1,6}"
    r"(?:은|는|이|가|을|를|에|에서|에게|으로|로|와|과|만|도|의)/J"
    # 정품이 아닌 것으로 바꾼 기기는, but not 납부하지 않은 것으로 본다.
    r"|것/NNB (?:으로/JKB (?!(?:하|보|간주|처리|되|인정|알|알려지|안내|확인|나타나|판단)/)\S+/V"
    r"|(?:은|만|과|이나)/J\S+ \S+/N))"
)
_NEGATIVE = frozenset({Modality.FORBIDDEN, Modality.DENIED})

_Rule = tuple[Modality, re.Pattern[str], re.Pattern[str] | None]


@cache
def _rules() -> tuple[Sequence[_Rule], Candidates]:
    """Return each rule's modality, its pattern and what stands before it; and which may match."""
    rules: list[_Rule] = []
    for name, patterns in sections("modality").items():
        for pattern in patterns:
            main, _, before = pattern.partition("@")
            needed = re.compile(before.strip()) if before.strip() else None
            # A modality may have a second section: [required by a double denial].
            rules.append((Modality(name.split()[0]), re.compile(main.strip()), needed))
    return rules, Candidates(pattern.pattern for _, pattern, _ in rules)


def modality_of(trail: str) -> tuple[Modality, int]:
    """Return the modality of a clause and where in the trail its expression begins.

    Args:
        trail: The morphemes of the clause, as ``form/TAG`` with spaces between.
    """
    if [text for text in _REPORTING if text in trail]:
        reported = _REPORTED.search(trail)
        if reported is not None:
            trail = trail[: reported.start()]
    best: tuple[Modality, int] | None = None
    rules, candidates = _rules()
    for number in candidates.of(trail):
        modality, pattern, needed = rules[number]
        last = _last(pattern, trail, may_describe=modality not in _NEGATIVE)
        if last is None:
            continue
        if needed is not None and not needed.search(trail[: last.start()][-40:]):
            continue
        # The last predicate of the clause tells; at the same place the first rule does.
        if best is None or last.end() > best[1] + _SAME_PLACE:
            best = (modality, last.end())
    denied = _last(_DENIED, trail, may_describe=False)
    if best is None or (denied is not None and denied.start() > best[1]):
        return (Modality.DENIED, denied.start()) if denied else (Modality.FACT, len(trail))
    return best


def _last(pattern: re.Pattern[str], trail: str, *, may_describe: bool) -> re.Match[str] | None:
    """Return the last match in a trail, of those that do not only describe an argument."""
    found = None
    for match in pattern.finditer(trail):
        if may_describe or not _DESCRIBES.match(trail, match.end()):
            found = match
    return found


_SAME_PLACE = 12


_KEPT = 2048
_MARKS_BEHIND = re.compile(r"(?<=[가-힣][.!?])(?:\[\d{1,2}\])+$")
_IN_MARK = re.compile(r"\d+|[\[\]]")
_TAG_IN_MARK = {"[": "SSO", "]": "SSC"}
_CUT = frozenset(
    "고 며 으며 면서 으면서 지만 으나 나 는데 ㄴ데 은데 므로 으므로 니 으니 니까 으니까 아서 어서 "
    "여서 ㅓ서 거나 면 으면 다면 라면 이라면 ㄴ다면 는다면 더라도 아도 어도 여도 ㅓ도 ㄴ다는 고요 "
    "는데요 되 하되".split()
)
_CONDITIONAL = frozenset("면 으면 다면 라면 이라면 ㄴ다면 는다면".split())
_CONCESSIVE = frozenset("더라도 아도 어도 여도 ㅓ도 을지라도 ㄹ지라도".split())
_ALWAYS = frozenset(
    "며 으며 지만 으나 는데 ㄴ데 은데 므로 으므로 니 으니 니까 으니까 더라도".split()
)
# An ending before one of these goes on with the same predicate: 해도 됩니다, 하고 있습니다.
_GOES_ON = frozenset(
    "되 좋 괜찮 무방 있 않 못하 하 보 주 싶 말 버리 놓 두 계시 안 아니 상관없 지 오 가".split()
)
# 채식이고 오신채도: behind what only is so, few auxiliaries go on (학생이고 싶다).
_STATES = frozenset({"VCP", "VCN", "VA", "XSA"})
_GOES_ON_STATING = frozenset({"싶", "말", "있", "계시"})
# 끄지 말고 그대로 두세요: 두다 is no auxiliary behind an adverb.
_NOT_BUT = frozenset({"말", "않"})
_DIGIT = re.compile(r"\d")
_SPEAKING = frozenset({"SN", "SL", "SH"})
_CASE = frozenset({"경우", "때", "시", "시점", "이상"})
# Behind an ending, the noun of a case or its particle.
_MAY_END = frozenset({"EC", "JKB", "JX"})
_BREAK = re.compile(
    r",(?!\d)|[;→⇒]|(?<=[ ])/(?=[ ])|(?<=[가-힣)%])/(?=[가-힣])|(?<=[ ])[-–—·](?=[ ])"
    r"|[.](?=[ ][가-힣])"
)


class Clause(NamedTuple):
    """A clause of a sentence, read by itself; places count from the sentence's beginning.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        words: Its content words.
        trail: Its morphemes, as ``form/TAG`` with spaces between.
        modality: How its predicate is meant.
        is_condition: Whether it only names a condition (…면, …경우에는).
        is_concession: Whether it names one that makes no difference (…더라도, …아도).
        figures: The quantities in it.
    """

    start: int
    end: int
    words: tuple[Word, ...]
    trail: str
    modality: Modality
    is_condition: bool
    is_concession: bool
    figures: tuple[Quantity, ...]


class Claim(NamedTuple):
    """The claim of one clause.

    Attributes:
        text: The clause.
        start: Where it begins in the plain text of its page.
        end: Where it ends.
        clause: The clause, read.
        offset: Where its sentence begins in the plain text.
        block: The block it stands in.
        labels: The words of each of its labels, with the label's level.
        sentence: Number of its sentence in the text.
        position: Its number among the clauses of the sentence.
    """

    text: str
    start: int
    end: int
    clause: Clause
    offset: int
    block: Block
    labels: tuple[tuple[Level, tuple[Word, ...]], ...]
    sentence: int
    position: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A text, read.

    Attributes:
        page: Its layout.
        claims: Its claims, in order.
        sentences: The claims of each sentence, in order.
    """

    page: Page
    claims: tuple[Claim, ...]
    sentences: tuple[tuple[Claim, ...], ...] = field(repr=False)

    def text_of(self, sentence: Sequence[Claim]) -> str:
        """Return a sentence as it stands in the text, without emphasis."""
        return self.page.plain[sentence[0].start : sentence[-1].end].strip()


def read_claims(raw: str) -> Reading:
    """Read the claims of a text."""
    page = read_layout(raw)
    found: list[Claim] = []
    sentences: list[tuple[Claim, ...]] = []
    for block in page.blocks:
        labels = tuple((label.level, label_words(label.text)) for label in block.labels)
        text = page.plain[block.start : block.end]
        for sentence in split_sentences(text):
            offset = block.start + sentence.start
            number = len(sentences)
            claims = tuple(
                Claim(
                    sentence.text[clause.start : clause.end],
                    offset + clause.start,
                    offset + clause.end,
                    clause,
                    offset,
                    block,
                    labels,
                    number,
                    position,
                )
                for position, clause in enumerate(read_sentence(sentence.text))
            )
            if claims:
                found += claims
                sentences.append(claims)
    return Reading(page, tuple(found), tuple(sentences))


@lru_cache(maxsize=_KEPT)
def label_words(text: str) -> tuple[Word, ...]:
    """Return the content words of a label."""
    return content_words(morphemes(text))


@lru_cache(maxsize=_KEPT)
def label_figures(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a label."""
    return sentence_quantities(text) if _DIGIT.search(text) else ()


@lru_cache(maxsize=_KEPT)
def read_sentence(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence, in order."""
    found, figures = _read_words(text)
    return tuple(
        _clause(text, found[first:last], figures, is_last=last == len(found))
        for first, last in _cuts(text, found)
    )


def _read_words(text: str) -> tuple[Sequence[Morpheme], Sequence[Quantity]]:
    """Return the morphemes and the quantities of a sentence.

    A sentence of an answer is read with its citation marks and without: the marks behind its full
    stop change nothing before them.
    """
    marks = _MARKS_BEHIND.search(text)
    if marks is None:
        return morphemes(text), sentence_quantities(text)
    stem = text[: marks.start()]
    behind = [
        Morpheme(piece[0], _TAG_IN_MARK.get(piece[0], "SN"), *piece.span(), (piece[0],))
        for piece in _IN_MARK.finditer(text, marks.start())
    ]
    return (*morphemes(stem), *behind), sentence_quantities(stem)


def _cuts(text: str, found: Sequence[Morpheme]) -> Iterator[tuple[int, int]]:
    breaks = {match.start() for match in _BREAK.finditer(text)}
    first = 0
    depth = 0
    for at, one in enumerate(found):
        tag = one.tag
        if tag == "SSO":
            depth += 1
        elif tag == "SSC":
            depth -= 1
        if depth > 0 or at + 1 == len(found):
            continue
        # Asked here, as it is asked of every morpheme.
        may_end = tag in _MAY_END or one.form in _CASE
        if (one.start in breaks or (may_end and _ends_clause(found, at))) and any(
            piece.tag[0] != "S" or piece.tag in _SPEAKING for piece in found[first : at + 1]
        ):
            yield first, at + 1
            first = at + 1
    if first < len(found):
        yield first, len(found)


def _ends_clause(found: Sequence[Morpheme], at: int) -> bool:
    one, follows = found[at], found[at + 1]
    if one.tag == "EC" and one.form in _CUT:
        if one.form in _ALWAYS:
            return True
        if one.form == "고" and at and found[at - 1].tag in _STATES:
            return follows.form not in _GOES_ON_STATING
        if follows.tag == "MAG" and one.form == "고" and at and found[at - 1].form in _NOT_BUT:
            return True
        if follows.tag in {"JX", "MAG"} and at + 2 < len(found):
            follows = found[at + 2]
        return not (follows.tag in {"VX", "VV", "VA", "VCN"} and follows.form in _GOES_ON)
    return _ends_case(found, at)


def _ends_case(found: Sequence[Morpheme], at: int) -> bool:
    """Tell whether a condition named by a noun ends here (…하는 경우에는, …할 때)."""
    one = found[at]
    if found[at + 1].tag in {"JKB", "JX", "VCP", "JKG", "JKO", "JKS", "JC"}:
        return False
    back = at
    while back >= 0 and found[back].tag in {"JKB", "JX"}:
        back -= 1
    if back < 1 or found[back].form not in _CASE:
        return False
    if one is found[back] and found[at + 1].start == one.end:
        return False
    return found[back].form in {"경우", "때"} or (
        found[back].tag == "NNB" and found[back - 1].tag == "NNG"
    )


def _clause(
    text: str, found: Sequence[Morpheme], figures: Sequence[Quantity], *, is_last: bool
) -> Clause:
    start, end = found[0].start, found[-1].end
    trail = " ".join(f"{one.form}/{one.tag}" for one in found if one.tag not in {"SF", "SC", "SY"})
    endings = [one for one in found if one.tag not in {"SF", "SC", "SY", "SSC", "JX"}]
    last = endings[-1] if endings else found[-1]
    modality, _ = modality_of(trail)
    is_case = not is_last and any(
        one.form in {"경우", "때"} or (one.form == "시" and one.tag == "NNB") for one in found[-4:]
    )
    concedes = (is_case and found[-1].form == "도") or (
        last.tag == "EC" and last.form in _CONCESSIVE
    )
    return Clause(
        start=start,
        end=end,
        words=content_words(found),
        trail=trail,
        modality=modality,
        is_condition=not concedes and (is_case or (last.tag == "EC" and last.form in _CONDITIONAL)),
        is_concession=concedes and not is_last,
        figures=tuple(one for one in figures if start <= one.start < end),
    )
