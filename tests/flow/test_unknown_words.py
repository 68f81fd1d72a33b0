"""Words in fields that nobody knows: no guard reads them, so they are named as not checked."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from pydantic import JsonValue

from proxy.openai_api.coverage import MOST_UNKNOWN, steps
from proxy.openai_api.json_body import JsonObject, objects
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.wire_upstream import JSON_TYPE, WireReply, WireUpstream
from tests.flow.heard import event_texts
from tests.flow.pool import QUESTION, SOURCES, asked
from tests.tables import each_row

RECORDINGS = Path(__file__).parents[1] / "wire"
RECORDED = {
    "chat": RECORDINGS / "chat/openai-answer",
    "completions": RECORDINGS / "completions/vllm-answer",
    "responses": RECORDINGS / "responses/openai-answer",
}
WORDS = "수강료는 30,000원입니다."

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Wire:
    """A proxy in front of a model server whose replies have one more field."""

    def __init__(self, proxy: RunningProxy, server: WireUpstream) -> None:
        self.proxy = proxy
        self.server = server

    async def plain(self, door: str, place: str, value: JsonValue) -> list[str]:
        """Return what is named as not checked of a plain reply with a value in this place."""
        body = json.loads((RECORDED[door] / "plain.json").read_bytes())
        put(body, place, value)
        self.server.says(WireReply([json.dumps(body).encode()], JSON_TYPE))
        return await self._named(await self._ask(door, stream=False))

    async def streamed(self, door: str, place: str, *pieces: JsonValue) -> list[str]:
        """Return the same of a stream whose events have the values, one after the other."""
        given = (RECORDED[door] / "stream.sse").read_bytes()
        said = [json.loads(text) for text in event_texts(given) if text != "[DONE]"]
        fitting = [event for event in said if fits(event, place)]
        for event, piece in zip(fitting[-len(pieces) :], pieces, strict=True):
            put(event, place, piece)
        written = b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in said)
        self.server.says(WireReply([written + b"data: [DONE]\n\n"]))
        return await self._named(await self._ask(door, stream=True))

    async def _ask(self, door: str, *, stream: bool) -> httpx.Response:
        if door == "chat":
            return await self.proxy.chat(asked(stream=stream))
        said: JsonObject = {"prompt" if door == "completions" else "input": QUESTION}
        body = {"model": "m", "stream": stream, "guard": {"sources": SOURCES}, **said}
        return await self.proxy.send(json.dumps(body).encode(), path=f"/v1/{door}")

    async def _named(self, reply: httpx.Response) -> list[str]:
        assert reply.status_code == httpx.codes.OK, reply.text
        named = reply.headers.get("x-guard-not-checked", "")
        trace = await self.proxy.trace(reply)
        assert ",".join(trace.not_checked) == named
        return [name for name in named.split(",") if ":" not in name and name]


def put(body: JsonObject, place: str, value: JsonValue) -> None:
    """Put a value in a place, in the first item of each list on the way."""
    *way, last = steps(place)
    for step in way:
        body = objects(list(body))[0] if step == "[]" else body[step]  # type: ignore[assignment]
    body[last] = value


def fits(event: JsonObject, place: str) -> bool:
    """Tell whether an event has the object that a place names."""
    try:
        put(json.loads(json.dumps(event)), place, None)
    except (IndexError, KeyError):
        return False
    return True


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def wire(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Wire, None]:
    async with (
        WireUpstream().running() as server,
        running_proxy(tmp_path_factory.mktemp("wire"), server) as proxy,
    ):
        yield Wire(proxy, server)


@each_row("door, place", "plain")
async def test_unknown_words_in_a_plain_reply_are_not_checked(
    wire: Wire, door: str, place: str
) -> None:
    assert place in await wire.plain(door, place, WORDS)
    assert place in await wire.plain(door, place, {"parts": [{"said": WORDS}]})
    assert place not in await wire.plain(door, place, None)


@each_row("door, place", "streamed")
async def test_unknown_words_in_a_stream_are_not_checked(wire: Wire, door: str, place: str) -> None:
    assert place in await wire.streamed(door, place, WORDS)
    assert place not in await wire.streamed(door, place, None)


async def test_words_that_come_in_pieces_are_read_together(wire: Wire) -> None:
    assert "answer" in await wire.streamed("chat", "answer", "It", " costs", " 30,000")


@each_row(
    "value",
    ["fp_44709d6fcb", "2026-11-23 10:00:00", 12.5, True, ["stop", "length"], {"ms": 4}, "", None],
)
async def test_ids_figures_and_names_are_no_words(wire: Wire, value: JsonValue) -> None:
    assert await wire.plain("chat", "choices[].odd", value) == []


@each_row("words", [WORDS, "It costs a lot", "食堂在本馆地下", "ありません"])
async def test_words_of_any_language_are_words(wire: Wire, words: str) -> None:
    assert await wire.plain("chat", "choices[].odd", words) == ["choices[].odd"]


async def test_no_more_than_a_few_are_named_and_none_by_somebodys_words(wire: Wire) -> None:
    body = json.loads((RECORDED["chat"] / "plain.json").read_bytes())
    body |= {f"odd_{number}": WORDS for number in range(100)} | {WORDS: WORDS}
    wire.server.says(WireReply([json.dumps(body).encode()], JSON_TYPE))

    reply = await wire.proxy.chat(asked())

    named = reply.headers["x-guard-not-checked"]
    assert named.count("odd_") == MOST_UNKNOWN
    assert named.isascii()
