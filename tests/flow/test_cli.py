"""The command line: what each command prints, and how it ends."""

import json
import re
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from policies.schema.policy import Policy
from policies.schema.store import PolicyStore
from proxy.cli import COMMANDS
from proxy.openai_api.json_body import JsonObject
from proxy.settings import Settings
from proxy.tenants import TenantBook
from tests.fakes.command import assert_refused, run, run_process

TENANT_FILE = "extends: default\ntenant: {name}\nupstream:\n  base_url: http://127.0.0.1:9/v1\n"


# --- commands ---


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_among_all_is_the_first_of_its_own(tmp_path: Path, name: str) -> None:
    by_its_line, by_itself = run(tmp_path, "--help"), run(tmp_path, "--help", name)

    assert f" {name} " in by_itself.out
    assert sorted(by_itself.out.splitlines()) == sorted(by_its_line.out.splitlines())


def test_a_command_imports_nothing_that_only_others_need() -> None:
    program = (
        "import sys; from proxy.cli import command_line; "
        "command_line(['keys', 'new']); print(*sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    imported = set(done.stdout.decode().split())
    assert "proxy.cli.keys" in imported
    assert not imported & {"litestar", "redis", "proxy.app", "guards.core.guard"}


def test_the_version_needs_no_command(tmp_path: Path) -> None:
    ended = run(tmp_path, "--version")

    assert (ended.status, ended.out) == (0, f"guard-proxy {version('guard-proxy')}\n")


# --- settings ---


SECRET = "a-token-of-tests-that-nobody-may-see"


def shown_settings(folder: Path, **settings: str) -> dict[str, JsonObject]:
    ended = run(folder, "settings", "--json", **settings)
    assert ended.status == 0, ended
    assert SECRET not in ended.out
    return {one["variable"]: one for one in json.loads(ended.out)["settings"]}


def test_every_setting_is_listed_with_where_it_comes_from(tmp_path: Path) -> None:
    shown = shown_settings(tmp_path, port="9000", policies_polling="yes", log_format="json")

    assert [*shown] == [f"GUARD_PROXY_{name.upper()}" for name in Settings.model_fields]
    assert all(one["meaning"] for one in shown.values())
    given = {name: one["value"] for name, one in shown.items() if one["source"] == "environment"}
    assert given == {
        "GUARD_PROXY_PORT": 9000,
        "GUARD_PROXY_POLICIES_POLLING": True,
        "GUARD_PROXY_LOG_FORMAT": "json",
    }
    assert shown["GUARD_PROXY_POLICIES"]["value"] == "policies.d"
    assert (shown["GUARD_PROXY_PORT"]["default"], shown["GUARD_PROXY_PORT"]["source"]) == (
        8080,
        "environment",
    )


def test_of_a_secret_only_that_it_is_set_is_shown(tmp_path: Path) -> None:
    secrets = {"admin_token": SECRET, "redis_url": f"redis://:{SECRET}@127.0.0.1:6379"}

    shown = shown_settings(tmp_path, **secrets)
    by_eye = run(tmp_path, "settings", **secrets)

    for name in ("GUARD_PROXY_ADMIN_TOKEN", "GUARD_PROXY_REDIS_URL"):
        assert set(str(shown[name]["value"])) == {"*"}
        assert name in by_eye.out
    assert SECRET not in by_eye.out
    assert shown_settings(tmp_path)["GUARD_PROXY_ADMIN_TOKEN"]["value"] is None


def test_a_variable_that_is_no_setting_is_pointed_out(tmp_path: Path) -> None:
    by_eye = run(tmp_path, "settings", wokers="2")
    told = json.loads(run(tmp_path, "settings", "--json", wokers="2").out)

    assert "GUARD_PROXY_WOKERS is no setting; did you mean GUARD_PROXY_WORKERS?" in by_eye.err
    assert told["unknown_variables"] == [
        {"variable": "GUARD_PROXY_WOKERS", "meant": "GUARD_PROXY_WORKERS"}
    ]


def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    assert_refused(run(tmp_path, "settings", port="many"), "GUARD_PROXY_PORT: ")


def test_the_help_of_the_service_names_its_variables(tmp_path: Path) -> None:
    ended = run(tmp_path, "serve", "--help")

    for name in ("POLICIES", "HOST", "PORT", "WORKERS"):
        assert f"GUARD_PROXY_{name}" in ended.out
    assert "guard-proxy settings" in ended.out


# --- keys ---


def test_a_new_key_opens_the_door_once_its_line_is_pasted(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "keys", "new", "hr")

    found = re.search(r"(gp-hr-\S+)[\s\S]*\n( *- hmac:\S+)\n", ended.out)
    assert found, ended
    key, line = found.groups()
    (tmp_path / "hr.yaml").write_text(TENANT_FILE.format(name="hr") + f"keys:\n{line}\n")
    tenant = TenantBook(PolicyStore(tmp_path).snapshot).by_key(key)
    assert tenant is not None
    assert tenant.name == "hr"
    assert ended.out.count(key) == 1


def test_a_name_that_no_tenant_may_have_is_refused(tmp_path: Path) -> None:
    assert_refused(run(tmp_path, "keys", "new", "인사팀"), "a tenant's name matches", "'인사팀'")


# --- policy ---


def test_policies_in_order_are_listed_with_their_versions(tmp_path: Path) -> None:
    (tmp_path / "hr.yaml").write_text(TENANT_FILE.format(name="hr"))
    (tmp_path / "base.yaml").write_text("report: true\n")

    plain = run(tmp_path, "policy", "check", tmp_path)
    as_json = run(tmp_path, "policy", "check", ".", "--json")
    of_the_service = run(tmp_path, "policy", "check", policies=str(tmp_path))

    assert (plain.status, as_json.status) == (0, 0)
    assert of_the_service == plain
    found = json.loads(as_json.out)
    version = found["policies"]["hr"]["version"]
    assert f"ok: hr (tenant hr, version {version})" in plain.out
    assert "ok: base (to be extended, version " in plain.out
    assert found["errors"] == []
    assert re.fullmatch(r"[0-9a-f]{12}", version)


def test_everything_wrong_with_policies_is_named_by_file_line_and_key(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(TENANT_FILE.format(name="good"))
    (tmp_path / "mode.yaml").write_text(
        TENANT_FILE.format(name="mode") + "guards:\n  numbers:\n    mode: loud\n"
    )
    (tmp_path / "typo.yaml").write_text(TENANT_FILE.format(name="typo") + "gaurds: {}\n")

    plain = run(tmp_path, "policy", "check", tmp_path)
    as_json = run(tmp_path, "policy", "check", tmp_path, "--json")

    assert (plain.status, as_json.status) == (2, 2)
    errors = json.loads(as_json.out)["errors"]
    assert [re.sub(r".*/", "", error).split(": ")[:2] for error in errors] == [
        ["mode.yaml:7:5", "guards.numbers.mode"],
        ["typo.yaml:5:1", "gaurds"],
    ]
    for error in errors:
        assert f"error: {error}" in plain.err
    assert "ok: good (tenant good" in plain.out


def test_a_directory_without_policies_is_an_error(tmp_path: Path) -> None:
    assert_refused(run(tmp_path, "policy", "check", tmp_path), f"{tmp_path}: holds no policy")


def test_the_schema_is_json_and_knows_every_key(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "policy", "schema")

    assert ended.status == 0
    assert set(Policy.model_fields) <= set(json.loads(ended.out)["properties"])


# --- sources ---

REQUEST = {
    "model": "scripted-ko",
    "messages": [{"role": "user", "content": "출장 일비는 얼마인가요?"}],
    "guard": {
        "sources": [
            {
                "section_title": "[/b] 출장비 [red]",
                "section_content": "국내 출장을 가는 직원에게 1일당 일비 3만원을 지급한다.",
                "file": "travel.pdf",
                "page": 12,
                "score": 0.875,
            }
        ]
    },
}


def test_the_sources_of_a_file_are_shown(tmp_path: Path) -> None:
    (tmp_path / "request.json").write_text(json.dumps(REQUEST))

    ended = run(tmp_path, "sources", "request.json")

    assert ended.status == 0, ended
    assert "question: 출장 일비는 얼마인가요?" in ended.out
    assert "context:  sources found" in ended.out
    for shown in ("[/b] 출장비 [red]", "travel.pdf", "12", "0.88", "일비 3만원을 지급한다."):
        assert shown in ended.out


def test_the_sources_of_standard_input_are_shown_for_programs(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "sources", "-", "--json", stdin=json.dumps(REQUEST))

    assert ended.status == 0, ended
    found = json.loads(ended.out)
    assert found["question"] == "출장 일비는 얼마인가요?"
    assert found["context"] == "found"
    [source] = found["sources"]
    assert (source["file"], source["page"], source["score"]) == ("travel.pdf", 12, 0.875)


CONTEXT = "[참고 자료]\n[1] 국내 출장을 가는 직원에게 1일당 일비 3만원을 지급한다."
ASKED = "출장 일비는 얼마인가요?"
DOORS = [
    pytest.param(
        {"messages": [{"role": "user", "content": f"{CONTEXT}\n\n질문: {ASKED}"}]},
        "chat/completions",
        id="chat",
    ),
    pytest.param(
        {"instructions": CONTEXT, "input": [{"role": "user", "content": ASKED}]},
        "responses",
        id="responses",
    ),
    pytest.param({"prompt": f"{CONTEXT}\n\n질문: {ASKED}\n답변:"}, "completions", id="completions"),
]


@pytest.mark.parametrize("said", [False, True], ids=["by-what-it-holds", "said"])
@pytest.mark.parametrize(("request_body", "door"), DOORS)
def test_the_sources_of_every_door_are_shown(
    tmp_path: Path, request_body: JsonObject, door: str, said: bool
) -> None:
    words = ("--door", door) if said else ()

    ended = run(tmp_path, "sources", "-", "--json", *words, stdin=json.dumps(request_body))

    assert ended.status == 0, ended
    found = json.loads(ended.out)
    assert found["question"] == ASKED
    assert [source["text"] for source in found["sources"]] == [CONTEXT.partition("[1] ")[2]]


def test_a_body_of_another_door_than_was_said_is_refused(tmp_path: Path) -> None:
    stdin = json.dumps({"prompt": ASKED})

    ended = run(tmp_path, "sources", "-", "--door", "chat/completions", stdin=stdin)

    assert_refused(ended, "-: Invalid value for 'messages'")


def test_a_request_without_context_says_so(tmp_path: Path) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "안녕하세요?"}]}

    ended = run(tmp_path, "sources", "-", stdin=json.dumps(asked).encode())

    assert ended.out.splitlines() == [
        "question: 안녕하세요?",
        "context:  no context block",
        "  put a heading or <context> around the sources, or name them in guard.sources",
    ]


def test_words_of_a_request_cannot_command_the_terminal(tmp_path: Path) -> None:
    asked = {"messages": [{"role": "user", "content": "\x1b]0;제목\x07 \x9b31m \ud800 네?"}]}
    request = json.dumps(asked).encode()

    plain = run(tmp_path, "sources", "-", stdin=request)
    as_json = run(tmp_path, "sources", "-", "--json", stdin=request)

    assert plain.status == 0, plain
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", plain.out)
    assert "제목" in plain.out
    assert json.loads(as_json.out)["question"] == asked["messages"][0]["content"]


@pytest.mark.parametrize(
    ("request_body", "said"),
    [
        pytest.param(b'{"messages": [', "-: not a JSON object: ", id="malformed"),
        pytest.param(
            b'{"messages": [{"role": "user"}], "guard": {"sources": 3}}',
            "guard.sources",
            id="wrong-type",
        ),
        pytest.param(b'{"model": "m"}', "Invalid value for 'messages'", id="no-request"),
    ],
)
def test_a_request_that_cannot_be_read_is_refused(
    tmp_path: Path, request_body: bytes, said: str
) -> None:
    assert_refused(run(tmp_path, "sources", "-", stdin=request_body), said)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert_refused(run(tmp_path, "sources", "gone.json"), "gone.json: No such file or directory")


# --- settings and addresses ---


@pytest.mark.parametrize("command", [("serve",), ("demo", "--once"), ("traces", "list")])
def test_settings_that_cannot_be_read_are_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    assert_refused(
        run(tmp_path, *command, port="abc", keep_alive_s="0"),
        "GUARD_PROXY_PORT: Input should be a valid integer",
        "GUARD_PROXY_KEEP_ALIVE_S: Input should be greater than 0",
    )


def test_a_wrong_redis_address_is_named_without_its_password(tmp_path: Path) -> None:
    ended = run(tmp_path, "serve", redis_url="redis://:secret/word@127.0.0.1/0")

    assert_refused(ended, "GUARD_PROXY_REDIS_URL: not a usable redis://")
    assert "secret" not in ended.err


@pytest.mark.parametrize("command", ["serve", "demo"])
def test_a_port_that_is_taken_is_named(tmp_path: Path, command: str) -> None:
    (tmp_path / "policies.d").mkdir()
    (tmp_path / "policies.d" / "hr.yaml").write_text(TENANT_FILE.format(name="hr"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run_process(tmp_path, command, "--port", str(port))

    assert_refused(ended, f"Cannot listen on 127.0.0.1:{port}: Address already in use")


def test_a_port_that_no_machine_has_is_refused(tmp_path: Path) -> None:
    assert_refused(run(tmp_path, "serve", "--port", "70000"), "--port")
