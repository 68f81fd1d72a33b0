"""Whole requests: a model server, the proxy and a client, each on a real socket."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial

import pytest
import pytest_asyncio

from proxy.server.serving import loop_factory
from tests.fakes.paced_upstream import PacedUpstream
from tests.fakes.rig import Rig, open_rig
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow import canteen
from tests.flow.passing import Both, open_both

CANTEEN = partial(open_rig, policy=canteen.TEMPLATES, others=canteen.TENANTS)


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Run whole requests on the event loop that the service runs on."""
    return {"uvloop": loop_factory()}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_upstream() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as server:
        yield server


@pytest.fixture
def upstream(shared_upstream: ScriptedUpstream) -> ScriptedUpstream:
    """The model server of all tests of a file, which has heard nothing yet."""
    return shared_upstream.tidied()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_proxy(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    shared_upstream: ScriptedUpstream,
) -> AsyncGenerator[RunningProxy, None]:
    """One proxy for all tests of a file, which names its policies: `POLICY` and `TENANTS`."""
    policy = getattr(request.module, "POLICY", "")
    others = getattr(request.module, "TENANTS", None)
    folder = tmp_path_factory.mktemp("proxy")
    async with running_proxy(folder, shared_upstream, policy, others=others) as running:
        yield running


@pytest.fixture
def proxy(shared_proxy: RunningProxy, upstream: ScriptedUpstream) -> RunningProxy:
    return shared_proxy


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_rig(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Rig, None]:
    """One rig for all tests of a file, which may name another than the canteen: `RIG`."""
    open_it = getattr(request.module, "RIG", CANTEEN)
    async with open_it(tmp_path_factory.mktemp("rig")) as rig:
        yield rig


@pytest.fixture
def rig(shared_rig: Rig) -> Rig:
    return shared_rig.tidied()


@pytest.fixture
def model(rig: Rig) -> PacedUpstream:
    """The model server of the rig that sends raw bytes, at the pace that a test sets."""
    return PacedUpstream(rig.raw)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Both, None]:
    """A proxy that hands much through, and its model server."""
    async with open_both(tmp_path_factory.mktemp("passing")) as opened:
        yield opened


@pytest.fixture(params=[False, True], ids=["plain", "stream"])
def stream(request: pytest.FixtureRequest) -> bool:
    """Whether to ask for a stream."""
    return bool(request.param)
