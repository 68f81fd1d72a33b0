import httpx
import pytest

from proxy.upstream.request import returned_headers, sent_headers

OF_THIS_HOP = [
    "connection",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
]


@pytest.mark.parametrize(
    "name",
    [
        *OF_THIS_HOP,
        "host",
        "content-length",
        "accept-encoding",
        "authorization",
        "cookie",
        "expect",
        "forwarded",
        "x-forwarded-for",
        "x-forwarded-prefix",
        "x-original-url",
        "x-rewrite-url",
        "x-http-method-override",
        "x-guard-intent",
        "X-Guard-Anything",
        "Authorization",
    ],
)
def test_stays_here_on_the_way_to_the_model_server(name: str) -> None:
    assert sent_headers({name: "x", "x-app": "1"}) == {"x-app": "1"}


@pytest.mark.parametrize(
    "name",
    ["user-agent", "openai-organization", "openai-project", "x-request-id", "idempotency-key"],
)
def test_goes_on_to_the_model_server(name: str) -> None:
    assert sent_headers({name: "x"}) == {name: "x"}


@pytest.mark.parametrize("name", ["api-key", "openai-organization", "OpenAI-Project"])
def test_the_caller_s_account_never_travels_beside_the_operator_s_key(name: str) -> None:
    assert sent_headers({name: "x", "x-app": "1"}, key_is_ours=True) == {"x-app": "1"}


@pytest.mark.parametrize(
    "name",
    [
        *OF_THIS_HOP,
        "content-length",
        "content-encoding",
        "content-type",
        "set-cookie",
        "server",
        "date",
        "www-authenticate",
        "x-guard-action",
        "X-Guard-Request-Id",
    ],
)
def test_stays_here_on_the_way_back(name: str) -> None:
    assert returned_headers(httpx.Headers({name: "x", "x-app": "1"})) == {"x-app": "1"}


@pytest.mark.parametrize(
    "name",
    [
        "retry-after",
        "retry-after-ms",
        "x-request-id",
        "openai-processing-ms",
        "x-ratelimit-remaining-tokens",
        "x-should-retry",
    ],
)
def test_comes_back_to_the_caller(name: str) -> None:
    assert returned_headers(httpx.Headers({name: "7"})) == {name: "7"}


def test_a_key_of_the_callers_own_stays_where_the_operator_has_one() -> None:
    headers = {"x-api-key": "k", "api-key": "k", "x-app": "1"}

    assert sent_headers(headers, key_is_ours=True) == {"x-app": "1"}
    assert sent_headers(headers) == headers


def test_headers_that_connection_names_belong_to_this_hop_too() -> None:
    headers = {"connection": "keep-alive, X-Hop, x_own", "x-hop": "1", "x_own": "1", "x-app": "1"}

    assert sent_headers(headers) == {"x-app": "1"}
    assert returned_headers(httpx.Headers(headers)) == {"x-app": "1"}
