"""Arithmetic: figures that follow from named operands pass, and wrong ones are told apart."""

from collections.abc import Iterator

import pytest

from guards.claims.reader import Reading, read_claims
from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.evidence.arithmetic import Arithmetic, Explanation, Outcome
from guards.evidence.figures import Figure, figures_of
from guards.evidence.index import SourceIndex

EXPLAINED = {Outcome.SHOWN_RIGHT, Outcome.FOLLOWS, Outcome.HYPOTHESIS, Outcome.GIVEN_BY_USER}
WRONG = {Outcome.SHOWN_WRONG, Outcome.UNEXPLAINED}

PARKING = "공영주차장 요금은 최초 30분 1,000원이고, 이후 10분마다 500원이 추가됩니다. 경차는 50% 감면합니다."
MUSEUM = "관람료는 어른 8,000원, 청소년 5,000원입니다. 20명 이상 단체는 20% 할인합니다."
LEAVE = "경조휴가는 결혼 5일, 부모상 5일입니다. 휴가는 사유 발생일부터 30일 이내에 사용합니다."
DEPOSIT = "정기예금 금리는 연 3.5%이며 우대금리는 최대 0.4%p입니다. 중도해지하면 이자의 40%만 지급합니다."
GYM = "헬스장 이용료는 월 60,000원입니다. 6개월 등록 시 10% 할인합니다. 개인 운동복은 월 5,000원입니다."
CLINIC = "초진 진료비는 18,000원, 재진은 13,000원입니다. 65세 이상은 30% 감면합니다. 검사는 오전 9시에 시작합니다."
DORM = "기숙사비는 한 학기 950,000원입니다. 입사 후 30일 이내에 퇴사하면 3분의 2를 환불합니다."
LIBRARY = "도서는 한 번에 5권까지 14일간 빌릴 수 있고 7일 연장할 수 있습니다. 연체료는 권당 하루 100원입니다."
AIRLINE = "위탁 수하물은 23kg까지 무료이고 초과하면 1kg당 15,000원입니다. 탑승구는 출발 10분 전에 닫습니다."
TELECOM = "요금제는 데이터 베이직 39,000원, 데이터 플러스 55,000원입니다. 선택약정은 25% 할인합니다."
FARM = "귀농 창업자금은 세대당 최대 3억 원이며 연 2% 금리, 5년 거치 10년 상환입니다."
TAX = "납부기한이 지나면 하루 0.022%의 가산세가 붙습니다. 신고세액공제율은 3%입니다."
COURSE = "수강료는 12주 240,000원입니다. 수업은 주 2회, 회당 90분입니다. 재료비는 별도로 30,000원입니다."

RIGHT = [
    (PARKING, "90분 대면 얼마예요?", "나머지 60분은 10분당 500원 × 6 = 3,000원입니다.", "3,000원"),
    (PARKING, "90분 대면 얼마예요?", "- 최초 30분: 1,000원\n- 나머지 60분: 3,000원\n\n합계 4,000원입니다.", "4,000원"),
    (PARKING, "경차인데 4,000원 나왔어요", "경차는 50% 감면되어 2,000원만 내시면 됩니다.", "2,000원"),
    (MUSEUM, "어른 셋이 가면요?", "어른 1명이 8,000원이므로 3명이면 24,000원입니다.", "24,000원"),
    (MUSEUM, "어른 2명, 청소년 1명이요", "8,000원×2 + 5,000원 = 21,000원입니다.", "21,000원"),
    (MUSEUM, "25명 단체 할인되나요?", "네, 20% 할인되어 어른은 6,400원에 관람하실 수 있습니다. 정가는 8,000원입니다.", "6,400원"),
    (MUSEUM, "할인액은?", "예를 들어 어른 30명이 가면 정가로는 240,000원입니다.", "30명"),
    (MUSEUM, "할인액은?", "예를 들어 어른 30명이 가면 8,000원씩 240,000원입니다.", "240,000원"),
    (MUSEUM, "어른과 청소년 차이는?", "어른 8,000원, 청소년 5,000원으로 3,000원 차이가 납니다.", "3,000원"),
    (LEAVE, "4월 10일에 결혼했어요", "4월 10일부터 30일 이내이므로 5월 10일까지 쓰셔야 합니다.", "5월 10일"),
    (LEAVE, "2일 썼는데 며칠 남았나요?", "결혼 휴가는 5일이므로 2일을 빼면 3일이 남습니다.", "3일"),
    (LEAVE, "결혼과 부모상 다 쓰면요?", "결혼 5일과 부모상 5일을 합하면 모두 10일입니다.", "10일"),
    (DEPOSIT, "최고 금리는?", "기본 연 3.5%에 우대 0.4%p를 더하면 최고 연 3.9%입니다.", "3.9%"),
    (DEPOSIT, "이자 50만 원인데 중도해지하면?", "50만 원의 40%인 20만 원을 받습니다.", "20만 원"),
    (DEPOSIT, "1,000만 원 넣으면?", "1,000만 원 × 3.5% = 35만 원(세전)입니다.", "35만 원"),
    (GYM, "6개월 끊으면 얼마예요?", "60,000원 × 6개월 = 360,000원이고, 10% 할인하면 324,000원입니다.", "324,000원"),
    (GYM, "운동복까지 하면 한 달에요?", "월 60,000원에 운동복 5,000원을 더해 65,000원입니다.", "65,000원"),
    (GYM, "운동복 1년치는?", "운동복은 월 5,000원이니 연간 60,000원입니다.", "60,000원"),
    (CLINIC, "70세 초진이에요", "초진 18,000원에서 30%를 감면하면 12,600원입니다.", "12,600원"),
    (CLINIC, "초진이 얼마나 더 비싸요?", "초진이 재진보다 5,000원 더 비쌉니다.", "5,000원"),
    (CLINIC, "검사가 2시간 걸린다는데요", "오전 9시에 시작해 2시간이면 오전 11시에 끝납니다.", "오전 11시"),
    (DORM, "20일 살고 나가면요?", "950,000원의 3분의 2인 약 633,000원을 돌려받습니다.", "633,000원"),
    (DORM, "두 학기면?", "950,000원 × 2 = 1,900,000원입니다.", "1,900,000원"),
    (LIBRARY, "연장하면 며칠이죠?", "14일에 7일을 연장하면 최대 21일입니다.", "21일"),
    (LIBRARY, "3권을 4일 늦었어요", "권당 하루 100원이므로 3권을 4일 연체하면 1,200원입니다.", "1,200원"),
    (LIBRARY, "3월 2일에 빌렸어요", "3월 2일에 14일간 빌리셨으니 3월 16일까지 반납하세요.", "3월 16일"),
    (AIRLINE, "짐이 28kg이에요", "28kg이면 5kg 초과이므로 15,000원 × 5 = 75,000원입니다.", "5kg"),
    (AIRLINE, "짐이 28kg이에요", "28kg이면 5kg 초과이므로 15,000원 × 5 = 75,000원입니다.", "75,000원"),
    (AIRLINE, "14시 30분 출발이에요", "출발 10분 전인 14시 20분에 탑승구가 닫힙니다.", "14시 20분"),
    (TELECOM, "약정하면 얼마예요?", "| 요금제 | 정가 | 25% 할인 |\n|---|---|---|\n| 베이직 | 39,000원 | 29,250원 |\n| 플러스 | 55,000원 | 41,250원 |", "41,250원"),
    (TELECOM, "차이는?", "두 요금제의 차이는 16,000원입니다. 베이직은 39,000원, 플러스는 55,000원입니다.", "16,000원"),
    (FARM, "1억 빌리면 이자는?", "1억 원을 빌리면 연 2%이므로 이자는 연 200만 원입니다.", "200만 원"),
    (FARM, "총 몇 년이에요?", "5년 거치 후 10년 상환이므로 총 15년입니다.", "15년"),
    (TAX, "100만 원을 10일 늦게 냈어요", "100만 원 × 0.022% × 10일 = 2,200원입니다.", "2,200원"),
    (COURSE, "총 몇 번 들어요?", "12주 동안 주 2회이므로 총 24회 수업입니다.", "24회"),
    (COURSE, "재료비 포함하면요?", "| 항목 | 금액 |\n|---|---|\n| 수강료 | 240,000원 |\n| 재료비 | 30,000원 |\n| 합계 | 270,000원 |", "270,000원"),
    (COURSE, "회당 얼마 꼴이에요?", "240,000원 ÷ 24회 = 10,000원, 회당 10,000원입니다.", "10,000원"),
    (COURSE, "준비할 건요?", "준비하실 것은 세 가지입니다.\n- 교재\n- 앞치마\n- 필기구", "세 가지"),
]  # fmt: skip

NOT_RIGHT = [
    (PARKING, "90분 대면 얼마예요?", "나머지 60분은 10분당 500원 × 6 = 3,500원입니다.", "3,500원"),
    (PARKING, "90분 대면 얼마예요?", "- 최초 30분: 1,000원\n- 나머지 60분: 3,000원\n\n합계 4,500원입니다.", "4,500원"),
    (PARKING, "경차인데 4,000원 나왔어요", "경차는 50% 감면되어 2,400원만 내시면 됩니다.", "2,400원"),
    (MUSEUM, "어른 셋이 가면요?", "어른 1명이 8,000원이므로 3명이면 26,000원입니다.", "26,000원"),
    (MUSEUM, "어른 2명, 청소년 1명이요", "8,000원×2 + 5,000원 = 23,000원입니다.", "23,000원"),
    (MUSEUM, "25명 단체 할인되나요?", "네, 20% 할인되어 어른은 6,800원에 관람하실 수 있습니다. 정가는 8,000원입니다.", "6,800원"),
    (MUSEUM, "할인액은?", "예를 들어 어른 30명이 가면 8,000원씩 270,000원입니다.", "270,000원"),
    (MUSEUM, "어른과 청소년 차이는?", "어른 8,000원, 청소년 5,000원으로 4,000원 차이가 납니다.", "4,000원"),
    (LEAVE, "4월 10일에 결혼했어요", "4월 10일부터 30일 이내이므로 5월 20일까지 쓰셔야 합니다.", "5월 20일"),
    (LEAVE, "2일 썼는데 며칠 남았나요?", "결혼 휴가는 5일이므로 2일을 빼면 4일이 남습니다.", "4일"),
    (LEAVE, "결혼과 부모상 다 쓰면요?", "결혼 5일과 부모상 5일을 합하면 모두 15일입니다.", "15일"),
    (DEPOSIT, "최고 금리는?", "기본 연 3.5%에 우대 0.4%p를 더하면 최고 연 4.1%입니다.", "4.1%"),
    (DEPOSIT, "이자 50만 원인데 중도해지하면?", "50만 원의 40%인 25만 원을 받습니다.", "25만 원"),
    (DEPOSIT, "1,000만 원 넣으면?", "1,000만 원 × 3.5% = 45만 원(세전)입니다.", "45만 원"),
    (GYM, "6개월 끊으면 얼마예요?", "60,000원 × 6개월 = 360,000원이고, 10% 할인하면 334,000원입니다.", "334,000원"),
    (GYM, "운동복까지 하면 한 달에요?", "월 60,000원에 운동복 5,000원을 더해 70,000원입니다.", "70,000원"),
    (CLINIC, "70세 초진이에요", "초진 18,000원에서 30%를 감면하면 13,600원입니다.", "13,600원"),
    (CLINIC, "초진이 얼마나 더 비싸요?", "초진이 재진보다 6,000원 더 비쌉니다.", "6,000원"),
    (CLINIC, "검사가 2시간 걸린다는데요", "오전 9시에 시작해 2시간이면 오전 11시 30분에 끝납니다.", "오전 11시 30분"),
    (DORM, "20일 살고 나가면요?", "950,000원의 3분의 2인 약 713,000원을 돌려받습니다.", "713,000원"),
    (LIBRARY, "연장하면 며칠이죠?", "14일에 7일을 연장하면 최대 28일입니다.", "28일"),
    (LIBRARY, "3권을 4일 늦었어요", "권당 하루 100원이므로 3권을 4일 연체하면 1,400원입니다.", "1,400원"),
    (LIBRARY, "3월 2일에 빌렸어요", "3월 2일에 14일간 빌리셨으니 3월 19일까지 반납하세요.", "3월 19일"),
    (AIRLINE, "짐이 28kg이에요", "28kg이면 5kg 초과이므로 15,000원 × 5 = 85,000원입니다.", "85,000원"),
    (AIRLINE, "14시 30분 출발이에요", "출발 10분 전인 14시 10분에 탑승구가 닫힙니다.", "14시 10분"),
    (TELECOM, "약정하면 얼마예요?", "| 요금제 | 정가 | 25% 할인 |\n|---|---|---|\n| 베이직 | 39,000원 | 29,250원 |\n| 플러스 | 55,000원 | 42,250원 |", "42,250원"),
    (TELECOM, "차이는?", "두 요금제의 차이는 17,000원입니다. 베이직은 39,000원, 플러스는 55,000원입니다.", "17,000원"),
    (FARM, "1억 빌리면 이자는?", "1억 원을 빌리면 연 2%이므로 이자는 연 250만 원입니다.", "250만 원"),
    (FARM, "총 몇 년이에요?", "5년 거치 후 10년 상환이므로 총 20년입니다.", "20년"),
    (COURSE, "총 몇 번 들어요?", "12주 동안 주 2회이므로 총 26회 수업입니다.", "26회"),
    (COURSE, "재료비 포함하면요?", "| 항목 | 금액 |\n|---|---|\n| 수강료 | 240,000원 |\n| 재료비 | 30,000원 |\n| 합계 | 280,000원 |", "280,000원"),
    (COURSE, "준비할 건요?", "준비하실 것은 네 가지입니다.\n- 교재\n- 앞치마\n- 필기구", "네 가지"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "question", "answer", "figure"), RIGHT)
def test_what_follows_from_named_operands_is_explained(
    source: str, question: str, answer: str, figure: str
) -> None:
    assert explained(source, question, answer, figure).outcome in EXPLAINED


@pytest.mark.parametrize(("source", "question", "answer", "figure"), NOT_RIGHT)
def test_a_wrong_result_is_not_explained(
    source: str, question: str, answer: str, figure: str
) -> None:
    assert explained(source, question, answer, figure).outcome in WRONG


def test_an_equation_that_is_wrong_tells_the_right_result() -> None:
    found = explained(GYM, "6개월이요", "60,000원 × 6개월 = 350,000원입니다.", "350,000원")

    assert (found.outcome, found.right) == (Outcome.SHOWN_WRONG, 360_000)
    assert [one.quantity.text for one in found.operands] == ["60,000원", "6개월"]


def test_a_total_that_is_wrong_tells_the_right_one() -> None:
    table = "| 항목 | 금액 |\n|---|---|\n| 수강료 | 240,000원 |\n| 재료비 | 30,000원 |\n| 합계 | 280,000원 |"

    found = explained(COURSE, "얼마예요?", table, "280,000원")

    assert (found.outcome, found.right) == (Outcome.SHOWN_WRONG, 270_000)


@pytest.mark.parametrize(
    "equation",
    [
        "14,200원 (5,500×2 + 3,200)",
        "1억 원 × 1.4% × 2/3 ≈ 93만 3천 원",
        "(73 − 60)시간 × 1,000원 = 13,000원",
        "2시간 40분 − 1시간 25분 = 1시간 15분",
        "3.2% + 0.7%p + 0.5%p = 4.4%",
        "17:30 + 35분 = 18:05",
        "396,000 ÷ 180 × 60 = 132,000원",
        "12만 원(600만 원의 2%)",
        "100,000원 ÷ 3 = 33,333원",
    ],
)
def test_an_equation_is_recomputed(equation: str) -> None:
    assert [one.is_right for one in arithmetic("", "", equation)[0].equations] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "기내 수하물은 1개(55×40×20cm)입니다.",
        "비용: 350,000원 / 720,000원 → 정밀이 370,000원 더 비쌉니다.",
        "문의: 02-123-4567 = 대표번호",
        "2024-03-05 = 시행일",
    ],
)
def test_what_is_no_equation_is_not_recomputed(text: str) -> None:
    assert not arithmetic("", "", text)[0].equations


def explained(source: str, question: str, answer: str, figure: str) -> Explanation:
    """Return how an answer comes to the last figure that is written so."""
    worked, figures = arithmetic(source, question, answer)
    found = [one for one in figures if one.quantity.text == figure]
    assert found, [one.quantity.text for one in figures]
    return worked.of(found[-1])


def arithmetic(source: str, question: str, answer: str) -> tuple[Arithmetic, list[Figure]]:
    """Return the arithmetic of an answer, and its figures."""
    sources = (Source("1", "안내", source),) if source else ()
    told = read(Exchange(question=question, sources=sources, answer=answer)).told
    index = SourceIndex(told)
    reading = read_claims(answer)
    figures = list(figures_in(reading))
    told_figures = [
        one for number, it in enumerate(index.readings) for one in figures_in(it, number)
    ]
    asked = list(figures_in(read_claims(question)))
    return Arithmetic(reading, figures, asked, told_figures, index.likeness), figures


def figures_in(reading: Reading, source: int = -1) -> Iterator[Figure]:
    """Yield the figures of a text."""
    for sentence in reading.sentences:
        yield from figures_of(sentence, (), "", source)
