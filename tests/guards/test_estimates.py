import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.estimates import Estimates, EstimatesSettings

GUIDE = (
    "역에서 숙소까지 셔틀버스로 25분 걸린다. 조식은 성인 기준 33,000원이다.\n"
    "회의실의 정원은 98명이다. 주차장은 약 200대를 수용한다.\n"
    "성수기에는 입실이 늦어질 수도 있다."
)
SOURCES = (Source("1", "오시는 길과 시설", GUIDE),)


@pytest.fixture
def guard() -> Estimates:
    return Estimates(EstimatesSettings())


def findings(guard: Estimates, answer: str) -> list[Finding]:
    return guard.check(read(Exchange("어떻게 가나요?", SOURCES, answer=answer)))


FLAGGED = [
    pytest.param("택시로 약 40분 걸립니다.", "40분", id="estimated-taxi-time"),
    pytest.param("역에서 도보 10분입니다.", "10분", id="estimated-walk"),
    pytest.param("차로 15분이면 도착합니다.", "15분", id="estimated-drive"),
    pytest.param("역에서 약 3km 떨어져 있습니다.", "3km", id="estimated-distance"),
    pytest.param("조식은 대략 5만원입니다.", "5만원", id="estimated-price"),
    pytest.param("객실료는 보통 20만원입니다.", "20만원", id="usual-price"),
    pytest.param("객실료는 평균 20만원입니다.", "20만원", id="average-price"),
    pytest.param("예상 요금은 12만원입니다.", "12만원", id="expected-price"),
    pytest.param("아마 70명은 들어갈 것입니다.", "70명", id="guessed-capacity"),
    pytest.param("직원은 30여 명입니다.", "30여 명", id="some-thirty"),
    pytest.param("2~3만원 정도입니다.", "2~3만원", id="range"),
]
CLEAN = [
    pytest.param("주차장은 약 200대를 수용합니다.", id="verbatim-estimate"),
    pytest.param("셔틀버스로 25분 걸립니다.", id="journey-of-the-source"),
    pytest.param("셔틀버스로 약 25분 정도 걸립니다.", id="exact-value-told-as-rough"),
    pytest.param("조식은 보통 3만 3천원입니다.", id="same-price-in-another-notation"),
    pytest.param("정원은 약 100명입니다.", id="rounded"),
    pytest.param("입실이 늦어질 수도 있습니다.", id="source-hedges-too"),
    pytest.param("약관을 확인해 주세요.", id="word-that-begins-like-a-hedge"),
    pytest.param("`max=40`", id="code"),
    pytest.param("자료에서 확인할 수 없습니다.", id="abstention"),
]
HEDGES = [
    pytest.param("일반적으로 조식을 제공합니다.", "일반적으로", id="generally"),
    pytest.param("아마도 조식이 나옵니다.", "아마도", id="perhaps"),
    pytest.param("제 생각에는 가깝습니다.", "제 생각에는", id="in-my-opinion"),
    pytest.param("추측컨대 만실입니다.", "추측컨대", id="i-guess"),
    pytest.param("조식이 제공될 수도 있습니다.", "될 수도 있습니다", id="may-be"),
]


@pytest.mark.parametrize(("answer", "observed"), FLAGGED)
def test_flags_figures(guard: Estimates, answer: str, observed: str) -> None:
    strong = [found for found in findings(guard, answer) if found.severity is Severity.STRONG]

    assert [(found.code, found.observed) for found in strong] == [
        ("estimates.unsupported", observed)
    ]
    assert answer[strong[0].span.start : strong[0].span.end] == observed


@pytest.mark.parametrize("answer", CLEAN)
def test_passes(guard: Estimates, answer: str) -> None:
    assert findings(guard, answer) == []


@pytest.mark.parametrize(("answer", "observed"), HEDGES)
def test_hedging_words_are_weak_signs(guard: Estimates, answer: str, observed: str) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.severity) == ("estimates.hedge", Severity.WEAK)
    assert finding.observed == observed
    assert answer[finding.span.start : finding.span.end] == observed


def test_a_time_that_follows_from_the_source_is_only_weak() -> None:
    sources = (Source("1", "", "공연은 새벽 4시 반부터 2시간여 동안 열린다."),)
    exchange = Exchange("언제?", sources, answer="공연은 약 새벽 6시 반까지 열립니다.")

    [finding] = Estimates(EstimatesSettings()).check(read(exchange))

    assert (finding.code, finding.severity) == ("estimates.derived", Severity.WEAK)


def test_expected_is_what_the_source_says(guard: Estimates) -> None:
    [finding] = findings(guard, "조식은 성인 기준 약 5만원입니다.")

    assert finding.expected == ("33,000원",)


def test_rounding_may_be_switched_off() -> None:
    strict = Estimates(EstimatesSettings(rounding=0))

    [finding] = findings(strict, "정원은 약 100명입니다.")

    assert finding.observed == "100명"


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("요금?", SOURCES), "no_answer"),
        (Exchange("요금?", answer="약 3만원입니다."), "no_sources"),
    ],
)
def test_says_why_it_cannot_check(guard: Estimates, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason


RIGHT = [
    pytest.param(
        "치약 세트는 11,900원이다.", "얼마예요?", "약 1만 2천 원입니다.", id="shop-rounded"
    ),
    pytest.param(
        "성인 18,000원, 어린이 9,000원.",
        "어른 둘 아이 하나요.",
        "예상 요금은 18,000원 × 2 + 9,000원 = 45,000원입니다.",
        id="park-equation-shown",
    ),
    pytest.param(
        "버스로 40분, 내려서 걸어서 5분이다.",
        "얼마나 걸려요?",
        "버스로 약 40분, 걸어서 5분이니 모두 약 45분 걸립니다.",
        id="journey-total",
    ),
    pytest.param(
        "축제 관람객은 3만 2,000명이었다.",
        "몇 명이나 왔나요?",
        "대략 3만 명이 찾았습니다.",
        id="festival-rounded",
    ),
    pytest.param(
        "월세는 500,000원이다.", "1년 치는?", "대략 600만 원(50만 원 × 12개월)입니다.", id="rent"
    ),
    pytest.param(
        "처리 기간은 보통 2주이다.", "언제 나와요?", "보통 14일 걸립니다.", id="office-notation"
    ),
    pytest.param(
        "수강 인원은 25명이다.", "저는 서른 명쯤 데려가요.", "약 30명이시군요.", id="users-own"
    ),
    pytest.param(
        "연회비는 30,000원이다.",
        "할인되나요?",
        "만약 평균 50만 원을 쓰신다고 가정하면 그때도 연회비는 30,000원입니다.",
        id="supposed",
    ),
]


@pytest.mark.parametrize(("told", "question", "answer"), RIGHT)
def test_rounded_derived_and_supposed_figures_are_right(
    told: str, question: str, answer: str
) -> None:
    exchange = Exchange(question, (Source("1", "안내", told),), answer=answer)

    found = Estimates(EstimatesSettings(rounding=0.1)).check(read(exchange))

    assert [one for one in found if one.severity is Severity.STRONG] == []
