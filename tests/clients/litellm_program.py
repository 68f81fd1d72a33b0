"""The litellm SDK as an app uses it, in a process of its own: it leaves its connections open.

Reads a line of JSON for each case, ``[base_url, key, name]``, and prints a line with what it got.
"""

import asyncio
import json
import sys
import traceback
from collections.abc import AsyncIterator

import litellm
import openai
from pydantic import BaseModel, JsonValue

from proxy.demo import MODEL
from tests.flow.canteen import QUESTION

Printed = dict[str, JsonValue]

PARAMETERS = {"type": "object", "properties": {"place": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": "find", "parameters": PARAMETERS}}]
ASKED = [{"role": "user", "content": QUESTION}]


class Place(BaseModel):
    building: str
    floor: int


class Client:
    """The SDK's functions with what every call of them needs."""

    def __init__(self, base_url: str, key: str) -> None:
        self._chat = {"model": f"openai/{MODEL}", "messages": ASKED}
        self._server = {"api_base": base_url, "api_key": key, "max_retries": 0}

    async def plain(self) -> Printed:
        reply = await litellm.acompletion(**self._chat, **self._server)
        return {"text": reply.choices[0].message.content, "finish": reply.choices[0].finish_reason}

    async def thread(self) -> Printed:
        """Use the synchronous functions."""

        def use() -> list[str]:
            reply = litellm.completion(**self._chat, **self._server)
            stream = litellm.completion(**self._chat, **self._server, stream=True)
            pieces = [chunk.choices[0].delta.content or "" for chunk in stream]
            return [reply.choices[0].message.content, "".join(pieces)]

        return {"texts": [*await asyncio.to_thread(use)]}

    async def stream(self) -> Printed:
        options = {"stream": True, "stream_options": {"include_usage": True}}
        stream = await litellm.acompletion(**self._chat, **self._server, **options)
        chunks = [chunk async for chunk in stream]
        whole = put_together(chunks)
        return {
            "pieces": "".join(chunk.choices[0].delta.content or "" for chunk in chunks),
            "text": whole.message.content,
            "finish": whole.finish_reason,
        }

    async def tools(self) -> Printed:
        plain = await litellm.acompletion(**self._chat, **self._server, tools=TOOLS)
        stream = await litellm.acompletion(**self._chat, **self._server, tools=TOOLS, stream=True)
        whole = put_together([chunk async for chunk in stream])
        return {"plain": called(plain.choices[0]), "streamed": called(whole)}

    async def structured(self) -> Printed:
        reply = await litellm.acompletion(**self._chat, **self._server, response_format=Place)
        return Place.model_validate_json(reply.choices[0].message.content).model_dump()

    async def embedding(self) -> Printed:
        reply = await litellm.aembedding(model=f"openai/{MODEL}", input=["가"], **self._server)
        return {"embedding": reply.data[0]["embedding"]}

    async def failed(self) -> Printed:
        try:
            await litellm.acompletion(**self._chat, **self._server)
        except openai.APIStatusError as error:
            return {"name": type(error).__name__, "status": error.status_code}
        return {"name": None}

    async def response(self) -> Printed:
        asked = {"model": f"openai/{MODEL}", "input": QUESTION}
        plain = await litellm.aresponses(**asked, **self._server)
        events = await litellm.aresponses(**asked, **self._server, stream=True)
        return {
            "plain": plain.output_text,
            "streamed": await joined(
                event.delta async for event in events if event.type == "response.output_text.delta"
            ),
        }

    async def completion(self) -> Printed:
        asked = {"model": f"text-completion-openai/{MODEL}", "prompt": QUESTION}
        plain = await litellm.atext_completion(**asked, **self._server)
        stream = await litellm.atext_completion(**asked, **self._server, stream=True)
        return {
            "plain": plain.choices[0].text,
            "streamed": await joined(chunk.choices[0].text async for chunk in stream),
        }


def put_together(chunks: list[object]) -> litellm.Choices:
    """Return the choice of a stream, as the SDK puts it together."""
    whole = litellm.stream_chunk_builder(chunks)
    assert whole is not None
    [choice] = whole.choices
    assert isinstance(choice, litellm.Choices)
    return choice


def called(choice: litellm.Choices) -> list[JsonValue]:
    return [
        [call.id, call.function.name, json.loads(call.function.arguments)]
        for call in choice.message.tool_calls or ()
    ]


async def joined(pieces: AsyncIterator[str | None]) -> str:
    return "".join([piece or "" async for piece in pieces])


async def tried(case: str, client: Client) -> Printed:
    """Return what a case got, or how it failed: the cases after it shall run all the same."""
    try:
        got: Printed = await getattr(client, case)()
    except Exception:  # noqa: BLE001 - whatever it is, the test shows it
        return {"failed": traceback.format_exc()}
    return got


async def main() -> None:
    litellm.suppress_debug_info = True
    while line := await asyncio.to_thread(sys.stdin.readline):
        base_url, key, name = json.loads(line)
        sys.stdout.write(f"{json.dumps(await tried(name, Client(base_url, key)))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
