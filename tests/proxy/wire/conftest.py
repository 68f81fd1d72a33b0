"""Everything about the wire holds on both event loops."""

import asyncio
from collections.abc import Callable, Mapping

import pytest

from proxy.server.serving import loop_factory


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"asyncio": asyncio.new_event_loop, "uvloop": loop_factory()}
