import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from guards.negation import Negation, NegationSettings
from tests.tables import each_row

QUESTION = "어떻게 되나요?"


@pytest.fixture
def guard() -> Negation:
    return Negation(NegationSettings())


def findings(guard: Negation, rule: str, answer: str, question: str = QUESTION) -> list[Finding]:
    return guard.check(read(Exchange(question, (Source("1", "", rule),), answer=answer)))


@each_row("rule, answer, observed", "flagged")
def test_flags(guard: Negation, rule: str, answer: str, observed: str) -> None:
    [finding] = findings(guard, rule, answer)

    assert (finding.code, finding.severity) == ("negation.flipped", Severity.STRONG)
    assert finding.strength is Strength.C2
    assert finding.observed == answer[finding.span.start : finding.span.end]
    assert observed in finding.observed
    assert finding.evidence[0].quote in rule


@each_row("rule, answer", "clean")
def test_passes(guard: Negation, rule: str, answer: str) -> None:
    assert findings(guard, rule, answer) == []


@each_row("rule, answer, question", "told_by_another_rule")
def test_another_rule_of_the_source_settles_it(
    guard: Negation, rule: str, answer: str, question: str
) -> None:
    found = findings(guard, rule, answer, question)

    assert [one for one in found if one.severity is Severity.STRONG] == []


@each_row("rule, answer", "open_days")
def test_a_closed_day_is_not_open(guard: Negation, rule: str, answer: str) -> None:
    [found] = findings(guard, rule, answer)

    assert (found.code, found.severity) == ("negation.flipped", Severity.STRONG)


@each_row("rule, answer", "not_closed")
def test_a_day_that_may_be_open_is_left_alone(guard: Negation, rule: str, answer: str) -> None:
    assert [one for one in findings(guard, rule, answer) if one.severity is Severity.STRONG] == []


def test_a_claim_is_flagged_wherever_it_stands(guard: Negation) -> None:
    claim = "별관은 목요일에도 개관합니다."

    found = findings(guard, "별관은 목요일에 휴관한다.", f"{claim}\n{claim}\n{claim}")

    assert [finding.span.start for finding in found] == [at * (len(claim) + 1) for at in range(3)]


def test_an_endless_claim_says_nothing(guard: Negation) -> None:
    endless = "가" * 3000

    assert findings(guard, "별관은 휴관한다.", f"{endless} 별관은 개관합니다.") == []


def test_what_is_said_for_another_figure_is_only_a_possibility(guard: Negation) -> None:
    rule = "접수처는 점심시간 12:00~13:00을 운영시간에 포함한다."

    [finding] = findings(guard, rule, "접수처는 점심시간을 운영시간에서 제외합니다.")

    assert (finding.code, finding.severity) == ("negation.possible", Severity.WEAK)
    assert finding.strength is Strength.C1


def test_another_source_may_say_as_the_claim_does(guard: Negation) -> None:
    sources = (
        Source("1", "", "위원은 연임할 수 없다."),
        Source("2", "", "위원은 연임할 수 있다."),
    )

    assert guard.check(read(Exchange(QUESTION, sources, answer="위원은 연임할 수 있습니다."))) == []


RULE = "방문객은 주차장을 무료로 이용한다. 다만, 대형 버스는 요금을 내야 한다."
EXCEPTION = "다만, 대형 버스는 요금을 내야 한다."
ANSWER = "방문객은 주차장을 무료로 이용합니다."


def test_an_exception_that_the_question_touches_must_be_told(guard: Negation) -> None:
    [finding] = findings(guard, RULE, ANSWER, "대형 버스로 가는데 주차장은 무료인가요?")

    assert (finding.code, finding.severity) == ("negation.exception_omitted", Severity.WEAK)
    assert finding.expected == (EXCEPTION,)


def test_what_no_question_touched_so_far_may_be_touched_by_the_next_one(guard: Negation) -> None:
    assert findings(guard, RULE, ANSWER, "주차장은 무료인가요?") == []
    assert findings(guard, RULE, ANSWER, "주차장은 무료인가요?") == []
    assert len(findings(guard, RULE, ANSWER, "대형 버스로 가는데 주차장은 무료인가요?")) == 1


def test_what_only_other_words_around_it_would_oppose_is_judged_with_each(guard: Negation) -> None:
    rule = "우천 시 야외 수영장은 쉽니다."
    answer = "야외 수영장은 운영합니다."

    found = [
        findings(guard, rule, answer, question)
        for question in ("수영장은 여나요?", "우천 시 수영장은 여나요?", "수영장은 여나요?")
    ]

    assert [len(each) for each in found] == [0, 1, 0]


@each_row("rule, answer, observed", "dropped")
def test_a_limit_may_not_be_dropped(guard: Negation, rule: str, answer: str, observed: str) -> None:
    [finding] = findings(guard, rule, answer)

    assert finding.code in {"negation.condition_dropped", "negation.limit_set_aside"}
    assert finding.severity is Severity.STRONG
    assert finding.strength is Strength.C2
    assert answer[finding.span.start : finding.span.end] == observed == finding.observed
    assert [evidence.quote for evidence in finding.evidence] == [rule]


def test_a_limit_that_is_told_is_not_dropped(guard: Negation) -> None:
    rule = "자전거 보관소는 입주민만 이용할 수 있다."

    assert (
        findings(guard, rule, "입주민이시라면 자전거 보관소를 자유롭게 이용하실 수 있습니다.") == []
    )


@each_row("answer, question", "other_exceptions_need_not_be_told")
def test_other_exceptions_need_not_be_told(guard: Negation, answer: str, question: str) -> None:
    assert findings(guard, RULE, answer, question) == []


def test_thresholds_are_settings(guard: Negation) -> None:
    rule, answer = "조교가 강의실을 예약할 수 있다.", "강의실을 예약할 수 없습니다."
    careful = Negation(NegationSettings(sure_from=0.6))

    assert [one.code for one in findings(guard, rule, answer)] == ["negation.flipped"]
    assert [one.code for one in findings(careful, rule, answer)] == ["negation.possible"]


LEAVES_OUT = "반려동물은 맹견을 제외하고 입장할 수 있다."


@each_row("answer, observed", "what_a_rule_leaves_out_is_under_its_opposite")
def test_what_a_rule_leaves_out_is_under_its_opposite(
    guard: Negation, answer: str, observed: list[str]
) -> None:
    assert [one.observed for one in findings(guard, LEAVES_OUT, answer)] == observed


# --- what an answer says against its sources in many fields: opposites, replies, limits, scales ---


def strong(rule: str, answer: str, question: str = QUESTION, *more: Source) -> list[Finding]:
    exchange = Exchange(question, (Source("1", "", rule), *more), answer=answer)
    found = Negation(NegationSettings()).check(read(exchange))
    return [one for one in found if one.severity is Severity.STRONG]


@each_row("rule, answer", "opposed")
def test_flags_what_the_source_tells_the_other_way(rule: str, answer: str) -> None:
    assert [one.code for one in strong(rule, answer)] == ["negation.flipped"]


@each_row("rule, answer", "said_too_far_apart")
def test_what_is_said_in_other_terms_is_only_a_possibility(
    guard: Negation, rule: str, answer: str
) -> None:
    found = findings(guard, rule, answer)

    assert {(one.code, one.severity) for one in found} == {("negation.possible", Severity.WEAK)}


@each_row("rule, answer", "agrees")
def test_passes_what_the_source_tells_the_same_way(rule: str, answer: str) -> None:
    assert strong(rule, answer) == []


@each_row("rule, answer, observed", "wider")
def test_flags_a_word_that_drops_a_limit(rule: str, answer: str, observed: str) -> None:
    [found] = strong(rule, answer)

    assert found.code in {"negation.condition_dropped", "negation.limit_set_aside"}
    assert observed in answer[found.span.start : found.span.end] or found.observed in observed
    assert found.evidence[0].quote in rule


@each_row("rule, answer", "said_otherwise")
def test_passes_what_says_the_same_in_other_words(rule: str, answer: str) -> None:
    assert strong(rule, answer) == []


@each_row("rule, answer, observed", "taken_in")
def test_flags_what_takes_an_exception_in(rule: str, answer: str, observed: str) -> None:
    [found] = strong(rule, answer)

    assert found.code in {"negation.condition_dropped", "negation.flipped"}
    assert observed in answer[found.span.start : found.span.end]
    assert found.evidence[0].quote in rule


@each_row("rule, answer", "not_taken_in")
def test_passes_what_takes_no_exception_in(rule: str, answer: str) -> None:
    assert strong(rule, answer) == []


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
