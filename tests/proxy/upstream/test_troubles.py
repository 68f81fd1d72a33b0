"""What the log says of model servers that fail."""

from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from proxy.errors import (
    UpstreamError,
    UpstreamPoolFull,
    UpstreamRefused,
    UpstreamRejectedKey,
    UpstreamUnreachable,
)
from proxy.upstream.client import QUIET_S, FailureLog

GONE = UpstreamUnreachable("ConnectError")
HERE, THERE = "models:8000", "models:8001"


class Watch:
    """A clock that is set by hand."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def troubles(watch: Watch) -> FailureLog:
    return FailureLog(watch)


@pytest.fixture
def lines() -> Iterator[list[EventDict]]:
    with capture_logs() as captured:
        yield captured


def told(lines: list[EventDict]) -> list[tuple[str, str]]:
    return [(line["event"], line["server"]) for line in lines]


def test_one_that_fails_now_and_then_is_told_of_once_a_minute(
    troubles: FailureLog, watch: Watch, lines: list[EventDict]
) -> None:
    for _ in range(5):
        troubles.failed(HERE, GONE)
        troubles.answered(HERE)
    few = told(lines)
    watch.now_s += QUIET_S
    troubles.failed(HERE, GONE)

    assert few == [("upstream.failing", HERE), ("upstream.back", HERE)]
    assert told(lines)[2:] == [("upstream.failing", HERE)]


@pytest.mark.parametrize(
    "error",
    [UpstreamPoolFull(), UpstreamRefused(429), UpstreamRefused(400), UpstreamRejectedKey()],
)
def test_what_is_no_fault_of_the_server_is_not_told(
    troubles: FailureLog, lines: list[EventDict], error: UpstreamError
) -> None:
    troubles.failed(HERE, error)

    assert lines == []


def test_a_refusal_of_the_caller_shows_that_it_is_back(
    troubles: FailureLog, lines: list[EventDict]
) -> None:
    troubles.failed(HERE, GONE)
    troubles.failed(HERE, UpstreamRefused(400))

    assert told(lines) == [("upstream.failing", HERE), ("upstream.back", HERE)]
