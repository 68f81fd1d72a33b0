"""Every page of the dashboard; each is checked for accessibility and on a phone, and pictured."""

from collections.abc import Callable, Mapping

from tests.browser.scene import Scene

TRACES = ("choices", "ended", "failed", "wordless", "poisoned")


def _trace(name: str) -> Callable[[Scene], str]:
    return lambda scene: f"/dashboard/traces/{scene.traces[name].id}"


PAGES: Mapping[str, Callable[[Scene], str]] = {
    "overview": lambda _: "/dashboard?span=24h",
    "overview-tenant": lambda _: "/dashboard?tenant=library",
    "overview-nothing": lambda _: "/dashboard?tenant=nobody",
    "traces": lambda _: "/dashboard/traces",
    "traces-live": lambda _: "/dashboard/traces?live=1&tenant=app",
    "traces-no-match": lambda _: "/dashboard/traces?text=%EC%97%86%EB%8A%94%EB%A7%90&action=fix",
    "traces-nothing": lambda _: "/dashboard/traces?tenant=nobody",
    **{f"trace-{name}": _trace(name) for name in TRACES},
    "playground": lambda _: "/dashboard/playground",
    "playground-filled": lambda scene: f"/dashboard/playground?trace={scene.traces['trimmed'].id}",
    "policies": lambda _: "/dashboard/policies",
    "policy": lambda _: "/dashboard/policies/app?against=strict",
    "policy-draft": lambda _: "/dashboard/policies/app/draft",
    "login": lambda _: "/dashboard/login",
}
"""Their addresses, by the names of their pictures."""
FAILURES: Mapping[str, Callable[[Scene], str]] = {
    "not-found": lambda _: "/dashboard/nowhere",
}
"""Addresses that lead to a page about a failure."""
