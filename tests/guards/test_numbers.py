import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

RULES = (
    "연차휴가는 15일로 한다. 신청은 사용일 3일 전까지 총무팀(031-200-1234)에 한다.\n"
    "경조금은 50만원으로 하고, 이 규정은 2024. 3. 5.부터 시행한다.\n"
    "체크인은 오후 3시부터이며 정원은 49명 이하로 한다. 수당은 기본급의 100분의 30을 지급한다."
)
SOURCES = (Source("1", "제5조 (휴가와 수당)", RULES),)


@pytest.fixture
def guard() -> Numbers:
    return Numbers(NumbersSettings())


def findings(guard: Numbers, answer: str, question: str = "규정을 알려 주세요") -> list[Finding]:
    return guard.check(read(Exchange(question, SOURCES, answer=answer)))


@each_row("answer, observed, kind, expected", "flagged")
def test_flags(guard: Numbers, answer: str, observed: str, kind: str, expected: str) -> None:
    [finding] = findings(guard, answer)

    assert finding.code == f"numbers.{kind}"
    assert finding.observed == observed
    assert finding.strength is Strength.C2
    assert expected in finding.expected
    assert answer[finding.span.start : finding.span.end] == observed


@each_row("answer", "clean")
def test_passes(guard: Numbers, answer: str) -> None:
    assert findings(guard, answer) == []


def test_value_of_a_kind_that_no_source_has_is_unfounded(guard: Numbers) -> None:
    [finding] = findings(guard, "주차 요금은 9달러이고 거리는 12km입니다.")[1:]

    assert (finding.code, finding.strength) == ("numbers.not_in_sources", Strength.E0)
    assert finding.observed == "12km"
    assert not finding.expected
    assert not finding.evidence


def test_evidence_quotes_the_closest_sentence(guard: Numbers) -> None:
    [finding] = findings(guard, "연차휴가는 20일입니다.")

    assert [quote.source_id for quote in finding.evidence] == ["1"]
    assert finding.evidence[0].quote == "연차휴가는 15일로 한다."


def test_figures_of_the_question_may_be_repeated(guard: Numbers) -> None:
    answer = "27일을 쓰시려면 15일을 넘습니다."

    assert findings(guard, answer, question="연차를 27일 쓸 수 있나요?") == []


def test_figures_of_instructions_may_be_repeated(guard: Numbers) -> None:
    exchange = Exchange(
        "규정?", SOURCES, answer="최대 200자로 답합니다.", echo="200자 이내로 답하라"
    )

    assert guard.check(read(exchange)) == []


def test_policy_may_forbid_repeating_the_question() -> None:
    strict = Numbers(NumbersSettings(allow_from_question=False))

    [finding] = findings(strict, "27일은 안 됩니다.", question="연차를 27일 쓸 수 있나요?")

    assert finding.observed == "27일"


def test_hedged_figures_are_left_to_the_other_guard(guard: Numbers) -> None:
    assert findings(guard, "약 40분 걸립니다.") == []
    assert [each.observed for each in findings(guard, "약관 기준은 40분입니다.")] == ["40분"]


def test_figure_in_a_source_title_counts(guard: Numbers) -> None:
    sources = (Source("1", "2031년 휴가 지침", "휴가는 총무팀에 신청한다."),)
    exchange = Exchange("언제 지침인가요?", sources, answer="2031년 지침입니다.")

    assert guard.check(read(exchange)) == []


PRICES = """조식 안내
| 구분 | 주중 | 주말 |
|---|---|---|
| 성인 | 31,000원 | 36,000원 |
| 어린이 | 17,000원 | 21,000원 |

수영장 이용료는 성인 12,000원, 어린이 7,000원이다.
- 평일 운영: 09:00~18:00
- 주말 운영: 10:00~17:00
직원에게 10일의 연차휴가와 3일의 병가를 준다.
신청인은 결과를 통지받은 날부터 14일 이내에 이의를 제기할 수 있다.
보관 중인 유실물은 습득한 날부터 90일이 지나면 폐기한다."""


def findings_in(source: str, answer: str, question: str = "알려 주세요") -> list[Finding]:
    exchange = Exchange(question, (Source("1", "안내", source),), answer=answer)
    return Numbers(NumbersSettings()).check(read(exchange))


@each_row("answer, observed, expected", "moved")
def test_flags_a_figure_of_something_else(answer: str, observed: str, expected: str) -> None:
    [finding] = findings_in(PRICES, answer)

    assert (finding.code, finding.strength) == ("numbers.moved", Strength.C2)
    assert finding.observed == observed
    assert finding.expected == (expected,)
    assert finding.evidence[0].quote in PRICES


@each_row("source, answer, expected", "one_of_many_moved")
def test_flags_the_value_of_a_neighbour(source: str, answer: str, expected: str) -> None:
    [finding] = findings_in(source, answer)

    assert (finding.code, finding.expected) == ("numbers.moved", (expected,))


@each_row("source, answer", "one_of_many_not_moved")
def test_leaves_one_of_many_where_it_belongs(source: str, answer: str) -> None:
    assert findings_in(source, answer) == []


@each_row("source, answer", "of_another_unit")
def test_flags_a_right_number_of_another_unit(source: str, answer: str) -> None:
    assert {each.code for each in findings_in(source, answer)} == {"numbers.value_differs"}


@each_row("source, answer", "of_the_same_unit")
def test_leaves_a_rate_in_other_words(source: str, answer: str) -> None:
    assert findings_in(source, answer) == []


@each_row("source, question, answer, expected", "of_the_case_moved")
def test_flags_the_value_of_another_case(
    source: str, question: str, answer: str, expected: str
) -> None:
    [finding] = findings_in(source, answer, question)

    assert (finding.code, finding.expected) == ("numbers.moved", (expected,))


@each_row("source, question, answer", "of_the_case_not_moved")
def test_leaves_the_value_of_the_case(source: str, question: str, answer: str) -> None:
    assert findings_in(source, answer, question) == []


@each_row("answer", "not_moved")
def test_leaves_a_figure_where_it_belongs(answer: str) -> None:
    assert findings_in(PRICES, answer) == []


def test_a_figure_that_two_subjects_share_has_not_moved() -> None:
    source = "성인 입장료는 9,000원, 어린이 입장료는 4,000원이다.\n어린이 체험비는 9,000원이다."

    assert findings_in(source, "어린이는 9,000원입니다.") == []


def test_caption_unit_counts_in_a_table() -> None:
    source = "(단위: 천원)\n| 구분 | 보조금 |\n|---|---|\n| 본점 | 300 |\n| 지점 | 120 |"

    [finding] = findings_in(source, "지점 보조금은 30만원입니다.")

    assert (finding.code, finding.observed) == ("numbers.moved", "30만원")
    assert findings_in(source, "지점 보조금은 12만원입니다.") == []


def test_a_side_that_is_given_twice_is_not_the_sources() -> None:
    source = "경력 기간은 15일 이상은 1개월로 하고 15일 미만은 다음 달의 경력에 산입한다."
    answer = "경력 기간은 15일 이상은 1개월로 하고 15일 이상은 다음 달의 경력에 산입합니다."

    [finding] = findings_in(source, answer)

    assert (finding.code, finding.expected) == ("numbers.comparator_differs", ("15일 미만",))
    assert finding.fix is None


@each_row("source, answer", "derived")
def test_what_follows_in_one_step_is_never_strong(source: str, answer: str) -> None:
    assert {each.severity for each in findings_in(source, answer)} <= {Severity.WEAK}


def test_sums_count_only_where_the_sentence_reckons() -> None:
    [finding] = findings_in("임대료는 80만원이고 청소비는 5만원이다.", "임대료는 85만원입니다.")

    assert finding.code == "numbers.value_differs"


def test_figures_of_the_question_may_be_reckoned_with() -> None:
    source = "수영장 이용료는 1인 12,000원이다."
    answer = "수영장 이용료는 4명이면 48,000원입니다."

    assert findings_in(source, answer, question="4명이면 얼마인가요?") == []


@given(st.data())
def test_no_stretch_of_whole_words_of_a_source_is_ever_flagged(data: st.DataObject) -> None:
    words = PRICES.split(" ")
    start = data.draw(st.integers(min_value=0, max_value=len(words) - 1))
    end = data.draw(st.integers(min_value=start + 1, max_value=len(words)))

    found = findings_in(PRICES, " ".join(words[start:end]))

    assert [each.code for each in found if each.severity is Severity.STRONG] == []


@each_row("cut", "a_header_with_a_cell_missing_labels_no_column")
def test_a_header_with_a_cell_missing_labels_no_column(cut: str) -> None:
    assert findings_in(PRICES, cut) == []


FEES = (
    "수영 강습은 시간당 9,000원이고 사물함은 월 4,000원이다. "
    "다자녀 가구는 수강료의 30%를 감면한다.\n"
    "2시간 미만 강습에는 간식을 제공하지 않는다. 정기 회원은 월 12회까지 이용한다.\n"
    "신입 회원 등록은 3.2.~3.20., 추가 등록은 4.5.~4.28.이다. 안전 점검은 격년으로 한다."
)


@each_row("answer", "reckoned")
def test_right_arithmetic_passes(answer: str) -> None:
    assert findings_in(FEES, answer, question="3명이 쓰면 얼마예요?") == []


@each_row("answer", "shown")
def test_arithmetic_that_is_shown_and_right_is_proof_enough(answer: str) -> None:
    assert findings_in(FEES, answer, question="3명이 쓰면 얼마예요?") == []


@each_row("answer, observed", "wrongly_reckoned")
def test_wrong_arithmetic_stays_strong(answer: str, observed: str) -> None:
    found = findings_in(FEES, answer)

    assert observed in [each.observed for each in found if each.severity is Severity.STRONG]


@each_row("answer", "read_alike")
def test_reads_other_notations_alike(answer: str) -> None:
    assert findings_in(FEES, answer) == []


def test_a_result_is_an_operand_of_the_next_step() -> None:
    answer = "강습료는 18,000원(9,000원 × 2)이므로 사물함 4,000원까지 총 22,000원입니다."

    assert findings_in(FEES, answer) == []


def test_an_example_assumes_its_own_figure() -> None:
    answer = "예를 들어 수강료가 50,000원이라면 30%를 뺀 35,000원을 내시면 됩니다."

    assert findings_in(FEES, answer) == []


def test_the_tail_of_an_amount_is_no_amount() -> None:
    [finding] = findings_in("총예산은 6억 3,000만 원이다.", "총예산은 3,000만 원입니다.")

    assert finding.severity is Severity.STRONG


def test_a_true_figure_is_not_mended_into_its_neighbour() -> None:
    source = "실속형: 1인당 월 7,000원(연간 결제 시 5,500원)."

    assert findings_in(source, "- 연간 결제: 1인당 월 5,500원") == []


LEAVE = (
    "제11조(연차) 직원에게 연차휴가 15일을 준다. 휴가는 사용일 5일 전까지 신청한다.\n"
    "제12조(병가) 병가는 연 30일 이내로 하며, 병가를 다녀온 뒤 3일 이내에 진단서를 낸다.\n"
    "제13조(교육) 직원은 매년 20시간 이상 교육을 이수하여야 한다. 접수 기간은 4월 3일부터 "
    "4월 21일까지이다.\n"
    "수강생이 10명 미만이면 폐강한다. 쿠폰은 발급한 날부터 90일이 지나면 소멸한다."
)


@each_row("answer, observed", "another_frame")
def test_flags_a_figure_in_another_frame(answer: str, observed: str) -> None:
    [finding] = findings_in(LEAVE, answer)

    assert (finding.code, finding.observed) == ("numbers.comparator_differs", observed)
    assert finding.severity is Severity.STRONG
    assert finding.fix is None


@each_row("answer", "same_frame")
def test_leaves_a_figure_whose_frame_is_told_in_other_words(answer: str) -> None:
    assert findings_in(LEAVE, answer) == []


def test_the_rest_told_with_another_verb_passes() -> None:
    assert findings_in(LEAVE, "10명 이상 모여야 강좌가 열립니다.") == []


HALL = (
    "요금: 어른 6,000원, 청소년 4,500원, 어린이 3,000원. 20명 이상 단체는 10% 할인, "
    "장애인은 50% 할인.\n"
    "- 강당: 2시간 70,000원, 최대 150명\n"
    "- 세미나실: 2시간 20,000원, 최대 24명\n"
    "강습 10회 500,000원(유효기간 2개월), 30회 1,350,000원(유효기간 6개월).\n"
    "지연 보상은 60분 이상 120분 미만은 운임의 25%, 120분 이상은 50%이다.\n"
    "관리비는 2인실 780,000원, 4인실 540,000원이다. 상담실은 복지관 204호에 있다.\n"
    "제12회 정기총회는 5월 3일에 연다. 회원은 연 4회 모인다.\n"
    "| 구분 | 베이직 | 프로 |\n|---|---|---|\n| 월 요금 | 9,900원 | 24,900원 |"
)


@each_row("answer, observed, expected", "misbound")
def test_flags_a_figure_of_another_item_and_mends_nothing(
    answer: str, observed: str, expected: str
) -> None:
    [finding] = findings_in(HALL, answer)

    assert (finding.code, finding.observed) == ("numbers.moved", observed)
    assert expected in finding.expected
    assert finding.fix is None


@each_row("answer", "at_home")
def test_leaves_figures_with_their_items(answer: str) -> None:
    assert findings_in(HALL, answer) == []


def test_flags_both_figures_that_changed_places() -> None:
    found = findings_in(HALL, "요금은 어른 3,000원, 어린이 6,000원입니다.")

    assert [each.observed for each in found] == ["3,000원", "6,000원"]
    assert ["6,000원" in found[0].expected, "3,000원" in found[1].expected] == [True, True]


def test_a_row_of_the_source_under_another_header_is_not_repeated() -> None:
    answer = "| 구분 | 프로 | 베이직 |\n|---|---|---|\n| 월 요금 | 9,900원 | 24,900원 |"

    assert [each.code for each in findings_in(HALL, answer)] == ["numbers.moved"] * 2


def test_both_figures_are_named_where_a_name_leaves_a_choice() -> None:
    [finding] = findings_in(HALL + "\n보증금은 12개월 뒤에 돌려준다.", "유효기간은 12개월입니다.")

    assert finding.expected == ("2개월", "6개월")


def test_another_room_is_not_in_the_sources() -> None:
    [finding] = findings_in(HALL, "상담실은 복지관 304호에 있습니다.")

    assert (finding.observed, finding.expected) == ("304호", ("204호",))


def test_an_ordinal_is_no_count() -> None:
    assert [each.observed for each in findings_in(HALL, "회원은 연 12회 모입니다.")] == ["12회"]


def test_what_the_sources_say_comes_on_top_may_be_added() -> None:
    source = "수수료는 8,000원이다(카드형은 3,000원 추가)."

    [finding] = findings_in(source, "카드형 수수료는 11,000원입니다.")

    assert finding.severity is Severity.WEAK


def test_two_spans_in_a_row_may_be_added() -> None:
    source = "검수에 1~2일이 걸리고 승인에 3~5일이 걸린다."

    [finding] = findings_in(source, "검수와 승인에 4~7일이 걸립니다.")

    assert finding.severity is Severity.WEAK


def test_twenty_thousand_characters_of_unknown_figures_are_checked_in_time() -> None:
    def look(count: int) -> None:
        lines = range(count)
        source = "\n".join(f"신청 {at}호는 접수 후 {at % 90 + 3}일 이내에 낸다." for at in lines)
        answer = "\n".join(f"신청은 {at + 200}일 이상, {at + 50_001},500원입니다." for at in lines)
        assert len(findings_in(source, answer)) >= count

    assert_grows_with_its_input(look, 700)
