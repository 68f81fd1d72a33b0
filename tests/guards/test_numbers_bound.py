"""Figures bound to what they are said of: on the same side, in other words, of other things."""

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.estimates import Estimates, EstimatesSettings
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


# --- the side of a value: the same boundary in other words passes, the other side of it does not...


@each_row("source, answer", "the_same_boundary_in_other_words_passes")
def test_the_same_boundary_in_other_words_passes(source: str, answer: str) -> None:
    assert found(answer, source) == []


@each_row("source, answer, observed", "the_other_side_of_a_value_is_found")
def test_the_other_side_of_a_value_is_found(source: str, answer: str, observed: str) -> None:
    [finding] = found(answer, source)

    assert (finding.code, finding.observed) == ("numbers.comparator_differs", observed)
    assert answer[finding.span.start : finding.span.end] == observed
    assert finding.evidence[0].quote == source


@each_row("source, answer, observed", "a_value_for_another_time_or_trip_is_found")
def test_a_value_for_another_time_or_trip_is_found(source: str, answer: str, observed: str) -> None:
    [finding] = found(answer, source)

    assert (finding.code, finding.observed) == ("numbers.value_differs", observed)
    assert answer[finding.span.start : finding.span.end] == observed


@each_row("source, answer", "the_same_base_in_other_words_passes")
def test_the_same_base_in_other_words_passes(source: str, answer: str) -> None:
    assert found(answer, source) == []


# --- figures that only look like those of the sources: of other things, or of the question alone...


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


# --- numbers that name a line of the answer's own list are no figures of the sources ---


SOURCES = (Source("1", "민원실 안내", "초본은 400원, 등본은 300원, 인감은 600원에 뗍니다."),)
LIST = "1. 초본\n2. 등본\n3. 인감\n\n"


def observed(answer: str) -> list[str]:
    exchange = Exchange("수수료를 알려 주세요.", SOURCES, answer=answer)
    return [one.observed for one in Numbers(NumbersSettings()).check(read(exchange))]


@each_row("said", "named")
def test_the_number_of_a_line_is_no_figure(said: str) -> None:
    assert observed(f"{LIST}{said}") == []


@each_row("answer, figure", "counted")
def test_how_often_something_is_done_is_a_figure(answer: str, figure: str) -> None:
    assert observed(answer) == [figure]


# --- words ---


RULES = (
    "표본은 72시간 이상 보관한다. 암호는 최근 4회 사용한 것을 다시 쓸 수 없다. "
    "입주사 차량 7대는 종일 무료이고 방문객 자리는 250대이다.\n"
    "1. 청년: 도시 평균소득의 90퍼센트 이하\n"
    "2. 신혼부부: 평균소득의 90퍼센트 이하(맞벌이 110퍼센트)\n"
    "합격 기준은 과목당 40점 이상이다."
)
PRICES = (
    "| 크기 | 시내 | 시외 |\n|---|---|---|\n| 중형 | 4,500원 | 5,500원 |\n"
    "| 대형 | 6,000원 | 7,000원 |\n\n- 무인함 접수는 건당 1,000원 할인"
)
SCORES = "50점과 81점이면 합격인가요?"


def strong_by(guard: Numbers | Estimates, answer: str, question: str) -> list[str]:
    sources = (Source("1", "이용 안내", RULES), Source("2", "요금표", PRICES))
    found: list[Finding] = guard.check(read(Exchange(question, sources, answer=answer)))
    return [one.observed for one in found if one.severity is Severity.STRONG]


@each_row("answer, question", "what_follows_from_the_sources_passes")
def test_what_follows_from_the_sources_passes(answer: str, question: str) -> None:
    assert strong_by(Numbers(NumbersSettings()), answer, question) == []


@each_row("answer, question, wrong", "what_does_not_follow_is_found")
def test_what_does_not_follow_is_found(answer: str, question: str, wrong: list[str]) -> None:
    assert strong_by(Numbers(NumbersSettings()), answer, question) == wrong


@each_row("answer, wrong", "a_mean_of_given_figures_is_no_estimate")
def test_a_mean_of_given_figures_is_no_estimate(answer: str, wrong: list[str]) -> None:
    assert strong_by(Estimates(EstimatesSettings()), answer, SCORES) == wrong
