"""Questions that must not be answered because the request has no evidence for an answer.

Finds: no context block at all; an empty one; sources whose best retrieval score is too low; sources
    about something else than the question; a name, number or year in the question that no source
    mentions although they mention others of its kind (another branch, plan, grade, edition). The
    last is weak where a noun distinguishes the kinds (육아휴직 beside 질병휴직), because it may
    also describe a known one: 교내장학금 is any scholarship of the school.
Misses: sources on the subject that lack exactly the fact asked for. False alarms: a question in
    several everyday words for which `guards/lexicons/everyday_words.txt` does not have the sources'
    words.
Score: 1.0 if evidence is missing; for a low retrieval score its distance from the minimum, from 0.5
    at the minimum to 1.0 at zero; 0.95 for an unknown name; otherwise the share of the question's
    words that the sources lack.
Source: our own rules; see `guards.evidence.coverage` for that share.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.claims.standing import abstains
from guards.core.exchange import ContextState, Exchange
from guards.core.finding import Finding, Severity, Span
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, RequestReading, SourceSet
from guards.evidence.coverage import Topics, forms_of, question_coverage, without_spacing
from guards.evidence.topic import (
    Word,
    asks_for_rules,
    is_frame_noun,
    names_subject,
    runs,
    topic_words,
)
from guards.korean.morphemes import morphemes
from guards.lexicons.loading import sections

_CODE = re.compile(r"(?<![a-z0-9.-])(?P<kind>[a-z]{1,5})-?(?P<which>\d{1,4})(?![a-z0-9%.-])")
_YEAR = re.compile(r"(?<!\d)(?P<which>20\d{2})(?:학년도|년도|년)?(?![.\d]|\s?[./]\s?\d)")
_EDITION_ASKED = re.compile(
    r"(?<!\d)(?P<which>20\d{2})(?:학년도|년도|년)\s(?:도\s)?(?!\d|이후|이전|말|초)(?P<of>\S+)"
)
_ARTICLE = re.compile(r"제\s?(?P<which>\d{1,4}조(?:의\s?\d{1,2})?)")
_IN_RANGE = re.compile(r"^\s?(?:[~∼～–-]|이상|이하|이후|이전|초과|미만|부터|까지|내지|등)")
_LISTED_NUMBERS = re.compile(r"(?<![\d.])(?:\d{1,2}\s?[·ㆍ,/]\s?)+$")
_NUMBER = re.compile(r"\d+")
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
        is_aside: Whether the question asks for something else before it names it.
    """

    name: str
    known: tuple[str, ...]
    may_describe: bool = False
    is_aside: bool = False


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
    """Return a name of the question that no source knows while one knows others like it.

    Such as ``제주점`` where the sources speak of ``서울점``, 2026 where their titles say 2025, or
    grade ``P4`` where they list P1 to P3. A number is not called unknown where the sources give a
    range (``3종 이상``), which may include it.
    """
    if not _may_name(question):
        return None
    folded = question.casefold()
    topics = sources.once(Topics)
    for names_in in _READERS:
        found = _unknown_of(names_in, folded, topics.text)
        if found and found.name not in topics.dense:
            return found._replace(is_aside=_asks_before(folded, found.name))
    return (
        _unknown_edition(folded, topics.titles, topics.text)
        or _unknown_article(folded, topics.titles, topics.text)
        or _unknown_compound(question, topics)
    )


# 무상으로 바꿔 주세요. 그리고 강남 매장도 있나요: the first can be answered.
_ASKED = re.compile(r"(?:[?？]|(?:주세요|주십시오|[나까가]요|려줘|해줘|는지요?|얼마)[.!~,]*)\s+\S")


def _asks_before(question: str, name: str) -> bool:
    """Tell whether a question asks for something else before it gives a name."""
    at = question.find(name)
    return at > 0 and _ASKED.search(question[:at] + "*") is not None


def _unknown_of(
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


def _numbered_names(text: str) -> Iterator[_Name]:
    """Yield names such as 2유형 and 3호선, both in 3·4호선."""
    for match in _numbered_pattern().finditer(text):
        yield from _numbers(match["kind"], match["which"] + match["kind"], match)
        listed = _LISTED_NUMBERS.search(text, 0, match.start())
        for which in _NUMBER.findall(listed[0]) if listed else ():
            yield _Name(match["kind"], which + match["kind"])


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


_READERS = (_codes, _numbered_names, _grades, _places)


_CERTAINTY_OF_NAME = 0.95


class AnswerabilitySettings(GuardSettings):
    """Options of `Answerability`."""

    intents: tuple[str, ...] = Field(
        ("policy",), description="Intents of questions that need sources."
    )
    evidence_always: bool = Field(
        False, description="Every question needs sources, whatever its intent."
    )
    min_score: float | None = Field(
        0.65,
        ge=0,
        le=1,
        description="Minimum retrieval score of the best source, if sources have scores; null "
        "switches the comparison off.",
    )
    off_topic: bool = Field(True, description="Compare the question's words with the sources.")
    unknown_names: bool = Field(
        True, description="Compare the names in the question with those in the sources."
    )
    min_source_chars: int = Field(
        150,
        ge=0,
        description="Minimum total length of the sources, in characters, for comparing the "
        "question's words.",
    )
    min_coverage: float = Field(
        0.2,
        ge=0,
        le=1,
        description="Minimum share of the question's words, weighted by rarity, that the best "
        "passage of a source must contain.",
    )
    min_coverage_of_rules: float = Field(
        0.45,
        ge=0,
        le=1,
        description="The same for a question that names its subject in the nouns of the rules.",
    )


class Answerability(Guard[AnswerabilitySettings]):
    """Report a question that demands evidence and has none."""

    id = "answerability"
    label = Label("Evidence for an answer", "답변 근거")
    subject = Subject.QUESTION
    stages = frozenset({Stage.INPUT, Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = AnswerabilitySettings
    codes: ClassVar[Mapping[str, Code]] = {
        "answerability.no_context": Code(
            label=Label("The app sent no sources", "앱이 출처를 보내지 않음"),
            meaning="The request carries no context block.",
            message="답할 근거가 되는 자료가 없습니다",
        ),
        "answerability.empty_context": Code(
            label=Label("The search found no sources", "검색된 출처가 없음"),
            meaning="The request's context block contains nothing usable.",
            message="답할 근거가 되는 자료가 없습니다",
        ),
        "answerability.low_score": Code(
            label=Label(
                "All sources are below the required search score",
                "모든 출처의 검색 점수가 기준보다 낮음",
            ),
            meaning="Every source's retrieval score is below the minimum.",
            message="답할 근거가 되는 자료가 없습니다",
        ),
        "answerability.off_topic": Code(
            label=Label("No source is about the question", "질문과 관련된 출처가 없음"),
            meaning="No source is about what the question asks.",
            message="답할 근거가 되는 자료가 없습니다",
        ),
        "answerability.unknown_name": Code(
            label=Label(
                "The sources have others of its kind, not the one asked about",
                "자료가 질문의 대상이 아닌 다른 것만 다룸",
            ),
            meaning="The sources mention others of its kind, but not the one that the question "
            "names.",
            message="자료는 질문하신 대상이 아닌 다른 것만 다룹니다",
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why there is nothing to judge yet, or at all."""
        exchange = reading.exchange
        if not exchange.question.strip():
            return "no_question"
        if not (self._demands_evidence(exchange) or self._compares(reading)):
            return "no_evidence_demanded"
        if exchange.may_fetch and exchange.answer is None:
            return "may_still_fetch"
        return None

    def check(self, reading: Reading) -> list[Finding]:
        """Report the first thing that is missing; an answer that abstains needs no evidence."""
        exchange = reading.exchange
        if exchange.answer is not None and abstains(exchange.answer):
            return []
        lack = self._lack(reading)
        if lack is None:
            return []
        question = exchange.question.strip()
        start = exchange.question.index(question)
        return [
            Finding(
                guard=self.id,
                code=f"{self.id}.{lack.kind}",
                part=reading.question.name,
                span=Span(start, start + len(question)),
                observed=question,
                expected=lack.known,
                severity=lack.severity,
                score=lack.certainty,
                # An answer that has begun may yet say that it cannot answer.
                provisional=exchange.answer is not None,
            )
        ]

    def _demands_evidence(self, exchange: Exchange) -> bool:
        settings = self.settings
        return settings.evidence_always or bool(set(exchange.intents) & set(settings.intents))

    def _compares(self, reading: Reading) -> bool:
        """Tell whether words alone can show that the sources are not about a question."""
        settings = self.settings
        if not _has_text(reading.exchange):
            return False
        return (settings.off_topic and self._can_tell(reading.exchange)) or (
            settings.unknown_names and reading.request.once(_unknown) is not None
        )

    def _can_tell(self, exchange: Exchange) -> bool:
        """Tell whether a question's words would show in sources about it: not in a line or two."""
        size = sum(len(source.text) for source in exchange.sources)
        return size >= self.settings.min_source_chars and names_subject(exchange.question)

    def _lack(self, reading: Reading) -> "_Lack | None":
        """Return what is missing; None if the question has evidence."""
        exchange = reading.exchange
        demanded = self._lack_of_sources(exchange) if self._demands_evidence(exchange) else None
        if demanded or not _has_text(exchange):
            return demanded
        unknown = reading.request.once(_unknown) if self.settings.unknown_names else None
        if unknown and not (unknown.may_describe or unknown.is_aside):
            return _Lack("unknown_name", doubt(reading), unknown.known)
        # A score that passes the gate knows synonyms, which the comparison of words does not.
        best = None if self.settings.min_score is None else _best_score(exchange)
        if self.settings.off_topic and best is None and (lack := self._off_topic(reading)):
            return lack
        return (
            _Lack("unknown_name", doubt(reading), unknown.known, Severity.WEAK) if unknown else None
        )

    def _lack_of_sources(self, exchange: Exchange) -> "_Lack | None":
        if exchange.context is ContextState.ABSENT:
            return _Lack("no_context", 1.0)
        if not _has_text(exchange):
            return _Lack("empty_context", 1.0)
        best = _best_score(exchange)
        gate = self.settings.min_score
        is_low = gate is not None and best is not None and best < gate
        return _Lack("low_score", _certainty(best or 0, gate or 1)) if is_low else None

    def _off_topic(self, reading: Reading) -> "_Lack | None":
        question = reading.exchange.question
        coverage = reading.request.once(_coverage)
        if coverage is None or not self._can_tell(reading.exchange):
            return None
        settings = self.settings
        for_rules = asks_for_rules(question)
        least = settings.min_coverage_of_rules if for_rules else settings.min_coverage
        return _Lack("off_topic", doubt(reading)) if coverage < least else None


class _Lack(NamedTuple):
    """Missing evidence, its certainty, and the names that the sources know instead."""

    kind: str
    certainty: float
    known: tuple[str, ...] = ()
    severity: Severity = Severity.STRONG


def doubt(reading: Reading) -> float:
    """Return from 0 to 1 how doubtful it is, by words alone, that the sources answer a question."""
    if reading.request.once(_unknown):
        return _CERTAINTY_OF_NAME
    coverage = reading.request.once(_coverage)
    return 0.0 if coverage is None else 1 - coverage


def _coverage(request: RequestReading) -> float | None:
    return question_coverage(request.exchange.question, request.source_set)


def _unknown(request: RequestReading) -> UnknownName | None:
    return unknown_name(request.exchange.question, request.source_set)


def _has_text(exchange: Exchange) -> bool:
    return any(source.text.strip() for source in exchange.sources)


def _best_score(exchange: Exchange) -> float | None:
    return max(
        (source.score for source in exchange.sources if source.score is not None), default=None
    )


def _certainty(value: float, threshold: float) -> float:
    return 1 - max(value, 0) / threshold / 2
