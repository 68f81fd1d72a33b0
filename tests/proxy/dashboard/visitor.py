"""A visitor of the dashboard: keeps cookies, follows nothing, and says where a request is from."""

from types import TracebackType
from typing import Self

import httpx

from tests.fakes.running_proxy import DEADLINE_S


class Visitor:
    def __init__(self, address: str) -> None:
        self.address = address
        self.client = httpx.AsyncClient(base_url=address, timeout=DEADLINE_S)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        await self.client.aclose()

    async def get(self, path: str, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.get(path, headers=named)

    async def send(self, path: str, **form: str) -> httpx.Response:
        """Send a form as a page of the dashboard does."""
        return await self.client.post(path, data=form, headers={"origin": self.address})

    async def sign_in(self, key: str, **form: str) -> httpx.Response:
        return await self.send("/dashboard/login", key=key, **form)
