"""`guard-proxy demo`: a scripted model server, the proxy, and a tour through both."""

import asyncio
import contextlib
import shlex
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from policies.schema.keys import new_key
from proxy.app import create_app, open_services
from proxy.cli.settings import read_settings
from proxy.cli.terminal import err, excerpt, fail, graceful_stop, harmless, out, unless_stopped
from proxy.dashboard.playground_form import Box, TrialForm
from proxy.demo import INSTRUCTIONS, MODEL, RULES, Stop, model_server, say, tour, with_sources
from proxy.logs import configure_logs
from proxy.server.serving import CannotListen, loop_factory, served
from proxy.settings import LogFormat, Settings

BRIEF_CHARS = 90
TYPED = "연차휴가를 며칠 쓸 수 있나요?"
"""A question as somebody might type it; the tour has it in other words."""
NARROWEST_TABLE = 120


def tour_page(stops: Sequence[Stop], width: int) -> RenderableType:
    """Return the whole tour for a page of this width; ids and codes stay in one piece."""
    if width < NARROWEST_TABLE:
        return Group(*(part for stop in stops for part in _block(stop)))
    return _table(stops)


def _table(stops: Iterable[Stop]) -> Table:
    table = Table(show_lines=True, title="the guards at work")
    for column in ("", "question", "answer of the model", "answer sent"):
        table.add_column(column, overflow="fold")
    table.add_column("action, reasons, trace", no_wrap=True)
    for stop in stops:
        table.add_row(
            _mark(stop),
            Text(f"{stop.scene.asked}\n({stop.scene.name})"),
            Text(_said(stop)),
            Text(_left(stop)),
            Text("\n".join((stop.action, *_codes(stop), stop.trace_id))),
        )
    return table


def _block(stop: Stop) -> tuple[RenderableType, ...]:
    block = Table.grid(padding=(0, 1, 0, 0))
    block.add_column(no_wrap=True)
    block.add_column(overflow="fold")
    block.add_row(_mark(stop), Text(f"{stop.action}  ({stop.scene.name})", style="bold"))
    for name, text in (
        ("question", stop.scene.asked),
        ("model", _said(stop)),
        ("sent", _left(stop)),
        ("reasons", "\n".join(_codes(stop))),
        ("trace", stop.trace_id),
    ):
        if text:
            block.add_row(name, Text(text))
    return block, Text()


def _mark(stop: Stop) -> Text:
    if stop.faults:
        return Text("✗", style="red")
    return Text("△", style="yellow") if stop.scene.miss else Text("✓", style="green")


def _said(stop: Stop) -> str:
    return harmless("\n→ ".join(stop.scene.says)) if stop.asked_model else "(not called)"


def _left(stop: Stop) -> str:
    if stop.left == stop.scene.says[0] and not stop.faults:
        return "(the same, byte for byte)"
    return excerpt(stop.left, BRIEF_CHARS)


def _codes(stop: Stop) -> list[str]:
    return list(filter(None, stop.reasons.split(",")))


TENANT = "demo"
_PLAYGROUND = TrialForm(
    instructions=INSTRUCTIONS,
    boxes=tuple(Box(title, text) for title, text in RULES.items()),
)
_SHUTDOWN_S = 1.0
"""Short, as no request of a user is in progress when the demo ends."""
_POLICY = """\
extends: default
tenant: {tenant}
keys:
  - {key}
upstream:
  base_url: {model}/v1
guards:
  # Estimates are only noted by default; a policy may let them act, as the tour shows.
  estimates:
    weak: []
"""


@dataclass(frozen=True, slots=True)
class _Running:
    proxy: str
    model: str
    key: str
    folder: Path


def demo(
    once: Annotated[bool, typer.Option("--once", help="End after the tour.")] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the proxy; 0 for a free one.")
    ] = 0,
) -> None:
    """Show the proxy at work, on loopback, with nothing to set up.

    Exit status 0 only if every row of the tour came out as it should.
    """
    settings = read_settings()
    configure_logs(LogFormat.CONSOLE)
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            faults = runner.run(_demo(settings, once=once, port=port))
    except CannotListen as error:
        fail(str(error))
    if faults:
        raise typer.Exit(1)


async def _demo(settings: Settings, *, once: bool, port: int) -> int:
    with graceful_stop() as stop:
        async with _running(settings, port) as running:
            stops = await unless_stopped(stop, _shown(running))
            if stops is None:
                return 0
            if not once:
                _print_commands(running, stops[0].trace_id)
                await stop.wait()
            return sum(bool(stop.faults) for stop in stops)


async def _shown(running: _Running) -> list[Stop]:
    out.print(f"model server {running.model}   proxy {running.proxy}", markup=False)
    with out.status("on tour …"):
        stops = [stop async for stop in tour(running.proxy, running.model, running.key)]
    out.print(tour_page(stops, out.width))
    for scene in (stop.scene for stop in stops if stop.scene.miss):
        out.print(Text(f"△ {scene.name}: {scene.asked}", style="yellow"))
        out.print(scene.miss, markup=False)
    bad = [stop for stop in stops if stop.faults]
    for stop in bad:
        err.print(f"{stop.scene.name}: {'; '.join(stop.faults)}", style="red", markup=False)
    out.print(f"{len(stops) - len(bad)} of {len(stops)} as expected.", markup=False)
    return stops


@contextlib.asynccontextmanager
async def _running(settings: Settings, port: int) -> AsyncGenerator[_Running, None]:
    key, hashed = new_key(TENANT)
    with tempfile.TemporaryDirectory(prefix="guard-proxy-demo-") as name:
        folder = Path(name)
        async with served(model_server(say), shutdown_s=_SHUTDOWN_S) as model:
            policies = folder / "policies"
            policies.mkdir()
            text = _POLICY.format(tenant=TENANT, key=hashed, model=model)
            (policies / "demo.yaml").write_text(text, encoding="utf-8")
            own = settings.model_copy(
                update={
                    "policies": policies,
                    "redis_url": None,
                    "sqlite_path": folder / "traces.sqlite3",
                }
            )
            async with (
                open_services(own, telemetry_wanted=False) as services,
                served(
                    with_sources(create_app(services, _PLAYGROUND)),
                    port=port,
                    shutdown_s=_SHUTDOWN_S,
                ) as proxy,
            ):
                yield _Running(proxy, model, key, folder)


def _print_commands(running: _Running, trace_id: str) -> None:
    out.print("\nStill serving. Try, in another terminal:", style="bold")
    out.print(
        "  Ask any question of the tour, in your own words; where a request has no sources, the "
        "demo adds the company's rules, as an app would.",
        markup=False,
    )
    body = '{"model": "%s", "messages": [{"role": "user", "content": "%s"}]}'
    # As it was started: it need not be on the PATH.
    command = shlex.quote(sys.argv[0])
    lines = (
        f"export OPENAI_BASE_URL={running.proxy}/v1 OPENAI_API_KEY={running.key}",
        f"export GUARD_PROXY_SQLITE_PATH={running.folder}/traces.sqlite3",
        'curl -i $OPENAI_BASE_URL/chat/completions -H "Authorization: Bearer $OPENAI_API_KEY" '
        f"-H 'Content-Type: application/json' -d '{body % (MODEL, TYPED)}'",
        f"{command} traces show {trace_id}",
        f"{command} traces tail",
        f"curl {running.proxy}/metrics",
        f"{running.proxy}/dashboard  in a browser, with the key above: traces, and the playground "
        "for questions of your own",
    )
    for line in lines:
        out.print(f"  {line}", markup=False)
    out.print("Ctrl-C ends it.\n")
