"""Opinions of a judge: asked for in time."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager

import httpx
import pytest
from structlog.testing import capture_logs

from policies.judging.judge import JudgeFailure, Opinions
from policies.schema.sections import BreakerRules
from proxy.judge.book import (
    Breaker,
    BreakerState,
    HttpJudge,
)
from proxy.judge.chat import ChatJudge
from proxy.judge.server import JudgeServer
from tests.fakes.fake_judge import opinions_json
from tests.fakes.virtual_time import in_virtual_time
from tests.policies.courses import NO_REFUND
from tests.proxy.judge.asking import ASKED, BASE_URL
from tests.tables import each_row

Handler = Callable[[httpx.Request], Coroutine[None, None, httpx.Response]]
GOOD = opinions_json("contradictory", NO_REFUND)


def answers(content: str = GOOD, *, after_s: float = 0.0, status: int = 200) -> Handler:
    async def handler(request: httpx.Request) -> httpx.Response:
        del request
        await asyncio.sleep(after_s)
        body = {"choices": [{"message": {"content": content}}]}
        return httpx.Response(status, content=json.dumps(body).encode())

    return handler


async def no_completion(request: httpx.Request) -> httpx.Response:
    del request
    return httpx.Response(200, content=b"<html>")


@asynccontextmanager
async def judge(handler: Handler) -> AsyncGenerator[HttpJudge, None]:
    loop = asyncio.get_running_loop()
    async with httpx.AsyncClient(transport=httpx.MockTransport(handler), timeout=None) as client:
        yield HttpJudge(
            "app",
            ChatJudge("judge-ko", lambda: "word"),
            JudgeServer(client, BASE_URL, None),
            Breaker(BreakerRules(), loop.time, lambda: 0.0),
            fair_s=3.0,
        )


OPENS = [
    pytest.param(answers(after_s=3.1), 3.0, BreakerState.OPEN, id="hangs"),
    pytest.param(no_completion, 3.0, BreakerState.OPEN, id="no-completion"),
    pytest.param(answers("평가할 수 없습니다."), 3.0, BreakerState.CLOSED, id="declines"),
    pytest.param(answers(GOOD[:-20]), 3.0, BreakerState.CLOSED, id="cut-short"),
    pytest.param(answers(status=500), 3.0, BreakerState.OPEN, id="broken"),
    pytest.param(answers(status=400), 3.0, BreakerState.CLOSED, id="malformed-question"),
    pytest.param(answers(status=413), 3.0, BreakerState.CLOSED, id="too-large-question"),
    pytest.param(answers(after_s=1.0), 0.5, BreakerState.CLOSED, id="hurried-by-the-request"),
    pytest.param(answers(), 3.0, BreakerState.CLOSED, id="well"),
]


@each_row("handler, within_s, state", OPENS)
def test_only_what_is_the_backends_fault_opens_the_breaker(
    handler: Handler, within_s: float, state: BreakerState
) -> None:
    async def five_times() -> BreakerState:
        async with judge(handler) as asked:
            for _ in range(5):
                await asked.opinions(ASKED, within_s)
            return asked.state

    assert in_virtual_time(five_times()) is state


def test_a_client_that_leaves_frees_the_probe() -> None:
    async def leaves() -> tuple[BreakerState, Opinions | JudgeFailure]:
        delays = iter([*([9.0] * 5), 2.0, 0.0])

        async def handler(request: httpx.Request) -> httpx.Response:
            return await answers(after_s=next(delays))(request)

        async with judge(handler) as asked:
            for _ in range(5):
                await asked.opinions(ASKED, 3.0)
            await asyncio.sleep(15)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(asked.opinions(ASKED, 3.0), 1.0)
            state = asked.state
            return state, await asked.opinions(ASKED, 3.0)

    state, said = in_virtual_time(leaves())

    assert state is BreakerState.HALF_OPEN
    assert isinstance(said, Opinions)


def test_leaving_it_alone_and_its_return_are_logged() -> None:
    async def falls_ill_and_recovers() -> None:
        replies = iter([*[answers(status=500)] * 5, answers()])

        async def handler(request: httpx.Request) -> httpx.Response:
            return await next(replies)(request)

        async with judge(handler) as asked:
            for _ in range(5):
                await asked.opinions(ASKED, 3.0)
            await asyncio.sleep(15)
            await asked.opinions(ASKED, 3.0)

    with capture_logs() as lines:
        in_virtual_time(falls_ill_and_recovers())

    assert [(line["event"], line["tenant"]) for line in lines] == [
        ("judge.left_alone", "app"),
        ("judge.back", "app"),
    ]
