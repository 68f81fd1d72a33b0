import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.errors import BadRequest
from proxy.openai_api.chat import read_request
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.model_request import ModelRequest

MESSAGE: JsonObject = {"role": "user", "content": "휴가는 며칠인가요?"}


def body_of(**members: JsonValue) -> JsonObject:
    body: JsonObject = {"model": "m", "messages": [MESSAGE]}
    return body | members


def request_of(**members: JsonValue) -> ModelRequest:
    return read_request(json.dumps(body_of(**members)).encode())


def refusal_of(raw: bytes) -> BadRequest:
    with pytest.raises(BadRequest) as caught:
        read_request(raw)
    return caught.value


NO_OBJECT = [
    pytest.param(b"", "Expecting value", id="empty"),
    pytest.param(b'{"model": "m",}', "line 1", id="trailing-comma"),
    pytest.param(b'{"model": "m"', "line 1", id="cut-off"),
    pytest.param(b"[]", "got list", id="array"),
    pytest.param(b'"hello"', "got str", id="string"),
    pytest.param(b"null", "got NoneType", id="null"),
    pytest.param(b'{"model": "\xff"}', "not UTF-8 at byte 11", id="not-utf-8"),
    pytest.param(b'{"model": "a", "model": "b"}', "'model' appears twice", id="key-twice"),
    pytest.param(
        b'{"model": "m", "messages": [{"role": "user", "role": "system"}]}',
        "'role' appears twice",
        id="key-twice-deep-inside",
    ),
    pytest.param(b'{"temperature": NaN}', "NaN is not JSON", id="not-a-number"),
    pytest.param(b'{"temperature": -Infinity}', "-Infinity is not JSON", id="infinity"),
    pytest.param(b"[" * 100_000, "nested too deeply", id="too-deep"),
    pytest.param(b'{"seed": ' + b"9" * 5000 + b"}", "not a JSON object", id="endless-number"),
]


@pytest.mark.parametrize(("raw", "said"), NO_OBJECT)
def test_refuses_what_is_no_json_object_and_says_why(raw: bytes, said: str) -> None:
    error = refusal_of(raw)

    assert said in str(error)
    assert (error.status, error.type, error.param) == (400, "invalid_request_error", None)


WRONG_TYPES: list[object] = [
    pytest.param({"model": 4}, "model", id="model-is-a-number"),
    pytest.param({"model": None}, "model", id="model-is-null"),
    pytest.param({"messages": "hello"}, "messages", id="messages-is-a-string"),
    pytest.param({"messages": []}, "messages", id="messages-is-empty"),
    pytest.param({"messages": ["hello"]}, "messages[0]", id="message-is-a-string"),
    pytest.param({"messages": [{"content": "x"}]}, "messages[0].role", id="message-has-no-role"),
    pytest.param({"messages": [{"role": 1}]}, "messages[0].role", id="role-is-a-number"),
    pytest.param(
        {"messages": [MESSAGE, {"role": "user", "content": 5}]},
        "messages[1].content",
        id="content-is-a-number",
    ),
    pytest.param(
        {"messages": [{"role": "user", "content": {"text": "x"}}]},
        "messages[0].content",
        id="content-is-an-object",
    ),
    pytest.param({"stream": "true"}, "stream", id="stream-is-a-string"),
    pytest.param({"stream": 1}, "stream", id="stream-is-a-number"),
    pytest.param({"n": 0}, "n", id="no-choices"),
    pytest.param({"n": 129}, "n", id="too-many-choices"),
    pytest.param({"n": 1.5}, "n", id="half-a-choice"),
    pytest.param({"n": True}, "n", id="n-is-a-boolean"),
    pytest.param({"tools": {}}, "tools", id="tools-is-an-object"),
    pytest.param({"tools": ["search"]}, "tools[0]", id="tool-is-a-string"),
    pytest.param({"functions": "f"}, "functions", id="functions-is-a-string"),
    pytest.param({"response_format": "json"}, "response_format", id="format-is-a-string"),
    pytest.param({"stream_options": []}, "stream_options", id="stream-options-is-an-array"),
    pytest.param({"guard": "on"}, "guard", id="guard-is-a-string"),
    pytest.param({"guard": {"mode": "off"}}, "guard.mode", id="unknown-member-of-guard"),
    pytest.param({"guard": {"sources": {}}}, "guard.sources", id="sources-is-an-object"),
    pytest.param({"guard": {"sources": "x"}}, "guard.sources", id="sources-is-a-string"),
    pytest.param({"guard": {"intent": 3}}, "guard.intent", id="intent-is-a-number"),
    pytest.param({"guard": {"last_error_reason": []}}, "guard.last_error_reason", id="reason"),
    pytest.param({"guard": {"report": "yes"}}, "guard.report", id="report-is-a-string"),
    pytest.param({"guard": {"report": 1}}, "guard.report", id="report-is-a-number"),
]


@pytest.mark.parametrize(("members", "param"), WRONG_TYPES)
def test_names_the_member_of_the_wrong_type(members: JsonObject, param: str) -> None:
    error = refusal_of(json.dumps(body_of(**members)).encode())

    assert error.param == param
    assert f"'{param}'" in str(error)


@pytest.mark.parametrize("missing", ["model", "messages"])
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


@pytest.mark.parametrize(
    "name", ["stream", "n", "tools", "functions", "response_format", "stream_options", "guard"]
)
def test_null_means_left_out(name: str) -> None:
    assert request_of(**{name: None}).choices == 1


UNDERSTOOD = [
    pytest.param({"stream": True}, "stream", True, id="stream"),
    pytest.param({"n": 3}, "choices", 3, id="choices"),
    pytest.param({"tools": [{"type": "function"}]}, "offers_tools", True, id="tools"),
    pytest.param({"functions": [{"name": "f"}]}, "offers_tools", True, id="functions"),
    pytest.param({"tools": []}, "offers_tools", False, id="an-empty-list-of-tools"),
    pytest.param({"response_format": {"type": "json_schema"}}, "structured", True, id="schema"),
    pytest.param({"response_format": {"type": "json_object"}}, "structured", True, id="json"),
    pytest.param({"response_format": {"type": "text"}}, "structured", False, id="text"),
    pytest.param({"stream_options": {"include_usage": True}}, "include_usage", True, id="usage"),
    pytest.param({"stream_options": {}}, "include_usage", False, id="no-usage"),
]


@pytest.mark.parametrize(("members", "name", "expected"), UNDERSTOOD)
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
