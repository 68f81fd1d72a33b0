"""`guard-proxy eval`: what it prints and writes, and how it ends."""

import asyncio
import json
import logging
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import respx
import structlog
import typer
from junitparser import JUnitXml
from typer.testing import CliRunner, Result

from proxy.cli.eval import evaluate
from proxy.golden.results import Run
from proxy.golden.shape import shipped_sets
from proxy.openai_api.json_body import JsonObject, objects
from tests.fakes.command import DEADLINE_S, running
from tests.flow.waiting import eventually
from tests.tables import each_row

BASE = "http://proxy.test/v1"
KEY = "gp-library-SECRET"
SET = """\
passages:
  loan: {title: 이용 규정, text: 대출 기간은 16일이다.}
cases:
  - id: loan.true
    category: loan
    scope: 본관
    query: 대출 기간은 며칠인가요?
    passages: [loan]
    model: 대출 기간은 16일입니다.
    expected_keywords: [16일]
    expected_action: pass
  - id: loan.invented
    category: loan
    query: 대출 기간은 얼마나 되나요?
    passages: [loan]
    model: 대출 기간은 45일입니다.
    forbidden_keywords: [45일]
    expected_action: replace
    expected_reason: numbers.
  - id: greeting
    category: talk
    query: 안녕하세요?
    model: 네, 안녕하세요.
    expected_keywords: [안녕]
"""
WATCHING = "extends: default\nguards:\n  numbers: {mode: off}\n  overlap: {mode: off}\n"

command = typer.Typer()
command.command()(evaluate)


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("proxy")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    structlog.reset_defaults()


@pytest.fixture
def golden(tmp_path: Path) -> str:
    (tmp_path / "library.yaml").write_text(SET)
    return str(tmp_path / "library.yaml")


def run(*words: str | Path, **environment: str | None) -> Result:
    names: dict[str, str | None] = {"OPENAI_API_KEY": None}
    return CliRunner().invoke(command, [*map(str, words)], env=names | environment)


def assert_refused(result: Result, *said: str) -> None:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    for words in said:
        assert words in result.stderr


# --- scripted ----------------------------------------------------------------------------------


def test_a_shipped_set_runs_without_a_model() -> None:
    result = run("attacks", "--scripted", "--filter", "wrong *")

    assert result.exit_code == 0, result.output
    assert "4 of 4 passed, score 1.00" in result.stdout
    assert "policy hotel@" in result.stdout
    assert "│ wrong hours " in result.stdout
    assert "invented price" not in result.stdout


def test_a_scripted_run_tells_no_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "no address at all")

    result = run("attacks", "--scripted", "--filter", "hours.*")

    assert result.exit_code == 0, result.output


def test_a_draft_that_lets_something_out_ends_with_one_and_says_what(
    golden: str, tmp_path: Path
) -> None:
    (tmp_path / "draft.yaml").write_text(WATCHING)

    result = run(golden, "--scripted", "--policy", tmp_path / "draft.yaml")

    assert result.exit_code == 1, result.output
    assert "2 of 3 passed, score 0.67" in result.stdout
    assert "✗ loan.invented  (loan, score 0.00)" in result.stdout
    for told in (
        "asked  대출 기간은 얼마나 되나요?",
        "fault  contains forbidden text: 45일",
        "fault  action pass, expected replace",
        "fault  reasons none, expected numbers.",
        "reply  대출 기간은 45일입니다.",
        "action pass, reasons none, trace ",
    ):
        assert told in result.stdout
    assert "✗ loan.true" not in result.stdout


def test_a_set_may_name_a_policy_beside_it(tmp_path: Path) -> None:
    (tmp_path / "draft.yaml").write_text(WATCHING)
    (tmp_path / "library.yaml").write_text(f"policy: draft.yaml\n{SET}")

    result = run(tmp_path / "library.yaml", "--scripted", "--json")

    assert result.exit_code == 1, result.output
    assert json.loads(result.stdout)["policy"].startswith("draft@")


def test_runs_are_saved_and_compared(golden: str, tmp_path: Path) -> None:
    (tmp_path / "draft.yaml").write_text(WATCHING)
    saved = tmp_path / "before.json"

    first = run(golden, "--scripted", "--save", saved, "--json")
    same = run(golden, "--scripted", "--against", saved)
    worse = run(golden, "--scripted", "--policy", tmp_path / "draft.yaml", "--against", saved)

    assert (first.exit_code, same.exit_code, worse.exit_code) == (0, 0, 1)
    assert Run.model_validate_json(saved.read_bytes()) == Run.model_validate_json(first.stdout)
    assert "0 better, 0 worse, 0 new, 0 removed" in same.stdout
    assert "worse  loan.invented: passed → failed" in worse.stdout
    assert "0 better, 1 worse, 0 new, 0 removed" in worse.stdout


def test_a_lower_score_is_worse_also_where_all_passes(golden: str, tmp_path: Path) -> None:
    saved, before = tmp_path / "before.json", tmp_path / "library.yaml"
    run(golden, "--scripted", "--save", saved)
    before.write_text(SET.replace("[안녕]", "[안녕, 잘 가]\n    min_score: 0.5"))

    result = run(before, "--scripted", "--against", saved, "--junit", tmp_path / "junit.xml")

    assert result.exit_code == 1, result.output
    assert "worse  greeting: score 1.00 → 0.50" in result.stdout
    report = JUnitXml.fromfile(str(tmp_path / "junit.xml"))
    assert (report.tests, report.failures, report.errors) == (3, 0, 0)


def test_the_first_fault_can_end_the_run_which_is_not_saved_then(
    golden: str, tmp_path: Path
) -> None:
    (tmp_path / "draft.yaml").write_text(WATCHING)
    saved = tmp_path / "after.json"

    result = run(
        golden,
        "--scripted",
        "--policy",
        tmp_path / "draft.yaml",
        "--fail-fast",
        "--concurrency",
        "1",
        "--save",
        saved,
    )

    assert result.exit_code == 1, result.output
    assert "1 of 3 passed" in result.stdout
    assert "1 not run" in result.stdout
    assert f"{saved}: not written, because not every case ran." in result.stderr
    assert not saved.exists()


# --- the sets that ship ------------------------------------------------------------------------


def test_shipped_sets_are_listed_and_can_be_started_from(tmp_path: Path) -> None:
    listed = run("--list")
    printed = run("--example", "conversations")
    own = tmp_path / "mine.yaml"
    own.write_text(printed.stdout)

    assert all(f"│ {name} " in listed.stdout for name in shipped_sets())
    assert run(own, "--scripted", "--filter", "topic change").exit_code == 0


# --- a server that runs already ----------------------------------------------------------------


def completion(text: str) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": text}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def answered(request: httpx.Request) -> httpx.Response:
    """Answer as a proxy would: one true, one with the wrong action, one too busy."""
    asked = str(objects(json.loads(request.content)["messages"])[-1]["content"])
    if "안녕" in asked:
        return httpx.Response(429, json={"error": {"message": f"{KEY} asks too often"}})
    headers = {"x-guard-action": "pass", "x-guard-request-id": "0a1b"}
    return httpx.Response(200, headers=headers, json=completion("대출 기간은 16일입니다."))


def test_a_server_is_asked_with_the_key_of_the_environment(golden: str, tmp_path: Path) -> None:
    with respx.mock:
        respx.get(f"{BASE}/models").respond(json={"data": [{"id": "qwen3"}]})
        route = respx.post(f"{BASE}/chat/completions").mock(side_effect=answered)
        words = (golden, "--base-url", f"{BASE}/", "--junit", tmp_path / "junit.xml")
        result = run(*words, OPENAI_API_KEY=KEY)

    assert result.exit_code == 1, result.output
    assert "1 of 3 passed, score 0.67" in result.stdout
    assert "model qwen3" in result.stdout
    assert "! greeting  (talk, score 0.00)" in result.stdout
    assert "error  status 429: <key> asks too often" in result.stdout
    assert "action pass, reasons none, trace 0a1b" in result.stdout
    sent = [call.request for call in route.calls]
    assert {request.headers["authorization"] for request in sent} == {f"Bearer {KEY}"}
    assert not any("metadata" in json.loads(request.content) for request in sent)
    report = (tmp_path / "junit.xml").read_text()
    assert [suite.errors for suite in JUnitXml.fromstring(report)] == [0, 1]
    assert KEY not in result.output + report


def test_a_server_that_is_gone_is_an_error_of_each_case(golden: str) -> None:
    with respx.mock:
        respx.post(f"{BASE}/chat/completions").mock(side_effect=httpx.ConnectError("refused"))
        result = run(golden, "--base-url", BASE, "--model", "qwen3", "--json", "--repeat", "2")

    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)
    assert found["tally"] | {"score": 0.0} == {
        "cases": 3,
        "passed": 0,
        "failed": 0,
        "errors": 3,
        "not_run": 0,
        "score": 0.0,
    }
    assert {case["runs"] for case in found["cases"]} == {2}
    assert {case["turns"][0]["error"] for case in found["cases"]} == {"ConnectError: refused"}


async def test_ctrl_c_tells_what_is_known_so_far(tmp_path: Path) -> None:
    (tmp_path / "library.yaml").write_text(SET)
    third_asked = asyncio.Event()
    replies = [json.dumps(completion("대출 기간은 45일입니다.")).encode()] * 2

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if replies:
            body = replies.pop()
            writer.write(b"HTTP/1.1 200 OK\r\nconnection: close\r\n")
            writer.write(b"content-length: %d\r\n\r\n%b" % (len(body), body))
        else:
            third_asked.set()
            await reader.read()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1") as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        words = ("library.yaml", "--base-url", address, "--model", "ko", "--concurrency", "1")
        async with running(tmp_path, "eval", *words) as command:
            await asyncio.wait_for(third_asked.wait(), DEADLINE_S)
            command.signal(signal.SIGINT)
            status = await command.ended()

    assert (status, command.err) == (130, [])
    assert any("0 of 3 passed" in line and "1 not run" in line for line in command.out)
    for case in ("loan.true", "loan.invented"):
        assert any(f"✗ {case}" in line for line in command.out)


async def test_told_to_end_more_than_once_it_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    async with running(tmp_path, "eval", "attacks", "--scripted", "--repeat", "100") as command:

        async def serves() -> bool:
            return any(folder.glob("*/traces.sqlite3"))

        await eventually(serves)
        made = list(folder.iterdir())
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            command.signal(number)
        status = await command.ended()

    assert (status, command.err) == (130, [])
    assert (len(made), list(folder.iterdir())) == (1, [])


# --- bad input ---------------------------------------------------------------------------------


@each_row("words, said", "bad")
def test_bad_input_ends_with_two(words: tuple[str, ...], said: str) -> None:
    result = run(*words)

    assert_refused(result, said)
    assert "SECRET" not in result.output


def test_what_is_wrong_with_a_set_is_named_by_line_and_case(tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text(SET.replace("expected_action: pass", "expect: pass"))

    result = run(tmp_path / "wrong.yaml", "--scripted")

    assert_refused(
        result,
        "The golden set cannot be used:",
        "wrong.yaml:11:5: case 'loan.true': expect: is not a known key",
    )


def test_a_file_that_is_no_saved_run_is_refused(golden: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"cases": []}')

    result = run(golden, "--scripted", "--against", tmp_path / "other.json")

    assert_refused(result, "other.json: is not a run that --save wrote: golden")


def test_a_server_that_lists_no_model_is_refused(golden: str) -> None:
    with respx.mock:
        respx.get(f"{BASE}/models").respond(404)
        result = run(golden, "--base-url", BASE)

    assert_refused(result, f"{BASE}/models: status 404: Not Found\n", "--model")


def test_a_server_that_takes_no_key_or_another_one_is_refused_with_where_it_comes_from(
    golden: str,
) -> None:
    with respx.mock:
        respx.get(f"{BASE}/models").respond(401)
        result = run(golden, "--base-url", BASE)

    assert_refused(result, f"{BASE}/models: status 401", "The key comes from OPENAI_API_KEY.")
    assert "--model" not in result.stderr


async def test_ctrl_c_also_ends_waiting_for_the_list_of_models(tmp_path: Path) -> None:
    (tmp_path / "library.yaml").write_text(SET)
    asked = asyncio.Event()

    async def keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(keep_silent, "127.0.0.1") as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        async with running(tmp_path, "eval", "library.yaml", "--base-url", address) as command:
            await asyncio.wait_for(asked.wait(), DEADLINE_S)
            command.signal(signal.SIGINT)
            status = await command.ended()

    assert status == 130
    assert not any("Traceback" in line for line in command.err)
