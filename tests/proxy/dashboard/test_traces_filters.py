"""What the address of the list asks for."""

from datetime import UTC, datetime, timedelta

import pytest

from proxy.dashboard.traces import LONGEST_TEXT_CHARS, BadFilter, Filters, cursor_in
from proxy.traces.query import Query

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


@pytest.mark.parametrize(("address", "query"), ASKED)
def test_asks_the_store(address: dict[str, str], query: Query) -> None:
    assert Filters.of(address, NOW).query(None, 50) == query


@pytest.mark.parametrize(
    "address",
    [
        pytest.param({"action": "explode"}, id="action"),
        pytest.param({"span": "3y"}, id="span"),
        pytest.param({"since": "gestern"}, id="begin"),
        pytest.param({"until": "2031-13-01"}, id="end"),
        pytest.param({"text": "말 " * LONGEST_TEXT_CHARS}, id="more-words-than-can-be-looked-for"),
    ],
)
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
