"""Statements of an answer that are wider than the sources: for everybody, at any time.

A word that widens a statement (누구나, 관계없이, 승인 없이, 어떤 경우에도) has to have one in the
sources on the same subject. It is too much where they have none, but a limit.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from guards.claims.reader import Modality
from guards.evidence.opposites.meaning import Match, SourceMeaning, covered
from guards.evidence.opposites.statements import Statement
from guards.korean.words import Word
from guards.lexicons.loading import lines, sections
from guards.lexicons.patterns import Candidates


class Kind(StrEnum):
    """Kind of widening by a word."""

    ASIDE = "aside"
    """It sets aside what stands before it."""
    WHICHEVER = "whichever"
    """It does not matter which it is of what stands before it."""
    ALONE = "alone"
    """It needs no more than what stands before it."""
    WITHOUT = "without"
    """It does without what stands before it."""
    ALL = "all"
    """It takes in anybody, any time or all of something."""
    EQUAL = "equal"
    """It says the same of one more."""


_WIDENERS = {
    Kind(name): re.compile("|".join(patterns)) for name, patterns in sections("wideners").items()
}
_KINDS = tuple(_WIDENERS.items())
_MAY_WIDEN = Candidates(pattern.pattern for pattern in _WIDENERS.values())
# With these a source is as wide, though an answer that has them is not yet wider than it.
_AS_WIDE = re.compile(
    "|".join(_WIDENERS[kind].pattern for kind in (Kind.ASIDE, Kind.WHICHEVER, Kind.ALL, Kind.EQUAL))
    + r"|여부를|상시|연중|24시간|모두|전체|어떠?한 경우에도|각각|동일|일괄|무제한|중이라도|내에도"
)
_AS_EASY = re.compile(
    _WIDENERS[Kind.ALONE].pattern + r"|불필요|생략|면제|필요(?:하지|가|는)?\s?(?:없|않)|지\s?않아도"
)
_NEED = re.compile(
    r"승인|허가|동의|증빙|진단서|증명|서류|제출|필요|필수|[아어여해]야|한해|한하여|한정|이상|상의|예약"
)
_LIMIT = re.compile("|".join(lines("limits")))
# What need not be paid or feared is no condition: 추가 요금 없이, 문제없이, 지체 없이.
_NO_NEED = re.compile(
    r"(?:료|금|비|비용|세|불이익|지체|문제|걱정|부담|차이|사유|이상|차질|변동|관계|상관|제한|구애|구분)$"
)
_GENERIC = frozenset("서류 절차 조건 증빙 승인 신청 동의 확인".split())
_ALSO = re.compile(r"(?<=[가-힣])(?:도|에게도|에서도|까지)(?=\s)|더라도|[아어여]도(?=\s)")
_WIDEN_NOTHING = frozenset({Modality.DENIED, Modality.NOT_REQUIRED})
_NAMES_THING = frozenset({Kind.ASIDE, Kind.WHICHEVER, Kind.ALONE, Kind.WITHOUT})
_OF_SOMETHING = frozenset("여부 수 상황 상태 시기 시점 정도".split())
_LOOKED_AT = 6
_CLOSE = 0.5
_WORDS_ASIDE = 3


@dataclass(frozen=True, slots=True)
class Widened:
    """A place where an answer is wider than a source.

    Attributes:
        start: Where the words that widen it begin in the plain text.
        end: Where they end.
        match: The source statement about the same.
        limit: The sentence of the source with the limit.
        kind: What the widening words do.
        is_named: Whether the source names what they set aside.
    """

    start: int
    end: int
    match: Match
    limit: str
    kind: Kind = Kind.ALL
    is_named: bool = False


def widened(
    statement: Statement,
    text: str,
    meaning: SourceMeaning,
    question: Mapping[str, float],
    least: float,
) -> Widened | None:
    """Return where a statement is wider than the sources; None if it is not.

    Args:
        statement: A statement of an answer.
        text: The plain text of the answer.
        meaning: The statements of the sources.
        question: The features of the question.
        least: Least share of the statement that a source statement has to have.
    """
    if statement.is_named or statement.modality in _WIDEN_NOTHING:
        return None
    is_forbidden = statement.modality is Modality.FORBIDDEN
    if not is_forbidden and any(act.side < 0 for act in statement.acts[:1]):
        # 모든 노선이 쉽니다 takes nothing more in.
        return None
    begin = min((one.start for one in statement.conditions), default=statement.start)
    clause = text[min(begin, statement.start) : statement.end]
    begin = min(begin, statement.start)
    for number in _MAY_WIDEN.of(clause):
        kind, pattern = _KINDS[number]
        for match in pattern.finditer(clause):
            found = _Widener(kind, begin + match.start(), begin + match.end(), match[0])
            aside, start = found.aside(statement)
            if found.counts(statement, clause, aside):
                wide = _held(found, aside, clause, statement, meaning, question, least)
                if wide:
                    return replace(wide, start=start, kind=kind)
    return None


@dataclass(frozen=True, slots=True)
class _Widener:
    kind: Kind
    start: int
    end: int
    text: str

    def aside(self, statement: Statement) -> tuple[list[Word], int]:
        """Return the words right before it, nearest last, and where the nearest begins."""
        found: list[Word] = []
        start = self.start
        for claim in (*statement.conditions, statement.claim):
            shift = claim.start - claim.clause.start
            if claim.start <= self.start <= claim.end:
                found = [word for word in claim.clause.words if word.end + shift <= self.start]
                start = found[-1].start + shift if found else self.start
        return found[-_WORDS_ASIDE:], start if self.kind in _NAMES_THING else self.start

    def counts(self, statement: Statement, clause: str, aside: Sequence[Word]) -> bool:
        """Tell whether it widens its clause at all."""
        is_against = statement.modality is Modality.FORBIDDEN
        if self.kind is Kind.WITHOUT:
            return not is_against and bool(aside) and not _NO_NEED.search(aside[-1].text)
        if self.kind in {Kind.ASIDE, Kind.WHICHEVER, Kind.ALONE}:
            return not is_against
        if self.kind is Kind.EQUAL:
            return _ALSO.search(clause) is not None
        return True


def _held(
    found: _Widener,
    aside: Sequence[Word],
    clause: str,
    statement: Statement,
    meaning: SourceMeaning,
    question: Mapping[str, float],
    least: float,
) -> Widened | None:
    """Hold a widening word against the source statements about the same."""
    about = [
        one
        for one in meaning.about(statement, question)
        if not one.source_statement.claim.block.is_heading
    ]
    if not about or about[0].share < least:
        return None
    closest = [one for one in about if one.share >= about[0].share * _CLOSE]
    if any(_is_as_wide(found.kind, text) for one in closest for text in _texts(one, meaning)):
        return None
    for one in islice(closest, _LOOKED_AT):
        for text in _texts(one, meaning):
            if _is_narrower(found.kind, aside, clause, one, text):
                is_named = any(word.text in text for word in _set_aside(aside))
                return Widened(found.start, found.end, one, text, is_named=is_named)
    return None


def _is_as_wide(kind: Kind, text: str) -> bool:
    """Tell whether a sentence of a source has a widening word, too."""
    if kind not in {Kind.ALONE, Kind.WITHOUT}:
        return _AS_WIDE.search(text) is not None
    return _AS_EASY.search(text) is not None or any(
        not _NO_NEED.search(text[: match.start()].rstrip())
        for match in _WIDENERS[Kind.WITHOUT].finditer(text)
    )


def _is_narrower(kind: Kind, aside: Sequence[Word], clause: str, match: Match, text: str) -> bool:
    """Tell whether a sentence of a source has a limit that a widening word does without."""
    if kind is Kind.ALONE:
        return any(need[0] not in clause for need in _NEED.finditer(text))
    if kind is Kind.WITHOUT:
        last = aside[-1]
        is_named = covered(last, match.source_statement.around) > 0
        return is_named or (last.text in _GENERIC and _NEED.search(text) is not None)
    if kind is Kind.ASIDE and _denies_of(aside, text):
        return False
    around = match.statement.around
    limits = [found[0] for found in _LIMIT.finditer(text)]
    if limits and all(limit.endswith("만") for limit in limits):
        # 입주민만, and the answer says that it speaks of them.
        return not all(covered(word, around) for word in match.source_statement.only)
    return bool(limits)


def _set_aside(aside: Sequence[Word]) -> Sequence[Word]:
    """Return the words that name what is set aside: 목적, and both of 객실 상황."""
    return aside[-2:] if aside and aside[-1].text in _OF_SOMETHING else aside[-1:]


def _denies_of(aside: Sequence[Word], text: str) -> bool:
    """Tell whether a source says itself that what is set aside makes no difference.

    등급 추가 적립은 하지 않음: 등급과 관계없이.
    """
    at = text.find(aside[-1].text) if aside else -1
    return at >= 0 and re.search(r"않|없", text[at:]) is not None


def _texts(match: Match, meaning: SourceMeaning) -> Iterator[str]:
    """Yield the sentence of a source statement, and the exception behind it."""
    yield meaning.text_of(match.source_statement.sentence, match.source_statement.source)
    if exception := meaning.exception_behind(match.source_statement):
        yield meaning.text_of(exception, match.source_statement.source)
