"""Figures that only look like those of the sources: of other things, or of the question alone."""

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Severity
from guards.core.reading import read
from guards.estimates import Estimates, EstimatesSettings
from guards.numbers import Numbers, NumbersSettings

STUDIO = "공방 작업대는 시간당 12,000원, 가마는 시간당 45,000원이다. 흙값은 8,000원이다."
CLUB = "월 회비는 26,000원이고 가입비는 9,000원이다. 손님 이용료는 1인 7,000원이다."
OUTING = "답사는 10월 6일에 떠난다. 참가 신청은 출발 4일 전까지 받는다. 확인증은 1매씩 준다."
BUS = "순환버스는 오전 8시 40분에 첫차가 떠난다. 시내 관광에는 2시간 20분이 든다."
ROOM = "입실은 14시부터, 퇴실은 10시까지이다. 접수는 5월 7일부터 받는다."
FAIR = "장터는 11월 4일부터 11월 9일까지 열린다."
LENDING = "휴가는 8일까지 쓸 수 있다."
ENTRY = "입장은 5월 18일까지 가능하다."
COPIES = "사본은 4매까지 1매당 800원, 5매부터 1매당 300원이다."
LOANS = "회원은 공구를 6점까지 빌릴 수 있다. 만 16세 이상이면 가입할 수 있다. 보증금은 3만 원이다."

FLAGGED = [
    pytest.param(
        STUDIO, "얼마예요?", "작업대는 시간당 33,000원이며 가마보다 쌉니다.", "33,000원", id="rate"
    ),
    pytest.param(
        STUDIO,
        "얼마예요?",
        "작업대는 시간당 20,000원이고 흙값은 8,000원을 더 냅니다.",
        "20,000원",
        id="rate-and-a-price",
    ),
    pytest.param(
        CLUB, "얼마예요?", "월 회비는 17,000원이라면 됩니다.", "17,000원", id="rate-for-a-month"
    ),
    pytest.param(OUTING, "언제까지?", "출발 6일 전까지 신청하세요.", "6일", id="day-of-a-date"),
    pytest.param(FAIR, "며칠 하나요?", "장터는 4일간 열립니다.", "4일간", id="day-as-days"),
    pytest.param(OUTING, "몇 장?", "확인증은 2매씩 드립니다.", "2매", id="sheets"),
    pytest.param(BUS, "얼마나 걸려요?", "40분 걸립니다.", "40분", id="minutes-of-a-clock"),
    pytest.param(BUS, "관광은요?", "관광에는 20분이 듭니다.", "20분", id="minutes-of-a-period"),
    pytest.param(BUS, "관광은요?", "관광에는 반나절이 듭니다.", "반나절", id="half-a-day"),
    pytest.param(
        ROOM, "1시에 되나요?", "오후 3시 이전에는 입실할 수 없습니다.", "오후 3시", id="before"
    ),
    pytest.param(
        ROOM, "1시에 되나요?", "14시 이전에 입실하실 수 있습니다.", "14시 이전", id="allowed-before"
    ),
    pytest.param(
        OUTING,
        "11월 20일 출발이면 언제까지 신청하나요?",
        "11월 17일까지 신청하셔야 합니다.",
        "11월 17일",
        id="wrong-date",
    ),
    pytest.param(
        OUTING,
        "11월 20일 출발이면 언제까지 신청하나요?",
        "11월 24일까지 신청하셔야 합니다.",
        "11월 24일",
        id="date-on-the-other-side",
    ),
    pytest.param(
        LOANS, "9점까지 되나요?", "네, 9점까지 빌릴 수 있습니다.", "9점", id="more-than-allowed"
    ),
    pytest.param(
        LOANS, "9점 빌려도 돼요?", "네, 공구 9점을 빌릴 수 있습니다.", "9점", id="more-at-once"
    ),
    pytest.param(
        ROOM, "낮 1시에 돼요?", "네, 오후 1시에 입실할 수 있습니다.", "오후 1시", id="too-early"
    ),
    pytest.param(
        ENTRY, "5월 20일에요?", "네, 5월 20일에도 입장이 가능합니다.", "5월 20일", id="too-late"
    ),
    pytest.param(
        LOANS,
        "만 15세도 돼요?",
        "네, 만 15세 이상이면 가입할 수 있습니다.",
        "15세",
        id="younger",
    ),
]
CLEAN = [
    pytest.param(
        STUDIO, "차이는?", "두 요금의 차이는 시간당 33,000원입니다.", id="difference-of-rates"
    ),
    pytest.param(
        STUDIO, "차이는?", "가마가 작업대보다 시간당 33,000원 비쌉니다.", id="dearer-by-a-rate"
    ),
    pytest.param(OUTING, "언제 가요?", "10월에는 6일에 떠납니다.", id="day-of-a-date"),
    pytest.param(OUTING, "몇 장?", "확인증은 1장씩 드립니다.", id="sheets-in-another-word"),
    pytest.param(
        FAIR, "며칠 하나요?", "장터는 11월 4일부터 6일 동안 열립니다.", id="days-between-two-dates"
    ),
    pytest.param(
        LENDING, "10일에 되나요?", "네, 10일에 휴가를 쓸 수 있습니다.", id="on-a-day-not-for-days"
    ),
    pytest.param(BUS, "몇 시?", "8시 정각이 아니라 40분에 떠납니다.", id="minutes-of-a-clock"),
    pytest.param("면담은 30분 걸린다.", "면담은요?", "면담은 반 시간 걸립니다.", id="half-hour"),
    pytest.param(ROOM, "1시에 되나요?", "오후 2시 이전에는 입실할 수 없습니다.", id="not-before"),
    pytest.param(
        ROOM, "12시에 나가도 되나요?", "오전 10시 이후에는 머무를 수 없습니다.", id="not-after"
    ),
    pytest.param(
        ROOM, "5월 2일에 되나요?", "5월 7일 이전에는 접수하지 않습니다.", id="not-before-a-day"
    ),
    pytest.param(
        OUTING,
        "11월 20일 출발이면 언제까지 신청하나요?",
        "11월 16일까지 신청하셔야 합니다.",
        id="right-date",
    ),
    pytest.param(
        OUTING,
        "2031년 3월 2일 출발이면 언제까지 신청하나요?",
        "2031년 2월 26일까지 신청하셔야 합니다.",
        id="right-date-with-its-year",
    ),
    pytest.param(
        COPIES,
        "사본 9장은 얼마예요?",
        "1~4매 3,200원(800원 × 4) + 5~9매 1,500원(300원 × 5) = 4,700원입니다.",
        id="range-up-to-what-was-asked",
    ),
    pytest.param(
        "체험비는 1인당 17,000원이다.", "3명이면요?", "3명이면 51,000원입니다.", id="only-price"
    ),
    pytest.param(ROOM, "4시에 돼요?", "네, 오후 4시에 입실할 수 있습니다.", id="late-enough"),
    pytest.param(ENTRY, "5월 2일에요?", "네, 5월 2일에도 입장이 가능합니다.", id="soon-enough"),
    pytest.param(LOANS, "9점까지 되나요?", "9점은 빌릴 수 없습니다.", id="denied"),
    pytest.param(
        LOANS, "9점까지 되나요?", "9점까지 빌릴 수 있는지는 자료에 없습니다.", id="not-told"
    ),
    pytest.param(
        LOANS, "9점까지 되나요?", "아니요, 9점은 안 되고 6점까지 빌릴 수 있습니다.", id="put-right"
    ),
    pytest.param(
        LOANS, "9점이요", "9점을 고르셨으니 6점까지 빌릴 수 있습니다.", id="right-one-beside-it"
    ),
    pytest.param(
        LOANS, "9점이요", "9점을 고르셨으니 나누어 빌릴 수 있습니다.", id="allows-something-else"
    ),
    pytest.param(LOANS, "4점 빌려도 돼요?", "네, 4점을 빌릴 수 있습니다.", id="within"),
    pytest.param(LOANS, "20살인데요", "네, 20세이시면 가입할 수 있습니다.", id="old-enough"),
    pytest.param(
        LOANS, "9점 빌리려는데요", "9점을 빌리려면 나누어 빌릴 수 있습니다.", id="condition"
    ),
    pytest.param(
        LOANS, "9명이 가입하려는데요", "9명이 가입할 수 있습니다.", id="nothing-said-of-that-kind"
    ),
]


def strong(source: str, question: str, answer: str) -> list[str]:
    exchange = Exchange(question, (Source("1", "", source),), answer=answer)
    found = Numbers(NumbersSettings()).check(read(exchange))
    found += Estimates(EstimatesSettings()).check(read(exchange))
    return [one.observed for one in found if one.severity is Severity.STRONG]


@pytest.mark.parametrize(("source", "question", "answer", "observed"), FLAGGED)
def test_flags(source: str, question: str, answer: str, observed: str) -> None:
    assert strong(source, question, answer) == [observed]


@pytest.mark.parametrize(("source", "question", "answer"), CLEAN)
def test_passes(source: str, question: str, answer: str) -> None:
    assert strong(source, question, answer) == []


@pytest.mark.parametrize(
    "answer", ["택시로 40분 걸립니다.", "보통 반 시간쯤 걸립니다.", "대개 한나절이 걸립니다."]
)
def test_a_guessed_time_is_not_known_from_a_clock(answer: str) -> None:
    assert len(strong(BUS, "얼마나 걸려요?", answer)) == 1
