"""Whole requests: a model server, the proxy and a client, each on a real socket."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream


@pytest.fixture
async def upstream() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as server:
        yield server


@pytest.fixture
async def proxy(tmp_path: Path, upstream: ScriptedUpstream) -> AsyncGenerator[RunningProxy, None]:
    async with running_proxy(tmp_path, upstream) as running:
        yield running
