"""The letters and signs of Korean texts, as a regular expression and as a grammar.

The class is a positive one, because grammar engines have let negated ones through. Characters
outside ASCII stand in it as themselves and control characters as escapes, which is what the regex
dialects of all of them take.
"""

import asyncio
import contextlib
import re
import zlib
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from guards.core.exchange import Exchange
from guards.core.finding import Finding
from guards.text.scripts import Script, asks_for_original, foreign_runs, requested_scripts
from policies.schema.sections import Constraint
from proxy.errors import UpstreamError, UpstreamRefused, UpstreamTimeout
from proxy.logs import logger
from proxy.openai_api.json_body import JsonObject, member, objects, read_object
from proxy.openai_api.reply import Answer
from proxy.openai_api.sse import json_bytes
from proxy.pipeline.call import Call, server_call
from proxy.upstream.client import ModelServers, OpenReply
from proxy.upstream.request import ServerCall

MOST_LICENSED = 200
"""Foreign words that may be repeated; what a source holds beyond them has to be said in Hangul."""

_ASCII = r"\t\n\r -~"
_RANGES = (
    ("\u00a0", "\u017f"),  # Latin letters with accents, ×, ·, §
    ("Α", "ω"),  # Greek letters as symbols
    ("\u2010", "\u2027"),  # dashes, quotes, bullets, …; no invisible marks
    ("‰", "⁞"),
    ("⁰", "₟"),  # raised and lowered digits
    ("₠", "⃀"),  # currencies
    ("\u20e3", "\u20e3"),  # the frame of 1️⃣
    ("℀", "↋"),  # ℃, №, Ⅳ
    ("←", "⏿"),  # arrows, mathematics, ⌘
    ("①", "⓿"),
    ("─", "➿"),  # boxes, ■, ★, ✅
    ("⬀", "⯿"),  # ⭐
    ("\u3000", "〄"),  # 、。 and no 々
    ("〇", "〠"),  # 〈〉「」【】, and the blank of 홍〇〇
    ("〰", "〰"),
    ("・", "・"),
    ("ㄱ", "ㆎ"),
    ("㈀", "㈞"),
    ("㉐", "㉿"),  # circled numbers and Hangul
    ("㊱", "㊿"),
    ("㎀", "㏟"),  # ㎡, ㎏
    ("가", "힣"),
    ("\ufe0f", "\ufe0f"),  # the colour of ☎️
    ("！", "～"),
    ("￠", "￦"),
    ("\U0001f300", "\U0001faff"),  # emoji
)
_JOINER = "\u200d"  # of emoji made of several
_CLASS = f"[{_ASCII}{_JOINER}{''.join(a if a == z else f'{a}-{z}' for a, z in _RANGES)}]"


@dataclass(frozen=True)
class AllowedText:
    """The texts that a model may write.

    Attributes:
        licensed: Foreign words that it may repeat.
    """

    licensed: tuple[str, ...] = ()

    @property
    def regex(self) -> str:
        """A regular expression over the whole answer."""
        return f"(?:{'|'.join((_CLASS, *self.licensed))})+"

    @property
    def gbnf(self) -> str:
        """A grammar in the notation of llama.cpp."""
        quoted = (f'"{word}"' for word in self.licensed)
        return f"root ::= ({' | '.join((_CLASS, *quoted))})+"

    def allows(self, text: str) -> bool:
        """Tell whether a text is allowed from its beginning to its end."""
        return self._compiled.fullmatch(text) is not None

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        """The same without a way back, so that no text takes long; the longest word comes first."""
        words = sorted(self.licensed, key=len, reverse=True)
        return re.compile(f"(?>{'|'.join((*words, _CLASS))})*+")


def allowed_text(exchange: Exchange) -> AllowedText:
    """Return what may be written in an answer: Korean, and the foreign words that were there."""
    return AllowedText(_allowed_words(given_texts(exchange)))


def given_texts(exchange: Exchange) -> tuple[str, ...]:
    """Return what stands in a request: whatever is in it may be repeated."""
    sources = (f"{source.title}\n{source.text}\n{source.file}" for source in exchange.sources)
    return (exchange.question, *sources, exchange.echo)


def _allowed_words(texts: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for text in texts:
        for run in foreign_runs(text):
            if run.script is not Script.BROKEN:
                found.setdefault(run.text)
            if len(found) == MOST_LICENSED:
                return tuple(found)
    return tuple(found)


MOST_BARRED = 32
LONGEST_BARRED_CHARS = 30
"""A longer string only bars its own repetition word for word."""

_FOREIGN = frozenset(
    f"korean_only.{kind}" for kind in ("han", "kana", "other_script", "broken_character")
)
_INVENTED = frozenset({"names.not_in_sources", "names.differs", "names.no_such_facility"})
# One constraint is all that a server takes, and the client's own come first.
_CLIENTS_OWN = (
    "tools functions structured_outputs guided_json guided_regex guided_choice guided_grammar "
    "structural_tag json_schema regex ebnf grammar format"
).split()


@dataclass(frozen=True)
class Constraints:
    """Constraints of the second attempt.

    Attributes:
        text: What may be written; None if the language was right.
        barred: Strings that must not come again: invented names, foreign words.
    """

    text: AllowedText | None
    barred: tuple[str, ...]

    def is_kept_by(self, text: str) -> bool:
        """Tell whether an answer keeps to the constraint."""
        return self.text is None or self.text.allows(text)


def wanted(exchange: Exchange, findings: Sequence[Finding], body: JsonObject) -> Constraints | None:
    """Return the constraints of the second attempt; none if the request has its own."""
    if any(map(body.get, _CLIENTS_OWN)) or _wants_json(body):
        return None
    codes = {finding.code for finding in findings}
    is_foreign = bool(codes & _FOREIGN) and not _asks_for_foreign(exchange.question)
    text = allowed_text(exchange) if is_foreign else None
    barred = _barred(exchange, findings, _INVENTED | (_FOREIGN if is_foreign else frozenset()))
    return Constraints(text, barred) if text or barred else None


def _wants_json(body: JsonObject) -> bool:
    return member(body.get("response_format"), "type") not in (None, "text")


def _asks_for_foreign(question: str) -> bool:
    return asks_for_original(question) or bool(requested_scripts(question) - {Script.LATIN})


def _barred(
    exchange: Exchange, findings: Iterable[Finding], codes: frozenset[str]
) -> tuple[str, ...]:
    """Return the strings that were wrong, without those that stand in the request itself."""
    licensed = "\n".join(given_texts(exchange))
    strings = dict.fromkeys(
        finding.observed.strip() for finding in findings if finding.code in codes
    )
    return tuple(
        string
        for string in strings
        if 0 < len(string) <= LONGEST_BARRED_CHARS and string not in licensed
    )[:MOST_BARRED]


MOST_BAD_WORDS = 64
"""vLLM takes 128 token sequences, and a word is one with and one without a space before it."""


class ServerKind(StrEnum):
    """Model servers that can constrain what they write."""

    VLLM = "vllm"
    SGLANG = "sglang"
    LLAMACPP = "llamacpp"


def kind_of(models: JsonObject) -> ServerKind | None:
    """Return what kind of server lists its models like that; None for any other."""
    owners = [model.get("owned_by") for model in objects(models.get("data"))]
    return next((kind for kind in ServerKind if kind.value in owners), None)


def fields_for(kind: ServerKind, body: JsonObject, wanted: Constraints) -> JsonObject:
    """Return what is added to a request to constrain its answer; nothing if there is no way to."""
    return _FIELDS[kind](body, wanted)


def may_be_refusal(error: UpstreamRefused) -> bool:
    """Tell whether a server may have refused a request because of what was added to it.

    What it says is of no help: some give no reason, and others break over it. One that is not
    there or has too much to do is not to be asked again.
    """
    return error.status in (400, 422, 500, 501)


def _vllm(body: JsonObject, wanted: Constraints) -> JsonObject:
    fields: JsonObject = {}
    if wanted.text:
        fields["structured_outputs"] = {"regex": wanted.text.regex}
    if wanted.barred:
        own = body.get("bad_words")
        words = [*(own if isinstance(own, list) else []), *wanted.barred]
        fields["bad_words"] = words[:MOST_BAD_WORDS]
    return fields


def _sglang(_: JsonObject, wanted: Constraints) -> JsonObject:
    return {"regex": wanted.text.regex} if wanted.text else {}


def _llamacpp(_: JsonObject, wanted: Constraints) -> JsonObject:
    return {"grammar": wanted.text.gbnf} if wanted.text else {}


_Fields: TypeAlias = Callable[[JsonObject, Constraints], JsonObject]
_FIELDS: Mapping[ServerKind, _Fields] = {
    ServerKind.VLLM: _vllm,
    ServerKind.SGLANG: _sglang,
    ServerKind.LLAMACPP: _llamacpp,
}


ASKED_AGAIN_S = 600.0
"""After this time a server is asked once more what it is, or told once more what to write."""


@dataclass
class Capabilities:
    """Remembers servers by their address.

    Attributes:
        clock: Monotonic clock in seconds.
    """

    clock: Callable[[], float]
    _kinds: dict[str, tuple[ServerKind | None, float]] = field(default_factory=dict)
    _unable: dict[str, float] = field(default_factory=dict)
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)

    def turn(self, address: str) -> asyncio.Lock:
        """Return what lets one request at a time ask a server what it is."""
        return self._turns.setdefault(address, asyncio.Lock())

    def knows(self, address: str) -> bool:
        """Tell whether it is known what kind a server is, or that it is of no known kind."""
        return address in self._kinds and self._is_recent(self._kinds[address][1])

    def kind(self, address: str) -> ServerKind | None:
        """Return a server's kind; None if it is not known, or none that can be constrained."""
        return self._kinds[address][0] if self.knows(address) else None

    def learn(self, address: str, kind: ServerKind | None) -> None:
        """Remember a server's kind."""
        self._kinds[address] = (kind, self.clock())

    def is_unable(self, address: str) -> bool:
        """Tell whether a server refused or ignored a constraint a short while ago."""
        return address in self._unable and self._is_recent(self._unable[address])

    def note_unable(self, address: str) -> None:
        """Remember that a server refused or ignored a constraint."""
        self._unable[address] = self.clock()

    def _is_recent(self, then_s: float) -> bool:
        return self.clock() - then_s < ASKED_AGAIN_S


log = logger(__name__)

PROBE_S = 2.0


# A server of a known kind gets a new seed too: some are started with one that draws the same words
# for the same request. A refusal of either costs nothing.


@dataclass(frozen=True)
class ConstrainedServers:
    """The model servers, asked under a constraint."""

    servers: ModelServers
    capabilities: Capabilities

    @contextlib.asynccontextmanager
    async def open(
        self, call: Call, body: JsonObject, wanted: Constraints | None
    ) -> AsyncGenerator[OpenReply, None]:
        """Open the reply to a second request, within the time that the request has left.

        Args:
            body: What the model server is asked, without a constraint; a seed in it stays.
            wanted: What to constrain the answer to; None for nothing.

        Raises:
            UpstreamError: the model server failed.
        """
        own_seed = body.get("seed") is not None
        kind = None if wanted is None and own_seed else await self._kind(call)
        fields = fields_for(kind, body, wanted) if kind and wanted else {}
        seed: JsonObject = {"seed": _seed_of(call)} if kind and not own_seed else {}
        async with contextlib.AsyncExitStack() as stack:

            async def opened(asked: JsonObject) -> OpenReply:
                sent = await _within_time(call, asked)
                return await stack.enter_async_context(self.servers.open(sent))

            try:
                reply = await opened(body | fields | seed)
                call.trace.constrained_by = kind.value if kind and fields else ""
            except UpstreamRefused as error:
                if kind is None or not (may_be_refusal(error) and call.retry_budget.consume()):
                    raise
                # The first attempt worked, so what was added is to blame, unless this fails too.
                reply = await opened(body)
                self._note_unable(call, kind, "constraint.refused")
            yield reply

    def check(self, call: Call, wanted: Constraints | None, answers: Iterable[Answer]) -> None:
        """Look whether a server kept to the constraint that it took; thinking is not under it."""
        if wanted is None or not call.trace.constrained_by:
            return
        said = (one.visible(structured=False) for one in answers if not one.tool_turn)
        if not all(map(wanted.is_kept_by, said)):
            self._note_unable(call, ServerKind(call.trace.constrained_by), "constraint.ignored")

    async def _kind(self, call: Call) -> ServerKind | None:
        """Return how a server is to be constrained; None if it cannot be, or must not."""
        rule, address = call.tenant.policy.regeneration.constraint, _address(call)
        if rule is Constraint.OFF or self.capabilities.is_unable(address):
            return None
        if rule is not Constraint.AUTO:
            return ServerKind(rule.value)
        async with self.capabilities.turn(address):
            if not self.capabilities.knows(address):
                self.capabilities.learn(address, await self._probed(call))
        return self.capabilities.kind(address)

    async def _probed(self, call: Call) -> ServerKind | None:
        try:
            sent = await _within_time(call, {})
            probe = replace(
                sent,
                tenant="",
                method="GET",
                path="models",
                body=b"",
                timeouts=sent.timeouts.at_most(PROBE_S),
            )
            return kind_of(read_object(await self.servers.ask(probe)))
        except (UpstreamError, ValueError):
            return None

    def _note_unable(self, call: Call, kind: ServerKind, event: str) -> None:
        self.capabilities.note_unable(_address(call))
        log.warning(event, request_id=call.trace.id, kind=kind.value)


def _address(call: Call) -> str:
    return call.tenant.upstream.base_url


def _seed_of(call: Call) -> int:
    """Return a number of the request's own that every kind of server takes: 31 bits."""
    return zlib.crc32(call.trace.id.encode()) >> 1


async def _within_time(call: Call, body: JsonObject) -> ServerCall:
    """Return a request for the tenant's model server that ends when the caller's does.

    Raises:
        UpstreamTimeout: no time is left.
    """
    left_s = call.remaining_s
    if left_s <= 0:
        raise UpstreamTimeout("total", call.trace.spent_s)
    sent = await server_call(call, json_bytes(body))
    return replace(sent, timeouts=sent.timeouts.at_most(left_s))
