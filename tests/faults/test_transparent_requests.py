"""Transparent: what is not guarded passes unchanged.

Unknown fields, big integers and 1.0 exact, query strings, multi-value headers; hop-by-hop headers
and those that Connection lists are dropped.
"""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.fakes.raw_upstream import RawRequest
from tests.faults.wire import CHAT, DOORS, MODEL_DOORS, Wire, body_of, open_wire
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[Wire, None]:
    async with open_wire(tmp_path_factory.mktemp("wire")) as opened:
        yield opened


@pytest.fixture
def wire(shared: Wire) -> Wire:
    return shared.tidied()


def target_of(asked: RawRequest) -> str:
    return asked.line.split(" ")[1]


QUERIES = [
    b"?api-version=2024-10-21",
    b"?a=%2F%2f%3F&b=+&c=%00%0d%0a",
    b"?",
    b"??&&==;#",
    b"?a=1&a=2&A=3",
    b"?" + b"q" * 8000,
]


@each_row("door", MODEL_DOORS)
@each_row("query", QUERIES)
async def test_the_query_of_a_guarded_door_travels_as_it_is(
    wire: Wire, door: str, query: bytes
) -> None:
    path = DOORS[door][0]

    await wire.ask(path + query, body_of(door))

    [asked] = wire.sent
    assert target_of(asked) == (path + query).decode().removesuffix("?")


async def test_the_media_type_of_what_was_guarded_is_the_one_that_is_sent(
    wire: Wire,
) -> None:
    await wire.ask(DOORS["chat"][0], CHAT, content_type=b'Application/JSON; Charset="UTF-8"; v=1')

    [asked] = wire.sent
    assert asked.values("content-type") == ["application/json"]
