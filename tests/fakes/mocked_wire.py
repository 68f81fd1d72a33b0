"""Lets respx answer in place of the servers that the proxy asks: ``using=WIRE``."""

import httpx
from respx.mocks import AbstractRequestMocker

WIRE = "wire"


class _Wire(AbstractRequestMocker):
    """Stands where requests leave the proxy; what tests send themselves goes over the network."""

    name = WIRE
    targets = ["proxy.http_client.AiohttpTransport"]  # noqa: RUF012 - respx's own form
    target_methods = ["handle_async_request"]  # noqa: RUF012

    @classmethod
    def to_httpx_request(cls, **kwargs: httpx.Request) -> httpx.Request:
        return kwargs["request"]

    @classmethod
    async def from_async_httpx_response(
        cls, httpx_response: httpx.Response, target: object, **kwargs: httpx.Request
    ) -> httpx.Response:
        return httpx_response
