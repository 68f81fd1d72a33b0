"""The proxy on a real socket, with policies written for the test."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Protocol

import httpx
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic import JsonValue, SecretStr

from policies.schema.keys import new_key
from proxy.app import connection_limiter, create_app, open_services
from proxy.certificates import trusted
from proxy.openai_api.json_body import JsonObject
from proxy.server.serving import served
from proxy.services import Services
from proxy.settings import Settings
from proxy.traces.recorder import Limits
from proxy.traces.trace import Trace
from tests.fakes.late_headers import with_late_headers

ADMIN_TOKEN = "test-admin-token"
DEADLINE_S = 20.0


class ModelServer(Protocol):
    """Whatever listens where a model server should be."""

    address: str


@dataclass
class RunningProxy:
    """A proxy under test and the tenant that talks to it; `keys` are those of all tenants."""

    address: str
    key: str
    services: Services
    client: httpx.AsyncClient
    keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def sdk(self, tenant: str | None = None) -> AsyncOpenAI:
        """Return the real client, which an app would use; it does not try again by itself."""
        key = self.keys[tenant] if tenant else self.key
        # The certificates of a client of its own take longer to read than most replies.
        client = DefaultAsyncHttpxClient(verify=trusted(None))
        return AsyncOpenAI(base_url=self.base_url, api_key=key, max_retries=0, http_client=client)

    def as_tenant(self, name: str) -> "RunningProxy":
        """Return the proxy as another tenant meets it."""
        return replace(self, key=self.keys[name])

    async def send(
        self,
        content: bytes,
        *,
        tenant: str | None = None,
        path: str = "/v1/chat/completions",
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Post bytes as they are."""
        key = self.keys[tenant] if tenant else self.key
        known = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        reply = await self.client.post(
            f"{self.address}{path}", content=content, headers=known | dict(headers or {})
        )
        return with_late_headers(reply)

    async def chat(
        self, body: Mapping[str, JsonValue], *, key: str | None = None, **headers: str
    ) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        reply = await self.client.post(
            f"{self.base_url}/chat/completions",
            json=dict(body),
            headers={"authorization": f"Bearer {key or self.key}"} | named,
        )
        return with_late_headers(reply)

    async def trace(self, reply: httpx.Response) -> Trace:
        """Return the reply's trace; it is written a moment after the reply."""
        return await self.trace_of(reply.headers["x-guard-request-id"])

    async def trace_of(self, trace_id: str) -> Trace:
        until = time.monotonic() + DEADLINE_S
        while time.monotonic() < until:
            if (trace := await self.services.traces.get(trace_id)) is not None:
                return trace
            await asyncio.sleep(0.01)
        raise AssertionError(f"no trace {trace_id} within {DEADLINE_S} s")


def tenant_yaml(name: str, key_hash: str, upstream: str, more: str = "") -> str:
    """Return a tenant's file; its own `upstream:` section takes the place of the usual one.

    A tenant whose callers bring the model server's own key has no keys of its own.
    """
    keys = "" if "pass_caller_key" in more else f"keys:\n  - {key_hash}\n"
    server = "" if "upstream:" in more else f"upstream:\n  base_url: {upstream}/v1\n"
    return f"extends: default\ntenant: {name}\n{keys}{server}{more}\n"


_defaults = cache(Settings)  # to read the environment takes as long as to read a policy


@asynccontextmanager
async def running_proxy(
    folder: Path,
    upstream: ModelServer,
    policy: str = "",
    *,
    others: Mapping[str, str] | None = None,
    redis_url: str | None = None,
    **settings: object,
) -> AsyncGenerator[RunningProxy, None]:
    """Run a proxy with the tenant ``app``; `policy` is more YAML for its file.

    Args:
        folder: Where its files go.
        upstream: The model server of every tenant that names none.
        policy: More YAML for the file of ``app``.
        others: Further tenants: the YAML of each by its name.
        redis_url: Where traces go; None for the embedded store.
        settings: Settings that differ from the defaults; the dashboard is there if it is wanted,
            as to mount it takes three times as long as to open everything else.
    """
    policies = folder / "policies"
    policies.mkdir(exist_ok=True)
    keys = {}
    for name, more in {"app": policy, **(others or {})}.items():
        keys[name], key_hash = new_key(name)
        text = tenant_yaml(name, key_hash, upstream.address, more)
        (policies / f"{name}.yaml").write_text(text, encoding="utf-8")
    chosen = _defaults().model_copy(
        update={
            "policies": policies,
            "sqlite_path": folder / "traces.sqlite3",
            "redis_url": None if redis_url is None else SecretStr(redis_url),
            "admin_token": SecretStr(ADMIN_TOKEN),
            "dashboard": False,
            **settings,
        }
    )
    async with (
        open_services(chosen, Limits(gather_s=0.0)) as services,
        served(create_app(services), connections=connection_limiter(services)) as address,
        httpx.AsyncClient(verify=trusted(None), timeout=DEADLINE_S) as client,
    ):
        yield RunningProxy(address, keys["app"], services, client, keys)


def chat_body(
    question: str, sources: list[JsonValue] | None = None, **more: JsonValue
) -> JsonObject:
    """Return a request; `sources` are given in the exact channel."""
    body: JsonObject = {"model": "scripted-ko", "messages": [{"role": "user", "content": question}]}
    if sources is not None:
        body["guard"] = {"sources": sources}
    return body | more
