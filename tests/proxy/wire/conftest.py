"""Everything about the wire is tried on the event loop that the service runs on."""

import asyncio
from collections.abc import Callable, Mapping

import pytest

from proxy.server.serving import loop_factory


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"uvloop": loop_factory()}
