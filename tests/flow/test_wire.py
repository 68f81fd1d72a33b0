"""Recorded replies of model servers through the proxy; `tests/wire/README.md` says what they are.

Of each recording, the plain reply says what has to be heard in the stream.
"""

import itertools
import json
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import httpx
import pytest
import pytest_asyncio
from openai import AsyncOpenAI
from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject, objects, read_object
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.wire_upstream import JSON_TYPE, STREAM_TYPE, WireReply, WireUpstream, cut
from tests.flow.heard import WORDS, Heard, heard, heard_in
from tests.flow.pool import QUESTION, SOURCES, WRONG_FEE, WRONG_HOURS, WRONG_LOCKER, asked
from tests.tables import each_row

RECORDINGS = Path(__file__).parent.parent / "wire"
REQUESTS: dict[str, JsonObject] = json.loads((RECORDINGS / "requests.json").read_bytes())
ODD_BYTES = 7
JOINED = {*WORDS} | set(
    "choices delta message tool_calls function_call logprobs token_ids reasoning_details".split()
)
"""Members that are one thing in a plain reply and several in a stream."""

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True)
class Recording:
    """A reply as a model server of that kind writes it, plain and streamed."""

    name: str

    @property
    def door(self) -> str:
        return self.name.partition("/")[0]

    @property
    def path(self) -> str:
        return "/v1/chat/completions" if self.door == "chat" else f"/v1/{self.door}"

    @property
    def plain(self) -> bytes:
        return (RECORDINGS / self.name / "plain.json").read_bytes()

    @property
    def stream(self) -> bytes:
        return (RECORDINGS / self.name / "stream.sse").read_bytes()

    def meant(self, *, stream: bool) -> Heard:
        """Return what a client hears that asks the model server itself."""
        return heard_in(*((self.stream, STREAM_TYPE) if stream else (self.plain, JSON_TYPE)))

    def request(self, *, stream: bool) -> JsonObject:
        """Return the request that it is the reply to."""
        more = REQUESTS.get(self.name, {}) | ({"stream": True} if stream else {})
        if self.door == "chat":
            return asked(**(more | ({"stream_options": {"include_usage": True}} if stream else {})))
        spoken = "prompt" if self.door == "completions" else "input"
        return {"model": "m", spoken: QUESTION, "guard": {"sources": SOURCES}, **more}


def recordings(door: str, *, wrong: bool = False) -> list[Recording]:
    names = [f"{door}/{folder.name}" for folder in sorted((RECORDINGS / door).iterdir())]
    return [Recording(name) for name in names if ("-wrong-" in name) == wrong]


CHAT = recordings("chat")
COMPLETIONS = recordings("completions")
RESPONSES = recordings("responses")
SAID_WRONG = {
    "chat/vllm-wrong-first": WRONG_FEE,
    "chat/llamacpp-wrong-second": WRONG_LOCKER,
    "chat/ollama-wrong-last": WRONG_HOURS,
    "completions/vllm-wrong-second": WRONG_LOCKER,
    "responses/openai-wrong-last": WRONG_HOURS,
}


class Wire:
    """A proxy in front of a model server that plays recordings."""

    def __init__(self, proxy: RunningProxy, upstream: WireUpstream, sdk: AsyncOpenAI) -> None:
        self.proxy = proxy
        self.upstream = upstream
        self.sdk = sdk

    async def play(self, recording: Recording, *, stream: bool) -> httpx.Response:
        """Ask for a recording, which is sent in pieces that end anywhere."""
        self.load(recording)
        body = json.dumps(recording.request(stream=stream)).encode()
        reply = await self.proxy.send(body, path=recording.path)
        assert reply.status_code == httpx.codes.OK, reply.text
        return reply

    def load(self, recording: Recording) -> None:
        streamed = WireReply(cut(recording.stream, range(0, len(recording.stream), ODD_BYTES)))
        plain = WireReply([recording.plain], JSON_TYPE)
        self.upstream.script = lambda body: streamed if body.get("stream") else plain


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def wire(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Wire, None]:
    folder = tmp_path_factory.mktemp("wire")
    async with (
        WireUpstream().running() as upstream,
        running_proxy(folder, upstream) as proxy,
        proxy.sdk() as sdk,
    ):
        yield Wire(proxy, upstream, sdk)


def named(recordings: Iterable[Recording]) -> dict[str, Recording]:
    return {one.name: one for one in recordings}


async def test_every_recording_is_played() -> None:
    played = {one.name for one in CHAT + COMPLETIONS + RESPONSES} | set(SAID_WRONG)
    there = {str(one.parent.relative_to(RECORDINGS)) for one in RECORDINGS.glob("*/*/stream.sse")}

    assert there == played
    assert set(REQUESTS) <= there


@each_row("recording", named(CHAT + COMPLETIONS))
async def test_the_two_replies_of_a_recording_say_the_same(recording: Recording) -> None:
    plain, streamed = recording.meant(stream=False), recording.meant(stream=True)

    assert streamed.choices == plain.choices
    assert streamed.usage in (None, plain.usage)


# Doors whose replies are choices.


@each_row("recording", named(CHAT + COMPLETIONS))
async def test_what_is_right_arrives_as_it_was_said_with_members_that_nobody_knows(
    wire: Wire, recording: Recording, stream: bool
) -> None:
    reply = await wire.play(recording, stream=stream)

    said, meant = heard(reply), recording.meant(stream=stream)
    assert said.done
    assert said.choices == meant.choices
    assert said.usage == meant.usage
    assert members(meant) - members(said) == set()
    assert (await wire.proxy.trace(reply)).action == "pass"


@each_row("recording", named(CHAT))
async def test_the_real_client_hears_it(wire: Wire, recording: Recording) -> None:
    wire.load(recording)
    said = Heard()

    async for chunk in await wire.sdk.chat.completions.create(
        model="m", messages=[], stream=True, extra_body=recording.request(stream=True)
    ):
        said.add(cast("JsonObject", chunk.to_dict()))

    assert said.choices == recording.meant(stream=True).choices
    assert said.usage == recording.meant(stream=True).usage


@pytest.mark.parametrize("name", SAID_WRONG)
async def test_what_is_wrong_never_arrives(wire: Wire, name: str, stream: bool) -> None:
    recording, wrong = Recording(name), SAID_WRONG[name].partition(". [")[0]
    assert wrong in recording.plain.decode()

    reply = await wire.play(recording, stream=stream)

    said = heard(reply)
    deltas = "".join(str(chunk.get("delta", "")) for chunk in said.chunks)
    assert said.chunks
    assert wrong not in "".join(said.texts) + deltas + reply.text


@pytest.mark.parametrize("name", [name for name in SAID_WRONG if not name.startswith("responses")])
async def test_what_is_wrong_ends_alike_plain_and_streamed(wire: Wire, name: str) -> None:
    plain, streamed = [
        heard(await wire.play(Recording(name), stream=stream)) for stream in (False, True)
    ]

    assert streamed.texts == plain.texts
    assert streamed.finish_reasons == plain.finish_reasons == ["stop"]


def members(said: Heard) -> set[tuple[str, str]]:
    """Return the members of all objects of a reply, but for what is joined from several events."""
    found: list[JsonObject] = []
    for chunk in said.chunks:
        for choice in objects(chunk.get("choices")):
            inner = [choice.get(name) for name in ("delta", "message")]
            found += [choice, *(one for one in inner if isinstance(one, dict))]
        found.append(chunk)
    return {
        (name, json.dumps(value, sort_keys=True))
        for one in found
        for name, value in one.items()
        if name not in JOINED
    }


# Responses: an object that grows by events.


@each_row("recording", named(RESPONSES))
async def test_a_response_arrives_as_it_was_said(
    wire: Wire, recording: Recording, stream: bool
) -> None:
    reply = await wire.play(recording, stream=stream)

    said = response_in(heard(reply))
    assert said == read_object(recording.plain)
    assert (await wire.proxy.trace(reply)).action == "pass"


@each_row("recording", named(RESPONSES))
async def test_the_events_of_a_response_tell_one_story(wire: Wire, recording: Recording) -> None:
    reply = await wire.play(recording, stream=True)

    said, meant = heard(reply).chunks, recording.meant(stream=True).chunks
    assert [event["sequence_number"] for event in said] == list(range(len(said)))
    assert kinds(said) == kinds(meant)
    for kind in ("response.output_text", "response.function_call_arguments"):
        assert deltas_of(said, kind) == deltas_of(meant, kind)
        for done in (event for event in said if event["type"] == f"{kind}.done"):
            assert done.get("text", done.get("arguments")) == deltas_of(said, kind)


@each_row("recording", named(RESPONSES))
async def test_the_real_client_hears_a_response(wire: Wire, recording: Recording) -> None:
    wire.load(recording)
    stream = await wire.sdk.responses.create(stream=True, extra_body=recording.request(stream=True))
    events = [cast("JsonObject", event.to_dict()) async for event in stream]

    assert kinds(events) == kinds(recording.meant(stream=True).chunks)


def response_in(said: Heard) -> JsonValue:
    """Return the whole response: a plain reply, or what its last event holds."""
    return said.chunks[-1].get("response", said.chunks[-1])


def kinds(events: list[JsonObject]) -> list[str]:
    """Return the kinds of events, each row of the same kind once."""
    return [kind for kind, _ in itertools.groupby(str(event["type"]) for event in events)]


def deltas_of(events: list[JsonObject], kind: str) -> str:
    return "".join(str(event["delta"]) for event in events if event["type"] == f"{kind}.delta")
