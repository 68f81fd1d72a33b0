"""What is kept of sources and questions never shows in what is found of an answer."""

from hypothesis import given, settings
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding
from guards.core.reading import forget_sources, read
from guards.estimates import Estimates, EstimatesSettings
from guards.numbers import Numbers, NumbersSettings

LOANS = Source(
    "1",
    "달빛도서관 대출 규정",
    "- 일반 회원: 7권, 14일\n- 어린이 회원: 5권, 10일\n"
    "예약 도서는 도착 안내 후 3일 이내에 찾아갑니다. 연체하면 하루 150원을 냅니다.\n"
    "| 구분 | 평일 | 주말 |\n|---|---|---|\n| 열람실 | 09:00~21:00 | 10:00~17:00 |\n"
    "대강당 대관은 2시간에 40,000원이고, 1시간마다 15,000원이 추가됩니다.",
)
CLUB = Source(
    "2",
    "달빛도서관 동아리",
    "동아리실은 4명 이상 12명 이하가 씁니다. 신청은 이용일 6일 전까지 하고, 2일 전까지 취소할 수 "
    "있습니다. 접수는 11월 4일부터 11월 18일까지입니다.",
)
SOURCE_SETS = ((LOANS, CLUB), (CLUB, LOANS), (LOANS,), (CLUB,))
QUESTIONS = (
    "책은 며칠 동안 빌리나요?",
    "9권까지 빌릴 수 있나요?",
    "11월 20일에 쓰려면 언제까지 신청하나요?",
    "대강당을 3시간 쓰면 얼마인가요?",
)
ANSWERS = (
    "어린이 회원은 14일 동안 7권을 빌립니다. 네, 9권까지 빌릴 수 있습니다.",
    "신청은 이용일 2일 전까지 하고, 11월 14일까지 냅니다. 접수는 11월 5일부터 11월 18일까지입니다.",
    "3시간이면 40,000원 + 15,000원 = 55,000원입니다. 4시간은 총 70,000원입니다.",
    "| 구분 | 평일 |\n|---|---|\n| 열람실 | 10:00~17:00 |\n\n예약 도서는 3일 이상 보관합니다.",
    "동아리실은 보통 8명이 쓰고, 12명 초과도 됩니다. 연체료는 약 300원입니다.",
)
GUARDS = (Numbers(NumbersSettings()), Estimates(EstimatesSettings()))

requests = st.tuples(
    st.sampled_from(SOURCE_SETS), st.sampled_from(QUESTIONS), st.sampled_from(ANSWERS)
)


def found(exchange: Exchange, judged_from: int = 0) -> list[Finding]:
    reading = read(exchange, judged_from)
    return [finding for guard in GUARDS for finding in guard.check(reading)]


def asked(sources: tuple[Source, ...], question: str) -> Exchange:
    return Exchange(question=question, sources=sources)


@settings(max_examples=15, deadline=None)
@given(st.lists(requests, min_size=2, max_size=6))
def test_no_request_leaves_anything_for_the_next(
    several: list[tuple[tuple[Source, ...], str, str]],
) -> None:
    forget_sources()
    warm = [found(asked(sources, question).answered(said)) for sources, question, said in several]

    for (sources, question, said), findings in zip(several, warm, strict=True):
        forget_sources()
        assert found(asked(sources, question).answered(said)) == findings


@settings(max_examples=15, deadline=None)
@given(requests, st.lists(st.integers(1, 60), max_size=4), st.sampled_from(ANSWERS))
def test_no_look_leaves_anything_for_the_next(
    request: tuple[tuple[Source, ...], str, str], cuts: list[int], another: str
) -> None:
    sources, question, said = request
    exchange = asked(sources, question)
    found(exchange.answered(another))
    begun = 0
    for cut in sorted(cuts):
        looked = found(exchange.answered(said[:cut]), begun)
        assert looked == found(asked(sources, question).answered(said[:cut]), begun)
        begun = cut

    seen = found(exchange.answered(said))
    forget_sources()
    assert found(asked(sources, question).answered(said)) == seen


def test_these_requests_have_something_to_find() -> None:
    codes = {
        finding.code
        for sources in SOURCE_SETS
        for question in QUESTIONS
        for said in ANSWERS
        for finding in found(asked(sources, question).answered(said))
    }

    assert codes >= {
        "numbers.value_differs",
        "numbers.moved",
        "numbers.comparator_differs",
        "numbers.derived",
        "numbers.not_in_sources",
        "estimates.unsupported",
    }
