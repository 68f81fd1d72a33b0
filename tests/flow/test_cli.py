"""The command line: what each command prints, and how it ends."""

import json
import os
import re
import socket
import subprocess
import sys
from datetime import UTC, datetime
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
from tests.fakes.warm_start import COMMAND
from tests.tables import each_row

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


@pytest.mark.parametrize("command", [(), ("serve",), ("keys",), ("traces", "list")])
def test_every_command_has_a_short_option_for_its_help(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    short, long = run(tmp_path, *command, "-h"), run(tmp_path, *command, "--help")

    assert short.status == 0
    assert "Usage:" in short.out
    assert short == long


# --- completion ---

# Each question to the program starts it once.
TYPED = ("guard-proxy traces list --te", {"--tenant", "--text"})


def completion(shell: str, instruction: str, **variables: str) -> str:
    """Run the program as the script of a shell does."""
    told = {"_GUARD_PROXY_COMPLETE": f"{instruction}_{shell}", **variables}
    done = subprocess.run(
        [COMMAND], env=os.environ | told, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_bash_completes_commands_and_options() -> None:
    typed, offered = TYPED
    words = typed.split(" ")
    program = "\n".join(
        [
            f'export PATH="{COMMAND.parent}:$PATH"',
            completion("bash", "source"),
            f"COMP_WORDS=({typed} '') COMP_CWORD={len(words) - 1}",
            '_guard_proxy_completion guard-proxy; printf "%s\\n" "${COMPREPLY[@]}"',
        ]
    )

    done = subprocess.run(
        ["bash", "--norc", "-c", program], capture_output=True, text=True, check=True
    )

    assert offered <= set(done.stdout.split())
    assert all(word.startswith(words[-1]) for word in done.stdout.split())


@each_row("shell", ["zsh", "fish"])
def test_other_shells_complete_commands(shell: str) -> None:
    typed, offered = TYPED
    told = {"_TYPER_COMPLETE_ARGS": typed, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}

    script, found = completion(shell, "source"), completion(shell, "complete", **told)

    assert f"_GUARD_PROXY_COMPLETE=complete_{shell}" in script
    assert all(word in found for word in offered)


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

    found = re.search(r"(gp-hr-\S+)[\s\S]*\n( *- hmac:\S+.*)\n", ended.out)
    assert found, ended
    key, line = found.groups()
    (tmp_path / "hr.yaml").write_text(TENANT_FILE.format(name="hr") + f"keys:\n{line}\n")
    tenant = TenantBook(PolicyStore(tmp_path).snapshot).by_key(key)
    assert tenant is not None
    assert tenant.name == "hr"
    assert ended.out.count(key) == 1


def test_a_name_that_no_tenant_may_have_is_refused(tmp_path: Path) -> None:
    assert_refused(run(tmp_path, "keys", "new", "인사팀"), "a tenant's name matches", "'인사팀'")


def tenant_with_keys(folder: Path, count: int) -> tuple[Path, list[str]]:
    """Write the file of tenant hr; return it and its keys."""
    made = [run(folder, "keys", "new", "hr").out for _ in range(count)]
    lines = [re.findall(r" *- hmac:.*", one)[0] for one in made]
    (folder / "policies.d").mkdir()
    file = folder / "policies.d" / "hr.yaml"
    head = "# 인사팀 규정\n" + TENANT_FILE.format(name="hr") + "keys:  # apps\n"
    file.write_text("\n".join([head.rstrip(), *lines, "report: true  # 앱에서 사용\n"]))
    return file, [re.findall(r"gp-hr-\S+", one)[0] for one in made]


def listed_keys(folder: Path) -> list[JsonObject]:
    ended = run(folder, "keys", "list", "--json")
    assert ended.status == 0, ended
    found: list[JsonObject] = json.loads(ended.out)["keys"]
    return found


def test_keys_are_listed_by_fingerprint_and_never_shown(tmp_path: Path) -> None:
    file, made = tenant_with_keys(tmp_path, 2)
    text = file.read_text()

    by_eye, told = run(tmp_path, "keys", "list"), listed_keys(tmp_path)

    hashes = re.findall(r"hmac:([0-9a-f]{32}):([0-9a-f]{64})", text)
    first = text[: text.index("- hmac:")].count("\n") + 1
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert [(one["tenant"], one["fingerprint"], one["line"]) for one in told] == [
        ("hr", hashes[0][0][:8], first),
        ("hr", hashes[1][0][:8], first + 1),
    ]
    assert {one["note"] for one in told} == {today}
    for key, (salt, digest) in zip(made, hashes, strict=True):
        assert salt[:8] in by_eye.out
        assert f"hr.yaml:{first}" in by_eye.out
        assert not any(secret in by_eye.out for secret in (key, salt, digest))


def test_a_key_is_revoked_by_its_fingerprint_and_nothing_else_of_the_file_changes(
    tmp_path: Path,
) -> None:
    file, made = tenant_with_keys(tmp_path, 2)
    file.chmod(0o640)
    lines = file.read_text().splitlines()
    first, second = listed_keys(tmp_path)

    ended = run(tmp_path, "keys", "revoke", str(first["fingerprint"]))

    assert ended.status == 0, ended
    assert file.read_text().splitlines() == [
        line for line in lines if f"hmac:{first['fingerprint']}" not in line
    ]
    book = TenantBook(PolicyStore(file.parent).snapshot)
    assert (book.by_key(made[0]) is None, book.by_key(made[1]) is None) == (True, False)
    assert [one["fingerprint"] for one in listed_keys(tmp_path)] == [second["fingerprint"]]
    assert (file.stat().st_mode & 0o777, [*file.parent.iterdir()]) == (0o640, [file])


def test_the_last_key_is_revoked_by_the_key_itself(tmp_path: Path) -> None:
    file, made = tenant_with_keys(tmp_path, 1)

    ended = run(tmp_path, "keys", "revoke", "-", stdin=f"{made[0]}\n")

    assert ended.status == 0, ended
    assert made[0] not in ended.out
    assert "keys: []  # apps" in file.read_text()
    assert listed_keys(tmp_path) == []
    assert "holds no key of any tenant" in run(tmp_path, "keys", "list").out
    assert run(tmp_path, "policy", "check").status == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_root_leaves_the_file_to_its_owner(tmp_path: Path) -> None:
    """The service could not read it, and go on with the key that was revoked."""
    file, made = tenant_with_keys(tmp_path, 2)
    os.chown(file, 1234, 2345)
    file.chmod(0o600)

    ended = run(tmp_path, "keys", "revoke", "-", stdin=f"{made[0]}\n")

    assert ended.status == 0, ended
    found = file.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1234, 2345, 0o600)


@pytest.mark.parametrize("case", ["beside-others", "linked"])
def test_a_line_that_cannot_be_taken_out_alone_is_named(tmp_path: Path, case: str) -> None:
    file, _ = tenant_with_keys(tmp_path, 1)
    [hashed] = re.findall(r"hmac:\S+", file.read_text())
    if case == "linked":
        file = file.rename(tmp_path / "mounted.yaml")
        (tmp_path / "policies.d" / "hr.yaml").symlink_to(file)
    else:
        file.write_text(TENANT_FILE.format(name="hr") + f"keys: ['{hashed}']\n")
    before = file.read_text()
    [line] = listed_keys(tmp_path)

    ended = run(tmp_path, "keys", "revoke", str(line["fingerprint"]))

    assert ended.status == 1, ended
    assert f"hr.yaml:{line['line']} was not edited: " in ended.err
    assert {"linked": "is a link", "beside-others": "shares its line"}[case] in ended.err
    assert file.read_text() == before


def test_a_key_that_nobody_has_is_not_revoked(tmp_path: Path) -> None:
    tenant_with_keys(tmp_path, 1)

    assert_refused(run(tmp_path, "keys", "revoke", "00000000"), "`guard-proxy keys list`")
    assert_refused(run(tmp_path, "keys", "revoke", "-", stdin="gp-hr-x\n"), "No key")


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
ENDPOINTS = [
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
@pytest.mark.parametrize(("request_body", "endpoint"), ENDPOINTS)
def test_the_sources_of_every_endpoint_are_shown(
    tmp_path: Path, request_body: JsonObject, endpoint: str, said: bool
) -> None:
    words = ("--endpoint", endpoint) if said else ()

    ended = run(tmp_path, "sources", "-", "--json", *words, stdin=json.dumps(request_body))

    assert ended.status == 0, ended
    found = json.loads(ended.out)
    assert found["question"] == ASKED
    assert [source["text"] for source in found["sources"]] == [CONTEXT.partition("[1] ")[2]]


def test_a_body_of_another_endpoint_is_refused(tmp_path: Path) -> None:
    stdin = json.dumps({"prompt": ASKED})

    ended = run(tmp_path, "sources", "-", "--endpoint", "chat/completions", stdin=stdin)

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
