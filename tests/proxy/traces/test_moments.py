"""When something was, as people write it."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from proxy.traces.query import UnknownMoment, moment

SEOUL = timezone(timedelta(hours=9))
NOW = datetime(2026, 11, 22, 18, 30, tzinfo=SEOUL)

UNDERSTOOD = [
    pytest.param("90s", datetime(2026, 11, 22, 18, 28, 30, tzinfo=SEOUL), id="seconds"),
    pytest.param("90m", datetime(2026, 11, 22, 17, 0, tzinfo=SEOUL), id="minutes"),
    pytest.param("24h", datetime(2026, 11, 21, 18, 30, tzinfo=SEOUL), id="hours"),
    pytest.param(" 7d ", datetime(2026, 11, 15, 18, 30, tzinfo=SEOUL), id="days"),
    pytest.param("2w", datetime(2026, 11, 8, 18, 30, tzinfo=SEOUL), id="weeks"),
    pytest.param("2026-11-22", datetime(2026, 11, 22, tzinfo=SEOUL), id="date"),
    pytest.param("2026-11-22T09:00", datetime(2026, 11, 22, 9, tzinfo=SEOUL), id="time-here"),
    pytest.param("2026-11-22 09:00:01", datetime(2026, 11, 22, 9, 0, 1, tzinfo=SEOUL), id="space"),
    pytest.param("2026-11-22T09:00Z", datetime(2026, 11, 22, 9, tzinfo=UTC), id="utc"),
    pytest.param("2026-11-22T09:00+09:00", datetime(2026, 11, 22, tzinfo=UTC), id="zone"),
]
MEANINGLESS = ["", "yesterday", "24", "-1h", "1.5h", "2026-11-31", "1969-12-31", "999999w", "٣h"]


@pytest.mark.parametrize(("said", "meant"), UNDERSTOOD)
def test_understands(said: str, meant: datetime) -> None:
    assert moment(said, NOW) == meant


@pytest.mark.parametrize("said", MEANINGLESS)
def test_refuses_with_what_may_be_said(said: str) -> None:
    with pytest.raises(UnknownMoment, match="24h, 7d") as refused:
        moment(said, NOW)

    assert repr(said) in str(refused.value)
