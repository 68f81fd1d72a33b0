"""What went wrong on the wire, in httpx's words."""

import ssl
from typing import NoReturn

import aiohttp
import httpx


class StaleConnection(httpx.ReadError):
    """A connection that was idle before had been closed by the server when it was used again."""


class NotSecured(httpx.ConnectError):
    """There is no secure connection: nobody vouches for the server, or no rules were agreed on.

    Its words are for the operator: the server's name may be in them.
    """


def raise_as_httpx(error: Exception) -> NoReturn:
    """Raise the error of httpx that says the same as one of aiohttp's or the system's."""
    raise _as_httpx(error) from error


def _as_httpx(error: Exception) -> httpx.TransportError:
    """Return the error of httpx that says the same; no address and no byte of a reply is in it.

    But for `NotSecured`, which says for which server a certificate is not.
    """
    name = type(error).__name__
    match error:
        case TimeoutError():
            return httpx.ConnectTimeout(name)
        case aiohttp.ClientSSLError():
            return NotSecured(_why_not_secured(error.os_error))
        case aiohttp.ClientConnectorError():
            return httpx.ConnectError(name)
        case aiohttp.InvalidURL():
            return httpx.UnsupportedProtocol(name)
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return httpx.RemoteProtocolError(name)
        case aiohttp.ClientError() | OSError():
            return httpx.ReadError(name)
        case _:
            return httpx.LocalProtocolError(name)


def _why_not_secured(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate verify failed: {error.verify_message}"
    return f"TLS failed: {getattr(error, 'reason', None) or type(error).__name__}"
