"""Whole requests: a model server, the proxy and a client, each on a real socket."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial

import pytest
import pytest_asyncio

from proxy.server.serving import loop_factory
from tests.fakes.house import House, open_house
from tests.fakes.paced_upstream import PacedUpstream
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow import canteen
from tests.flow.passing import Both, open_both

CANTEEN = partial(open_house, policy=canteen.TEMPLATES, others=canteen.TENANTS)


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
    return shared_upstream.reset()


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
async def shared_house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[House, None]:
    """One house for all tests of a file, which may name another than the canteen: `HOUSE`."""
    open_it = getattr(request.module, "HOUSE", CANTEEN)
    async with open_it(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest.fixture
def house(shared_house: House) -> House:
    return shared_house.tidied()


@pytest.fixture
def model(house: House) -> PacedUpstream:
    """The model server of the house that sends raw bytes, at the pace that a test sets."""
    return PacedUpstream(house.raw)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Both, None]:
    """A proxy that hands much through, and its model server."""
    async with open_both(tmp_path_factory.mktemp("passing")) as opened:
        yield opened


@pytest.fixture(params=[False, True], ids=["plain", "stream"])
def stream(request: pytest.FixtureRequest) -> bool:
    """Whether to ask for a stream."""
    return bool(request.param)
