"""Figures bound to what they are said of: right ones pass, the wrong ones of each kind do not."""

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from tests.tables import each_row

GYM = "이용권은 1개월 60,000원, 3개월 150,000원이다. 락커는 월 5,000원을 따로 낸다."
LEAVE = "연차휴가는 15일이며, 3년 이상 근무하면 2년마다 1일을 더한다."


def found(
    answer: str, source: str, question: str = "알려 주세요.", echo: str = ""
) -> list[Finding]:
    exchange = Exchange(question, (Source("1", "안내", source),), answer=answer, echo=echo)
    findings = Numbers(NumbersSettings()).check(read(exchange))
    return [one for one in findings if one.severity is Severity.STRONG]


@each_row("source, question, answer", "what_the_sources_and_their_arithmetic_give_passes")
def test_what_the_sources_and_their_arithmetic_give_passes(
    source: str, question: str, answer: str
) -> None:
    assert found(answer, source, question) == []


@each_row("source, answer, observed, right", "another_value_of_the_same_thing_is_found")
def test_another_value_of_the_same_thing_is_found(
    source: str, answer: str, observed: str, right: str
) -> None:
    [finding] = found(answer, source)
    assert (finding.code, finding.observed) == ("numbers.value_differs", observed)
    assert right in finding.expected[0]
    assert finding.evidence[0].quote in source


@each_row("source, answer, observed", "the_value_of_another_row_or_person_is_found")
def test_the_value_of_another_row_or_person_is_found(
    source: str, answer: str, observed: str
) -> None:
    [finding] = found(answer, source)
    assert (finding.code, finding.observed) == ("numbers.moved", observed)


@each_row("source, answer, observed, right", "a_wrong_result_of_right_operands_is_found")
def test_a_wrong_result_of_right_operands_is_found(
    source: str, answer: str, observed: str, right: str
) -> None:
    finding = next(one for one in found(answer, source) if one.code == "numbers.wrong_result")
    assert (finding.observed, finding.expected) == (observed, (right,))


def test_figures_of_earlier_turns_license_nothing_about_something_else() -> None:
    echo = "재고는 99일치 있습니다."
    assert found("연차휴가는 99일입니다.", LEAVE, "연차는 며칠이에요?", echo)


def test_what_users_told_of_themselves_stays_theirs_in_later_turns() -> None:
    source = "만 26세 미만은 제로 상품에 가입할 수 없습니다."
    echo = "24살인데 어떤 상품이 되나요?"
    assert (
        found("만 24세이시므로 제로는 가입하실 수 없습니다.", source, "그럼 제로는요?", echo) == []
    )


def test_agreeing_to_a_wrong_figure_of_the_question_is_found() -> None:
    [finding] = found("네, 락커는 월 8,000원입니다.", GYM, "락커는 월 8,000원 맞죠?")
    assert (finding.code, finding.expected) == ("numbers.value_differs", ("5,000원",))
