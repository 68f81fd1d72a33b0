"""`guard-proxy demo`: a scripted model server, the proxy, and a tour through both.

The tour is a golden set. Its questions can be asked by hand as well, in other words: the model goes
by the most similar one, and a request without sources gets the company's.
"""

import asyncio
import contextlib
import json
import re
import shlex
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import httpx
import typer
from litestar.datastructures import MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.types import (
    ASGIApp,
    HTTPReceiveMessage,
    HTTPRequestEvent,
    Receive,
    Scope,
    Send,
    WebSocketReceiveMessage,
)
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

import proxy.demo
from guards.claims.question import asked_answers
from guards.korean.morphemes import morphemes
from guards.korean.words import content_words
from policies.schema.keys import new_key
from proxy.app import create_app, open_services
from proxy.cli.settings import read_settings
from proxy.cli.terminal import err, excerpt, fail, graceful_stop, harmless, out, unless_stopped
from proxy.dashboard.playground_form import Box, TrialForm
from proxy.demo import MODEL, Said, model_server
from proxy.golden.client import Target
from proxy.golden.results import TurnResult
from proxy.golden.runner import Player, body_of
from proxy.golden.shape import Case, GoldenSet, read_golden
from proxy.logs import configure_logs
from proxy.openai_api.json_body import JsonObject, member, objects, read_object
from proxy.pipeline.regeneration import OPENING
from proxy.server.serving import CannotListen, loop_factory, served
from proxy.settings import LogFormat, Settings

BRIEF_CHARS = 90
TYPED = "연차휴가를 며칠 쓸 수 있나요?"
"""A question as somebody might type it; the tour has it in other words."""
NARROWEST_TABLE = 120


MISSED = "missed"
"""Category of cases that the guards get wrong; `about` says why, and what would help."""


@cache
def the_tour() -> GoldenSet:
    """Return the set that the tour plays."""
    file = Path(proxy.demo.__file__).with_suffix(".yaml")
    return read_golden(file.read_bytes(), str(file))


def says(case: Case) -> tuple[str, ...]:
    """Return what the model says in a case, first and when it is asked again."""
    return case.model or ("",)


@dataclass(frozen=True, slots=True)
class Stop:
    """A case of the tour, and its outcome."""

    case: Case
    result: TurnResult

    @property
    def faults(self) -> tuple[str, ...]:
        """How the outcome differs from the expected one; empty if it does not."""
        error = self.result.error
        return self.result.faults if error is None else (error,)


_UNKNOWN = Said(("제공된 자료에서 확인되지 않습니다.",))
_ALIKE_FROM = 0.4
"""Similarity from which on a question counts as one of the tour's."""
_SAME_ASKED = 0.25
_ASKING = frozenset({"얼마", "언제", "며칠"})
_ASKED_FOR = tuple(map(re.compile, (r"조항|몇 ?조", r"누구|누가|대상|도 받", r"어떻게|방법|절차")))
"""An article, people, a way: whatever else the question sounds like."""
_NO_LETTER = re.compile(r"[^0-9a-z가-힣]")


def say(body: JsonObject) -> Said:
    """Play the model: answer as in the case whose question is most similar.

    The second attempt is recognised by the proxy's note behind the question.
    """
    asked = str(member(objects(body.get("messages"))[-1], "content"))
    question, note, _ = asked.partition(OPENING)
    case = max(the_tour().cases, key=lambda one: _likeness(str(one.query), question))
    if _likeness(str(case.query), question) < _ALIKE_FROM:
        return _UNKNOWN
    return Said((says(case)[-1 if note else 0],))


def _likeness(one: str, other: str) -> float:
    """Return the similarity of two questions, by words, letters and what they ask for."""
    words = _dice(_words(one), _words(other))
    if not words:
        return 0.0
    asked = _SAME_ASKED if _features(one) == _features(other) else 0.0
    return (words + _dice(_letter_pairs(one), _letter_pairs(other))) / 2 + asked


def _dice(first: Set[str], second: Set[str]) -> float:
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _words(question: str) -> Set[str]:
    told = (one for one in content_words(morphemes(question)) if not one.is_light)
    return {feature for one in told for feature in one.features} - _ASKING


def _features(question: str) -> Set[object]:
    named = next((pattern for pattern in _ASKED_FOR if pattern.search(question)), None)
    return asked_answers(question) if named is None else {named}


def _letter_pairs(text: str) -> Set[str]:
    letters = _NO_LETTER.sub("", text.lower())
    return {letters[at : at + 2] for at in range(len(letters) - 1)}


def with_sources(app: ASGIApp) -> ASGIApp:
    """Return an app that adds the company's rules to requests without sources.

    So that a question can be typed by hand without them. A request with instructions,
    sources or anything but a chat completion goes through as it is.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or scope["path"] != "/v1/chat/completions":
            await app(scope, receive, send)
            return
        pieces: list[bytes] = []
        message = await receive()
        while message["type"] == "http.request":
            pieces.append(message["body"])
            if not message["more_body"]:
                break
            message = await receive()
        body = _completed(b"".join(pieces))
        MutableScopeHeaders(scope)["content-length"] = str(len(body))
        whole = [HTTPRequestEvent(type="http.request", body=body, more_body=False)]

        async def receive_completed() -> HTTPReceiveMessage | WebSocketReceiveMessage:
            return whole.pop() if whole else await receive()

        await app(scope, receive_completed, send)

    return serve


def _completed(raw: bytes) -> bytes:
    """Return a request with the company's rules if it holds nothing but a conversation."""
    try:
        body = read_object(raw)
    except ValueError:
        return raw
    messages = objects(body.get("messages"))
    if not messages or "guard" in body or "documents" in body:
        return raw
    if any(one.get("role") not in ("user", "assistant") for one in messages):
        return raw
    [case] = [one for one in the_tour().cases if one.id == "clean"]
    written = body_of(the_tour(), case, case.asked[0], (), MODEL)
    completed = body | {"messages": [objects(written["messages"])[0], *messages]}
    return json.dumps(completed, ensure_ascii=False).encode("utf-8", "surrogatepass")


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
            Text(f"{stop.case.query}\n({stop.case.id})"),
            Text(_reply_text(stop)),
            Text(_left_open(stop)),
            Text("\n".join((stop.result.action, *stop.result.reasons, stop.result.trace_id))),
        )
    return table


def _block(stop: Stop) -> tuple[RenderableType, ...]:
    block = Table.grid(padding=(0, 1, 0, 0))
    block.add_column(no_wrap=True)
    block.add_column(overflow="fold")
    block.add_row(_mark(stop), Text(f"{stop.result.action}  ({stop.case.id})", style="bold"))
    for name, text in (
        ("question", str(stop.case.query)),
        ("model", _reply_text(stop)),
        ("sent", _left_open(stop)),
        ("reasons", "\n".join(stop.result.reasons)),
        ("trace", stop.result.trace_id),
    ):
        if text:
            block.add_row(name, Text(text))
    return block, Text()


def _mark(stop: Stop) -> Text:
    if stop.faults:
        return Text("✗", style="red")
    return Text("△", style="yellow") if stop.case.category == MISSED else Text("✓", style="green")


def _reply_text(stop: Stop) -> str:
    return harmless("\n→ ".join(says(stop.case))) if stop.result.attempts != 0 else "(not called)"


def _left_open(stop: Stop) -> str:
    if stop.result.reply == says(stop.case)[0]:
        return "(the same)"
    return excerpt(stop.result.reply, BRIEF_CHARS)


TENANT = "demo"
_PLAYGROUND = TrialForm(
    instructions=the_tour().instructions,
    boxes=tuple(Box(one.title, one.text) for one in the_tour().passages.values()),
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

    Exit status 0 only if every row of the tour has the expected outcome.
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
                _print_commands(running, stops[0].result.trace_id)
                await stop.wait()
            return sum(bool(stop.faults) for stop in stops)


async def _shown(running: _Running) -> list[Stop]:
    out.print(f"model server {running.model}   proxy {running.proxy}", markup=False)
    with out.status("on tour …"):
        stops = await _played(Target(f"{running.proxy}/v1", MODEL, running.key))
    out.print(tour_page(stops, out.width))
    for case in (stop.case for stop in stops if stop.case.category == MISSED):
        out.print(Text(f"△ {case.id}: {case.query}", style="yellow"))
        out.print(case.about, markup=False)
    bad = [stop for stop in stops if stop.faults]
    for stop in bad:
        err.print(f"{stop.case.id}: {'; '.join(stop.faults)}", style="red", markup=False)
    out.print(f"{len(stops) - len(bad)} of {len(stops)} as expected.", markup=False)
    return stops


async def _played(target: Target) -> list[Stop]:
    async with httpx.AsyncClient(trust_env=False) as client:
        player = Player(client, target, the_tour())
        return [Stop(case, (await player.play(case)).turns[0]) for case in the_tour().cases]


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
