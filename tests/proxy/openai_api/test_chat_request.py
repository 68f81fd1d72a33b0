import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.errors import BadRequest
from proxy.openai_api.chat import ChatEndpoint
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.model_request import ModelRequest
from tests.tables import each_row

MESSAGE: JsonObject = {"role": "user", "content": "휴가는 며칠인가요?"}


def body_of(**members: JsonValue) -> JsonObject:
    body: JsonObject = {"model": "m", "messages": [MESSAGE]}
    return body | members


def request_of(**members: JsonValue) -> ModelRequest:
    return ChatEndpoint().read_request(json.dumps(body_of(**members)).encode())


def refusal_of(raw: bytes) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        ChatEndpoint().read_request(raw)
    return caught.value


@each_row("members, param", "wrong_types")
def test_names_the_member_of_the_wrong_type(members: JsonObject, param: str) -> None:
    error = refusal_of(json.dumps(body_of(**members)).encode())

    assert error.param == param
    assert f"'{param}'" in str(error)


@each_row("missing", ["model", "messages"])
def test_names_the_member_that_is_missing(missing: str) -> None:
    body = body_of()
    del body[missing]

    assert refusal_of(json.dumps(body).encode()).param == missing


def test_a_refusal_does_not_repeat_what_was_sent() -> None:
    raw = b'{"model": "m", "messages": [{"role": "user", "content": 8812311234567}]}'

    assert "8812311234567" not in str(refusal_of(raw))


def test_what_is_left_out_means_the_defaults() -> None:
    request = request_of()

    assert (request.stream, request.choices, request.include_usage) == (False, 1, False)
    assert (request.offers_tools, request.structured, request.guard.report) == (False, False, False)


@each_row(
    "name", ["stream", "n", "tools", "functions", "response_format", "stream_options", "guard"]
)
def test_null_means_left_out(name: str) -> None:
    assert request_of(**{name: None}).choices == 1


@each_row("members, name, expected", "understood")
def test_understands(members: JsonObject, name: str, expected: object) -> None:
    assert getattr(request_of(**members), name) == expected


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
UNKNOWN = st.dictionaries(st.text(min_size=1, max_size=8).map("x_".__add__), JSON_VALUES)


@given(UNKNOWN)
def test_a_body_that_was_let_go_is_read_again_as_it_was(unknown: JsonObject) -> None:
    request = request_of(**unknown, guard={"report": True})

    request.let_go()

    assert request.parsed is None
    assert request.body == body_of(**unknown, guard={"report": True})
    assert json.loads(request.for_server("served")) == body_of(**unknown, model="served")
