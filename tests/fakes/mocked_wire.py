"""Lets respx answer in place of the servers that the proxy asks: ``using=WIRE``."""

from collections.abc import AsyncIterator
from typing import cast

import httpx
from respx.mocks import AbstractRequestMocker

from proxy.http_client import HttpRequest

WIRE = "wire"


class _Reply(httpx.AsyncByteStream):
    """A reply of a mock, as the HTTP client hands out those of servers."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.raw_headers = tuple(response.headers.raw)
        self._response = response
        self._pieces = aiter(cast("httpx.AsyncByteStream", response.stream))

    def has_come(self) -> bool:
        return False  # nobody can know

    async def read(self) -> bytes:
        return await anext(self._pieces, b"")

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces

    async def aclose(self) -> None:
        await self._response.aclose()


class _Wire(AbstractRequestMocker):
    """Stands where requests leave the proxy; what tests send themselves goes over the network."""

    name = WIRE
    targets = ["proxy.http_client.AiohttpTransport"]  # noqa: RUF012 - respx's own form
    target_methods = ["handle_async_request", "send"]  # noqa: RUF012

    @classmethod
    def to_httpx_request(cls, **kwargs: httpx.Request | HttpRequest) -> httpx.Request:
        given = kwargs["request"]
        if isinstance(given, httpx.Request):
            return given
        body = given.body
        assert isinstance(body, bytes)
        headers = [*given.headers.items()]
        return httpx.Request(given.method, str(given.address), headers=headers, content=body)

    @classmethod
    async def from_async_httpx_response(
        cls, httpx_response: httpx.Response, target: object, **kwargs: httpx.Request | HttpRequest
    ) -> httpx.Response | _Reply:
        is_plain = isinstance(kwargs["request"], HttpRequest)
        return _Reply(httpx_response) if is_plain else httpx_response
