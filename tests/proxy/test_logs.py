"""How log lines look: each in a process of its own, as its standard error stream shows it."""

import functools
import json
import os
import pty
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.logs import mask_personal
from proxy.openai_api.json_body import JsonObject
from tests.tables import each_row

ROOT = Path(__file__).parents[2]
TALK = """
import logging, sys
from proxy.logs import configure_logs, failure, logger
from proxy.settings import LogFormat

configure_logs(LogFormat(sys.argv[1]))
log = logger("proxy.anything")
log.debug("too.quiet")
log.info("thing.happened", tenant="인사", waited_s=1.5)
log.warning("thing.failed")
logging.getLogger("somebody.else").info("also too quiet")
logging.getLogger("somebody.else").warning("a library %s", "warns")

def break_down(question):
    raise ValueError(f"cannot read {question}")

try:
    break_down("words of a question")
except ValueError as error:
    log.error("request.failed", **failure(error))

def hold(secret):
    raise RuntimeError("a message")

try:
    hold("value of a variable")
except RuntimeError:
    logging.getLogger("somebody.else").exception("library broke")

try:
    raise LookupError("010-0000-4321")
except LookupError:
    logging.getLogger("somebody.else").exception("broke over %s", "nobody@gaon.invalid")
log.warning("call.failed", asked={"numbers": ["010-0000-4321"]}, error=ValueError("010-0000-4321"))
"""
EVENTS = [
    "thing.happened",
    "thing.failed",
    "a library warns",
    "request.failed",
    "library broke",
    "broke over [이메일]",
    "call.failed",
]
SECRETS = ("010-0000-4321", "nobody@gaon.invalid")


@functools.cache
def off_terminal(log_format: str) -> list[str]:
    talk = subprocess.run(
        [sys.executable, "-c", TALK, log_format],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert talk.stdout == b""
    return talk.stderr.decode().splitlines()


def on_terminal(log_format: str) -> list[str]:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", TALK, log_format], cwd=ROOT, stderr=theirs, stdout=theirs
    ) as talk:
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 65536):
                written += piece
        except OSError:
            pass  # how Linux says that the other side is closed
        os.close(ours)
    assert talk.returncode == 0
    return written.decode().replace("\r\n", "\n").splitlines()


@pytest.fixture(scope="module")
def lines() -> list[JsonObject]:
    """What is logged off a terminal where nothing is set."""
    return [json.loads(line) for line in off_terminal("auto")]


def test_off_a_terminal_every_line_is_json(lines: list[JsonObject]) -> None:
    assert [line["event"] for line in lines] == EVENTS
    assert [line["level"] for line in lines] == [
        *("info", "warning", "warning", "error", "error", "error", "warning")
    ]
    for line in lines:
        at = datetime.fromisoformat(str(line["timestamp"]))
        assert at.utcoffset() == timedelta(0)


def test_fields_stand_beside_the_event_with_their_types(lines: list[JsonObject]) -> None:
    assert (lines[0]["tenant"], lines[0]["waited_s"]) == ("인사", 1.5)


def test_korean_is_readable_in_the_line_itself() -> None:
    assert '"tenant": "인사"' in off_terminal("auto")[0]


def test_a_failure_tells_its_type_and_place_and_none_of_its_words(lines: list[JsonObject]) -> None:
    failed = lines[3]

    assert failed["error"] == "ValueError"
    assert isinstance(failed["raised_at"], list)
    assert len(failed["raised_at"]) == 2
    assert "words of a question" not in json.dumps(failed)


def test_a_stack_of_somebody_elses_shows_places_and_no_variables(lines: list[JsonObject]) -> None:
    broke = lines[4]

    assert "RuntimeError" in json.dumps(broke)
    assert '"name": "hold"' in json.dumps(broke)
    assert "value of a variable" not in json.dumps(broke)


def test_on_a_terminal_lines_are_for_people() -> None:
    written = "\n".join(on_terminal("auto"))

    assert "\x1b[" in written
    places = [written.index(event) for event in EVENTS]
    assert places == sorted(places)
    assert "인사" in written
    assert '"event"' not in written
    assert "value of a variable" not in written
    assert "too quiet" not in written.replace(".", " ")


def test_readable_lines_in_a_file_carry_no_colours() -> None:
    written = "\n".join(off_terminal("console"))

    assert "thing.happened" in written
    assert "tenant=인사" in written
    assert "\x1b" not in written


def test_json_can_be_had_on_a_terminal() -> None:
    assert [json.loads(line)["event"] for line in on_terminal("json")] == EVENTS


@each_row("log_format", ["auto", "console"])
def test_no_line_of_anybodys_holds_an_identifier(log_format: str) -> None:
    written = "\n".join(off_terminal(log_format))

    assert [secret for secret in SECRETS if secret in written] == []
    assert written.count("[전화번호]") == 3


class _Secretive:
    def __repr__(self) -> str:
        return "<번호 010-0000-4321>"


def test_every_text_of_an_event_is_masked_wherever_it_is() -> None:
    event = {
        "event": "010-0000-4321",
        "nested": {"010-0000-4321": ["nobody@gaon.invalid", ("010-0000-4321",)]},
        "thing": _Secretive(),
        "raw": b"010-0000-4321",
        "waited_s": 1.5,
        "tries": 3,
        "sure": True,
        "nothing": None,
    }

    assert mask_personal(None, "info", event) == {
        "event": "[전화번호]",
        "nested": {"[전화번호]": ["[이메일]", ["[전화번호]"]]},
        "thing": "<번호 [전화번호]>",
        "raw": "b'[전화번호]'",
        "waited_s": 1.5,
        "tries": 3,
        "sure": True,
        "nothing": None,
    }


def test_an_event_that_cannot_be_masked_loses_its_words() -> None:
    endless: list[object] = []
    endless.append(endless)
    event = {"event": "thing.happened", "level": "info", "timestamp": "now", "asked": endless}

    assert mask_personal(None, "info", event | {"phone": "010-0000-4321"}) == {
        "event": "log.masking_failed",
        "level": "info",
        "timestamp": "now",
        "error": "RecursionError",
    }


@given(st.uuids(), st.datetimes())
def test_ids_of_requests_and_times_stay_as_they_are(request_id: UUID, at: datetime) -> None:
    event = {"request_id": request_id.hex, "timestamp": f"{at.isoformat()}Z"}

    assert mask_personal(None, "info", event) == event


def test_an_id_that_holds_the_digits_of_a_phone_number_stays() -> None:
    event = {"request_id": "abcdef01000004321fabcdefabcdefab"}

    assert mask_personal(None, "info", event) == event
