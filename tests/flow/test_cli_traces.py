"""`guard-proxy traces` over either store."""

import json
import re
import signal
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from guards.core.guard import Stage
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome
from proxy.cli.terminal import shown
from proxy.cli.traces import page, table
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.masking import stored
from proxy.traces.redis import RedisStore
from proxy.traces.sqlite import Database
from proxy.traces.store import TraceStore
from proxy.traces.trace import (
    Attempt,
    Choice,
    GuardRun,
    NotReplayed,
    PolicyUsed,
    ReplayResult,
    ReplyOrigin,
    Trace,
    Unknown,
    changes,
)
from tests.fakes.command import Ended, assert_refused, run, run_process, running
from tests.proxy.traces.making import a_trace, entries, now_ms


@asynccontextmanager
async def embedded_store(folder: Path) -> AsyncGenerator[TraceStore, None]:
    database = await Database.open(folder / "traces.sqlite3")
    yield EmbeddedStore(database, now_ms)
    await database.close()


@asynccontextmanager
async def redis_store(url: str) -> AsyncGenerator[TraceStore, None]:
    store = RedisStore(url)
    yield store
    await store.close()


@dataclass(frozen=True)
class Kept:
    """A store, and the settings by which a command finds it."""

    folder: Path
    store: TraceStore
    settings: dict[str, str]

    async def add(self, *traces: Trace) -> None:
        await self.store.add(entries(*traces))

    def run(self, *words: str) -> Ended:
        return run(self.folder, "traces", *words, **self.settings)


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncGenerator[Kept, None]:
    async with embedded_store(tmp_path) as store:
        yield Kept(tmp_path, store, {"sqlite_path": str(tmp_path / "traces.sqlite3")})


@pytest.fixture
async def shared(tmp_path: Path, redis_url: str) -> AsyncGenerator[Kept, None]:
    async with redis_store(redis_url) as store:
        yield Kept(tmp_path, store, {"redis_url": redis_url})


STRICT = PolicyUsed(name="strict", version="1")
CAME = "연차는 15일입니다. \x1b[31m 30일도 됩니다."
CLOSED = a_trace("closed", action=Action.REPLACE).model_copy(
    update={
        "reasons": ("numbers.not_in_sources",),
        "attempts": (Attempt(choices=(Choice(text=CAME),)),),
        "replies": ("연차는 15일입니다.\n\n여기까지만 안내합니다.",),
        "made": (
            ReplyOrigin(
                action=Action.REPLACE,
                attempt=1,
                changes=changes(CAME, "연차는 15일입니다."),
                closed_with="closing.cut",
            ),
        ),
    }
)
FOUND = {"numbers": GuardOutcome.ACTED}
TRACES: Sequence[Trace] = (
    a_trace("t1", tenant="acme", question="[red]연차[/red]는 며칠인가요?"),
    a_trace("t2", tenant="acme", action=Action.REPLACE, guards=FOUND),
    a_trace("t3", tenant="acme", action=Action.REPLACE),
    a_trace("t4", tenant="acme", guards=FOUND),
    a_trace("t5", tenant="other", action=Action.REPLACE, guards=FOUND),
    a_trace("t6", tenant="other", question="\x1b[31m 출장비는요?"),
)


async def test_traces_are_listed_newest_first(embedded: Kept) -> None:
    await embedded.add(*TRACES)

    ended = run_process(embedded.folder, "traces", "list", **embedded.settings)

    assert ended.status == 0, ended
    assert re.findall(r"\bt\d\b", ended.out) == ["t6", "t5", "t4", "t3", "t2", "t1"]
    for words in ("replace", "acme", "other", "[red]연차[/red]는 며칠인가요?"):
        assert words in ended.out
    assert "\x1b" not in ended.out


async def test_traces_in_redis_are_listed_newest_first(shared: Kept) -> None:
    await shared.add(*TRACES)

    listed = json.loads(shared.run("list", "--json", "--limit", "2").out)

    assert [each["id"] for each in listed] == ["t6", "t5"]


async def test_what_cannot_be_read_is_logged_apart_from_what_programs_read(embedded: Kept) -> None:
    broken, good = entries(a_trace("broken"), a_trace("good"))
    await embedded.store.add([replace(broken, record='{"id": "broken"}'), good])

    ended = embedded.run("list", "--json")

    assert [each["id"] for each in json.loads(ended.out)] == ["good"]
    assert "trace.unreadable" in ended.err


async def test_traces_are_picked_by_tenant_action_and_guard_together(embedded: Kept) -> None:
    await embedded.add(*TRACES)
    wanted = ("--tenant", "acme", "--action", "replace", "--guard", "numbers")

    listed = json.loads(embedded.run("list", "--json", *wanted).out)

    assert [each["id"] for each in listed] == ["t2"]


async def test_traces_are_picked_by_code_words_time_and_endpoint(embedded: Kept) -> None:
    verified = CLOSED.model_copy(update={"id": "verified", "door": "verify"})
    old = CLOSED.model_copy(
        update={"id": "old", "started_at": CLOSED.started_at - timedelta(hours=3)}
    )
    await embedded.add(old, CLOSED, verified, *TRACES)

    listed = json.loads(
        embedded.run(
            *("list", "--json", "--code", "numbers", "--text", "30일도 15일입니다"),
            *("--since", "2h", "--until", "2033-01-01", "--endpoint", "chat.completions"),
        ).out
    )

    assert [each["id"] for each in listed] == ["closed"]


def test_a_time_that_is_none_is_refused_with_how_to_say_one(tmp_path: Path) -> None:
    ended = run(tmp_path, "traces", "list", "--since", "yesterday")

    assert_refused(ended, "yesterday", "24h", "2026-11-22T09:00")


async def test_where_no_traces_are_the_list_says_so(embedded: Kept) -> None:
    plain, as_json = embedded.run("list"), embedded.run("list", "--json")

    assert (plain.status, as_json.status) == (0, 0)
    assert plain.out.startswith("No traces yet.")
    assert json.loads(as_json.out) == []


@pytest.mark.parametrize(
    "filters",
    [
        pytest.param(("--tenant", "nope"), id="tenant"),
        pytest.param(("--action", "fix"), id="action"),
        pytest.param(("--tenant", "acme", "--guard", "scope"), id="guard-and-tenant"),
        pytest.param(("--code", "names", "--text", "없는 말"), id="code-and-words"),
        pytest.param(
            ("--since", "2033-11-22 09:00:00", "--endpoint", "verify"), id="time-and-endpoint"
        ),
    ],
)
async def test_where_no_trace_matches_the_list_says_which_filter(
    embedded: Kept, filters: tuple[str, ...]
) -> None:
    await embedded.add(*TRACES)

    ended = embedded.run("list", *filters)

    assert ended.status == 0
    assert ended.out.startswith("No trace matches ")
    assert " ".join(filters) in ended.out.replace("'", "")


def test_an_action_that_is_none_is_refused_with_those_that_are(tmp_path: Path) -> None:
    ended = run(tmp_path, "traces", "list", "--action", "shout")

    assert_refused(ended, "'shout' is not one of", "none")


async def test_the_list_tells_nothing_decided_closed_and_would_have_been_done_apart(
    embedded: Kept,
) -> None:
    watched = GuardRun(
        guard="numbers",
        mode=Mode.ENFORCE,
        stage=Stage.OUTPUT,
        outcome=GuardOutcome.WOULD_ACT,
        action=Action.TRIM,
    )
    await embedded.add(
        a_trace("left", action=None),
        CLOSED,
        a_trace("watched").model_copy(update={"guards": (watched,)}),
    )

    rows = {
        cells[1].strip(): cells[3].strip()
        for line in embedded.run("list").out.splitlines()
        if len(cells := line.strip("│").split("│")) > 3
    }
    undecided = json.loads(embedded.run("list", "--json", "--action", "none").out)

    assert rows == {
        "left": "-",
        "closed": "replace (closing.cut)",
        "watched": "pass, would trim",
    }
    assert [each["id"] for each in undecided] == ["left"]


async def test_one_trace_is_shown_whole_for_programs(embedded: Kept) -> None:
    await embedded.add(*TRACES)

    ended = embedded.run("show", "t2", "--json")

    assert ended.status == 0
    assert Trace.model_validate_json(ended.out) == TRACES[1]


async def test_a_closed_answer_is_shown_with_what_was_taken_out_and_what_closed_it(
    embedded: Kept,
) -> None:
    await embedded.add(CLOSED)

    ended = embedded.run("show", "closed")

    assert ended.status == 0, ended
    lines = ended.out.splitlines()
    assert "action:      replace (closing.cut)" in lines
    assert "reasons:     numbers.not_in_sources" in lines
    assert "reply 1: replace, from attempt 1" in lines
    # The answer as it came, marked where it left otherwise.
    assert "  연차는 15일입니다.[- \ufffd[31m 30일도 됩니다.-]" in lines
    at = lines.index("  closed with closing.cut:")
    assert lines[at + 1] == "  여기까지만 안내합니다."
    assert "\x1b" not in ended.out


async def test_a_mended_answer_is_shown_with_what_stands_there_now(embedded: Kept) -> None:
    made = ReplyOrigin(
        action=Action.FIX, attempt=1, changes=changes("연차는 30일 [red]", "연차는 15일 [red]")
    )
    attempt = Attempt(choices=(Choice(text="연차는 30일 [red]"),))
    trace = a_trace("mended", action=Action.FIX).model_copy(
        update={"attempts": (attempt,), "replies": ("연차는 15일 [red]",), "made": (made,)}
    )
    await embedded.add(trace)

    assert "  연차는 [-30일-]{+15일+} [red]" in embedded.run("show", "mended").out.splitlines()


async def test_a_template_is_shown_by_its_name(embedded: Kept) -> None:
    made = ReplyOrigin(action=Action.REPLACE, replaced_with="complaint")
    trace = a_trace("met", action=Action.REPLACE).model_copy(
        update={"replies": ("불편을 드려 죄송합니다.",), "made": (made,)}
    )
    await embedded.add(trace)

    lines = embedded.run("show", "met").out.splitlines()

    at = lines.index("  replaced with complaint:")
    assert lines[at - 1 : at + 2 : 2] == ["reply 1: replace", "  불편을 드려 죄송합니다."]


async def test_of_a_trace_without_words_the_places_are_shown(embedded: Kept) -> None:
    await embedded.add(stored(CLOSED, StoredText.NONE))

    out = embedded.run("show", "closed").out

    assert "keeps no words" in out
    assert f"  changed at 11-{len(CAME)}" in out.splitlines()
    assert "연차" not in out


async def test_a_request_that_ended_early_is_shown_with_what_had_left(embedded: Kept) -> None:
    attempt = Attempt(choices=(Choice(text="연차는 15일입니다. 30"),), error="client_gone")
    trace = a_trace("left", action=None).model_copy(
        update={"attempts": (attempt,), "replies": ("연차는 15일입니다.",), "error": "client_gone"}
    )
    await embedded.add(trace)

    lines = embedded.run("show", "left").out.splitlines()

    assert "action:      -" in lines
    assert any(line.startswith("attempt 1: ") and "client_gone" in line for line in lines)
    assert lines[lines.index("answer sent:") + 1] == "  연차는 15일입니다."


@pytest.mark.parametrize("width", [80, 119, 120, 150])
def test_ids_and_times_stand_whole_however_narrow_the_terminal_is(width: int) -> None:
    trace = CLOSED.model_copy(
        update={"id": "0123456789abcdef" * 2, "tenant": "a-tenant-of-a-long-name"}
    )
    terminal = Console(width=width, file=StringIO(), soft_wrap=True)

    with terminal.capture() as written:
        terminal.print(table([trace], width))

    lines = written.get().splitlines()
    assert sum(shown(trace.started_at) in line and trace.id in line for line in lines) == 1
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("kept", ["embedded", "shared"], indirect=True)
async def test_the_beginning_of_an_id_is_enough(kept: Kept) -> None:
    await kept.add(*(a_trace(trace_id) for trace_id in ("abcdef12", "abcdef34", "abcdef3")))

    whole, begun = kept.run("show", "abcdef3"), kept.run("show", "abcdef1")

    assert whole.out.startswith("abcdef3 ")
    assert begun.out.startswith("abcdef12 ")
    assert_refused(kept.run("show", "abcdef"), "Several traces begin with abcdef, such as")
    assert_refused(kept.run("show", "abcde"), "There is no trace abcde.", "6 characters")


@pytest.mark.parametrize("words", [("list",), ("list", "--json"), ("show", "t1"), ("tail",)])
def test_where_no_file_is_it_is_named_and_none_is_made(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    ended = run(tmp_path, "traces", *words)

    file = tmp_path / "guard-proxy.sqlite3"
    assert_refused(
        ended, f"there is no file {file};", "GUARD_PROXY_SQLITE_PATH", "GUARD_PROXY_REDIS_URL"
    )
    assert list(tmp_path.iterdir()) == []


async def test_a_trace_that_is_not_there_is_an_error(embedded: Kept) -> None:
    assert_refused(embedded.run("show", "t9"), "There is no trace t9.")


SHADOWS = [
    pytest.param(
        ReplayResult(policy=STRICT, action=Action.REPLACE, reasons=("numbers.not_in_sources",)),
        "  would replace for numbers.not_in_sources",
        id="another-action",
    ),
    pytest.param(
        ReplayResult(policy=STRICT, action=Action.REGENERATE, unknown=Unknown.NO_SECOND_ATTEMPT),
        "  would regenerate (no second attempt)",
        id="as-far-as-is-known",
    ),
    pytest.param(
        ReplayResult(policy=STRICT, unknown=Unknown.MODEL_NOT_ASKED),
        "  what it would do is unknown (model not asked)",
        id="unknown",
    ),
    pytest.param(
        ReplayResult(policy=STRICT, not_run=NotReplayed.QUEUE_FULL),
        "  did not judge: queue full",
        id="not-judged",
    ),
]


@pytest.mark.parametrize(("shadow", "line"), SHADOWS)
def test_what_the_shadow_policy_would_have_done_is_shown(shadow: ReplayResult, line: str) -> None:
    lines = [str(each) for each in page(CLOSED.model_copy(update={"shadow": shadow}))]

    assert lines[-2:] == ["shadow policy strict@1:", line]


@pytest.fixture
def kept(request: pytest.FixtureRequest) -> Kept:
    """The store that a test names."""
    named: Kept = request.getfixturevalue(request.param)
    return named


@pytest.mark.parametrize(
    ("kept", "flags"),
    [
        pytest.param("embedded", (), id="readable"),
        pytest.param("shared", ("--json", "--text", "연차"), id="from-redis-for-programs"),
    ],
    indirect=["kept"],
)
async def test_new_traces_come_in_until_ctrl_c(kept: Kept, flags: tuple[str, ...]) -> None:
    await kept.add(a_trace("old"))

    async with running(kept.folder, "traces", "tail", *flags, **kept.settings) as tail:
        # Nothing tells when it has begun to look, so traces come until one is seen.
        added = 0
        while not tail.out:
            added += 1
            await kept.add(a_trace(f"new-{added}"))
            try:
                await tail.until(lambda: bool(tail.out), within_s=0.5)
            except TimeoutError:
                assert added < 100, "nothing was ever shown"
        await kept.add(a_trace("last"))
        await tail.out_line(r".*\blast\b")
        tail.signal(signal.SIGINT)
        status = await tail.ended()

    shown = [json.loads(line)["id"] if flags else line.split()[2] for line in tail.out]
    came = [f"new-{number}" for number in range(1, added + 1)]
    assert shown == [*came[added + 1 - len(shown) :], "last"]
    assert (status, tail.err) == (0, [])


@pytest.mark.parametrize("words", [("list", "--tenant", "\udcc8\udca3"), ("show", "\udcc8\udca3")])
async def test_words_of_a_terminal_with_another_encoding_are_refused(
    words: tuple[str, ...], embedded: Kept
) -> None:
    ended = embedded.run(*words)

    assert_refused(ended, "The arguments must be UTF-8.")


def test_a_redis_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"redis://:secret-word@127.0.0.1:{unused.getsockname()[1]}/0"
        ended = run(tmp_path, "traces", "list", redis_url=url)

    assert_refused(ended, "The redis trace store cannot be used: ConnectionError.")
    assert "secret-word" not in ended.err


def test_a_file_that_is_no_trace_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, only words" * 100)

    assert_refused(
        run(tmp_path, "traces", "list", sqlite_path="notes.txt"),
        "The embedded trace store cannot be used: the file that GUARD_PROXY_SQLITE_PATH "
        "names is no SQLite database, or a broken one.",
    )
