"""What a client is told of its tenant's limits, as OpenAI spells it."""

from math import ceil

from policies.schema.sections import Limits
from proxy.errors import TooManyRequests
from proxy.limits.counting import Count, Limit


def limit_headers(limits: Limits, count: Count) -> dict[str, str]:
    """Return the headers of a reply; none where requests per minute have no limit."""
    most = limits.requests_per_minute
    if most is None:
        return {}
    return {
        "x-ratelimit-limit-requests": str(most),
        "x-ratelimit-remaining-requests": str(max(0, most - count.used)),
        "x-ratelimit-reset-requests": duration(count.resets_in_s),
    }


def refusal(limits: Limits, full: Limit, count: Count) -> TooManyRequests:
    """Return the error for a visit that was not let in."""
    said = {
        Limit.REQUESTS_PER_MINUTE: f"{limits.requests_per_minute} requests per minute",
        Limit.CONCURRENT_REQUESTS: f"{limits.concurrent_requests} requests at the same time",
    }
    # Where nobody can know, a place may be free at any moment.
    retry_after_s = max(1, ceil(count.wait_s))
    return TooManyRequests(said[full], retry_after_s, limit_headers(limits, count))


def duration(seconds: float) -> str:
    """Spell a time as OpenAI does, in whole milliseconds: ``20ms``, ``7.66s``, ``1m0s``."""
    ms = ceil(seconds * 1000)
    if ms < 1000:
        return f"{ms}ms"
    minutes, rest_ms = divmod(ms, 60_000)
    return f"{minutes}m{rest_ms / 1000:g}s" if minutes else f"{rest_ms / 1000:g}s"
