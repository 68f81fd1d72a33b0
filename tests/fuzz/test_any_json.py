"""Any JSON value at any place of a body that was right: read, or refused in OpenAI's shape.

Requests of every endpoint and replies of model servers, plain and as a stream, over sockets. Each
place gets a value that readers trip over, and Hypothesis puts in what it likes.
"""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from copy import deepcopy
from typing import Any, TypeVar

import httpx
import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import STREAM_TYPE
from tests.fakes.raw_upstream import http_head
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml

pytestmark = pytest.mark.asyncio(loop_scope="module")
ALL_KINDS = settings().max_examples > 1_000
"""Whether every place gets every kind of value: `make fuzz` asks for that."""
FEWER = settings(max_examples=max(15, settings().max_examples // 4))

Place = tuple[str | int, ...]
Body = TypeVar("Body", JsonObject, list[JsonValue])

QUESTION = "열람실은 몇 시에 여나요? 제 번호는 010-1234-5678입니다."
TEXT = "열람실은 오전 9시에 엽니다. [1] 안내를 [전화번호-1]로 보냅니다."
SOURCES: list[JsonValue] = [
    {
        "section_title": "열람실",
        "section_content": "열람실은 오전 9시에 엽니다.",
        "file": "안내.pdf",
        "page": 3,
        "score": 0.5,
    },
    {"section_title": "복사", "section_content": "복사는 한 장에 50원입니다."},
]
GUARD: JsonObject = {
    "intent": "hours",
    "last_error_reason": "no_evidence",
    "guards": ["numbers"],
    "hold": False,
    "report": True,
}
FUNCTION: JsonObject = {"name": "find", "parameters": {"type": "object", "properties": {}}}
CALL: JsonObject = {
    "index": 0,
    "id": "call_1",
    "type": "function",
    "function": {"name": "find", "arguments": '{"q": "열람실"}'},
}
ITEMS: list[JsonValue] = [
    {"type": "message", "role": "developer", "content": "자료만 쓰세요."},
    {
        "type": "message",
        "role": "user",
        "content": [
            {"type": "input_text", "text": QUESTION},
            {"type": "input_image", "image_url": "https://a.test/a.png", "detail": "low"},
        ],
    },
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "음"}]},
    {"type": "function_call", "call_id": "call_1", "name": "find", "arguments": "{}"},
    {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": [{"type": "input_text", "text": "열람실은 오전 9시에 엽니다."}],
    },
    {"type": "file_search_call", "id": "fs_1", "queries": ["열람실"], "results": [{"text": "9시"}]},
    {"type": "shell_call_output", "call_id": "c", "output": [{"stdout": "9시", "stderr": ""}]},
    {"type": "code_interpreter_call", "id": "ci", "code": "1", "outputs": [{"logs": "9시"}]},
    {"type": "custom_tool_call", "call_id": "c", "name": "a", "input": "9시"},
    {"type": "program_output", "result": "9시"},
]
REQUESTS: Mapping[str, tuple[JsonObject, ...]] = {
    "chat/completions": (
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "<context>\n[1] 9시에 엽니다.\n</context>"},
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {
                    "role": "tool",
                    "tool_call_id": "call_1",
                    "name": "find",
                    "content": [{"type": "text", "text": "열람실은 오전 9시에 엽니다."}],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": QUESTION},
                        {"type": "image_url", "image_url": {"url": "https://a.test/a.png"}},
                    ],
                },
            ],
            "documents": [{"title": "열람실", "text": "9시에 엽니다."}],
            "stream": False,
            "n": 1,
            "stop": ["\n"],
            "tools": [{"type": "function", "function": FUNCTION}],
            "functions": [FUNCTION],
            "tool_choice": "auto",
            "response_format": {"type": "text"},
            "stream_options": {"include_usage": True},
            "web_search_options": {},
            "guard": GUARD,
        },
        {
            "model": "m",
            "messages": [{"role": "user", "content": QUESTION}],
            "guard": GUARD | {"sources": SOURCES},
        },
    ),
    "responses": (
        {
            "model": "m",
            "input": ITEMS,
            "instructions": "자료: 열람실은 9시에 엽니다.",
            "tools": [{"type": "function", **FUNCTION}],
            "text": {"format": {"type": "text"}, "verbosity": "low"},
            "stream": False,
            "background": False,
            "prompt": {"id": "p", "variables": {"a": "b"}},
            "conversation": {"id": "c"},
            "metadata": {"a": "b"},
            "guard": GUARD,
        },
    ),
    "completions": (
        {
            "model": "m",
            "prompt": ["자료: 9시\n질문: 몇 시에 여나요?\n답변:"],
            "n": 1,
            "best_of": 1,
            "echo": True,
            "suffix": "",
            "logprobs": None,
            "stream": False,
            "stream_options": {"include_usage": True},
            "guard": GUARD,
        },
    ),
    "verify": (
        {
            "question": QUESTION,
            "answer": TEXT,
            "sources": SOURCES,
            "options": {"judge": "off", "correction": "none"},
        },
        {
            "messages": [
                {"role": "system", "content": "<context>\n9시\n</context>"},
                {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
                {"role": "assistant", "content": TEXT},
            ],
            "documents": [{"title": "열람실", "text": "9시에 엽니다."}],
            "guard": {"sources": SOURCES, "intent": "hours"},
        },
    ),
    "embeddings": ({"model": "public", "input": [QUESTION], "user": "u"},),
}
USAGE: JsonObject = {
    "prompt_tokens": 1,
    "completion_tokens": 2,
    "total_tokens": 3,
    "prompt_tokens_details": {"cached_tokens": 0},
}
LOGPROBS: JsonObject = {
    "content": [{"token": TEXT, "logprob": -0.1, "bytes": [1], "top_logprobs": []}],
    "refusal": None,
}
AROUND: JsonObject = {"id": "c", "created": 1, "model": "m", "system_fingerprint": "f"}
MESSAGE: JsonObject = {
    "type": "message",
    "id": "msg",
    "role": "assistant",
    "status": "completed",
    "content": [
        {
            "type": "output_text",
            "text": TEXT,
            "annotations": [{"type": "url_citation", "url": "https://a.test"}],
            "logprobs": [{"token": TEXT, "logprob": -0.1}],
        }
    ],
}
RESPONSE: JsonObject = {
    "id": "resp",
    "object": "response",
    "created_at": 1,
    "status": "completed",
    "incomplete_details": {"reason": None},
    "error": None,
    "model": "m",
    "instructions": "자료만 쓰세요.",
    "output": [
        {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "음"}]},
        MESSAGE,
        {"type": "function_call", "id": "f", "call_id": "c", "name": "a", "arguments": "{}"},
    ],
    "output_text": TEXT,
    "usage": {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 2,
        "total_tokens": 3,
    },
}
REPLIES: Mapping[str, JsonObject] = {
    "chat/completions": {
        **AROUND,
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": [{"type": "text", "text": TEXT}],
                    "refusal": None,
                    "tool_calls": [CALL],
                    "annotations": [{"type": "url_citation"}],
                    "reasoning_content": "음",
                },
                "logprobs": LOGPROBS,
                "finish_reason": "stop",
            }
        ],
        "usage": USAGE,
        "guard": {"action": "pass"},
    },
    "completions": {
        **AROUND,
        "object": "text_completion",
        "choices": [
            {
                "index": 0,
                "text": TEXT,
                "logprobs": {
                    "tokens": [TEXT],
                    "token_logprobs": [-0.1],
                    "top_logprobs": [{"a": -0.1}],
                    "text_offset": [0],
                },
                "finish_reason": "stop",
            }
        ],
        "usage": USAGE,
    },
    "responses": RESPONSE,
}
PART: JsonObject = {"type": "output_text", "text": TEXT, "annotations": [], "logprobs": []}
AT: JsonObject = {"item_id": "msg", "output_index": 0, "content_index": 0}
STREAMS: Mapping[str, list[JsonValue]] = {
    "chat/completions": [
        {
            **AROUND,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}],
        },
        {
            **AROUND,
            "choices": [{"index": 0, "delta": {"content": TEXT}, "logprobs": LOGPROBS}],
        },
        {**AROUND, "choices": [{"index": 0, "delta": {"tool_calls": [CALL]}}]},
        {**AROUND, "choices": [{"index": 0, "delta": {"content": " 네."}}]},
        {**AROUND, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**AROUND, "choices": [], "usage": USAGE},
    ],
    "completions": [
        {**AROUND, "choices": [{"index": 0, "text": TEXT, "finish_reason": None}]},
        {
            **AROUND,
            "choices": [
                {
                    "index": 0,
                    "text": " 네.",
                    "logprobs": {"tokens": [" 네."], "token_logprobs": [-1], "text_offset": [3]},
                    "finish_reason": "stop",
                }
            ],
        },
        {**AROUND, "choices": [], "usage": USAGE},
    ],
    "responses": [
        {
            "type": "response.created",
            "sequence_number": 0,
            "response": RESPONSE | {"status": "in_progress", "output": [], "output_text": ""},
        },
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "sequence_number": 1,
            "item": MESSAGE | {"content": [], "status": "in_progress"},
        },
        {"type": "response.content_part.added", **AT, "part": PART | {"text": ""}},
        {"type": "response.output_text.delta", **AT, "delta": TEXT, "logprobs": []},
        {"type": "response.output_text.annotation.added", **AT, "annotation": {"type": "a"}},
        {"type": "response.output_text.done", **AT, "text": TEXT, "logprobs": []},
        {"type": "response.content_part.done", **AT, "part": PART},
        {"type": "response.output_item.done", "output_index": 0, "item": MESSAGE},
        {"type": "response.completed", "response": RESPONSE | {"output": [MESSAGE]}},
    ],
}
ASKS: Mapping[str, JsonObject] = {
    "chat/completions": {
        "model": "m",
        "messages": [{"role": "user", "content": QUESTION}],
        "guard": {"sources": SOURCES},
    },
    "completions": {"model": "m", "prompt": QUESTION, "guard": {"sources": SOURCES}},
    "responses": {"model": "m", "input": QUESTION, "guard": {"sources": SOURCES}},
}
KINDS: tuple[JsonValue, ...] = (-1, {"": {}}, [{"type": ["text"], "text": {}}])
"""One value of each kind that readers trip over: no set holds a list or an object."""
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "content", "index", "role", "a"]), inside, max_size=3
        )
    ),
    max_leaves=6,
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    """Run a proxy with a tenant that hides personal data and asks for citations, and one not."""
    own = upstream_yaml(RAW, "models: {public: own, m: m}") + (
        "\npassthrough: [/embeddings]\nresponses: {server_state: pass}\n"
    )
    hiding = "guards: {personal_data: {options: {input: mask}}}\ncitations: {instruct: true}\n"
    async with open_rig(
        tmp_path_factory.mktemp("rig"), own, others={"hiding": own + hiding}
    ) as opened:
        yield opened


@pytest.mark.parametrize("path", REQUESTS)
async def test_what_is_changed_below_is_right_as_it_stands(rig: Rig, path: str) -> None:
    rig.raw.says(json.dumps(REPLIES.get(path, {})).encode())
    for body in REQUESTS[path]:
        assert_in_order(await asked(rig, path, body, tenant="hiding"), {200})
    if path in STREAMS:
        streams(rig, STREAMS[path])
        reply = await asked(rig, path, ASKS[path] | {"stream": True}, tenant="hiding")
        assert_in_order(reply, {200})
        assert b'"error": ' not in reply.content.replace(b'"error": null', b"")


@pytest.mark.parametrize("path", REQUESTS)
async def test_each_kind_of_value_at_each_place_of_a_request(rig: Rig, path: str) -> None:
    rig.raw.says(json.dumps(REPLIES.get(path, {})).encode())
    for body in REQUESTS[path]:
        for changed in changed_everywhere(body):
            assert_in_order(await asked(rig, path, changed, tenant="hiding"), {200, 400, 404})


@pytest.mark.parametrize("path", REQUESTS)
@FEWER
@given(data=st.data())
async def test_any_value_at_any_place_of_a_request(
    rig: Rig, path: str, data: st.DataObject
) -> None:
    rig.raw.says(json.dumps(REPLIES.get(path, {})).encode())
    changed = data.draw(st.sampled_from(REQUESTS[path]).flatmap(changed_somewhere))

    assert_in_order(await asked(rig, path, changed, tenant="hiding"), {200, 400, 404})


@pytest.mark.parametrize("path", REPLIES)
async def test_each_kind_of_value_at_each_place_of_a_reply(rig: Rig, path: str) -> None:
    for changed in changed_everywhere(REPLIES[path]):
        rig.raw.says(json.dumps(changed).encode())
        assert_in_order(await asked(rig, path, ASKS[path], tenant="hiding"), {200, 502}, changed)


@pytest.mark.parametrize("path", REPLIES)
@FEWER
@given(data=st.data())
async def test_any_value_at_any_place_of_a_reply(rig: Rig, path: str, data: st.DataObject) -> None:
    changed = data.draw(changed_somewhere(REPLIES[path]))
    rig.raw.says(json.dumps(changed).encode())

    assert_in_order(await asked(rig, path, ASKS[path]), {200, 502}, changed)


@pytest.mark.parametrize("path", STREAMS)
async def test_each_kind_of_value_at_each_place_of_a_stream(rig: Rig, path: str) -> None:
    for changed in changed_everywhere(STREAMS[path]):
        streams(rig, changed)
        reply = await asked(rig, path, ASKS[path] | {"stream": True}, tenant="hiding")
        assert_in_order(reply, {200, 502}, changed)


@pytest.mark.parametrize("path", STREAMS)
@FEWER
@given(data=st.data())
async def test_any_value_at_any_place_of_a_stream(rig: Rig, path: str, data: st.DataObject) -> None:
    changed = data.draw(changed_somewhere(STREAMS[path]))
    streams(rig, changed)

    reply = await asked(rig, path, ASKS[path] | {"stream": True})

    assert_in_order(reply, {200, 502}, changed)


def places(value: JsonValue, above: Place = ()) -> Iterator[Place]:
    """Yield every place inside a value."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for step, item in inside:
        yield (*above, step)
        yield from places(item, (*above, step))


def with_value(body: Body, place: Place, value: JsonValue) -> Body:
    """Return a body with another value at a place."""
    changed = deepcopy(body)
    holder: Any = changed
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value
    return changed


def changed_everywhere(body: Body) -> Iterator[Body]:
    """Yield a body with each kind of value at each of its places; in the suite they take turns."""
    for number, place in enumerate(places(body)):
        for value in KINDS if ALL_KINDS else [KINDS[number % len(KINDS)]]:
            yield with_value(body, place, value)


def changed_somewhere(body: Body) -> st.SearchStrategy[Body]:
    """Draw a body with any value at one of its places."""
    return st.builds(
        lambda place, value: with_value(body, place, value),
        st.sampled_from(list(places(body))),
        ANY_JSON,
    )


def streams(rig: Rig, events: list[JsonValue]) -> None:
    """Have the model server send these events."""
    said = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    whole = http_head(content_type=STREAM_TYPE) + said + b"data: [DONE]\n\n"
    rig.raw.act = lambda talk: talk.send(whole)


async def asked(rig: Rig, path: str, body: JsonObject, tenant: str = "app") -> httpx.Response:
    return await rig.proxy.send(json.dumps(body).encode(), path=f"/v1/{path}", tenant=tenant)


def assert_in_order(reply: httpx.Response, statuses: set[int], sent: object = None) -> None:
    """Expect an answer, or an error object of OpenAI's shape that is no fault of the proxy's."""
    about = f"{reply.request.content!r} {sent!r}"
    assert reply.status_code in statuses, f"{reply.text} {about}"
    assert b"internal_error" not in reply.content, about
    if reply.status_code != 200:
        assert set(reply.json()["error"]) == {"message", "type", "param", "code"}
