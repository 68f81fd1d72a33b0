"""What an answer says against its sources in many fields: opposites, replies, limits, scales."""

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.negation import Negation, NegationSettings
from tests.tables import each_row

QUESTION = "어떻게 되나요?"


def strong(rule: str, answer: str, question: str = QUESTION, *more: Source) -> list[Finding]:
    exchange = Exchange(question, (Source("1", "", rule), *more), answer=answer)
    found = Negation(NegationSettings()).check(read(exchange))
    return [one for one in found if one.severity is Severity.STRONG]


@each_row("rule, answer", "opposed")
def test_flags_what_the_source_tells_the_other_way(rule: str, answer: str) -> None:
    assert [one.code for one in strong(rule, answer)] == ["negation.flipped"]


@each_row("rule, answer", "agrees")
def test_passes_what_the_source_tells_the_same_way(rule: str, answer: str) -> None:
    assert strong(rule, answer) == []


@each_row("rule, answer, observed", "wider")
def test_flags_a_word_that_drops_a_limit(rule: str, answer: str, observed: str) -> None:
    [found] = strong(rule, answer)

    assert found.code in {"negation.condition_dropped", "negation.limit_set_aside"}
    assert observed in answer[found.span.start : found.span.end] or found.observed in observed
    assert found.evidence[0].quote in rule


@each_row("rule, answer", "as_wide")
def test_passes_a_word_that_drops_none(rule: str, answer: str) -> None:
    assert strong(rule, answer) == []


@each_row("rule, question, answer, count", "replies")
def test_a_yes_and_a_no_say_what_was_asked(
    rule: str, question: str, answer: str, count: int
) -> None:
    assert len(strong(rule, answer, question)) == count


@each_row("rule, answer, count", "scales")
def test_a_word_of_a_scale_is_not_its_opposite(rule: str, answer: str, count: int) -> None:
    assert len(strong(rule, answer)) == count


def test_a_clause_is_judged_without_what_follows() -> None:
    answer = "객실에서 흡연하실 수 있습니다."
    whole = f"{answer} 자세한 내용은 프런트에 문의해 주세요."

    assert [one.span for one in strong("전 객실은 금연입니다.", answer)] == [
        one.span for one in strong("전 객실은 금연입니다.", whole)
    ]
