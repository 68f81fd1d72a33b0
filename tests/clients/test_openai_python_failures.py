"""The `openai` package for Python: what it raises, tries again, and ends by leaving."""

import asyncio

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from proxy.demo import MODEL
from tests.clients.scripts import LIMITED, RETRY_AFTER_S, FallsSilent, RefusesOnce, breaks_off
from tests.fakes.rig import Rig
from tests.fakes.running_proxy import DEADLINE_S
from tests.flow.canteen import CLEAN, QUESTION

ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "stream"])
async def test_a_limited_rate_is_told(rig: Rig, streamed: bool) -> None:
    RefusesOnce(rig.raw, always=True)

    async with rig.proxy.sdk("raw") as client:
        with pytest.raises(openai.RateLimitError) as caught:
            await client.chat.completions.create(model=MODEL, messages=ASKED, stream=streamed)

    assert caught.value.body == LIMITED["error"]
    assert caught.value.response.headers["retry-after"] == str(RETRY_AFTER_S)


async def test_a_limited_rate_is_waited_out(rig: Rig) -> None:
    refusing = RefusesOnce(rig.raw)

    async with rig.proxy.sdk("raw").with_options(max_retries=2) as client:
        reply = await client.chat.completions.create(model=MODEL, messages=ASKED)

    first_s, second_s = refusing.asked_s
    assert second_s - first_s >= RETRY_AFTER_S
    assert reply.choices[0].message.content == CLEAN
    counts = [request.values("x-stainless-retry-count") for request in rig.raw.requests]
    assert counts == [["0"], ["1"]]


async def test_an_unknown_key_is_an_authentication_error(rig: Rig) -> None:
    async with openai.AsyncOpenAI(base_url=rig.proxy.base_url, api_key="gp-nobody") as client:
        with pytest.raises(openai.AuthenticationError) as caught:
            await client.chat.completions.create(model=MODEL, messages=ASKED)

    assert caught.value.code == "invalid_api_key"


async def test_a_stream_that_breaks_off_is_an_error(rig: Rig) -> None:
    rig.raw.act = breaks_off

    async with rig.proxy.sdk("raw") as client:
        with pytest.raises(openai.APIError):
            async for _ in await client.chat.completions.create(
                model=MODEL, messages=ASKED, stream=True
            ):
                pass


# Clients that leave.


async def test_a_client_that_runs_out_of_patience_ends_the_models_work(rig: Rig) -> None:
    rig.raw.act = lambda talk: talk.hang()

    async with asyncio.timeout(DEADLINE_S), rig.proxy.sdk("raw") as client:
        with pytest.raises(openai.APITimeoutError):
            await client.chat.completions.create(model=MODEL, messages=ASKED, timeout=0.2)
        await rig.raw.hung_up.wait()


async def test_cancelling_the_reading_of_a_stream_ends_the_models_work(rig: Rig) -> None:
    silent = FallsSilent(rig.raw)

    async def read() -> None:
        async for _ in await client.chat.completions.create(
            model=MODEL, messages=ASKED, stream=True
        ):
            pass

    async with asyncio.timeout(DEADLINE_S), rig.proxy.sdk("raw") as client:
        reading = asyncio.create_task(read())
        await silent.spoken.wait()
        reading.cancel()
        await rig.raw.hung_up.wait()
        with pytest.raises(asyncio.CancelledError):
            await reading


async def test_leaving_the_block_of_a_stream_ends_the_models_work(rig: Rig) -> None:
    silent = FallsSilent(rig.raw)

    def use() -> None:
        with (
            openai.OpenAI(base_url=rig.proxy.base_url, api_key=key, max_retries=0) as client,
            client.chat.completions.create(model=MODEL, messages=ASKED, stream=True),
        ):
            asyncio.run_coroutine_threadsafe(silent.spoken.wait(), loop).result(DEADLINE_S)

    key = rig.proxy.keys["raw"]
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(DEADLINE_S):
        await asyncio.to_thread(use)
        await rig.raw.hung_up.wait()
