"""What traces take of Redis's memory: ``python -m tests.bench.trace_memory [--traces N]``.

The traces are those of real requests by the default policy, five sources of 1 KB each and an answer
of 1 KB, each kept many times under ids of its own, with all of its text and with none.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table

from policies.schema.sections import StoredText, Tracing
from proxy.traces.redis import RedisStore
from proxy.traces.store import Entry
from proxy.traces.trace import Trace
from tests.bench.corpus import case
from tests.fakes.redis_process import RedisProcess
from tests.fakes.running_proxy import chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream

REAL = 50
BATCH = 100
KEEP = Tracing(keep_days=30.0, keep_last=10_000_000)
MILLION = 1_000_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--traces", type=int, default=20_000)
    many = options.parse_args().traces
    table = Table("text kept", "a record", "a trace in Redis", "a million traces")
    for text in (StoredText.MASKED, StoredText.NONE):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            real = asyncio.run(_real_traces(folder, text))
            server = RedisProcess(folder / "redis")
            server.start()
            try:
                each = asyncio.run(_keep(real, many, server)) / many
            finally:
                server.stop()
        record = sum(len(trace.model_dump_json().encode()) for trace in real) / len(real)
        million_gb = each * MILLION / 1e9
        table.add_row(text.value, f"{record:,.0f} B", f"{each:,.0f} B", f"{million_gb:.1f} GB")
    Console().print(table)


async def _real_traces(folder: Path, text: StoredText) -> list[Trace]:
    tracing = f"tracing: {{text: {text.value}}}"
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(folder, upstream, tracing) as proxy,
    ):
        found = []
        for number in range(REAL):
            asked = case(number, 0)
            upstream.says(asked.answer)
            sources: list[JsonValue] = [
                {"section_title": one.title, "section_content": one.text} for one in asked.sources
            ]
            found.append(await proxy.trace(await proxy.chat(chat_body(asked.question, sources))))
        return found


async def _keep(real: Sequence[Trace], many: int, server: RedisProcess) -> int:
    """Keep copies of traces; return the bytes that they take."""
    store = RedisStore(server.url)
    with server.client() as client:
        await store.ping()
        before = int(client.info("memory")["used_memory"])
        for start in range(0, many, BATCH):
            copies = [
                real[place % len(real)].model_copy(update={"id": uuid4().hex})
                for place in range(start, min(start + BATCH, many))
            ]
            await store.add([Entry.of(copy, KEEP) for copy in copies])
        after = int(client.info("memory")["used_memory"])
    await store.close()
    return after - before


if __name__ == "__main__":
    main()
