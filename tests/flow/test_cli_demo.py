"""`guard-proxy demo`: its tour, what it shows of it, and how it ends."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from io import StringIO
from pathlib import Path

import httpx
import pytest
from rich.cells import cell_len
from rich.console import Console

from policies.schema.policy import Action
from proxy.cli.demo import MISSED, Stop, says, the_tour, tour_page
from proxy.cli.demo import TYPED as TYPED_IN_THE_DEMO
from proxy.golden.results import TurnResult
from tests.fakes.command import DEADLINE_S, run_process, running
from tests.fakes.warm_start import COMMAND
from tests.tables import each_row

CASES = the_tour().cases


def test_demo_plays_its_tour_and_leaves_nothing_behind(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "demo", "--once")

    assert ended.status == 0, ended
    missed = [case for case in CASES if case.category == MISSED]
    assert ended.out.count("✓") == len(CASES) - len(missed)
    assert ended.out.count("│ △") == len(missed) > 0
    for action in Action:
        rows = sum(case.expected_action == (action,) for case in CASES)
        assert ended.out.count(f"│ {action.value} ") == rows
    assert f"{len(CASES)} of {len(CASES)} as expected." in ended.out
    shown = " ".join(ended.out.split())
    for case in missed:
        assert " ".join(case.about.split()) in shown
    assert _inside(tmp_path) == []


TYPED = {
    "연차휴가는 며칠인가요?": "15일",
    TYPED_IN_THE_DEMO: "15일",
    "연차 휴가가 며칠이에요": "15일",
    "국내출장 가면 일비가 얼마예요?": "일비 3만원",
    "출장 영수증을 며칠 안에 내야 하나요?": "[†2]",
    "연차휴가 신청 어떻게 해요?": "소속 팀장에게 신청서를",
    "연차 며칠 쓸 수 있어요?": "15일",
    "연차 신청하는 방법 알려 주세요": "소속 팀장에게 신청서를",
    "국내로 출장 가면 일비를 얼마 받나요?": "일비 3만원",
    "영수증 며칠 내로 내야 돼요?": "[†2]",
    "일비는 누가 받나요?": "정규직",
    "국내 출장 일비 대상자는?": "정규직",
    "일비는 계약직도 받나요?": "정규직",
    "연차는 몇 조에 있나요?": "조항을 자료에서 확인하지 못해",
    "주차비는 얼마인가요?": "제공된 자료에서 확인되지 않습니다.",
    "회의실 예약은 어떻게 하나요?": "제공된 자료에서 확인되지 않습니다.",
}
"""Questions of the tour in somebody's own words, and what their answers hold."""


def test_demo_says_which_rows_came_out_wrong_and_ends_with_one(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "demo", "--once", max_reply_bytes="1")

    assert ended.status == 1, ended
    # Two cases are answered without the model, so that replies too large to hold change nothing.
    assert f"2 of {len(CASES)} as expected." in ended.out
    assert "clean, streamed: status 502" in ended.err


async def answer_as_they_are_typed(client: httpx.AsyncClient, url: str, key: str) -> None:
    headers = {"authorization": f"Bearer {key}"}
    for typed, words in TYPED.items():
        body = {"model": "any", "messages": [{"role": "user", "content": typed}]}
        reply = await client.post(f"{url}/chat/completions", json=body, headers=headers)
        answer = reply.json()["choices"][0]["message"]["content"]
        assert words in answer, (typed, answer)

    # An app's own sources are not added to.
    own = {"role": "system", "content": "<context>\n</context>"}
    body = {"model": "any", "messages": [own, {"role": "user", "content": CASES[-1].query}]}
    reply = await client.post(f"{url}/chat/completions", json=body, headers=headers)
    assert reply.headers["x-guard-reasons"] == "answerability.empty_context"

    address = url.removesuffix("/v1")
    await client.post(f"{address}/dashboard/login", data={"key": key}, headers={"origin": address})
    page = await client.get(f"{address}/dashboard/playground")
    assert all(one.title in page.text for one in the_tour().passages.values())


async def test_demo_keeps_serving_until_ctrl_c_and_leaves_nothing_behind_at_a_second_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    async with running(tmp_path, "demo") as demo, httpx.AsyncClient(timeout=DEADLINE_S) as client:
        exported = await demo.out_line(
            r" *export OPENAI_BASE_URL=(?P<url>\S+) OPENAI_API_KEY=(?P<key>\S+)"
        )
        shown = await demo.out_line(r" *(?P<command>\S+) traces show [0-9a-f]{32}$")
        await demo.out_line("Ctrl-C ends it.")
        models = await client.get(
            f"{exported['url']}/models", headers={"authorization": f"Bearer {exported['key']}"}
        )
        await answer_as_they_are_typed(client, exported["url"], exported["key"])
        made = _inside(tmp_path)
        async with unfinished_request(exported["url"]):
            demo.signal(signal.SIGINT)
            await no_longer_served(exported["url"])
            for another in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                # The second one ends the patience: the demo may have gone before the last.
                with suppress(ProcessLookupError):
                    demo.signal(another)
            status = await demo.ended()

    assert models.json()["data"][0]["id"] == "scripted-ko"
    assert shown["command"] == str(COMMAND)
    assert len(made) == 1
    assert (status, demo.err, _inside(tmp_path)) == (0, [], [])


async def test_demo_told_to_end_on_its_tour_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    async with running(tmp_path, "demo") as demo:
        await demo.out_line("model server ")
        made = _inside(tmp_path)
        demo.signal(signal.SIGTERM)
        demo.signal(signal.SIGTERM)
        status = await demo.ended()

    assert len(made) == 1
    assert (status, demo.err, _inside(tmp_path)) == (0, [], [])


@each_row("width", [60, 80, 119, 120, 150])
def test_no_id_or_code_of_the_tour_is_broken_on_a_page(width: int) -> None:
    reasons = ("legal_citation.article_absent", "answerability.empty_context")
    stops = [
        Stop(
            case,
            TurnResult(
                query=str(case.query),
                reply=says(case)[-1] * 9,
                action="regenerate",
                reasons=reasons,
                attempts=1,
                trace_id="0f" * 16,
            ),
        )
        for case in CASES
    ]
    written = StringIO()

    Console(width=width, file=written).print(tour_page(stops, width))

    shown = written.getvalue()
    for whole in ("0f" * 16, *reasons):
        assert shown.count(whole) == len(CASES)
    assert all(cell_len(line) <= width for line in shown.splitlines())


@asynccontextmanager
async def unfinished_request(url: str) -> AsyncGenerator[None, None]:
    """Have a request under way within this block that does not end by itself."""
    address = httpx.URL(url)
    _, writer = await asyncio.open_connection(address.host, address.port)
    writer.write(b"POST /v1/verify HTTP/1.1\r\nHost: demo\r\nContent-Length: 9\r\n\r\n{")
    await writer.drain()
    yield
    writer.close()


async def no_longer_served(url: str) -> None:
    """Wait until nobody is let in any more."""
    address = httpx.URL(url)
    async with asyncio.timeout(DEADLINE_S):
        # A connection that is being made while the socket closes is reset.
        with suppress(ConnectionRefusedError, ConnectionResetError):
            while True:
                _, writer = await asyncio.open_connection(address.host, address.port)
                writer.close()


def _inside(folder: Path) -> list[Path]:
    return list(folder.iterdir())
