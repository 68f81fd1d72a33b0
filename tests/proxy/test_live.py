"""A stream that leaves through the gate says what a plain reply says, once."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import JsonValue

from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import said

SOURCES: list[JsonValue] = [
    {
        "section_title": "물빛마루 이용 안내",
        "section_content": "물빛마루 대관료는 1시간에 35,000원입니다. 예약은 이용일 3일 전까지 "
        "누리집에서 받습니다. 주차료는 하루 2,000원입니다.",
    },
    {
        "section_title": "물빛마루 운영 규정",
        "section_content": "정원은 24명입니다. 보증금은 50,000원입니다. 음향 장비는 무료로 빌릴 "
        "수 있습니다.",
    },
]
ASKED = chat_body("물빛마루 대관료와 예약, 보증금을 알려 주세요.", SOURCES)
FEE = "물빛마루 대관료는 1시간에 35,000원입니다"
BOOKING = "예약은 이용일 3일 전까지 누리집에서 받습니다"
DEPOSIT = "보증금은 50,000원입니다"
SOURCES_HEADING = "### References"
CALL = "문의는 02-7777-1234로 하시면 됩니다"

ANSWERS = (
    f"{FEE}[1]. {BOOKING}[1]. {DEPOSIT}[2].",
    f"{FEE}[1][9]. {BOOKING}[1]. {DEPOSIT}[2].",
    f"{FEE}[1]. {BOOKING}[9]. {DEPOSIT}[2].",
    f"{FEE}[1]. {CALL}. {BOOKING}[1]. {DEPOSIT}[2].",
    f"{FEE}.\n\n1. {BOOKING}.\n2. {CALL}.\n3. {DEPOSIT}.\n",
)
"""A true one, two with a mark that names no source, two with a wrong sentence."""


@pytest_asyncio.fixture
async def upstream() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as server:
        yield server


async def said_both_ways(proxy: RunningProxy, upstream: ScriptedUpstream, answer: str) -> list[str]:
    upstream.says(answer)
    return [said(await proxy.chat(ASKED | {"stream": stream})) for stream in (False, True)]


@pytest.mark.parametrize("listed", ["own", "always"])
@pytest.mark.parametrize("mode", ["gate", "buffer"])
async def test_a_stream_says_what_a_plain_reply_says(
    tmp_path: Path, upstream: ScriptedUpstream, mode: str, listed: str
) -> None:
    policy = f"stream: {{mode: {mode}}}\ncitations: {{references: {listed}}}\n"

    async with running_proxy(tmp_path, upstream, policy) as proxy:
        for answer in ANSWERS:
            plain, streamed = await said_both_ways(proxy, upstream, answer)

            assert streamed == plain
            assert [plain.count(said) for said in (FEE, BOOKING, DEPOSIT)] == [1, 1, 1]
            assert not any(wrong in plain for wrong in (CALL, "[9]"))
            body, _, references = plain.partition(SOURCES_HEADING)
            assert DEPOSIT in body
            assert bool(references) is (listed == "always" and "[1]" in answer)


@pytest.mark.parametrize("listed", ["own", "always"])
async def test_what_is_only_watched_leaves_once_and_as_it_came(
    tmp_path: Path, upstream: ScriptedUpstream, listed: str
) -> None:
    policy = f"stream: {{mode: monitor}}\ncitations: {{references: {listed}}}\n"

    async with running_proxy(tmp_path, upstream, policy) as proxy:
        for answer in ANSWERS:
            assert await said_both_ways(proxy, upstream, answer) == [answer, answer]
