"""Every page of the dashboard; each is checked for accessibility and on a phone, and pictured."""

from collections.abc import Callable, Mapping

from tests.browser.scene import Scene

TRACES = ("trimmed", "regenerated", "replaced", "choices", "ended", "complaint", "beside")
TRACES += ("failed", "verified", "wordless", "hostile", "pictured")


def _trace(name: str) -> Callable[[Scene], str]:
    return lambda scene: f"/dashboard/traces/{scene.traces[name].id}"


PAGES: Mapping[str, Callable[[Scene], str]] = {
    "overview": lambda _: "/dashboard?span=24h",
    "overview-tenant": lambda _: "/dashboard?tenant=library",
    "overview-nothing": lambda _: "/dashboard?tenant=nobody",
    "traces": lambda _: "/dashboard/traces",
    "traces-filtered": lambda _: "/dashboard/traces?code=numbers&span=24h&until=2031-01-01",
    "traces-live": lambda _: "/dashboard/traces?live=1&tenant=app",
    "traces-no-match": lambda _: "/dashboard/traces?text=%EC%97%86%EB%8A%94%EB%A7%90&action=fix",
    "traces-nothing": lambda _: "/dashboard/traces?tenant=nobody",
    **{f"trace-{name}": _trace(name) for name in TRACES},
    "login": lambda _: "/dashboard/login",
}
"""Their addresses, by the names of their pictures."""
FAILURES: Mapping[str, Callable[[Scene], str]] = {
    "not-found": lambda _: "/dashboard/nowhere",
}
"""Addresses that lead to a page about a failure."""
