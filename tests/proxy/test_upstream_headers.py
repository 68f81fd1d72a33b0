import httpx

from proxy.upstream.request import returned_headers, sent_headers
from tests.tables import each_row


@each_row("name", "stays_here_on_the_way_to_the_model_server")
def test_stays_here_on_the_way_to_the_model_server(name: str) -> None:
    assert sent_headers({name: "x", "x-app": "1"}) == {"x-app": "1"}


@each_row(
    "name",
    ["user-agent", "openai-organization", "openai-project", "x-request-id", "idempotency-key"],
)
def test_goes_on_to_the_model_server(name: str) -> None:
    assert sent_headers({name: "x"}) == {name: "x"}


@each_row("name", ["api-key", "openai-organization", "OpenAI-Project"])
def test_the_caller_s_account_never_travels_beside_the_operator_s_key(name: str) -> None:
    assert sent_headers({name: "x", "x-app": "1"}, key_is_ours=True) == {"x-app": "1"}


@each_row("name", "stays_here_on_the_way_back")
def test_stays_here_on_the_way_back(name: str) -> None:
    assert returned_headers(httpx.Headers({name: "x", "x-app": "1"})) == {"x-app": "1"}


@each_row("name", "comes_back_to_the_caller")
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
