import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from guards.text.sentences import split_sentences
from tests.fakes.growth import assert_grows_with_its_input

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


FLAGGED = [
    pytest.param("연차휴가는 16일입니다.", "16일", "value_differs", "15일", id="days"),
    pytest.param("연차휴가는 15개월입니다.", "15개월", "value_differs", "15일", id="unit"),
    pytest.param("경조금은 500만원입니다.", "500만원", "value_differs", "50만원", id="money"),
    pytest.param(
        "경조금은 50만 달러입니다.", "50만 달러", "value_differs", "50만원", id="currency"
    ),
    pytest.param(
        "이 규정은 2024년 3월 6일부터 시행합니다.",
        "2024년 3월 6일",
        "value_differs",
        "2024. 3. 5. 부터",
        id="date",
    ),
    pytest.param(
        "체크인은 16:00부터입니다.", "16:00", "value_differs", "오후 3시 부터", id="clock"
    ),
    pytest.param("정원은 오십 명입니다.", "오십 명", "value_differs", "49명 이하", id="in-words"),
    pytest.param(
        "수당은 기본급의 30%포인트입니다.", "30%포인트", "value_differs", "100분의 30", id="points"
    ),
    pytest.param(
        "정원은 49명 초과입니다.", "49명 초과", "comparator_differs", "49명 이하", id="comparator"
    ),
]
CLEAN = [
    pytest.param("연차휴가는 보름입니다(규정.hwp, 7쪽).", id="page-of-a-document"),
    pytest.param("연차휴가는 보름입니다. (※ 출처: 5번 자료)", id="number-of-a-document"),
    pytest.param("연차휴가는 보름입니다[†1].\n\n참고:\n[†1] 규정.hwp (7쪽)", id="page-in-a-list"),
    pytest.param("연차휴가는 보름입니다¹.\n\n¹ 규정.hwp, 7쪽", id="page-of-a-footnote"),
    pytest.param("연차휴가는 보름입니다.\n\n참고자료\n- 규정.hwp 7페이지", id="page-in-an-item"),
    pytest.param("연차휴가는 보름입니다 [ID:77].", id="identifier"),
    pytest.param("연차휴가는 보름입니다.", id="day-word"),
    pytest.param("경조금은 500,000원입니다.", id="separators"),
    pytest.param("경조금은 ₩500,000이며 신청은 사흘 전까지입니다.", id="sign-and-native-days"),
    pytest.param("2024-03-05부터 시행합니다. 시행 연도는 2024년입니다.", id="date-and-its-year"),
    pytest.param("체크인은 15:00부터이며 정원은 최대 마흔아홉 명입니다.", id="clock-and-limit"),
    pytest.param("수당은 기본급의 30%입니다.", id="percent"),
    pytest.param("총무팀(031-200-9999)으로 연락하세요.", id="telephone-number"),
    pytest.param("2호선 가온역 5번 출구로 오세요.", id="line-and-exit"),
    pytest.param("1. 총무팀에 신청\n2. 결재\n10. 사용", id="list-markers"),
    pytest.param("연차휴가는 15일입니다.[1][12]", id="citation-marks"),
    pytest.param("제5조제2항에 따라 15일입니다.", id="articles"),
    pytest.param("두 가지 방법이 있고 하루 전에 확인하세요.", id="everyday-wording"),
    pytest.param("절차는 3 단계 정도로 나뉩니다.", id="lone-digit"),
    pytest.param("설정은 `limit=365`와 같습니다.", id="code"),
    pytest.param("```\nlimit = 365\n```", id="code-fence"),
    pytest.param("규정에서 확인되지 않습니다.", id="no-figures"),
]


@pytest.mark.parametrize(("answer", "observed", "kind", "expected"), FLAGGED)
def test_flags(guard: Numbers, answer: str, observed: str, kind: str, expected: str) -> None:
    [finding] = findings(guard, answer)

    assert finding.code == f"numbers.{kind}"
    assert finding.observed == observed
    assert finding.strength is Strength.C2
    assert expected in finding.expected
    assert answer[finding.span.start : finding.span.end] == observed


@pytest.mark.parametrize("answer", CLEAN)
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
MOVED = [
    pytest.param("어린이 수영장 이용료는 12,000원입니다.", "12,000원", "7,000원", id="beside-it"),
    pytest.param("주말 조식은 성인 31,000원입니다.", "31,000원", "36,000원", id="other-column"),
    pytest.param("주중 조식은 어린이 31,000원입니다.", "31,000원", "17,000원", id="other-row"),
    pytest.param("병가는 10일입니다.", "10일", "3일", id="noun-behind-the-figure"),
    pytest.param(
        "신청인은 결과를 통지받은 날부터 90일 이내에 이의를 제기할 수 있습니다.",
        "90일",
        "14일 이내",
        id="sentence-about-something-else",
    ),
    pytest.param(
        "자료에 따르면 신청인은 결과를 통지받은 날부터 90일 이내에 이의를 제기할 수 있습니다.",
        "90일",
        "14일 이내",
        id="with-an-attribution",
    ),
]
NOT_MOVED = [
    pytest.param("수영장 이용료는 성인 12,000원, 어린이 7,000원입니다.", id="repeated"),
    pytest.param("수영장은 어린이 7,000원, 성인 12,000원입니다.", id="other-order"),
    pytest.param("조식은 주말에 성인 3만 6천원, 어린이 2만 1천원입니다.", id="row-told-in-words"),
    pytest.param("어른은 수영장에 12,000원을 냅니다.", id="label-in-another-word"),
    pytest.param("병가는 3일이고 연차휴가는 10일입니다.", id="both-in-another-order"),
    pytest.param("주말에는 오전 10시부터 오후 5시까지 운영합니다.", id="times-of-a-list-line"),
    pytest.param("통지받은 날부터 14일 안에 이의를 제기하세요.", id="paraphrase"),
    pytest.param("유실물은 90일 동안 보관합니다.", id="short-paraphrase"),
]


def findings_in(source: str, answer: str, question: str = "알려 주세요") -> list[Finding]:
    exchange = Exchange(question, (Source("1", "안내", source),), answer=answer)
    return Numbers(NumbersSettings()).check(read(exchange))


@pytest.mark.parametrize(("answer", "observed", "expected"), MOVED)
def test_flags_a_figure_of_something_else(answer: str, observed: str, expected: str) -> None:
    [finding] = findings_in(PRICES, answer)

    assert (finding.code, finding.strength) == ("numbers.moved", Strength.C2)
    assert finding.observed == observed
    assert finding.expected == (expected,)
    assert finding.evidence[0].quote in PRICES


@pytest.mark.parametrize("answer", NOT_MOVED)
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


DERIVED = [
    pytest.param(
        "회의는 9시 30분에 시작해 2시간 동안 한다.", "회의는 11시 30분에 끝납니다.", id="end"
    ),
    pytest.param(
        "접수 기간은 2031-03-05부터 2031-03-14까지이다.",
        "접수 기간은 10일입니다.",
        id="days-of-a-period",
    ),
    pytest.param(
        "결과는 2031-03-05에 통지하고 이의는 30일 이내에 낸다.",
        "이의는 2031-04-04까지 냅니다.",
        id="date-and-period",
    ),
    pytest.param(
        "발사 비용은 700억원에서 500억원으로 줄었다.",
        "발사 비용은 200억원 줄었습니다.",
        id="difference",
    ),
    pytest.param(
        "시설 임대료는 80만원이고 청소비는 5만원이다.",
        "시설 임대료와 청소비를 합하면 85만원입니다.",
        id="sum",
    ),
    pytest.param(
        "사용료는 1개월에 20만원이고 단체는 10%를 깎는다.",
        "단체 사용료는 할인해 18만원입니다.",
        id="share",
    ),
    pytest.param("그는 1990년에 태어나 2031년에 퇴직한다.", "그는 41세에 퇴직합니다.", id="age"),
]


@pytest.mark.parametrize(("source", "answer"), DERIVED)
def test_what_follows_in_one_step_is_never_strong(source: str, answer: str) -> None:
    assert {each.severity for each in findings_in(source, answer)} <= {Severity.WEAK}


def test_sums_count_only_where_the_sentence_reckons() -> None:
    [finding] = findings_in("임대료는 80만원이고 청소비는 5만원이다.", "임대료는 85만원입니다.")

    assert finding.code == "numbers.value_differs"


def test_figures_of_the_question_may_be_reckoned_with() -> None:
    source = "수영장 이용료는 1인 12,000원이다."
    answer = "수영장 이용료는 4명이면 48,000원입니다."

    assert findings_in(source, answer, question="4명이면 얼마인가요?") == []


@given(
    st.lists(
        st.sampled_from([each.text for each in split_sentences(RULES)]), min_size=1, max_size=4
    )
)
def test_sentences_of_the_source_are_never_flagged(sentences: list[str]) -> None:
    assert findings(Numbers(NumbersSettings()), " ".join(sentences)) == []


@given(st.data())
def test_no_stretch_of_whole_words_of_a_source_is_ever_flagged(data: st.DataObject) -> None:
    words = PRICES.split(" ")
    start = data.draw(st.integers(min_value=0, max_value=len(words) - 1))
    end = data.draw(st.integers(min_value=start + 1, max_value=len(words)))

    found = findings_in(PRICES, " ".join(words[start:end]))

    assert [each.code for each in found if each.severity is Severity.STRONG] == []


@pytest.mark.parametrize(
    "cut",
    [
        "| 주중 | 주말 |\n|---|---|---|\n| 성인 | 31,000원 |",
        "| 주중 | 주말 |\n|---|---|---|\n| 성인 | 31,000원 | 36,000원 |\n| 어린이 | 17,000원 |",
        "| 주중 | 주말 |\n| 성인 | 31,000원 | 36,000원 |",
    ],
)
def test_a_header_with_a_cell_missing_labels_no_column(cut: str) -> None:
    assert findings_in(PRICES, cut) == []


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("규정?", SOURCES), "no_answer"),
        (Exchange("규정?", answer="30일입니다."), "no_sources"),
    ],
)
def test_says_why_it_cannot_check(guard: Numbers, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason


FEES = (
    "수영 강습은 시간당 9,000원이고 사물함은 월 4,000원이다. "
    "다자녀 가구는 수강료의 30%를 감면한다.\n"
    "2시간 미만 강습에는 간식을 제공하지 않는다. 정기 회원은 월 12회까지 이용한다.\n"
    "신입 회원 등록은 3.2.~3.20., 추가 등록은 4.5.~4.28.이다. 안전 점검은 격년으로 한다."
)
RECKONED = [
    pytest.param("2시간이면 시간당 9,000원이므로 18,000원입니다.", id="rate-by-count"),
    pytest.param("강습 9,000원과 사물함 4,000원을 더해 총 13,000원입니다.", id="total"),
    pytest.param("9,000원에서 30%를 감면받으면 6,300원이므로 참고하세요.", id="what-is-left"),
    pytest.param("강습은 2시간 이상이면 간식을 제공합니다.", id="other-side-of-a-bound"),
]
SHOWN = [
    pytest.param("9,000원 × 3명 = 27,000원입니다.", id="equation"),
    pytest.param("이용료는 27,000원(9,000원 × 3)입니다.", id="equation-in-brackets"),
    pytest.param(
        "| 항목 | 단가 | 수량 | 금액 |\n|---|---|---|---|\n| 강습 | 9,000원 | 4 | 36,000원 |",
        id="row-of-a-table",
    ),
    pytest.param(
        "12일을 결석했다면 9,000원 × 12일 = 108,000원을 돌려드립니다.", id="what-is-only-supposed"
    ),
]
WRONGLY_RECKONED = [
    pytest.param("2시간이면 시간당 9,000원이므로 19,000원입니다.", "19,000원", id="rate-by-count"),
    pytest.param("9,000원 × 3명 = 28,000원입니다.", "28,000원", id="equation"),
    pytest.param(
        "| 항목 | 단가 | 수량 | 금액 |\n|---|---|---|---|\n| 강습 | 9,000원 | 4 | 37,000원 |",
        "37,000원",
        id="row-of-a-table",
    ),
    pytest.param("강습 9,000원과 사물함 4,000원을 더해 총 14,000원입니다.", "14,000원", id="total"),
    pytest.param("택배비는 5,000원입니다.", "5,000원", id="delivery-is-no-multiple"),
    pytest.param(
        "2시간 이상 강습에는 간식을 제공하지 않습니다.",
        "2시간 이상",
        id="same-verb-on-the-other-side",
    ),
]
READ_ALIKE = [
    pytest.param("정기 회원은 한 달에 12회까지 이용하실 수 있습니다.", id="a-month"),
    pytest.param("신입 회원 등록은 3월 2일부터 3월 20일까지입니다.", id="dates-with-dots"),
    pytest.param("추가 등록은 4/5~4/28에 받습니다.", id="dates-with-slashes"),
    pytest.param("안전 점검은 2년에 한 번 합니다.", id="every-other-year"),
    pytest.param("영수증은 보관해 두시는 것이 좋습니다.", id="verb-that-looks-like-a-time"),
    pytest.param("자녀 1명이라면 사물함은 월 4,000원입니다.", id="one-of-them"),
]


@pytest.mark.parametrize("answer", RECKONED)
def test_right_arithmetic_passes(answer: str) -> None:
    assert findings_in(FEES, answer, question="3명이 쓰면 얼마예요?") == []


@pytest.mark.parametrize("answer", SHOWN)
def test_arithmetic_that_is_shown_and_right_is_proof_enough(answer: str) -> None:
    assert findings_in(FEES, answer, question="3명이 쓰면 얼마예요?") == []


@pytest.mark.parametrize(("answer", "observed"), WRONGLY_RECKONED)
def test_wrong_arithmetic_stays_strong(answer: str, observed: str) -> None:
    found = findings_in(FEES, answer)

    assert observed in [each.observed for each in found if each.severity is Severity.STRONG]


@pytest.mark.parametrize("answer", READ_ALIKE)
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
ANOTHER_FRAME = [
    pytest.param("병가는 최소 30일입니다.", "30일", id="at-least-for-at-most"),
    pytest.param("교육은 매년 20시간 이내로 이수합니다.", "20시간 이내", id="at-most-for-at-least"),
    pytest.param(
        "병가를 다녀오기 3일 전까지 진단서를 내야 합니다.", "3일 전까지", id="before-for-after"
    ),
    pytest.param("휴가는 사용한 뒤 5일 이내에 신청합니다.", "5일 이내", id="after-for-before"),
    pytest.param("접수는 4월 3일까지입니다.", "4월 3일까지", id="end-for-start"),
    pytest.param("접수 시작일은 4월 21일입니다.", "4월 21일", id="start-for-end"),
]
SAME_FRAME = [
    pytest.param("연차휴가는 최대 15일까지 쓸 수 있습니다.", id="at-most-for-plain"),
    pytest.param("병가는 연 30일까지 쓸 수 있습니다.", id="until-for-within"),
    pytest.param("병가는 한 해에 최대 30일입니다.", id="at-most-for-within"),
    pytest.param("교육은 매년 최소 20시간을 들어야 합니다.", id="at-least-in-front"),
    pytest.param("병가에서 돌아오면 3일 안에 진단서를 내세요.", id="after-in-other-words"),
    pytest.param("휴가는 늦어도 5일 전에 신청하세요.", id="before-in-other-words"),
    pytest.param("접수는 4월 3일에 시작해 4월 21일에 마감합니다.", id="ends-of-a-period-in-verbs"),
    pytest.param("쿠폰은 발급한 날부터 90일 동안 쓸 수 있습니다.", id="as-long-as-not-past"),
]


@pytest.mark.parametrize(("answer", "observed"), ANOTHER_FRAME)
def test_flags_a_figure_in_another_frame(answer: str, observed: str) -> None:
    [finding] = findings_in(LEAVE, answer)

    assert (finding.code, finding.observed) == ("numbers.comparator_differs", observed)
    assert finding.severity is Severity.STRONG
    assert finding.fix is None


@pytest.mark.parametrize("answer", SAME_FRAME)
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
MISBOUND = [
    pytest.param("어른 3,000원입니다.", "3,000원", "6,000원", id="item-of-one-line"),
    pytest.param("20명 이상 단체는 50% 할인됩니다.", "50%", "10%", id="item-with-a-condition"),
    pytest.param("세미나실은 2시간에 70,000원입니다.", "70,000원", "20,000원", id="list-lines"),
    pytest.param("강습 30회권은 500,000원입니다.", "500,000원", "1,350,000원", id="other-count"),
    pytest.param("60분 이상 120분 미만은 50%입니다.", "50%", "25%", id="other-bounds"),
    pytest.param("4인실 관리비는 78만 원입니다.", "78만 원", "540,000원", id="numbered-name"),
]
AT_HOME = [
    pytest.param("어린이 3,000원, 어른 6,000원입니다.", id="other-order"),
    pytest.param("- 어른: 6,000원\n- 청소년: 4,500원\n- 어린이: 3,000원", id="as-a-list"),
    pytest.param("세미나실은 24명까지 들어가고 2시간에 20,000원입니다.", id="line-as-sentence"),
    pytest.param("강습 30회는 6개월 안에 쓰셔야 합니다.", id="bracket-as-sentence"),
    pytest.param("120분 미만이면 25%, 그 이상이면 50%입니다.", id="bounds-told-shorter"),
    pytest.param(
        "| 항목 | 프로 | 베이직 |\n|---|---|---|\n| 월 요금 | 24,900원 | 9,900원 |",
        id="columns-in-another-order",
    ),
    pytest.param("제12회 정기총회는 5월 3일, 모임은 한 해에 4번입니다.", id="ordinal-and-count"),
]


@pytest.mark.parametrize(("answer", "observed", "expected"), MISBOUND)
def test_flags_a_figure_of_another_item_and_mends_nothing(
    answer: str, observed: str, expected: str
) -> None:
    [finding] = findings_in(HALL, answer)

    assert (finding.code, finding.observed) == ("numbers.moved", observed)
    assert expected in finding.expected
    assert finding.fix is None


@pytest.mark.parametrize("answer", AT_HOME)
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
