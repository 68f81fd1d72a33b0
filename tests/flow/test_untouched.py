import asyncio
import json
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.demo import Said, chunks, completion
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import DONE, EventReader, write_event
from tests.fakes.raw_upstream import Talk, http_head
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body

BODY = chat_body("구내식당은 어디에 있나요?")
CONTENT = json.dumps(BODY).encode()
TEXT = "본관 지하에 있습니다."
CHAT = "/v1/chat/completions"


RIG = partial(
    open_rig,
    policy=upstream_yaml(RAW),
    others={"whole": f"{upstream_yaml(RAW)}\nstream: {{mode: buffer}}\n"},
)


pytestmark = pytest.mark.asyncio(loop_scope="module")


def plain_reply(**members: JsonValue) -> bytes:
    """Return a completion in a spelling that no program of ours would write."""
    body = completion(BODY, Said((TEXT,))) | members
    return json.dumps(body, ensure_ascii=False, indent=1).encode() + b"\n"


def stream_reply(**members: JsonValue) -> bytes:
    """Return a stream in a spelling that no program of ours would write."""
    events = [write_event(chunk | members) for chunk in chunks(BODY, Said((TEXT,)))]
    return (
        b"\xef\xbb\xbf: hello\r\n\r\nevent: chunk\r\n"
        + b": ping\n\n".join(events)
        + DONE.replace(b"\n", b"\r\n")
    )


def data_of(stream: bytes) -> list[str]:
    reader = EventReader()
    return [event.data for event in reader.feed(stream) + reader.close() if event.data]


# Requests.

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
UNKNOWN = st.dictionaries(st.text(min_size=1, max_size=6).map("x_".__add__), JSON_VALUES)
OFTEN = settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@OFTEN
@given(unknown=UNKNOWN, indent=st.sampled_from([None, 2]))
async def test_a_request_reaches_the_model_server_byte_for_byte(
    rig: Rig, unknown: JsonObject, indent: int | None
) -> None:
    rig.raw.says(plain_reply())
    content = json.dumps(BODY | unknown, indent=indent).encode()

    await rig.proxy.send(content)

    assert rig.raw.requests[-1].body == content


@OFTEN
@given(unknown=UNKNOWN)
async def test_of_a_request_only_the_guard_member_is_taken_out(
    rig: Rig, unknown: JsonObject
) -> None:
    rig.raw.says(plain_reply())
    guarded = BODY | unknown | {"guard": {"intent": "dining", "report": True}}

    await rig.proxy.send(json.dumps(guarded).encode())

    assert json.loads(rig.raw.requests[-1].body) == BODY | unknown


async def test_the_request_goes_to_the_same_door_of_the_model_server(rig: Rig) -> None:
    rig.raw.says(plain_reply())

    await rig.proxy.send(CONTENT)

    [asked] = rig.raw.requests
    assert asked.line == f"POST {CHAT} HTTP/1.1"
    assert asked.values("content-type") == ["application/json"]
    assert asked.values("content-length") == [str(len(CONTENT))]


async def test_headers_in_any_alphabet_travel_both_ways(rig: Rig) -> None:
    title = "해오름 안내 봇"
    head = http_head(content_length=str(len(plain_reply())))
    head = head.replace(b"connection:", b"x-served-by: " + title.encode() + b"\r\nconnection:")
    rig.raw.act = lambda talk: talk.send(head + plain_reply())

    reply = await rig.proxy.client.post(
        f"{rig.proxy.address}{CHAT}",
        content=CONTENT,
        headers=[
            (b"authorization", f"Bearer {rig.proxy.key}".encode()),
            (b"x-title", title.encode()),
        ],
    )

    assert reply.status_code == 200
    [asked] = rig.raw.requests
    assert [value.encode("latin-1").decode() for value in asked.values("x-title")] == [title]
    assert dict(reply.headers.raw)[b"x-served-by"].decode() == title


async def test_a_tenants_key_never_reaches_the_model_server(rig: Rig) -> None:
    rig.raw.says(plain_reply())

    await rig.proxy.send(CONTENT)
    await rig.proxy.send(CONTENT, path="/v1/embeddings")
    await rig.proxy.client.get(
        f"{rig.proxy.base_url}/models", headers={"authorization": f"Bearer {rig.proxy.key}"}
    )

    assert [asked.values("authorization") for asked in rig.raw.requests] == [[], [], []]
    assert rig.proxy.key not in str(rig.raw.requests)


# Replies.


@OFTEN
@given(unknown=UNKNOWN)
async def test_a_plain_reply_keeps_its_bytes(rig: Rig, unknown: JsonObject) -> None:
    raw = plain_reply(**unknown)
    rig.raw.says(raw)

    reply = await rig.proxy.send(CONTENT)

    assert reply.content == raw
    assert reply.headers["x-guard-action"] == "pass"
    assert reply.headers["content-type"] == "application/json"


@OFTEN
@given(unknown=UNKNOWN)
async def test_a_stream_keeps_its_bytes(rig: Rig, unknown: JsonObject) -> None:
    raw = stream_reply(**unknown)
    rig.raw.says(raw, headers={"content-type": "text/event-stream"})

    key = rig.proxy.keys["whole"]
    reply = await rig.proxy.chat(BODY | {"stream": True}, key=key)

    assert reply.content == raw
    assert reply.headers["x-guard-action"] == "pass"
    assert reply.headers["content-type"].startswith("text/event-stream")


@OFTEN
@given(unknown=UNKNOWN)
async def test_a_stream_that_leaves_while_it_is_judged_keeps_what_its_chunks_say(
    rig: Rig, unknown: JsonObject
) -> None:
    raw = stream_reply(**unknown)
    rig.raw.says(raw, headers={"content-type": "text/event-stream"})

    reply = await rig.proxy.chat(BODY | {"stream": True})

    assert data_of(reply.content) == data_of(raw)
    assert reply.headers["x-guard-action"] == "pass"


async def test_a_stream_keeps_its_bytes_however_slowly_they_come(rig: Rig) -> None:
    raw = stream_reply()

    async def act(talk: Talk) -> None:
        await talk.send(http_head(content_type="text/event-stream"))
        for place in range(0, len(raw), 7):
            await talk.send(raw[place : place + 7])
            await asyncio.sleep(0)

    rig.raw.act = act

    for tenant in ("app", "whole"):
        reply = await rig.proxy.chat(BODY | {"stream": True}, key=rig.proxy.keys[tenant])
        assert data_of(reply.content) == data_of(raw)


# What is passed through without a look.
