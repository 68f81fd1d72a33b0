import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.estimates import Estimates, EstimatesSettings
from tests.tables import each_row

GUIDE = (
    "역에서 숙소까지 셔틀버스로 25분 걸린다. 조식은 성인 기준 33,000원이다.\n"
    "회의실의 정원은 98명이다. 주차장은 약 200대를 수용한다.\n"
    "성수기에는 입실이 늦어질 수도 있다."
)
SOURCES = (Source("1", "오시는 길과 시설", GUIDE),)


@pytest.fixture
def guard() -> Estimates:
    return Estimates(EstimatesSettings())


def findings(guard: Estimates, answer: str) -> list[Finding]:
    return guard.check(read(Exchange("어떻게 가나요?", SOURCES, answer=answer)))


@each_row("answer, observed", "flagged")
def test_flags_figures(guard: Estimates, answer: str, observed: str) -> None:
    strong = [found for found in findings(guard, answer) if found.severity is Severity.STRONG]

    assert [(found.code, found.observed) for found in strong] == [
        ("estimates.unsupported", observed)
    ]
    assert answer[strong[0].span.start : strong[0].span.end] == observed


@each_row("answer", "clean")
def test_passes(guard: Estimates, answer: str) -> None:
    assert findings(guard, answer) == []


@each_row("answer, observed", "hedges")
def test_hedging_words_are_weak_signs(guard: Estimates, answer: str, observed: str) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.severity) == ("estimates.hedge", Severity.WEAK)
    assert finding.observed == observed
    assert answer[finding.span.start : finding.span.end] == observed


def test_a_time_that_follows_from_the_source_is_only_weak() -> None:
    sources = (Source("1", "", "공연은 새벽 4시 반부터 2시간여 동안 열린다."),)
    exchange = Exchange("언제?", sources, answer="공연은 약 새벽 6시 반까지 열립니다.")

    [finding] = Estimates(EstimatesSettings()).check(read(exchange))

    assert (finding.code, finding.severity) == ("estimates.derived", Severity.WEAK)


def test_expected_is_what_the_source_says(guard: Estimates) -> None:
    [finding] = findings(guard, "조식은 성인 기준 약 5만원입니다.")

    assert finding.expected == ("33,000원",)


def test_rounding_may_be_switched_off() -> None:
    strict = Estimates(EstimatesSettings(rounding=0))

    [finding] = findings(strict, "정원은 약 100명입니다.")

    assert finding.observed == "100명"


@each_row("sources, question, answer", "right")
def test_rounded_derived_and_supposed_figures_are_right(
    sources: str, question: str, answer: str
) -> None:
    exchange = Exchange(question, (Source("1", "안내", sources),), answer=answer)

    found = Estimates(EstimatesSettings(rounding=0.1)).check(read(exchange))

    assert [one for one in found if one.severity is Severity.STRONG] == []


@each_row("source, answer", "reckoned")
def test_what_follows_from_figures_at_hand_is_no_guess(
    guard: Estimates, source: str, answer: str
) -> None:
    exchange = Exchange("얼마나 되나요?", (Source("1", "안내", source),), answer=answer)
    found = guard.check(read(exchange))

    assert [one.observed for one in found if one.severity is Severity.STRONG] == []
