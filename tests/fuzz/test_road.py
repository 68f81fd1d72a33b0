"""Whole requests over sockets: any bytes in, any bytes from the model server, no 500 of ours."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.demo import Said, completion
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.sse import STREAM_TYPE, EventReader
from tests.fakes.raw_upstream import http_head
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body
from tests.fuzz.test_requests import ANY_BYTES
from tests.fuzz.test_streams import ASKS, BY_DOOR, streams_of

pytestmark = pytest.mark.asyncio(loop_scope="module")
# A request over sockets takes as long as many readings of one.
FEWER = settings(max_examples=max(15, settings().max_examples // 4))
ANSWER = json.dumps(completion(chat_body("a"), Said(("열람실은 9시에 엽니다.",)))).encode()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    async with open_rig(tmp_path_factory.mktemp("rig"), upstream_yaml(RAW)) as opened:
        yield opened


@BY_DOOR
@FEWER
@given(raw=ANY_BYTES)
async def test_any_body_gets_a_reply_in_order(rig: Rig, door: Endpoint[Any], raw: bytes) -> None:
    rig.raw.says(ANSWER)

    _assert_in_order(await rig.proxy.send(raw, path=f"/v1/{door.path}"), {200, 400, 502})


@BY_DOOR
@FEWER
@given(data=st.data())
async def test_any_stream_gets_a_reply_in_order(
    rig: Rig, door: Endpoint[Any], data: st.DataObject
) -> None:
    stream = data.draw(streams_of(door))
    rig.raw.act = lambda talk: talk.send(http_head(content_type=STREAM_TYPE) + stream)

    _assert_in_order(await rig.proxy.send(ASKS[door.name], path=f"/v1/{door.path}"), {200, 502})


def _assert_in_order(reply: httpx.Response, statuses: set[int]) -> None:
    assert reply.status_code in statuses, reply.text
    if reply.status_code != 200:
        assert set(reply.json()["error"]) == {"message", "type", "param", "code"}
    elif reply.headers["content-type"].startswith(STREAM_TYPE):
        reader = EventReader()
        events = [*reader.feed(reply.content), *reader.close()]
        said = [json.loads(event.data or "") for event in events if event.says_something]
        assert all(isinstance(each, dict) for each in said)
    else:
        assert isinstance(reply.json(), dict)
