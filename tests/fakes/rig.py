"""A proxy between two model servers: one that plays a script, one that sends raw bytes."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.raw_upstream import RawUpstream
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream

RAW = "<raw>"
"""In the YAML of a tenant: the address of the server that sends raw bytes."""


class Rig:
    def __init__(self, proxy: RunningProxy, scripted: ScriptedUpstream, raw: RawUpstream) -> None:
        self.proxy = proxy
        self.scripted = scripted
        self.raw = raw

    def tidied(self) -> "Rig":
        """Forget what earlier tests asked."""
        self.scripted.requests.clear()
        self.raw.requests.clear()
        self.raw.hung_up.clear()
        return self


@asynccontextmanager
async def open_rig(
    folder: Path,
    policy: str = "",
    *,
    others: Mapping[str, str] | None = None,
    **settings: object,
) -> AsyncGenerator[Rig, None]:
    """Run all three; tenants that name no model server get the scripted one."""
    async with ScriptedUpstream().running() as scripted, RawUpstream().running() as raw:
        placed = {name: more.replace(RAW, raw.address) for name, more in (others or {}).items()}
        policy = policy.replace(RAW, raw.address)
        async with running_proxy(
            folder, scripted, policy, others=placed, redis_url=None, **settings
        ) as proxy:
            yield Rig(proxy, scripted, raw)


def upstream_yaml(address: str, *lines: str) -> str:
    """Return the section that names a tenant's model server."""
    return "\n".join(["upstream:", f"  base_url: {address}/v1", *(f"  {line}" for line in lines)])
