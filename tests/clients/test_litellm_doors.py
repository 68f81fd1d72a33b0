"""The litellm SDK at the doors beside chat: responses and completions."""

import pytest

from tests.clients.door_server import DoorHouse
from tests.clients.litellm_process import LiteLlm
from tests.flow.canteen import CHINESE, CLEAN, LANGUAGE_TEMPLATE, STILL_CHINESE

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("case", ["response", "completion"])
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(CLEAN, CLEAN, CLEAN, id="passed"),
        pytest.param(CHINESE, CLEAN, CLEAN, id="asked-again"),
        pytest.param(CHINESE, STILL_CHINESE, LANGUAGE_TEMPLATE, id="replaced"),
    ],
)
async def test_an_answer_plain_and_streamed(
    doors: DoorHouse, litellm: LiteLlm, case: str, first: str, second: str, expected: str
) -> None:
    doors.server.says(first, second)

    printed = await litellm.run(case, doors.proxy)

    assert printed == {"plain": expected, "streamed": expected}
