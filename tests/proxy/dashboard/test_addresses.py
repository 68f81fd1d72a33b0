"""Where a login leads to: a page of the dashboard, whatever its link says."""

import pytest

from proxy.dashboard.access import is_ours, local_page

LED = [
    pytest.param("/dashboard/traces?action=trim", "/dashboard/traces?action=trim", id="our-page"),
    pytest.param("/dashboard", "/dashboard", id="first-page"),
    pytest.param("", "/dashboard", id="nothing"),
    pytest.param("/v1/models", "/dashboard", id="another-path-of-ours"),
    pytest.param("/dashboards", "/dashboard", id="only-begins-alike"),
    pytest.param("https://example.com/", "/dashboard", id="another-site"),
    pytest.param("//example.com/dashboard", "/dashboard", id="another-host-same-path"),
    pytest.param(
        "http://127.0.0.1:8080/dashboard/traces", "/dashboard/traces", id="whole-address-of-ours"
    ),
    pytest.param("https://example.com/dashboard/traces", "/dashboard/traces", id="host-is-cut"),
    pytest.param("/dashboard\\@example.com", "/dashboard", id="backslash"),
    pytest.param("/dashboard\r\nset-cookie: a=b", "/dashboard", id="new-line"),
    pytest.param("javascript:alert(1)", "/dashboard", id="script"),
    pytest.param("http://[", "/dashboard", id="no-address-at-all"),
    pytest.param("/dashboard/logout", "/dashboard", id="the-way-out"),
    pytest.param("/dashboard/login?next=/dashboard/login", "/dashboard", id="the-login-itself"),
]


@pytest.mark.parametrize(("asked", "led"), LED)
def test_leads_to_a_page_of_ours(asked: str, led: str) -> None:
    assert local_page(asked) == led


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("/dashboard", True),
        ("/dashboard/x", True),
        ("/dashboardx", False),
        ("/", False),
        ("/v1/dashboard", False),
    ],
)
def test_tells_its_own_paths(path: str, ours: bool) -> None:
    assert is_ours(path) is ours
