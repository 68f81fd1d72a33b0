"""What the tests of deployments share."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.deploy.front import why_no_nginx
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream

# What cannot run here is left out; what the suite says about it at its end is in the top folder.
collect_ignore_glob = ["test_nginx*.py"] if why_no_nginx() else []


@pytest.fixture
async def proxy(tmp_path: Path) -> AsyncGenerator[RunningProxy, None]:
    """The proxy, with a model server that says yes."""
    async with ScriptedUpstream().running() as upstream, running_proxy(tmp_path, upstream) as proxy:
        yield proxy
