"""The model server: it says prepared bytes, so that it is never what is measured.

It keeps, for each stream, when it wrote each chunk, by the clock that all processes of a machine
share (``time.monotonic_ns``); and it counts the streams that it leaves open.
"""

import asyncio
import json
import re
import signal
import socket
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing.connection import Connection
from typing import Literal, TypeAlias, cast

import uvloop

from tests.bench.corpus import RECURRING, SINGLE, numbered
from tests.bench.piping import react_to
from tests.bench.prepared import Seed, Way
from tests.bench.subjects import MODEL
from tests.bench.wire import LAST_CHUNK, BrokenMessage, Message, chunk

CHUNKS = 100
PACE_S = 0.010
LATENCY_S = 0.100
_SEED = re.compile(rb'"seed":\s*(\d+)')
_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}"

Asked: TypeAlias = Literal["sent", "open"]
SentTimes: TypeAlias = dict[int, list[int]]
"""By the number of a seed, when each chunk was written; one time if all were at once."""


def chunk_ends(answer: str) -> list[int]:
    """Return how many characters of an answer are said after each chunk."""
    return [(number + 1) * len(answer) // CHUNKS for number in range(CHUNKS)]


class Script:
    """Everything that is ever said, as bytes."""

    def __init__(self) -> None:
        cases = {number: numbered(number) for number in (*RECURRING, *SINGLE)}
        self._plain = {number: _plain(case.answer) for number, case in cases.items()}
        self._chunks = {number: _chunks(case.answer) for number, case in cases.items()}

    def plain(self, case: int) -> bytes:
        return self._plain[case]

    def chunks(self, case: int) -> Sequence[bytes]:
        return self._chunks[case]


class Record:
    """What this process did, for the bench to ask."""

    def __init__(self) -> None:
        self.sent: SentTimes = {}
        self.open = 0

    def sent_times(self) -> SentTimes:
        """Return the times since the last time."""
        sent, self.sent = self.sent, {}
        return sent


class Conversation(asyncio.Protocol):
    """One connection."""

    def __init__(self, script: Script, record: Record) -> None:
        self._script = script
        self._record = record
        self._loop = asyncio.get_running_loop()
        self._request = Message()
        self._body: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._idle = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer:
            self._timer.cancel()
        self._record.open -= self._idle

    def data_received(self, data: bytes) -> None:
        try:
            self._body.append(self._request.feed(data))
        except BrokenMessage:
            self._transport.close()
            return
        if self._request.done:
            seed = _SEED.search(b"".join(self._body))
            self._request, self._body = Message(), []
            self._reply(Seed.read(int(seed[1])) if seed else None)

    def _reply(self, seed: Seed | None) -> None:
        if seed is None:
            self._transport.write(_NOT_FOUND)
        elif seed.way is Way.PLAIN:
            self._transport.write(self._script.plain(seed.case))
        elif seed.way is Way.SLOW:
            write = partial(self._transport.write, self._script.plain(seed.case))
            self._timer = self._loop.call_later(LATENCY_S, write)
        else:
            self._transport.write(_STREAM_HEAD + _ROLE)
            self._stream(seed)

    def _stream(self, seed: Seed) -> None:
        chunks = self._script.chunks(seed.case)
        if seed.way is Way.IDLE:
            self._idle = True
            self._record.open += 1
            self._transport.write(chunks[0])
        elif seed.way is Way.STREAM:
            self._record.sent[seed.number] = [time.monotonic_ns()]
            self._transport.write(b"".join(chunks) + _END)
        else:
            times = self._record.sent[seed.number] = []
            self._say_next(chunks, times, self._loop.time())

    def _say_next(self, chunks: Sequence[bytes], times: list[int], began_s: float) -> None:
        said = len(times)
        times.append(time.monotonic_ns())
        self._transport.write(chunks[said])
        said += 1
        if said == len(chunks):
            self._transport.write(_END)
            return
        self._timer = self._loop.call_at(
            began_s + said * PACE_S, self._say_next, chunks, times, began_s
        )


def run_upstream(listener: socket.socket, pipe: Connection) -> None:
    """Serve in this process until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    uvloop.run(_serve(listener, pipe))


async def _serve(listener: socket.socket, pipe: Connection) -> None:
    script, record = Script(), Record()
    closed = asyncio.Event()

    def answer(asked: object | None) -> None:
        if asked is None:
            closed.set()
        else:
            pipe.send(record.sent_times() if asked == "sent" else record.open)

    react_to(pipe, answer)
    server = await asyncio.get_running_loop().create_server(
        partial(Conversation, script, record), sock=listener, backlog=2048
    )
    pipe.send("ready")
    await closed.wait()
    server.close()


def _plain(answer: str) -> bytes:
    body = json.dumps(
        {
            "id": "chatcmpl-bench",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": answer},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 2000, "completion_tokens": 400, "total_tokens": 2400},
        },
        ensure_ascii=False,
    ).encode()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    return head % len(body) + body


def _chunks(answer: str) -> list[bytes]:
    ends = chunk_ends(answer)
    starts = [0, *ends[:-1]]
    return [_event({"content": answer[a:b]}) for a, b in zip(starts, ends, strict=True)]


def _event(delta: dict[str, str], finish_reason: str | None = None) -> bytes:
    said = json.dumps(
        {
            "id": "chatcmpl-bench",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": MODEL,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
        },
        ensure_ascii=False,
    )
    return chunk(f"data: {said}\n\n".encode())


_ROLE = _event({"role": "assistant", "content": ""})
_END = _event({}, "stop") + chunk(b"data: [DONE]\n\n") + LAST_CHUNK
