"""What is kept between looks changes nothing: warm readings find what cold ones find."""

from hypothesis import given, settings
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding
from guards.core.guard import Stage, read_ahead
from guards.core.reading import Reading, forget_sources, read
from guards.core.registry import all_guards

GUARDS = [
    guard(guard.settings_type()) for guard in all_guards().values() if Stage.OUTPUT in guard.stages
]
SOURCES = (
    Source("1", "솔빛관 이용 규정", "솔빛관은 월요일에 휴관한다. 회원은 무료로 입장할 수 있다."),
    Source("2", "솔빛관 요금표", "성인 입장료는 5,000원이다. 다만, 야간에는 입장할 수 없다."),
    Source("3", "솔빛관 이용 규정", "솔빛관은 월요일에 휴관한다. 대관은 3일 전까지 신청한다."),
    Source(
        "4",
        "솔빛관 이용 규정 (개정)",
        "대관은 5일 전까지 신청한다. 보관실에는 관리자만 들어갈 수 있다.",
    ),
)
QUESTIONS = ("월요일에 여나요?", "야간 입장료는 얼마인가요?", "대관은 며칠 전까지 신청하나요?")
SENTENCES = (
    "솔빛관은 월요일에도 개관합니다.",
    "성인 입장료는 7,000원입니다[2].",
    "회원은 입장할 수 없습니다.",
    "대관은 3일 전까지 신청합니다[1].",
    "보관실에는 누구나 들어갈 수 있습니다.",
    "잔디 광장에서는 드론 축제와 불꽃 공연이 밤마다 열립니다.",
)
ANSWERS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4)
LOOKS = st.lists(
    st.tuples(
        st.sampled_from(QUESTIONS),
        st.lists(st.sampled_from(SOURCES), min_size=1, max_size=3, unique=True).map(tuple),
        ANSWERS,
    ),
    min_size=2,
    max_size=3,
)


def found_in(reading: Reading) -> list[Finding]:
    return [
        finding
        for guard in GUARDS
        if guard.not_checkable(reading) is None
        for finding in guard.check(reading)
    ]


def cold(exchange: Exchange, judged_from: int = 0) -> list[Finding]:
    forget_sources()
    anew = Exchange(exchange.question, exchange.sources).answered(exchange.answer or "")
    return found_in(read(anew, judged_from))


@given(LOOKS)
@settings(max_examples=15, deadline=None)
def test_the_order_of_requests_makes_no_difference(
    looks: list[tuple[str, tuple[Source, ...], list[str]]],
) -> None:
    exchanges = [
        Exchange(question, sources).answered(" ".join(answer))
        for question, sources, answer in looks
    ]

    warm = [found_in(read(exchange)) for exchange in (*exchanges, *reversed(exchanges))]

    alone = [cold(exchange) for exchange in exchanges]
    assert warm == [*alone, *reversed(alone)]


@given(st.sampled_from(QUESTIONS), ANSWERS)
@settings(max_examples=15, deadline=None)
def test_an_answer_that_grew_is_found_what_it_is_found_at_once(
    question: str, answer: list[str]
) -> None:
    exchange = Exchange(question, SOURCES)
    parts = [" ".join(answer[:end]) for end in range(1, len(answer) + 1)]
    begun = [0, *(len(part) for part in parts[:-1])]

    grown = [
        found_in(read(exchange.answered(part), start))
        for part, start in zip(parts, begun, strict=True)
    ]
    whole = found_in(read(exchange.answered(parts[-1])))

    assert grown == [
        cold(exchange.answered(part), start) for part, start in zip(parts, begun, strict=True)
    ]
    assert whole == cold(exchange.answered(parts[-1]))


@given(st.sampled_from(QUESTIONS), ANSWERS)
@settings(max_examples=15, deadline=None)
def test_what_was_read_ahead_changes_nothing(question: str, answer: list[str]) -> None:
    forget_sources()
    exchange = Exchange(question, SOURCES)
    for _ in read_ahead(GUARDS, read(exchange).request):
        pass
    answered = exchange.answered(" ".join(answer))

    assert found_in(read(answered)) == cold(answered)


def test_there_is_something_to_find() -> None:
    assert all(cold(Exchange(QUESTIONS[0], SOURCES).answered(one)) for one in SENTENCES)
