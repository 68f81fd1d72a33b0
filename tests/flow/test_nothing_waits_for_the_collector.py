"""A request that has ended leaves nothing that only the collector of garbage could free."""

import gc
from collections.abc import Iterator

import pytest

from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream

pytestmark = pytest.mark.asyncio(loop_scope="module")
OURS = ("guards", "policies", "proxy")
REQUESTS = 5
BODY = chat_body(
    "연차휴가는 며칠인가요?",
    [{"section_title": "제15조", "section_content": "연차휴가는 15일이다."}],
)
ANSWERS = ("연차휴가는 15일입니다.", "연차휴가는 25일입니다. 年次有給休暇입니다.")


@pytest.fixture
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.freeze()  # what other tests have left need not be walked through
    gc.disable()
    yield
    gc.set_debug(0)
    gc.garbage.clear()
    gc.unfreeze()
    gc.enable()


@pytest.mark.usefixtures("_no_collector")
async def test_a_request_is_freed_when_it_ends(
    proxy: RunningProxy, upstream: ScriptedUpstream, stream: bool
) -> None:
    async def ask() -> None:
        for answer in ANSWERS:
            upstream.says(answer)
            reply = await proxy.chat(BODY | {"stream": stream})
            await proxy.trace(reply)

    await ask()  # what is made once is made now
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    for _ in range(REQUESTS):
        await ask()
    gc.collect()

    left = [type(one) for one in gc.garbage if type(one).__module__.startswith(OURS)]
    assert len(left) < REQUESTS, left
