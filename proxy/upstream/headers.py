"""Headers and encodings between a client, this hop and a model server."""

from collections.abc import AsyncIterator, Mapping
from functools import lru_cache

import httpx

# Hop-by-hop headers (RFC 9110, section 7.6.1) and those that this hop sets itself.
_NOT_SENT = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    "transfer-encoding upgrade host content-length content-encoding accept-encoding cookie "
    "authorization expect forwarded x-real-ip "
    # By these some servers take another path or method than the one that was asked for.
    "x-original-url x-rewrite-url x-http-method x-http-method-override x-method-override".split()
)
_NOT_RETURNED = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    "transfer-encoding upgrade content-length content-encoding content-type set-cookie server "
    "date alt-svc www-authenticate".split()
)
# Nor do credentials and accounts of the caller's own travel beside the operator's key.
_NOT_SENT_WITH_OUR_KEY = _NOT_SENT | {
    "api-key",
    "x-api-key",
    "openai-organization",
    "openai-project",
}
# Of our own, and of other proxies.
_OF_HOPS = ("x-guard-", "x-forwarded-")
_LONGEST_KNOWN = 64
"""Of names that are read once: those of most requests are the same few."""


def sent_headers(headers: Mapping[str, str], *, key_is_ours: bool = False) -> dict[str, str]:
    """Return the caller's headers that go on to the model server, by names in lower case."""
    return _without(_NOT_SENT_WITH_OUR_KEY if key_is_ours else _NOT_SENT, headers)


def returned_headers(headers: httpx.Headers) -> dict[str, str]:
    """Return the model server's headers that go back to the caller, request ids among them."""
    headers.encoding = "latin-1"  # as the web server will write them
    return _without(_NOT_RETURNED, headers)


def is_idempotency_key(name: str) -> bool:
    """Tell whether a header names the request so that a server answers it once only."""
    return _usual(name.lower()) == "idempotency-key"


def _without(dropped: frozenset[str], headers: Mapping[str, str]) -> dict[str, str]:
    """Leave out headers of this hop, also those that `Connection` names."""
    named = headers.get("connection")
    also = {_usual(name.strip().lower()) for name in named.split(",")} if named else ()
    return {
        name: value
        for given, value in headers.items()
        if (name := _kept_name(given, dropped)) is not None and _usual(name) not in also
    }


def _kept_name(name: str, dropped: frozenset[str]) -> str | None:
    """Return the name of a header in lower case; None if it is left out."""
    return _known_name(name, dropped) if len(name) <= _LONGEST_KNOWN else _read_name(name, dropped)


def _read_name(name: str, dropped: frozenset[str]) -> str | None:
    lower = name.lower()
    usual = _usual(lower)
    return None if usual in dropped or usual.startswith(_OF_HOPS) else lower


_known_name = lru_cache(1024)(_read_name)


def _usual(name: str) -> str:
    return name.replace("_", "-")  # some servers take one for the other


ENCODINGS = ("gzip", "deflate")
"""What is read here: nothing of which a few bytes could hold gigabytes.

Neither of these holds more than about a thousand bytes in one.
"""
_AT_ONCE_BYTES = 4 * 1024


class Sliced(httpx.AsyncByteStream):
    """A body in small pieces, so that none of them is large when it is decoded."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces."""
        async for piece in self._stream:
            for start in range(0, len(piece), _AT_ONCE_BYTES):
                yield piece[start : start + _AT_ONCE_BYTES]

    async def aclose(self) -> None:
        """Close the body."""
        await self._stream.aclose()


def encodings_of(header: str) -> list[str]:
    """Return what a ``content-encoding`` header names, one within the other."""
    used = (name.strip().lower() for name in header.split(","))
    return [name for name in used if name not in ("", "identity")]
