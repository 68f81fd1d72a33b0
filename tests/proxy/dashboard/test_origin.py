"""Which requests were made by our own pages."""

import pytest
from litestar.datastructures import Headers

from proxy.dashboard.access import comes_from_here

HOST = "desk.example:8080"
OURS = [
    pytest.param({"sec-fetch-site": "same-origin"}, id="the-browser-says-so"),
    pytest.param({"origin": "http://desk.example:8080"}, id="same-host"),
    pytest.param({"origin": "https://desk.example:8080"}, id="tls-ends-in-front-of-us"),
]
OTHERS = [
    pytest.param({}, id="nobody-says-anything"),
    pytest.param({"sec-fetch-site": "cross-site"}, id="another-site"),
    pytest.param({"sec-fetch-site": "same-site"}, id="a-neighbour-under-the-same-name"),
    pytest.param({"sec-fetch-site": "none"}, id="no-page-at-all"),
    pytest.param(
        {"sec-fetch-site": "cross-site", "origin": "http://desk.example:8080"}, id="contradicting"
    ),
    pytest.param({"origin": "http://evil.example"}, id="another-host"),
    pytest.param({"origin": "http://desk.example"}, id="another-port"),
    pytest.param({"origin": "http://desk.example:8080.evil.example"}, id="only-begins-alike"),
    pytest.param({"origin": "null"}, id="hidden"),
    pytest.param({"origin": ""}, id="empty"),
    pytest.param({"origin": "http://["}, id="no-address-at-all"),
]


@pytest.mark.parametrize("said", OURS)
def test_ours(said: dict[str, str]) -> None:
    assert comes_from_here(Headers({"host": HOST, **said}))


@pytest.mark.parametrize("said", OTHERS)
def test_not_ours(said: dict[str, str]) -> None:
    assert not comes_from_here(Headers({"host": HOST, **said}))


def test_a_request_without_a_host_is_nobodys() -> None:
    assert not comes_from_here(Headers({"origin": ""}))
