"""A reply of a model server: its body in time and in size, and the errors that its status means."""

import asyncio
import sys
from collections.abc import AsyncIterable, AsyncIterator
from functools import cached_property
from types import TracebackType
from typing import cast

import httpx

from policies.schema.sections import Timeouts
from proxy.errors import (
    UpstreamBroken,
    UpstreamError,
    UpstreamRefused,
    UpstreamRejectedKey,
    UpstreamTimeout,
)
from proxy.openai_api.json_body import member, read_object
from proxy.upstream.request import ENCODINGS, Sliced, Terms, encodings_of, returned_headers


class Deadline:
    """The time limits of one exchange: for its first byte, between two pieces, and in all.

    Within the block the task is cancelled when a limit is passed, and the block ends with
    `UpstreamTimeout`. There is one timer for everything, which looks now and then: a timer for each
    piece of a stream would cost more than reading it.
    """

    def __init__(self, timeouts: Timeouts) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeouts = timeouts
        self._scope = asyncio.timeout(None)
        self._ends_at = self._loop.time() + timeouts.total_s
        self._phase, self._limit_s = "first byte", timeouts.first_byte_s
        self._waits_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> "Deadline":
        """Wait for the first byte from now on."""
        await self._scope.__aenter__()
        self.wait()
        self._look()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the wait.

        Raises:
            UpstreamTimeout: it took too long.
        """
        if self._timer is not None:
            self._timer.cancel()
        try:
            await self._scope.__aexit__(kind, error, trace)
        except TimeoutError as late:
            raise UpstreamTimeout(self._phase, self._limit_s) from late

    def begun(self) -> None:
        """Note that the reply has begun: from now on the limit is that between two pieces."""
        self._phase, self._limit_s = "idle", self._timeouts.idle_s
        self.rest()

    def wait(self) -> None:
        """Note that the next piece is waited for."""
        self._waits_since = self._loop.time()

    def rest(self) -> None:
        """Note that nothing is waited for: what was read is being worked on."""
        self._waits_since = None

    def _look(self) -> None:
        """End the block if it took too long; else look again when it might have."""
        now = self._loop.time()
        since = now if self._waits_since is None else self._waits_since
        due = min(since + self._limit_s, self._ends_at)
        if due > now:
            # So that the limit between two pieces takes no timer of its own.
            self._timer = self._loop.call_at(min(due, now + self._timeouts.idle_s), self._look)
            return
        if due == self._ends_at:
            self._phase, self._limit_s = "total", self._timeouts.total_s
        self._scope.reschedule(now)


_NOT_MODIFIED = 304
_MOST_STATUS = 599
_LONGEST_ERROR_BYTES = 64 * 1024


class OpenReply:
    """A reply whose body is still on its way; the body is read once.

    Args:
        response: The reply as it came; its status is below 400.
        patience: The time limits within which its body is waited for.
        most_bytes: The largest body that is read.

    Attributes:
        response: The reply as it came.
    """

    def __init__(self, response: httpx.Response, patience: Deadline, most_bytes: int) -> None:
        response.headers.encoding = "latin-1"  # as the web server will write them
        self.response = response
        self._patience = patience
        self._most_bytes = most_bytes

    @cached_property
    def headers(self) -> dict[str, str]:
        """The headers that may go to the caller."""
        return returned_headers(self.response.headers)

    @property
    def content_type(self) -> str:
        """Type of the body, as the reply says."""
        said: str = self.response.headers.get("content-type", "")
        return said

    @property
    def pieces(self) -> AsyncIterator[bytes]:
        """The body, decoded, each piece within the idle timeout.

        Raises:
            UpstreamBroken: it is larger than it may be, or in an encoding that nobody asked for.
        """
        return self.decoded(self._most_bytes)

    def encoded(self) -> AsyncIterator[bytes]:
        """Yield the body as it came, each piece within the idle timeout."""
        return self._timely(self._stream, sys.maxsize)

    def decoded(self, most_bytes: int) -> AsyncIterator[bytes]:
        """Yield the body, each piece within the idle timeout.

        Raises:
            UpstreamBroken: it is larger than it may be, or in an encoding that nobody asked for.
        """
        used = encodings_of(self.response.headers.get("content-encoding", ""))
        if not used:
            return self._timely(self._stream, most_bytes)
        # One within another could come out a million times as large.
        if len(used) > 1 or used[0] not in ENCODINGS:
            raise UpstreamBroken("its content encoding is not one that was asked for")
        self.response.stream = Sliced(self._stream)
        return self._timely(self.response.aiter_bytes(), most_bytes)

    def has_come(self) -> bool:
        """Tell whether all of the body has come; False if nobody can know."""
        tell = self.response.extensions.get("has_come")
        return tell is not None and tell()

    @property
    def _stream(self) -> httpx.AsyncByteStream:
        return cast("httpx.AsyncByteStream", self.response.stream)

    async def _timely(self, pieces: AsyncIterable[bytes], most_bytes: int) -> AsyncIterator[bytes]:
        size = 0
        self._patience.wait()
        async for piece in pieces:
            self._patience.rest()
            size += len(piece)
            if size > most_bytes:
                raise UpstreamBroken(f"it is larger than {most_bytes} bytes")
            yield piece
            self._patience.wait()
        self._patience.rest()


async def read_whole(reply: OpenReply) -> bytes:
    """Return the whole body of a reply, decoded.

    Raises:
        UpstreamError: it failed on the way.
    """
    return b"".join([piece async for piece in reply.pieces])


async def check_status(opened: OpenReply, terms: Terms) -> None:
    """Let only a reply through that a caller may get.

    Raises:
        UpstreamError: it is an error of the model server's, or none that was asked for.
    """
    status = opened.response.status_code
    if status > _MOST_STATUS:
        raise UpstreamBroken(f"its status is none ({status})")
    if status >= 400:
        raise await _refusal(opened, terms)
    if status >= 300 and status != _NOT_MODIFIED:
        # A client that followed would leave the proxy behind, its key in hand.
        raise UpstreamBroken(f"it redirects ({status})")
    if status < 200:
        raise UpstreamBroken(f"it changes the protocol ({status})")


async def _refusal(opened: OpenReply, terms: Terms) -> UpstreamError:
    """Return the error that an error status of the model server becomes."""
    status = opened.response.status_code
    if status in (401, 403) and terms.key_is_ours:
        return UpstreamRejectedKey()
    body = await _error_object(opened, terms) if status < 500 else None
    return UpstreamRefused(status, body, returned_headers(opened.response.headers))


async def _error_object(opened: OpenReply, terms: Terms) -> bytes | None:
    """Return the model server's own OpenAI error object without our key, or None."""
    try:
        raw = b"".join([piece async for piece in opened.decoded(_LONGEST_ERROR_BYTES)])
    except UpstreamBroken:
        return None
    if terms.key and terms.key_is_ours:
        raw = raw.replace(terms.key.encode(), b"***")
    try:
        is_error = isinstance(member(member(read_object(raw), "error"), "message"), str)
    except ValueError:
        return None
    return raw if is_error else None
