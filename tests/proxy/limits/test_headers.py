"""What a client is told of limits."""

import json

import pytest

from policies.schema.sections import Limits
from proxy.limits.counting import Count, Limit, duration, limit_headers, refusal

BOTH = Limits(requests_per_minute=60, concurrent_requests=4)
DURATIONS = [
    pytest.param(0.0, "0ms", id="nothing"),
    pytest.param(0.0001, "1ms", id="never-too-short"),
    pytest.param(0.02, "20ms", id="under-a-second"),
    pytest.param(1.0, "1s", id="a-second"),
    pytest.param(7.66, "7.66s", id="seconds-and-a-part"),
    pytest.param(59.9999, "1m0s", id="almost-a-minute"),
    pytest.param(61.5, "1m1.5s", id="more-than-a-minute"),
]


@pytest.mark.parametrize(("seconds", "spelled"), DURATIONS)
def test_times_are_spelled_as_openai_does(seconds: float, spelled: str) -> None:
    assert duration(seconds) == spelled


def test_a_refusal_names_the_limit() -> None:
    full = Limit.CONCURRENT_REQUESTS
    error = refusal(BOTH, full, Count(full, 0, used=10, resets_in_s=30))

    assert json.loads(error.as_body())["error"] == {
        "message": "Rate limit reached: 4 requests at the same time. Try again in 1 s.",
        "type": "requests",
        "param": None,
        "code": "rate_limit_exceeded",
    }
    assert error.headers["x-ratelimit-remaining-requests"] == "50"


def test_a_lowered_limit_leaves_nothing_and_not_less() -> None:
    headers = limit_headers(BOTH, Count(None, 0, used=70, resets_in_s=1))

    assert headers["x-ratelimit-remaining-requests"] == "0"
