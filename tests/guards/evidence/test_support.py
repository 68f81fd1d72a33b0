import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.reading import Text, read
from guards.evidence.support import Support
from guards.text.citing.assessment import CITATION_THRESHOLD, Assessed, assess
from guards.text.citing.statements import support_of

GARDEN = Source("1", "온실 안내", "온실은 화요일에 문을 닫는다. 입장료는 3,000원이다.")
PARKING = Source("2", "주차 안내", "주차장은 후문 옆 광장에 있다.")


def support(answer: str, question: str = "") -> Support:
    return support_of(read(Exchange(question, (GARDEN, PARKING), answer=answer)))


def score(text: str, *places: int, question: str = "") -> float:
    held = support(text, question)
    return held.carried(text, held.figures(0, len(text))).score(places)


def test_sources_together_carry_what_neither_carries_alone() -> None:
    both = "온실은 화요일에 문을 닫고 주차장은 후문 옆 광장에 있다"

    assert max(score(both, 0), score(both, 1)) < CITATION_THRESHOLD
    assert score(both, 0, 1) >= CITATION_THRESHOLD


def test_a_figure_counts_in_any_notation() -> None:
    assert score("입장료는 3천 원입니다", 0) > score("입장료는 5천 원입니다", 0)


def test_the_number_of_a_mark_is_no_figure() -> None:
    assert not support("온실은 화요일에 닫습니다[2].").figures(0, 40)


def test_words_of_the_question_that_no_source_has_are_left_out() -> None:
    answer = "관람객 온실은 화요일에 문을 닫는다"

    assert score(answer, 0, question="관람객") > score(answer, 0)


def test_nothing_is_carried_by_no_source() -> None:
    assert score("온실은 화요일에 문을 닫는다") == 0


def test_a_quote_is_the_nearest_sentence() -> None:
    held = support("입장료는 얼마다")

    assert held.quote("입장료는 3,000원이다", 0) == "입장료는 3,000원이다."
    assert held.quote("수족관", 1) == ""


def test_whoever_reads_an_exchange_again_gets_the_same() -> None:
    exchange = Exchange("", (GARDEN, PARKING), answer="온실은 화요일에 닫습니다[1].")
    other = Exchange("", (PARKING, GARDEN), answer="온실은 화요일에 닫습니다[1].")

    assert support_of(read(exchange)) is support_of(read(exchange))
    assert support_of(read(other)) is not support_of(read(exchange))
    assert assess(read(exchange), 0.7) is assess(read(exchange), 0.7)
    assert assess(read(exchange), 0.8) is not assess(read(exchange), 0.7)


SAME = [
    pytest.param("14일", "2주", id="weeks"),
    pytest.param("12개월", "1년", id="year"),
    pytest.param("15인", "열다섯 명", id="people"),
    pytest.param("09:00", "9시", id="open-half-of-day"),
    pytest.param("오후 3시", "15시", id="clock"),
    pytest.param("2024-03-05", "3월 5일", id="part-of-a-date"),
    pytest.param("2024. 3. 5.", "2024년", id="year-of-a-date"),
    pytest.param("10% 이상 20% 이하", "10~20%", id="both-ends-of-a-range"),
    pytest.param("30,000", "3만원", id="number-in-a-table-cell"),
    pytest.param("5천만원", "50,000,000", id="number-without-its-unit"),
    pytest.param("2024년도 신청은 3월 5일부터", "2024년 3월 5일", id="year-given-elsewhere"),
]
DIFFERENT = [
    pytest.param("30일", "1개월", id="a-month-is-no-thirty-days"),
    pytest.param("30일", "30개월", id="unit"),
    pytest.param("5일과 7만", "5천만", id="scale-of-a-bare-number"),
    pytest.param("130일", "30일", id="part-of-a-longer-number"),
    pytest.param("20%", "20%포인트", id="percentage-points"),
    pytest.param("30,000원", "30,000달러", id="currency"),
    pytest.param("오전 5시 30분", "17:30", id="half-of-day"),
    pytest.param("10명 이상", "10명 미만", id="comparator"),
    pytest.param("2023-03-05", "2024년 3월 5일", id="year"),
    pytest.param("10~20%", "15%", id="inside-a-range"),
]


def holds(known: str, asked: str) -> bool:
    [figure] = Text(asked).quantities
    told = Support(read(Exchange("", (Source("1", "", known),))))
    return told.carried("", [figure]).score([0]) == 1


@pytest.mark.parametrize(("known", "asked"), SAME)
def test_finds_the_same_in_another_notation(known: str, asked: str) -> None:
    assert holds(known, asked)


@pytest.mark.parametrize(("known", "asked"), DIFFERENT)
def test_tells_different_ones_apart(known: str, asked: str) -> None:
    assert not holds(known, asked)


SAID = st.sampled_from(
    [
        "온실은 화요일에 닫습니다",
        "입장료는 3,000원입니다",
        "입장료는 3천 원입니다",
        "입장료는 5,000원입니다",
        "2명이면 6,000원입니다",
        "2명 × 3,000원 = 6,000원입니다",
        "주차장은 후문 옆에 있고 온실은 화요일에 닫습니다",
    ]
)
MARKS = st.sampled_from(["", "[1]", "[2]", "[1][2]", "[3]"])
ANSWERS = st.lists(st.tuples(SAID, MARKS), min_size=1, max_size=4).map(
    lambda told: " ".join(f"{said}{mark}." for said, mark in told)
)


def told(assessed: Assessed) -> tuple[object, ...]:
    found = [(one, one.quote) for one in assessed.assessments]
    return found, assessed.missing, assessed.recall, assessed.precision


@settings(max_examples=40, deadline=None)
@given(st.lists(ANSWERS, min_size=2, max_size=4))
def test_what_was_measured_for_one_answer_changes_nothing_in_another(answers: list[str]) -> None:
    asked = Exchange("온실은 언제 닫나요?", (GARDEN, PARKING))

    for answer in answers:
        alone = Exchange(asked.question, asked.sources, answer=answer, previous_answer="…")
        assert told(assess(read(asked.answered(answer)), 0.7)) == told(assess(read(alone), 0.7))


FIELDS = [
    pytest.param(
        "강의실은 사용 사흘 전까지 행정실에 신청하셔야 합니다",
        "강의실을 사용하려면 3일 전까지 행정실에 신청서를 낸다.",
        "도서관은 시험 기간에 밤 11시까지 연다.",
        id="university",
    ),
    pytest.param(
        "퇴원하신 뒤에는 원무과에서 진단서를 발급받으실 수 있습니다",
        "진단서는 퇴원 후 원무과 창구에서 발급한다.",
        "병문안은 오후 6시부터 8시까지 할 수 있다.",
        id="hospital",
    ),
    pytest.param(
        "중도 해지하시면 약정 이자의 절반만 지급됩니다",
        "중도에 해지한 예금에는 약정 이자의 절반을 지급한다.",
        "통장을 잃어버린 고객은 영업점에 바로 신고한다.",
        id="bank",
    ),
    pytest.param(
        "재활용품은 목요일 저녁에 분리수거장으로 내놓으시면 됩니다",
        "재활용품은 매주 목요일 저녁 분리수거장에 배출한다.",
        "승강기 점검은 매달 첫 월요일에 한다.",
        id="apartment",
    ),
    pytest.param(
        "파손된 상품은 받으신 날부터 일주일 안에 교환해 드립니다",
        "파손 상품은 수령일부터 7일 이내에 교환할 수 있다.",
        "적립금은 구매를 확정한 다음 날 지급된다.",
        id="shop",
    ),
    pytest.param(
        "수하물이 20kg을 넘으면 초과 요금을 내셔야 해요",
        "위탁 수하물이 20kg을 초과하면 초과 요금을 받는다.",
        "유모차는 탑승구에서 맡길 수 있다.",
        id="airline",
    ),
    pytest.param(
        "육아휴직은 자녀 한 명당 최대 1년까지 쓸 수 있습니다",
        "육아휴직 기간은 자녀 1명당 1년 이내로 한다.",
        "출장비는 귀임 후 5일 안에 정산한다.",
        id="staff",
    ),
    pytest.param(
        "관리자는 설정 화면에서 이중 인증을 켤 수 있습니다",
        "이중 인증은 관리자 설정 화면에서 활성화한다. 관리자가 켜면 모두에게 적용된다.",
        "청구서는 매달 1일에 메일로 보낸다.",
        id="software",
    ),
    pytest.param(
        "텃밭 분양은 추첨으로 정하고 2월에 발표합니다",
        "텃밭은 추첨으로 분양하며 결과는 2월에 발표한다.",
        "농기구는 창고에서 빌려 쓴다.",
        id="city",
    ),
]


@pytest.mark.parametrize(("said", "right", "wrong"), FIELDS)
def test_a_paraphrase_rests_on_the_source_that_says_so(said: str, right: str, wrong: str) -> None:
    sources = (Source("1", "", right), Source("2", "", wrong))
    held = Support(read(Exchange("알려 주세요", sources, answer=said)))

    carried = held.carried(said, held.figures(0, len(said)))

    assert carried.score([0]) >= CITATION_THRESHOLD
    assert carried.score([1]) <= 1 - CITATION_THRESHOLD
    assert held.quote(said, 0).rstrip(".") in right


def test_words_of_a_table_s_head_count_for_its_cells() -> None:
    table = "| 구분 | 평일 | 주말 |\n|---|---|---|\n| 어린이 수영 | 4,000원 | 6,000원 |"
    held = Support(read(Exchange("", (Source("1", "", table), PARKING), answer="")))

    assert held.carried("어린이 수영은 주말에").score([0]) == 1
    assert held.quote("어린이 수영은 주말에", 0) == "| 어린이 수영 | 4,000원 | 6,000원 |"
