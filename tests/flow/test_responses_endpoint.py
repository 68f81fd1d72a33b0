"""Responses through the whole proxy: a model server, the proxy and a client on real sockets."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from litestar import Litestar, Request, Response, post
from litestar.datastructures import State

from proxy.openai_api.json_body import JsonObject, read_object
from proxy.openai_api.responses.output import event_bytes, response_events
from proxy.pipeline.regeneration import OPENING
from proxy.server.serving import served
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.flow.canteen import CHINESE, CLEAN, LANGUAGE_TEMPLATE, OTHER, QUESTION, TEMPLATES
from tests.proxy.openai_api.responses.wire import (
    checked,
    final_of,
    message,
    response_of,
    shown_text,
)

PIECE_CHARS = 3


@dataclass
class ResponsesServer:
    """Says the first text; when told what was wrong, the second."""

    texts: tuple[str, str]
    address: str = ""
    asked: list[JsonObject] = field(default_factory=list)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["ResponsesServer", None]:
        async with served(Litestar([post("/v1/responses", status_code=200)(self._answer)])) as at:
            self.address = at
            yield self

    async def _answer(self, request: Request[object, object, State]) -> Response[bytes]:
        body = read_object(await request.body())
        self.asked.append(body)
        number = len(self.asked)
        text = self.texts[OPENING in str(body["input"])]
        thought: JsonObject = {"id": f"rs_{number}", "type": "reasoning", "summary": []}
        said = message(text, id=f"msg_{number}")
        response = response_of(thought, said, id=f"resp_{number}")
        if body.get("stream"):
            return Response(in_pieces(response), media_type="text/event-stream")
        return Response(json.dumps(response).encode(), media_type="application/json")


def in_pieces(response: JsonObject) -> bytes:
    events: list[JsonObject] = []
    for event in response_events(response):
        delta = event.get("delta")
        cuts = range(0, len(delta), PIECE_CHARS) if isinstance(delta, str) else ()
        pieces = [event | {"delta": str(delta)[at : at + PIECE_CHARS]} for at in cuts]
        events += pieces or [event]
    numbered = (event | {"sequence_number": at} for at, event in enumerate(events))
    return b"".join(map(event_bytes, numbered))


async def asked(proxy: RunningProxy, **members: bool) -> httpx.Response:
    body = {"model": "m", "input": QUESTION, **members}
    reply = await proxy.send(json.dumps(body).encode(), path="/v1/responses")
    assert reply.status_code == httpx.codes.OK, reply.text
    return reply


OUTCOMES: list[object] = [
    pytest.param((CLEAN, OTHER), "gate", CLEAN, id="clean"),
    pytest.param((CHINESE, CLEAN), "gate", CLEAN, id="written-again"),
    pytest.param((CHINESE, CHINESE), "gate", LANGUAGE_TEMPLATE, id="replaced"),
    pytest.param((f"{CLEAN} {CHINESE}", OTHER), "buffer", OTHER, id="buffered-and-written-again"),
    pytest.param((CHINESE, CHINESE), "buffer", LANGUAGE_TEMPLATE, id="buffered-and-replaced"),
    pytest.param((CHINESE, CLEAN), "monitor", CHINESE, id="only-watched"),
]


@pytest.mark.parametrize(("texts", "mode", "said"), OUTCOMES)
async def test_plain_and_stream_have_the_same_outcome(
    tmp_path: Path, texts: tuple[str, str], mode: str, said: str
) -> None:
    policy = f"{TEMPLATES}\nstream: {{mode: {mode}}}\n"
    async with (
        ResponsesServer(texts).running() as server,
        running_proxy(tmp_path, server, policy) as proxy,
    ):
        plain = await asked(proxy)
        stream = await asked(proxy, stream=True)

    assert shown_text(read_object(plain.content)) == said
    assert final_of(stream.content).output_text == said
    checked(stream.content)


# Long enough to leave alone.
FIRST = "구내식당은 본관 지하에 있고 점심에는 누구나 이용할 수 있습니다."


async def test_an_answer_that_goes_wrong_late_ends_with_a_correction(tmp_path: Path) -> None:
    async with (
        ResponsesServer((f"{FIRST} {CHINESE}", OTHER)).running() as server,
        running_proxy(tmp_path, server, TEMPLATES) as proxy,
    ):
        plain = await asked(proxy)
        stream = await asked(proxy, stream=True)

    said = final_of(stream.content).output_text
    assert said == shown_text(read_object(plain.content))
    assert said.startswith(FIRST)
    assert len(said) > len(FIRST)
    assert CHINESE not in stream.text
    checked(stream.content)
