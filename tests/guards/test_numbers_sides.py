"""The side of a value: the same boundary in other words passes, the other side of it does not."""

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from tests.tables import each_row


def found(source: str, answer: str) -> list[Finding]:
    exchange = Exchange("알려 주세요.", (Source("1", "안내", source),), answer=answer)
    findings = Numbers(NumbersSettings()).check(read(exchange))
    return [one for one in findings if one.severity is Severity.STRONG]


@each_row("source, answer", "the_same_boundary_in_other_words_passes")
def test_the_same_boundary_in_other_words_passes(source: str, answer: str) -> None:
    assert found(source, answer) == []


@each_row("source, answer, observed", "the_other_side_of_a_value_is_found")
def test_the_other_side_of_a_value_is_found(source: str, answer: str, observed: str) -> None:
    [finding] = found(source, answer)

    assert (finding.code, finding.observed) == ("numbers.comparator_differs", observed)
    assert answer[finding.span.start : finding.span.end] == observed
    assert finding.evidence[0].quote == source


@each_row("source, answer, observed", "a_value_for_another_time_or_trip_is_found")
def test_a_value_for_another_time_or_trip_is_found(source: str, answer: str, observed: str) -> None:
    [finding] = found(source, answer)

    assert (finding.code, finding.observed) == ("numbers.value_differs", observed)
    assert answer[finding.span.start : finding.span.end] == observed


@each_row("source, answer", "the_same_base_in_other_words_passes")
def test_the_same_base_in_other_words_passes(source: str, answer: str) -> None:
    assert found(source, answer) == []
