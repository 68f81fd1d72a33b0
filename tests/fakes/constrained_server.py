"""A model server that keeps to a constraint as real ones do: llguidance masks what it may write.

The model behind it has a will: for each piece of its answer it has words in the order in which it
would like to write them. It writes the first one that the constraint lets it.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import ClassVar

import llguidance
from litestar import Litestar, Request, Response, get, post
from litestar.datastructures import State
from litestar.response import Stream
from llguidance.gbnf_to_lark import any_to_lark

from proxy.demo import Said, chunks, completion
from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.sse import DONE, write_event
from proxy.pipeline.constraints import ServerKind
from proxy.server.serving import served
from tests.fakes.scripted_upstream import is_second_attempt

Piece = str | Sequence[str]
"""A piece of an answer: as it is, or the ways to write it, the dearest first."""

CONSTRAINTS = ("structured_outputs", "bad_words", "regex", "grammar")

# Tokens as real vocabularies have them: every byte, and whole characters of both scripts.
_CHARS = [*map(chr, range(ord("가"), ord("힣") + 1)), *map(chr, range(0x4E00, 0x9FFF)), *"のカ的了"]
_EOS = 256


class _Tokens:
    eos_token_id = _EOS
    bos_token_id = None
    tokens: ClassVar = [
        *(bytes([byte]) for byte in range(256)),
        b"<eos>",
        *(c.encode() for c in _CHARS),
    ]
    special_token_ids = (_EOS,)

    def __call__(self, text: bytes) -> list[int]:
        return list(text)


@cache
def _tokenizer() -> llguidance.LLTokenizer:
    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Tokens()))


class Sampler:
    """Writes under a grammar, a token at a time."""

    def __init__(self, grammar: str) -> None:
        self._matcher = llguidance.LLMatcher(_tokenizer(), grammar, log_level=0)
        assert not self._matcher.is_error(), self._matcher.get_error()

    @classmethod
    def of_regex(cls, regex: str) -> "Sampler":
        return cls(llguidance.LLMatcher.grammar_from_regex(regex))

    @classmethod
    def of_gbnf(cls, grammar: str) -> "Sampler":
        return cls(llguidance.LLMatcher.grammar_from_lark(any_to_lark(grammar)))

    def may_come_next(self) -> set[str]:
        """Return the characters whose own token may be written next."""
        mask = self._matcher.compute_bitmask()
        first = _EOS + 1
        return {
            char
            for token, char in enumerate(_CHARS, start=first)
            if mask[token // 8] >> token % 8 & 1
        }

    def write(self, text: str) -> bool:
        """Write a text if all of it is allowed here; else write nothing of it."""
        tokens = list(text.encode())
        written = self._matcher.try_consume_tokens(tokens)
        if written < len(tokens):
            self._matcher.rollback(written)
        return written == len(tokens)

    def may_end(self) -> bool:
        return self._matcher.is_accepting()


@dataclass
class ConstrainedServer:
    """`requests` holds every body it was sent, `probes` counts who asked for its models.

    Attributes:
        kind: What it is, as its list of models says.
        first: What it answers at first.
        second: What it would like to answer when told what was wrong.
        refuses: The error that it answers what is in `refused` with, a status and a body; None if
            it takes all.
        refused: Names of what it does not take.
        fails_again: The error that it answers every second attempt with; None if it answers.
        ignores: It takes no notice of a constraint.
    """

    kind: str = ServerKind.VLLM
    first: str = ""
    second: Sequence[Piece] = ()
    refuses: tuple[int, str] | None = None
    refused: tuple[str, ...] = CONSTRAINTS
    fails_again: tuple[int, str] | None = None
    ignores: bool = False
    requests: list[JsonObject] = field(default_factory=list)
    probes: int = 0
    address: str = ""

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["ConstrainedServer", None]:
        app = Litestar([_complete, _models], state=State({"server": self}), openapi_config=None)
        async with served(app) as self.address:
            yield self

    def error(self, body: JsonObject) -> tuple[int, str] | None:
        if self.fails_again is not None and is_second_attempt(body):
            return self.fails_again
        return self.refuses if any(map(body.get, self.refused)) else None

    def said(self, body: JsonObject) -> str:
        if not is_second_attempt(body):
            return self.first
        sampler = None if self.ignores else _sampler(body)
        barred = [] if self.ignores else body.get("bad_words", [])
        assert isinstance(barred, list)
        written = ""
        for piece in self.second:
            ways = [piece] if isinstance(piece, str) else piece
            free = [way for way in ways if way not in barred]
            written += next((way for way in free if sampler is None or sampler.write(way)), "")
        return written


def _sampler(body: JsonObject) -> Sampler | None:
    regex = member(body.get("structured_outputs"), "regex") or body.get("regex")
    if isinstance(regex, str):
        return Sampler.of_regex(regex)
    grammar = body.get("grammar")
    return Sampler.of_gbnf(grammar) if isinstance(grammar, str) else None


@post("/v1/chat/completions", status_code=200)
async def _complete(request: Request[object, object, State]) -> Response[bytes] | Stream:
    server: ConstrainedServer = request.app.state.server
    body: JsonObject = json.loads(await request.body())
    server.requests.append(body)
    if error := server.error(body):
        return Response(error[1].encode(), status_code=error[0], media_type="application/json")
    said = Said((server.said(body),))
    if body.get("stream"):
        return Stream(_events(body, said), media_type="text/event-stream")
    return Response(json.dumps(completion(body, said)).encode(), media_type="application/json")


async def _events(body: JsonObject, said: Said) -> AsyncIterator[bytes]:
    for event in chain(map(write_event, chunks(body, said)), [DONE]):
        yield event


@get("/v1/models")
async def _models(request: Request[object, object, State]) -> Response[bytes]:
    server: ConstrainedServer = request.app.state.server
    server.probes += 1
    model = {"id": "m", "object": "model", "owned_by": server.kind}
    body = {"object": "list", "data": [model]}
    return Response(json.dumps(body).encode(), media_type="application/json")
