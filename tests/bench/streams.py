"""When the first sentence of a stream is there: from the model itself, and through the proxy."""

import asyncio
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import httpx
from rich.console import Console
from rich.table import Table

from proxy.demo.model_server import Said
from proxy.traces.trace import Trace
from tests.bench.measuring import Measured
from tests.bench.texts import ANSWER, QUESTION, exchange
from tests.fakes.running_proxy import chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.listening import Listener
from tests.flow.waiting import eventually

PIECE_S = 0.010
ROUNDS = 6
CROWDS = (1, 8)
DIRECT = "the model itself"
WAYS = {"gate": "through the proxy, gate", "buffer": "through the proxy, buffer"}
FIRST = ANSWER.format(n=1).partition("]")[0] + "]"
SAID = ANSWER.format(n=1) + "직원이 휴가를 쓰려면 1일 전까지 신청서를 제출하여야 합니다."
BODY = chat_body(
    QUESTION,
    [
        {"section_title": source.title, "section_content": source.text}
        for source in exchange(1, 5).sources
    ],
    stream=True,
)


@dataclass(frozen=True)
class Server:
    """Where to ask, and as whom."""

    base_url: str
    key: str = "nobody"

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}"}


def first_sentences(out: Console) -> None:
    """Measure and print; the model writes three letters every ten milliseconds."""
    asyncio.run(_first_sentences(out))


async def _first_sentences(out: Console) -> None:
    async with _running() as servers, httpx.AsyncClient(timeout=60) as client:
        for server in servers.values():
            await _heard(client, server)
        for crowd in CROWDS:
            seconds, ids = await _rounds(client, servers, crowd)
            _show(out, f"first visible sentence, {crowd} at a time", seconds)
            share = await _share_of_looks(client, servers[WAYS["gate"]], ids)
            out.print(f"share of a gated request's time that the gate's looks took: {share:.1%}\n")


async def _rounds(
    client: httpx.AsyncClient, servers: Mapping[str, Server], crowd: int
) -> tuple[dict[str, Measured], list[str]]:
    """Ask each server in every round, in turn; return the times, and the ids of gated requests."""
    seconds: dict[str, list[float]] = {name: [] for name in servers}
    ids: list[str] = []
    for _ in range(ROUNDS):
        for name, server in servers.items():
            heard = await asyncio.gather(*(_heard(client, server) for _ in range(crowd)))
            seconds[name] += (first_s for first_s, _ in heard)
            ids += (request_id for _, request_id in heard if name == WAYS["gate"])
    return {name: Measured(found) for name, found in seconds.items()}, ids


async def _heard(client: httpx.AsyncClient, server: Server) -> tuple[float, str]:
    """Hear one answer to its end; return when its first sentence was there, and its id."""
    began_s = time.perf_counter()
    async with client.stream(
        "POST", f"{server.base_url}/chat/completions", json=dict(BODY), headers=server.headers
    ) as reply:
        listener = Listener(reply)
        await listener.hears(FIRST)
        first_s = time.perf_counter() - began_s
        await listener.rest()
    if listener.said() != SAID:
        raise ValueError(f"another answer came than was said: {listener.said()}")
    return first_s, reply.headers.get("x-guard-request-id", "")


async def _share_of_looks(client: httpx.AsyncClient, server: Server, ids: list[str]) -> float:
    """Return the median share of its whole time that a request's answer was inspected for."""
    shares = []
    for request_id in ids:
        trace = await _trace(client, server, request_id)
        looks = [step for step in trace.steps if step.name.startswith("inspect_answer_")]
        shares.append(sum(step.duration_ms for step in looks) / trace.duration_ms)
    return statistics.median(shares)


async def _trace(client: httpx.AsyncClient, server: Server, request_id: str) -> Trace:
    """Return a request's trace, which is written a moment after its reply."""
    url = f"{server.base_url.removesuffix('/v1')}/traces/{request_id}"
    found: list[bytes] = []

    async def is_there() -> bool:
        reply = await client.get(url, headers=server.headers)
        found[:] = [reply.content] if reply.is_success else []
        return bool(found)

    await eventually(is_there)
    return Trace.model_validate_json(found[0])


def _show(out: Console, title: str, found: Mapping[str, Measured]) -> None:
    columns = ("what", "median", "spread", "to the model", "later")
    table = Table(*columns, title=title, title_justify="left")
    own_s = found[DIRECT].median_s
    for name, measured in found.items():
        table.add_row(
            name,
            f"{measured.median_s * 1000:,.0f} ms",
            f"±{measured.spread:.0%}",
            f"{measured.median_s / own_s:.2f} x",
            f"{(measured.median_s - own_s) * 1000:+,.0f} ms",
        )
    out.print(table)


@asynccontextmanager
async def _running() -> AsyncGenerator[dict[str, Server], None]:
    """Run the model, and the proxy in a process of its own, as it runs anywhere."""
    upstream = ScriptedUpstream(lambda _: Said((SAID,), piece_pause_s=PIECE_S))
    here, there = multiprocessing.Pipe()
    async with upstream.running():
        process = multiprocessing.get_context("spawn").Process(
            target=_run_proxy, args=(upstream.address, there)
        )
        process.start()
        try:
            base_url, keys = await asyncio.to_thread(here.recv)
            ways = {name: Server(base_url, keys[way]) for way, name in WAYS.items()}
            yield {DIRECT: Server(f"{upstream.address}/v1")} | ways
        finally:
            here.send("stop")
            await asyncio.to_thread(process.join)


def _run_proxy(model: str, pipe: Connection) -> None:
    asyncio.run(_serve(model, pipe))


async def _serve(model: str, pipe: Connection) -> None:
    others = {way: f"stream: {{mode: {way}}}" for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        upstream = ScriptedUpstream(address=model)
        async with running_proxy(Path(folder), upstream, others=others) as proxy:
            pipe.send((proxy.base_url, dict(proxy.keys)))
            await asyncio.to_thread(pipe.recv)
