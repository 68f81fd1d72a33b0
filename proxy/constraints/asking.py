"""Asks a model server once more, under a constraint where it can take one.

A server of a known kind gets a new seed too: some are started with one that draws the same words
for the same request. A refusal of either costs nothing.
"""

import contextlib
import zlib
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, replace

from policies.schema.sections import Constraint
from proxy.asking import server_call
from proxy.call import Call
from proxy.constraints.capabilities import Capabilities
from proxy.constraints.servers import ServerKind, fields_for, kind_of, may_be_refusal
from proxy.constraints.wanted import Wanted
from proxy.errors import UpstreamError, UpstreamRefused, UpstreamTimeout
from proxy.logs import logger
from proxy.openai_api.answer import Answer
from proxy.openai_api.json_body import JsonObject, read_object
from proxy.openai_api.sse import json_bytes
from proxy.upstream.client import ModelServers
from proxy.upstream.reply import OpenReply
from proxy.upstream.request import ServerCall

log = logger(__name__)

PROBE_S = 2.0


@dataclass(frozen=True)
class ConstrainedServers:
    """The model servers, asked under a constraint.

    Attributes:
        servers: The model servers.
        capabilities: What is known of them.
    """

    servers: ModelServers
    capabilities: Capabilities

    @contextlib.asynccontextmanager
    async def open(
        self, call: Call, body: JsonObject, wanted: Wanted | None
    ) -> AsyncGenerator[OpenReply, None]:
        """Open the reply to a second request, within the time that the request has left.

        Args:
            call: The request under way.
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
                return await stack.enter_async_context(self.servers.open(_within_time(call, asked)))

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

    def check(self, call: Call, wanted: Wanted | None, answers: Iterable[Answer]) -> None:
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
            sent = _within_time(call, {})
            probe = replace(
                sent,
                method="GET",
                url=f"{_address(call)}/models",
                body=b"",
                timeouts=sent.timeouts.at_most(PROBE_S),
            )
            return kind_of(read_object((await self.servers.ask(probe)).body))
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


def _within_time(call: Call, body: JsonObject) -> ServerCall:
    """Return a request for the tenant's model server that ends when the caller's does.

    Raises:
        UpstreamTimeout: no time is left.
    """
    left_s = call.left_s
    if left_s <= 0:
        raise UpstreamTimeout("total", call.trace.spent_s)
    sent = server_call(call, json_bytes(body))
    return replace(sent, timeouts=sent.timeouts.at_most(left_s))
