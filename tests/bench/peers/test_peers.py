"""What could make a comparison unfair or a failure silent."""

import json
import re
import sys
from pathlib import Path

import pytest

from tests.bench.corpus import RECURRING, numbered
from tests.bench.peers import installing, lite_llm, peers, portkey
from tests.bench.peers.rule import RULE
from tests.bench.subjects import MODEL, Absent


def test_every_peer_has_a_row_of_its_own() -> None:
    names = [peer.name for peer in peers()]
    assert len(set(names)) == len(names)


def test_a_peer_that_never_started_stops_in_peace() -> None:
    for peer in peers():
        peer.stop()
        assert peer.pids() == []


def test_portkey_with_workers_is_absent_and_says_why() -> None:
    with pytest.raises(Absent, match="no setting for workers"):
        portkey.Portkey("Portkey, 4 workers", guarded=False, workers=4).prepare()


def test_portkey_without_the_guard_learns_the_model_server_from_two_headers() -> None:
    headers = portkey.headers(8123, guarded=False)
    assert headers["x-portkey-custom-host"] == "http://127.0.0.1:8123/v1"
    assert "x-portkey-config" not in headers


def test_portkey_with_the_guard_refuses_answers_that_match() -> None:
    config = json.loads(portkey.headers(8123, guarded=True)["x-portkey-config"])
    assert config["custom_host"] == "http://127.0.0.1:8123/v1"
    (guard,) = config["output_guardrails"]
    assert guard == {"default.regexMatch": {"rule": RULE, "not": True}, "deny": True}


def test_every_header_of_portkey_can_be_sent() -> None:
    for guarded in (False, True):
        for value in portkey.headers(8123, guarded=guarded).values():
            assert value.isascii()
            assert value.isprintable()


@pytest.mark.parametrize(
    ("hooked", "callbacks"),
    [
        pytest.param(False, [], id="bare"),
        pytest.param(True, [f"{lite_llm.HOOK.stem}.look"], id="with-the-hook"),
    ],
)
def test_litellm_sends_the_benchs_model_to_the_upstream(hooked: bool, callbacks: list[str]) -> None:
    config = json.loads(lite_llm.config(8123, hooked=hooked))
    (model,) = config["model_list"]
    assert model["model_name"] == MODEL
    assert model["litellm_params"]["api_base"] == "http://127.0.0.1:8123/v1"
    assert config["litellm_settings"]["callbacks"] == callbacks
    assert lite_llm.HOOK.exists()


def test_the_rule_that_guards_look_for_finds_its_number_and_no_answer_of_the_bench() -> None:
    assert re.search(RULE, "번호는 900101-1234567입니다.")
    for number in RECURRING[:40]:
        assert not re.search(RULE, numbered(number).answer)


def test_a_command_that_is_missing_makes_its_peer_absent(tmp_path: Path) -> None:
    with pytest.raises(Absent, match="no-such-program is not installed"):
        installing.run(["no-such-program"], tmp_path)


def test_a_command_that_fails_leaves_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(Absent, match="failed: no index here"):
        installing.run([sys.executable, "-c", "exit('no index here')"], tmp_path)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        pytest.param(
            "WARNING: host.example is away\nERROR: no such package\nbye", "ERROR: no such package",
            id="pip",
        ),
        pytest.param(
            "npm error code ECONNREFUSED\nnpm error host.example", "npm error code ECONNREFUSED",
            id="npm",
        ),
        pytest.param("first\nlast\n", "last", id="another"),
    ],
)  # fmt: skip
def test_the_reason_is_the_line_that_says_most(said: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Absent) as absent:
        installing.run([sys.executable, "-c", f"exit({said!r})"], tmp_path)
    assert absent.value.reason.endswith(f"failed: {reason}")


def test_a_command_that_hangs_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(Absent, match="took longer"):
        installing.run([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, 0.2)


def away() -> None:
    raise Absent("the index is out of reach")


def test_what_is_installed_serves_when_the_registry_is_out_of_reach() -> None:
    def version() -> str:
        return "peer 1.0"

    assert installing.installed(away, version) == "peer 1.0, not renewed"


def test_a_peer_that_was_never_installed_is_absent_with_the_reason_of_its_installer() -> None:
    def version() -> str:
        raise Absent("python is not installed")

    with pytest.raises(Absent, match="out of reach"):
        installing.installed(away, version)


def test_all_rows_of_a_peer_share_one_attempt_to_install_it() -> None:
    attempts = []

    def version() -> str:
        raise Absent("not there")

    def renew() -> None:
        attempts.append("pip")
        raise Absent("the index is out of reach")

    for _ in range(3):
        with pytest.raises(Absent, match="out of reach"):
            installing.installed(renew, version)
    assert attempts == ["pip"]
