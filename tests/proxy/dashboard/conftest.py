"""The dashboard over a real socket, without a browser."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.proxy.dashboard.visitor import Visitor


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RunningProxy, None]:
    """A proxy with the tenants ``app`` and ``other``, for all tests of a file."""
    folder = tmp_path_factory.mktemp("desk")
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(folder, upstream, others={"other": ""}, dashboard=True) as running,
    ):
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def visitor(proxy: RunningProxy) -> AsyncGenerator[Visitor, None]:
    """Somebody with a browser's manners and cookies of his own."""
    async with Visitor(proxy.address) as arrived:
        yield arrived
