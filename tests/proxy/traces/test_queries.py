"""What the filters of a query find, over both stores; and that nothing older is lost to them."""

import sqlite3
import unicodedata
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest
import redis.asyncio

from guards.core.finding import Finding, Span
from policies.schema.policy import Action
from policies.verdict import GuardOutcome
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.query import Query, Words, matches
from proxy.traces.redis import RedisStore
from proxy.traces.sqlite import SCHEMA_VERSION, Database, Outbox
from proxy.traces.store import TraceStore, tail, walk
from proxy.traces.trace import Attempt, Choice, Trace
from tests.proxy.traces.making import PATIENT_S, a_trace, entries, now_ms

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


OF_BEFORE = [
    a_request("verified", door="verify", at=NOON - timedelta(hours=3)),
    a_request("coded", codes=["numbers.unsupported"], at=NOON),
    a_trace("acted", guards={"numbers": GuardOutcome.ACTED}),
]


@pytest.fixture
async def redis_of_before(redis_url: str) -> AsyncIterator[TraceStore]:
    """A Redis in which the version before has left traces."""
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        for trace in OF_BEFORE:
            index = " ".join((trace.action_name, *trace.guards_with_findings))
            place = f"{trace.started_at.timestamp() * 1000:.0f}-0"
            await client.set(f"guard-proxy:{{traces}}:record:{trace.id}", trace.model_dump_json())
            await client.xadd(
                "guard-proxy:{traces}:stream:acme", {"id": trace.id, "index": index}, place
            )
        await client.sadd("guard-proxy:{traces}:tenants", "acme")
    store = RedisStore(redis_url, PATIENT_S)
    yield store
    await store.close()


# The tables as the version before made them.
FIRST_TABLES = """
CREATE TABLE traces (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    tenant TEXT NOT NULL, action TEXT NOT NULL, guards TEXT NOT NULL,
    expires_ms INTEGER NOT NULL, record TEXT NOT NULL);
CREATE INDEX traces_of_tenant ON traces (tenant, place);
CREATE INDEX traces_by_age ON traces (expires_ms);
CREATE TABLE outbox (place INTEGER NOT NULL, id TEXT NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL, action TEXT NOT NULL, guards TEXT NOT NULL,
    expires_ms INTEGER NOT NULL, keep_days REAL NOT NULL, keep_last INTEGER NOT NULL,
    record TEXT NOT NULL);
CREATE INDEX outbox_in_order ON outbox (place);
PRAGMA user_version = 1;
"""


@pytest.fixture
def file_of_before(tmp_path: Path) -> Path:
    """A SQLite file in which the version before has left traces, one of them in the outbox."""
    path = tmp_path / "traces.sqlite3"
    expires_ms = now_ms() + 1_000_000
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(FIRST_TABLES)
        for trace in OF_BEFORE:
            guards = f",{','.join(trace.guards_with_findings)},"
            row = [trace.id, "acme", trace.action_name, guards, expires_ms, trace.model_dump_json()]
            connection.execute(
                "INSERT INTO traces (id, tenant, action, guards, expires_ms, record)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )
        waiting = a_request("waiting", codes=["names.unknown"])
        connection.execute(
            "INSERT INTO outbox VALUES (7, 'waiting', 'acme', 'pass', ',,', ?, 30.0, 1000, ?)",
            [expires_ms, waiting.model_dump_json()],
        )
    return path


@pytest.fixture
async def embedded_of_before(file_of_before: Path) -> AsyncIterator[TraceStore]:
    database = await Database.open(file_of_before)
    yield EmbeddedStore(database, now_ms)
    await database.close()


@pytest.fixture(params=["redis_of_before", "embedded_of_before"])
def store_of_before(request: pytest.FixtureRequest) -> TraceStore:
    found: TraceStore = request.getfixturevalue(request.param)
    return found


async def test_traces_of_the_version_before_are_found_with_new_ones(
    store_of_before: TraceStore,
) -> None:
    store = store_of_before
    await store.add(entries(a_request("new", codes=["numbers.unsupported"], door="verify")))

    assert await found(store, Query(tenant="acme")) == ["new", "acted", "coded", "verified"]
    assert await found(store, Query(code="numbers")) == ["new", "coded"]
    assert await found(store, Query(door="verify")) == ["new", "verified"]
    assert await found(store, Query(guard="numbers")) == ["acted"]
    assert await found(store, Query(since=NOON, until=NOON + timedelta(hours=1))) == [
        "new",
        "coded",
    ]
    assert await found(store, Query(text="연차는", code="numbers")) == ["new", "coded"]


async def test_what_waited_in_the_outbox_of_the_version_before_is_delivered(
    file_of_before: Path,
) -> None:
    database = await Database.open(file_of_before)
    outbox = Outbox(database, now_ms)

    [entry] = await outbox.first(10)
    assert await database.rows("SELECT bytes FROM outbox") == [(len(entry.record.encode()),)]
    await EmbeddedStore(database, now_ms).add([entry])
    await outbox.remove([entry])

    assert await found(EmbeddedStore(database, now_ms), Query(code="names")) == ["waiting"]
    assert await outbox.waiting() == (0, 1)
    await database.close()


async def test_a_file_is_brought_up_to_date_once(file_of_before: Path) -> None:
    for _ in range(2):
        database = await Database.open(file_of_before)
        [(version,)] = await database.rows("PRAGMA user_version")
        await database.close()
        assert version == SCHEMA_VERSION == 4
