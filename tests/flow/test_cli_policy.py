"""`guard-proxy policy explain` and `policy diff`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from policies.schema.inheritance import shipped_files
from policies.schema.keys import new_key
from policies.schema.loader import load_file, load_shipped
from proxy.cli.policy import policy
from tests.fakes.command import run

_, HASH = new_key("hr")
HR = f"""\
extends: default
tenant: hr
keys: ['{HASH}']
upstream:
  base_url: http://127.0.0.1:9/v1
  api_key_env: MODEL_KEY_OF_TESTS
guards:
  numbers:
    final: replace
  names:
    options:
      known_names: [한빛관, 새봄라운지, 물빛정원, 산들마루, 달맞이홀, 푸른솔방, 너른마당, 해돋이방]
templates:
  fallback: |
    등록된 자료에서 확인하지 못했습니다. 다시 여쭈어 주세요.

    총무팀에 문의해 주세요.
"""
LAB = """\
extends: hr
tenant: lab
guards:
  names:
    options:
      known_names: [한빛관, 새봄라운지, 물빛정원, 산들마루, 달맞이홀, 푸른솔방, 너른마당, 별빛서재]
templates:
  fallback: |
    등록된 자료에서 확인하지 못했습니다. 다시 여쭈어 주세요.

    연구지원팀에 문의해 주세요.
"""


@dataclass(frozen=True)
class Desk:
    """A directory of policies, and a terminal in front of it."""

    policies: Path

    def says(self, *words: str | Path) -> Result:
        settings = {"GUARD_PROXY_POLICIES": str(self.policies)}
        return CliRunner().invoke(policy, [str(word) for word in words], env=settings)

    def json(self, *words: str | Path, status: int = 0) -> dict[str, Any]:
        ended = self.says(*words, "--json")
        assert ended.exit_code == status, ended.stderr
        told: dict[str, Any] = json.loads(ended.stdout)
        return told


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    folder = tmp_path / "policies.d"
    folder.mkdir()
    (folder / "hr.yaml").write_text(HR)
    (folder / "lab-rules.yaml").write_text(LAB)
    return Desk(folder)


# --- check ----------------------------------------------------------------------------------------


def test_a_key_that_is_not_set_is_refused_as_the_service_refuses_it(
    desk: Desk, tmp_path: Path
) -> None:
    said = (
        f"{desk.policies / 'hr.yaml'}:6:3: upstream.api_key_env: names the environment variable "
        "MODEL_KEY_OF_TESTS, which is not set"
    )

    checked = run(tmp_path, "policy", "check", desk.policies)
    served = run(tmp_path, "serve", "--policies", desk.policies)
    without = run(tmp_path, "policy", "check", desk.policies, "--no-env")

    assert (checked.status, served.status, without.status) == (2, 2, 0)
    assert f"error: {said}\n" in checked.err
    assert f"{said}\n" in served.err
    assert f"warning: {said}\n" in without.err
    assert "ok: hr (tenant hr" in without.out
    assert "ok: hr" not in checked.out


def test_limits_that_only_one_process_can_keep_are_pointed_out(desk: Desk) -> None:
    (desk.policies / "hr.yaml").write_text(f"{HR}limits:\n  concurrent_requests: 3\n")

    told = desk.json("check", "--no-env")
    shown = desk.says("check", desk.policies, "--no-env")

    place = f"{desk.policies / 'hr.yaml'}:{len(HR.splitlines()) + 1}:1"
    [said] = [one for one in told["warnings"] if "GUARD_PROXY_REDIS_URL" in one]
    assert said.startswith(f"{place}: limits: kept by one process only")
    assert (told["errors"], shown.exit_code) == ([], 0)
    assert said in shown.stderr


def test_limits_are_refused_as_several_workers_would_refuse_them(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY_OF_TESTS", "x")
    (desk.policies / "hr.yaml").write_text(f"{HR}limits: {{concurrent_requests: 3}}\n")

    checked = run(tmp_path, "policy", "check", desk.policies, workers="2")
    counted = run(
        tmp_path, "policy", "check", desk.policies, workers="2", redis_url="redis://127.0.0.1:9"
    )
    served = run(tmp_path, "serve", "--policies", desk.policies, workers="2")

    assert (checked.status, counted.status, served.status) == (2, 0, 2)
    assert "each of 2 workers would count for itself" in checked.err
    assert "each of 2 workers would count for itself" in served.err
    assert "REDIS" not in counted.err


# --- explain --------------------------------------------------------------------------------------


def test_a_program_is_told_every_value_and_where_it_comes_from(desk: Desk) -> None:
    told = desk.json("explain", "lab")

    loaded = load_file(desk.policies / "lab-rules.yaml")
    assert told["policy"] == "lab-rules"
    assert told["tenant"] == "lab"
    assert told["version"] == loaded.version
    assert told["file"] == str(desk.policies / "lab-rules.yaml")
    settings = {each["key"]: each for each in told["settings"]}
    assert settings["tenant"]["from"] == {"file": loaded.path, "line": 2, "shipped": False}
    assert settings["guards.numbers.final"] == {
        "key": "guards.numbers.final",
        "value": "replace",
        "from": {"file": str(desk.policies / "hr.yaml"), "line": 9, "shipped": False},
    }
    assert settings["guards.numbers.mode"]["from"]["shipped"] is True
    assert settings["guards.numbers.mode"]["from"]["file"] == str(shipped_files()["default"])
    assert settings["guards.numbers.action"]["from"] is None


def test_a_reader_is_shown_a_table_cut_to_what_was_changed(desk: Desk, tmp_path: Path) -> None:
    ended = run(tmp_path, "policy", "explain", "hr", "--policies", desk.policies, "--changed")

    assert ended.status == 0, ended
    title, *rows = ended.out.splitlines()
    version = load_file(desk.policies / "hr.yaml").version
    assert title == f"hr  (tenant hr, version {version}, {desk.policies / 'hr.yaml'})"
    cells = [[cell.strip() for cell in row.strip("│").split("│")] for row in rows if "│" in row]
    assert [cell for cell in cells if cell[0].startswith("guards.")] == [
        ["guards.numbers.final", "replace", "hr.yaml:9"],
        [
            "guards.names.options.known_names",
            "8: 한빛관, 새봄라운지, 물빛정원, 산들마루, 달맞이홀, 푸른솔…",
            "hr.yaml:12",
        ],
    ]
    assert ["extends", "default", "hr.yaml:1"] in cells
    assert all(len(cell) == 3 for cell in cells), "each setting stands in one row"
    assert HASH not in ended.out


def test_one_single_value_is_shown_whole(desk: Desk) -> None:
    text = desk.says("explain", "hr", "--key", "templates.fallback")
    names = desk.says("explain", "hr", "--key", "guards.names.options.known_names")

    assert (text.exit_code, names.exit_code) == (0, 0)
    assert text.stdout.splitlines()[1:] == [
        "templates.fallback  (hr.yaml:14)",
        "등록된 자료에서 확인하지 못했습니다. 다시 여쭈어 주세요.",
        "",
        "총무팀에 문의해 주세요.",
    ]
    assert names.stdout.splitlines()[-2:] == ["너른마당", "해돋이방"]


def test_a_branch_can_be_asked_for(desk: Desk) -> None:
    told = desk.json("explain", "hr", "--key", "guards.numbers")

    keys = [each["key"] for each in told["settings"]]
    assert "guards.numbers.on_not_run" in keys
    assert all(key.startswith("guards.numbers.") for key in keys)


def test_nothing_changed_is_said_in_words(desk: Desk) -> None:
    ended = desk.says("explain", "hr", "--key", "stream", "--changed")

    assert ended.exit_code == 0
    assert "Nothing here is set otherwise than in the shipped default." in ended.stdout


def test_what_a_variable_holds_is_never_shown(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY_OF_TESTS", "spoken-to-nobody")

    whole = desk.says("explain", "hr")
    single = desk.says("explain", "hr", "--key", "upstream.api_key_env")

    assert "MODEL_KEY_OF_TESTS" in single.stdout
    assert "spoken-to-nobody" not in whole.output + single.output


def test_signs_that_a_terminal_obeys_are_not_passed_on(desk: Desk) -> None:
    (desk.policies / "odd.yaml").write_text(
        'templates: {fallback: "\\e[31m빨강", "\\e[32m": "[bold]굵게[/bold]"}\n'
    )

    table = desk.says("explain", "odd", "--key", "templates")
    whole = desk.says("explain", "odd", "--key", "templates.fallback")
    apart = desk.says("diff", "odd", "hr")

    assert "\x1b" not in table.output + whole.output + apart.output
    assert "[bold]굵게[/bold]" in table.output


def test_shipped_policies_can_be_looked_at_before_there_are_others(tmp_path: Path) -> None:
    told = Desk(tmp_path / "not-yet").json("explain", "strict", "--changed")

    assert told["policy"] == "strict"
    assert "tracing.text" in [each["key"] for each in told["settings"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(
            ("explain", "hrr"), "no tenant and no policy 'hrr'; did you mean 'hr'?", id="a-name"
        ),
        pytest.param(
            ("explain", "hr", "--key", "guard"), "--key: there is no key 'guard'; did", id="a-key"
        ),
        pytest.param(
            ("explain", "gone.yaml"), "error: gone.yaml: cannot be read: No such file", id="a-file"
        ),
        pytest.param(
            ("diff", "hr", "labb"),
            "no tenant and no policy 'labb'; did you mean 'lab'?",
            id="a-second-name",
        ),
        pytest.param(
            ("diff", "hr", "gone.yml"),
            "error: gone.yml: cannot be read: No such file",
            id="a-second-file",
        ),
        pytest.param(
            ("explain", "strict", "--policies", "gone"),
            "error: gone: cannot be read: No such file",
            id="a-directory",
        ),
    ],
)
def test_what_is_not_there_is_named(desk: Desk, words: tuple[str, ...], said: str) -> None:
    ended = desk.says(*words)

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_broken_policies_are_refused_as_the_check_refuses_them(desk: Desk) -> None:
    (desk.policies / "typo.yaml").write_text("extends: default\ngaurds: {}\n")

    checked = desk.says("check", desk.policies, "--no-env")
    for ended in (desk.says("explain", "hr"), desk.says("diff", "hr", "lab")):
        assert (ended.exit_code, ended.stdout) == (2, "")
        assert ended.stderr == checked.stderr.splitlines(keepends=True)[0]
        assert f"{desk.policies / 'typo.yaml'}:2:1: gaurds: is not a known key" in ended.stderr


# --- diff -----------------------------------------------------------------------------------------


def test_a_program_is_told_what_differs(desk: Desk) -> None:
    told = desk.json("diff", "hr", "lab", status=1)

    assert (told["a"]["policy"], told["b"]["policy"]) == ("hr", "lab-rules")
    found = {each["key"]: each for each in told["differences"]}
    assert found.keys() == {"guards.names.options.known_names", "templates.fallback"}
    names = found["guards.names.options.known_names"]
    assert names["a"]["value"][-1] == "해돋이방"
    assert names["b"]["value"][-1] == "별빛서재"
    assert names["b"]["from"]["line"] == 6


def test_of_long_values_a_reader_is_shown_what_differs(desk: Desk, tmp_path: Path) -> None:
    ended = run(tmp_path, "policy", "diff", "hr", "lab", policies=str(desk.policies))

    assert ended.status == 1, ended
    for path in (desk.policies / "hr.yaml", desk.policies / "lab-rules.yaml"):
        assert f"version {load_file(path).version}, {path})" in ended.out
    rows = [[cell.strip() for cell in row.split("│")] for row in ended.out.splitlines()]
    assert ["- 해돋이방", "+ 별빛서재"] in [row[2:4] for row in rows]
    assert ["- 총무팀에", "+ 연구지원팀에"] in [row[2:4] for row in rows]
    assert ["(hr.yaml:12)", "(lab-rules.yaml:6)"] in [row[2:4] for row in rows]
    assert "한빛관" not in ended.out
    assert "확인하지" not in ended.out


def test_policies_that_judge_alike_end_with_status_zero(desk: Desk, tmp_path: Path) -> None:
    copy = tmp_path / "copy.yaml"
    copy.write_text(HR.replace("tenant: hr", "tenant: other"))

    ended = desk.says("diff", copy, "hr")

    assert ended.exit_code == 0
    assert "They judge alike." in ended.stdout
    assert desk.json("diff", copy, "hr")["differences"] == []


def test_two_files_are_compared_wherever_they_are(desk: Desk, tmp_path: Path) -> None:
    for number, findings in enumerate((4, 7)):
        (tmp_path / f"draft{number}.yaml").write_text(f"regeneration: {{max_findings: {findings}}}")
    (desk.policies / "typo.yaml").write_text("gaurds: {}\n")

    drafts = tmp_path / "draft0.yaml", tmp_path / "draft1.yaml"
    [difference] = desk.json("diff", *drafts, status=1)["differences"]

    assert difference["key"] == "regeneration.max_findings"
    assert [difference[side]["value"] for side in "ab"] == [4, 7]


def test_shipped_policies_are_compared_by_name(desk: Desk) -> None:
    told = desk.json("diff", "default", "strict", status=1)

    assert told["a"]["version"] == load_shipped("default").version
    found = {each["key"]: each for each in told["differences"]}
    assert found["tracing.text"]["a"] == {"value": "masked", "from": None}
    assert found["tracing.text"]["b"]["value"] == "none"
