"""Whole requests: a model server, the proxy and a client, each on a real socket."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.fakes.house import House, open_house
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow import canteen


@pytest.fixture
async def upstream() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as server:
        yield server


@pytest.fixture
async def proxy(tmp_path: Path, upstream: ScriptedUpstream) -> AsyncGenerator[RunningProxy, None]:
    async with running_proxy(tmp_path, upstream) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_house(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[House, None]:
    """One house for all tests of a file, which run in the file's own loop."""
    folder = tmp_path_factory.mktemp("house")
    async with open_house(folder, canteen.TEMPLATES, others=canteen.TENANTS) as house:
        yield house


@pytest.fixture
def house(shared_house: House) -> House:
    return shared_house.tidied()


@pytest.fixture(params=[False, True], ids=["plain", "stream"])
def stream(request: pytest.FixtureRequest) -> bool:
    """Whether to ask for a stream."""
    return bool(request.param)
