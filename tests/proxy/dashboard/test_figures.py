"""How figures are written."""

import pytest

from proxy.dashboard.page import duration, number, percent


@pytest.mark.parametrize(
    ("value", "written"), [(None, "–"), (0, "0"), (999, "999"), (1234567, "1,234,567")]
)
def test_writes_a_count(value: float | None, written: str) -> None:
    assert number(value) == written


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (None, "–"),
        (0, "0%"),
        (0.0001, "<0.1%"),
        (0.0005, "0.1%"),
        (0.123, "12.3%"),
        (0.5, "50%"),
        (0.9994, "99.9%"),
        (0.9999, ">99.9%"),
        (1, "100%"),
    ],
)
def test_writes_a_share(share: float | None, written: str) -> None:
    assert percent(share) == written


@pytest.mark.parametrize(
    ("ms", "written"),
    [
        (None, "–"),
        (0.42, "0.4 ms"),
        (9.96, "10 ms"),
        (85.4, "85 ms"),
        (999.7, "1.00 s"),
        (1250, "1.25 s"),
        (59_999, "1 min 0 s"),
        (125_000, "2 min 5 s"),
    ],
)
def test_writes_a_time(ms: float | None, written: str) -> None:
    assert duration(ms) == written
