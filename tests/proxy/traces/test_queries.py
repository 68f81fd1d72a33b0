"""What the filters of a query find, over both stores; and that nothing older is lost to them."""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

from guards.core.finding import Finding, Span
from policies.schema.policy import Action
from proxy.traces.query import Query, Words, matches
from proxy.traces.store import TraceStore, tail, walk
from proxy.traces.trace import Attempt, Choice, Trace
from tests.proxy.traces.making import a_trace, entries

NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)


def finding(code: str) -> Finding:
    return Finding(
        guard=code.partition(".")[0], code=code, part="answer", span=Span(0, 2), observed=""
    )


def a_request(
    trace_id: str,
    *,
    at: datetime = NOON,
    answer: str = "",
    codes: Sequence[str] = (),
    door: str = "chat.completions",
    error: str | None = None,
    question: str = "연차는 며칠인가요?",
) -> Trace:
    choice = Choice(text=answer, findings=tuple(map(finding, codes)))
    return a_trace(trace_id, question=question).model_copy(
        update={
            "started_at": at,
            "attempts": (Attempt(choices=(choice,)),),
            "door": door,
            "error": error,
        }
    )


async def found(store: TraceStore, query: Query) -> list[str]:
    return [trace.id async for trace in walk(store, query)]


CODED = [
    a_request("numbers", codes=["numbers.unsupported"]),
    a_request("names", codes=["names.unknown", "numbers_too.unsupported"]),
    a_request("failed", error="upstream_timeout"),
    a_request("clean"),
]


OF_CODES: dict[str, list[str]] = {
    "numbers.unsupported": ["numbers"],
    "numbers": ["numbers"],  # up to a dot
    "numbers.un": [],  # not within a word
    "numbers_too.unsupported": ["names"],  # the second of two
    "upstream_timeout": ["failed"],
}


async def test_a_code_is_found_whole_or_by_its_beginning(store: TraceStore) -> None:
    await store.add(entries(*CODED))

    assert {code: await found(store, Query(code=code)) for code in OF_CODES} == OF_CODES


WORDED = [
    a_request("asked", question='출장비는 "얼마"인가요?'),
    a_request("answered", answer="출장비는 하루 30,000원이며 KTX 표는 따로 냅니다."),
    a_request("left").model_copy(update={"replies": ("제22조를\n보세요.",)}),
    a_request("decomposed", question=unicodedata.normalize("NFD", "휴가는 언제인가요?")),
    a_request("wide", question="ＡＢＣ１２ 코드가 무엇인가요?"),
]


OF_WORDS: dict[str, list[str]] = {
    "출장비": ["answered", "asked"],  # in question and answer
    "출장비 ktx": ["answered"],  # each word, in any case
    "제22조": ["left"],
    "보세요": ["left"],  # behind an end of line
    '"얼마"': ["asked"],  # with what JSON escapes
    "30,000원": ["answered"],
    "휴가": ["decomposed"],
    unicodedata.normalize("NFD", "출장비 하루"): ["answered"],
    "abc12": ["wide"],
    "연차휴가는": [],  # not in sources
    "acme": [],  # not in names
    "출장비 휴가": [],  # not one of two
}


async def test_words_are_found_in_question_answers_and_replies(store: TraceStore) -> None:
    await store.add(entries(*WORDED))

    assert {text: await found(store, Query(text=text)) for text in OF_WORDS} == OF_WORDS


async def test_a_span_of_time_takes_its_begin_and_leaves_its_end(store: TraceStore) -> None:
    tick = timedelta(microseconds=1)
    times = [NOON - tick, NOON, NOON + tick, NOON + timedelta(hours=1) - tick]
    times.append(NOON + timedelta(hours=1))
    await store.add(entries(*(a_request(f"t{n}", at=at) for n, at in enumerate(times))))

    hour = Query(since=NOON, until=NOON + timedelta(hours=1))

    assert await found(store, hour) == ["t3", "t2", "t1"]
    assert await found(store, Query(until=NOON)) == ["t0"]
    assert await found(store, Query(since=NOON + timedelta(hours=1))) == ["t4"]


async def test_a_trace_that_waited_elsewhere_is_found_by_when_it_was(store: TraceStore) -> None:
    await store.add(entries(*(a_request(f"new{n}", at=NOON) for n in range(120))))
    await store.add(entries(a_request("late", at=NOON - timedelta(days=2))))
    await store.add(entries(a_request("last", at=NOON)))

    before = Query(until=NOON - timedelta(days=1), limit=10)
    since = Query(since=NOON - timedelta(days=3), limit=100)

    assert await found(store, before) == ["late"]
    assert (await found(store, since))[:3] == ["last", "late", "new119"]


async def test_filters_hold_together_in_both_orders(store: TraceStore) -> None:
    """Whatever is combined, a store finds what the definition says of the traces themselves."""
    doors, codes = ("chat.completions", "verify"), ("numbers.unsupported", "names.unknown")
    traces = [
        a_request(
            f"t{number}",
            at=NOON + timedelta(minutes=number),
            codes=[codes[number % 2]] if number % 3 else [],
            door=doors[number % 5 == 0],
            answer=f"답 {number % 4}번",
        )
        for number in range(60)
    ]
    await store.add(entries(*traces))
    half = NOON + timedelta(minutes=30)

    for code, door, since, text in product(
        (None, "numbers"), (None, "verify"), (None, half), (None, "1번")
    ):
        query = Query(code=code, door=door, since=since, text=text, limit=7)
        wanted = [one.id for one in traces if matches(one, query, Words(text))]
        assert await found(store, query) == wanted[::-1]
        oldest_first = [one.id async for one in walk(store, replace(query, after=""))]
        assert oldest_first == wanted
        assert await store.count(replace(query, text=None)) >= len(wanted)


async def test_a_page_looks_through_so_many_texts_and_no_more(store: TraceStore) -> None:
    needle = a_request("needle", question="바늘은 어디에 있나요?")
    hay = [a_request(f"hay{number}") for number in range(2_150)]
    await store.add(entries(needle, *hay))

    first = await store.page(Query(text="바늘"))
    assert first.traces == ()
    assert first.cursor is not None
    second = await store.page(Query(text="바늘", before=first.cursor))

    assert [trace.id for trace in second.traces] == ["needle"]
    assert second.cursor is None


async def test_tail_gives_only_what_the_filters_want(store: TraceStore) -> None:
    coming = [a_request(f"t{n}", codes=["numbers.unsupported"] if n % 2 else []) for n in range(6)]

    async def sleep(_: float) -> None:
        await store.add(entries(coming.pop(0)))

    seen: list[str] = []
    async for trace in tail(store, Query(code="numbers"), sleep=sleep):
        seen.append(trace.id)
        if len(seen) == 3:
            break

    assert seen == ["t1", "t3", "t5"]


async def test_counts_what_the_index_knows(store: TraceStore) -> None:
    await store.add(entries(*CODED, a_trace("bravo", tenant="bravo", action=Action.REPLACE)))

    assert await store.count(Query()) == 5
    assert await store.count(Query(tenant="acme")) == 4
    assert await store.count(Query(action=Action.REPLACE)) == 1
    assert await store.count(Query(code="numbers")) == 1
    assert await store.count(Query(text="아무것도", tenant="bravo", limit=1)) == 1
    assert await store.count(Query(tenant="nobody")) == 0
