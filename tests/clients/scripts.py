"""What the model servers of these tests do: tools and answers, refusals, and falling silent."""

import asyncio
import json
from collections.abc import Sequence

from proxy.demo import MODEL, Said, Script, chunks, completion
from proxy.openai_api.json_body import JsonObject, objects
from proxy.openai_api.sse import write_event
from proxy.pipeline.regeneration import OPENING
from tests.fakes.raw_upstream import RawUpstream, Talk, http_head, http_reply
from tests.flow.canteen import CLEAN, QUESTION

PLACES = ("본관", "별관")
PLACE = json.dumps({"building": "본관 지하", "floor": -1}, ensure_ascii=False)
RETRY_AFTER_S = 1
LIMITED_CODE = "rate_limit_exceeded"
LIMITED: JsonObject = {
    "error": {
        "message": "Too many requests.",
        "type": "rate_limit_error",
        "param": None,
        "code": LIMITED_CODE,
    }
}
_REQUEST: JsonObject = {"model": MODEL, "messages": [{"role": "user", "content": QUESTION}]}


def calls(places: Sequence[str] = PLACES) -> list[JsonObject]:
    """Return parallel calls of the tool `find`, one for each place."""
    return [
        {
            "index": number,
            "id": f"call-{number}",
            "type": "function",
            "function": {
                "name": "find",
                "arguments": json.dumps({"place": place}, ensure_ascii=False),
            },
        }
        for number, place in enumerate(places)
    ]


def finds_then_says(first: str, second: str) -> Script:
    """Call the tool for each place; with its results say the first text, then the second."""

    def script(body: JsonObject) -> Said:
        if not has_results(body):
            return Said(tool_calls=calls(), finish_reason="tool_calls")
        told = OPENING in json.dumps(body, ensure_ascii=False)
        return Said((second if told else first,))

    return script


def has_results(body: JsonObject) -> bool:
    """Tell whether a request brings what tools found, in a chat or in items."""
    turns = [*objects(body.get("messages")), *objects(body.get("input"))]
    return any(
        turn.get("role") == "tool" or turn.get("type") == "function_call_output" for turn in turns
    )


class RefusesOnce:
    """Too many requests, the first time; the client's later requests get the answer.

    Attributes:
        asked_s: When each request came, in seconds of the loop's clock.
    """

    def __init__(self, upstream: RawUpstream, *, always: bool = False) -> None:
        self.asked_s: list[float] = []
        self._always = always
        upstream.act = self._act

    async def _act(self, talk: Talk) -> None:
        self.asked_s.append(asyncio.get_running_loop().time())
        if self._always or len(self.asked_s) == 1:
            body = json.dumps(LIMITED).encode()
            waiting = {"retry-after": str(RETRY_AFTER_S)}
            await talk.send(http_reply(body, status="429 Too Many Requests", headers=waiting))
        else:
            body = json.dumps(completion(_REQUEST, Said((CLEAN,)))).encode()
            await talk.send(http_reply(body))


class FallsSilent:
    """A stream that says one sentence and the first word of another one, and never ends.

    Attributes:
        spoken: Set when it has said so much.
    """

    def __init__(self, upstream: RawUpstream) -> None:
        self.spoken = asyncio.Event()
        upstream.act = self._act

    async def _act(self, talk: Talk) -> None:
        await talk.send(http_head(content_type="text/event-stream"))
        for chunk in chunks(_REQUEST, Said((f"{CLEAN} 식당은",)))[:-1]:
            await talk.send(write_event(chunk))
        self.spoken.set()
        await talk.hang()


async def breaks_off(talk: Talk) -> None:
    """Begin a stream and hang up in the middle of it."""
    said = chunks(_REQUEST, Said((CLEAN,)))[:3]
    await talk.send(http_head(content_type="text/event-stream") + b"".join(map(write_event, said)))
