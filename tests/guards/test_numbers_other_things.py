"""Figures that only look like those of the sources: of other things, or of the question alone."""

from guards.core.exchange import Exchange, Source
from guards.core.finding import Severity
from guards.core.reading import read
from guards.estimates import Estimates, EstimatesSettings
from guards.numbers import Numbers, NumbersSettings
from tests.tables import each_row

BUS = "순환버스는 오전 8시 40분에 첫차가 떠난다. 시내 관광에는 2시간 20분이 든다."


def strong(source: str, question: str, answer: str) -> list[str]:
    exchange = Exchange(question, (Source("1", "", source),), answer=answer)
    found = Numbers(NumbersSettings()).check(read(exchange))
    found += Estimates(EstimatesSettings()).check(read(exchange))
    return [one.observed for one in found if one.severity is Severity.STRONG]


@each_row("source, question, answer, observed", "flagged")
def test_flags(source: str, question: str, answer: str, observed: str) -> None:
    assert strong(source, question, answer) == [observed]


@each_row("source, question, answer", "clean")
def test_passes(source: str, question: str, answer: str) -> None:
    assert strong(source, question, answer) == []


@each_row("answer", ["40분 걸립니다.", "보통 반 시간쯤 걸립니다.", "대개 한나절이 걸립니다."])
def test_a_guessed_time_is_not_known_from_a_clock(answer: str) -> None:
    assert len(strong(BUS, "얼마나 걸려요?", answer)) == 1
