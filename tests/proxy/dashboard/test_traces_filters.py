"""The list of traces: its filters, and how it searches."""

from collections.abc import AsyncGenerator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from proxy.dashboard.traces import (
    PATIENCE_S,
    BadFilter,
    Filters,
    cursor_in,
    news,
    search,
)
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.query import Page, Query
from proxy.traces.sqlite import Database
from tests.proxy.traces.making import a_trace, entries
from tests.tables import each_row

NOW = datetime(2031, 3, 5, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

ASKED = [
    pytest.param({}, Query(limit=50), id="nothing"),
    pytest.param(
        {"action": "replace", "guard": "numbers", "door": "verify", "code": "numbers"},
        Query(action="replace", guard="numbers", door="verify", code="numbers", limit=50),
        id="all-words",
    ),
    pytest.param({"text": " 이용료  환불 "}, Query(text="이용료  환불", limit=50), id="text"),
    pytest.param({"text": "  ", "code": ""}, Query(limit=50), id="blanks"),
    pytest.param({"span": "1h"}, Query(since=NOW - HOUR, limit=50), id="span"),
    pytest.param(
        {"since": "2031-03-05T09:00:00+09:00", "span": "7d"},
        Query(since=NOW - 12 * HOUR, limit=50),
        id="a-moment-goes-before-a-span",
    ),
    pytest.param(
        {"until": "2031-03-05T11:00", "span": "1h"},
        Query(until=NOW - HOUR, limit=50),
        id="an-end-goes-before-a-span-too",
    ),
    pytest.param({"before": "12-3"}, Query(before="12-3", limit=50), id="older"),
    pytest.param({"before": "'; --"}, Query(limit=50), id="no-cursor-of-any-store"),
]


@each_row("address, query", ASKED)
def test_asks_the_store(address: dict[str, str], query: Query) -> None:
    assert Filters.of(address, NOW).query(None, 50) == query


@each_row("address", "what_cannot_be_is_refused")
def test_what_cannot_be_is_refused(address: dict[str, str]) -> None:
    with pytest.raises(BadFilter):
        Filters.of(address, NOW)


def test_newer_ones_are_asked_for_without_the_older_page() -> None:
    query = Filters.of({"before": "7", "door": "verify"}, NOW).query("app", 20, after="9")

    assert query == Query(tenant="app", door="verify", after="9", limit=20)


def test_a_cursor_has_a_form() -> None:
    assert cursor_in({"after": "1700-1"}, "after") == "1700-1"
    assert cursor_in({"after": "1700-1\n"}, "after") is None
    assert cursor_in({}, "after") is None


RARE = "드문말"


class Reluctant(EmbeddedStore):
    """Looks at three traces for a page, however many do not match."""

    async def page(self, query: Query) -> Page:
        looked_at = await super().page(Query(before=query.before, limit=3))
        found = tuple(one for one in looked_at.traces if (query.text or "") in one.question)
        return Page(found[: query.limit], looked_at.cursor)


class Watch:
    """A clock that goes on by its step whenever somebody looks."""

    def __init__(self, step_s: float) -> None:
        self._times: Iterator[float] = (step_s * count for count in range(10**6))

    def __call__(self) -> float:
        return next(self._times)


@pytest_asyncio.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database, None]:
    opened = await Database.open(tmp_path / "traces.sqlite3")
    yield opened
    await opened.close()


async def store_with(database: Database, kind: type[EmbeddedStore], count: int) -> EmbeddedStore:
    """Return a store with so many traces, of which only the first is a rare one."""
    store = kind(database, lambda: 0)
    questions = [RARE, *["흔한 말"] * (count - 1)]
    await store.add(
        entries(*(a_trace(f"t{at}", question=said) for at, said in enumerate(questions)))
    )
    return store


async def test_what_is_rare_is_found_page_by_page(database: Database) -> None:
    store = await store_with(database, Reluctant, 20)

    found = await search(store, Query(text=RARE, limit=5), Watch(0.0))

    assert [trace.id for trace in found.traces] == ["t0"]
    assert (found.older, found.searched_to) == (None, None)


async def test_it_is_given_up_in_time_and_can_go_on(database: Database) -> None:
    store = await store_with(database, Reluctant, 20)

    found = await search(store, Query(text=RARE, limit=5), Watch(PATIENCE_S))
    assert found.traces == []
    behind = (await store.page(Query(before=found.older, limit=1))).traces[0]
    assert found.searched_to == behind.started_at

    pages = 1
    while found.older:
        found = await search(store, Query(text=RARE, limit=5, before=found.older), Watch(1.0))
        pages += 1
    assert [trace.id for trace in found.traces] == ["t0"]
    assert pages > 1


async def test_news_are_those_behind_the_cursor(database: Database) -> None:
    store = await store_with(database, EmbeddedStore, 3)
    cursor = await store.newest()
    assert (await news(store, Query(after=cursor, limit=10))).traces == []

    await store.add(entries(a_trace("new"), a_trace("newer")))
    fresh = await news(store, Query(after=cursor, limit=10))

    assert [trace.id for trace in fresh.traces] == ["newer", "new"]
    assert not fresh.has_gap
    assert (await news(store, Query(after=fresh.cursor, limit=10))).traces == []


async def test_of_too_many_news_the_newest_are_told(database: Database) -> None:
    store = await store_with(database, EmbeddedStore, 3)
    cursor = await store.newest()
    await store.add(entries(*(a_trace(f"n{at}") for at in range(30))))

    fresh = await news(store, Query(after=cursor, limit=10))

    assert [trace.id for trace in fresh.traces] == [f"n{at}" for at in range(29, 19, -1)]
    assert fresh.has_gap
    assert (await news(store, Query(after=fresh.cursor, limit=10))).traces == []


async def test_an_empty_store_has_news_from_its_first_trace_on(database: Database) -> None:
    store = EmbeddedStore(database, lambda: 0)
    cursor = await store.newest()

    await store.add(entries(a_trace("first")))

    assert [one.id for one in (await news(store, Query(after=cursor, limit=5))).traces] == ["first"]
