"""Starts or says why: what is wrong with settings or policies stops the start, with its place.

The status is 2, nothing is a stack trace, no secret is repeated, and nothing that passes here can
fail by its configuration later on.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from policies.schema.base import HttpAddress, PolicyError
from policies.schema.inheritance import MOST_FILES
from policies.schema.loader import load_policies
from proxy.cli.settings import unknown_variables
from proxy.server.serving import CannotListen, listening
from tests.fakes.command import assert_refused, run
from tests.tables import each_row

HASH = f"hmac:{'0' * 32}:{'0' * 64}"
TENANT = f"""\
extends: default
tenant: hr
keys: [{HASH}]
upstream: {{base_url: "http://127.0.0.1:9/v1"}}
"""
ADDRESSED = TENANT.replace('"http://127.0.0.1:9/v1"', "{address}")
BOMB = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [*{before}, *{before}, *{before}, *{before}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
SECRET = "geheimes-Wort"
AT = re.compile(r"policies\.d/hr\.yaml:(\d+):\d+: ")


@dataclass
class Case:
    """What is wrong, and what is said about it: the line, the key and some of the words."""

    text: str | bytes
    said: str
    line: int | None = None


POLICIES = [
    pytest.param(Case(TENANT + "upstram: 1\n", "upstram: is not a known key", 5), id="key"),
    pytest.param(Case(TENANT + "report: 1\n", "report: must be", 5), id="type"),
    pytest.param(
        Case(TENANT + "limits: {requests_per_minute: -1}\n", "limits.requests_per_minute: ", 5),
        id="number",
    ),
    pytest.param(
        Case(TENANT + "guards:\n  hallucination: {}\n", "guards.hallucination: ", 6), id="guard"
    ),
    pytest.param(
        Case(TENANT + "intents: [{intent: a, patterns: ['(?<=b)']}]\n", "patterns[0]: is no", 5),
        id="pattern",
    ),
    pytest.param(
        Case(TENANT + "templates: {fallback: '{{ reason'}\n", "templates.fallback: is no", 5),
        id="template",
    ),
    pytest.param(
        Case(TENANT + "templates:\n  fallback: '{{ reason.upper() }}'\n", "may not use", 6),
        id="template-that-calls",
    ),
    pytest.param(
        Case(TENANT + "passthrough: ['POST /chat/completions']\n", "passthrough[0]: ", 5),
        id="guarded-door-handed-through",
    ),
    pytest.param(Case(TENANT + "\treport: true\n", "is not well-formed YAML", 5), id="tab"),
    pytest.param(Case(TENANT + "tenant: it\n", "tenant: appears twice", 5), id="key-twice"),
    pytest.param(Case(TENANT + "judge: {<<: *base}\n", "is not well-formed YAML", 5), id="merge"),
    pytest.param(Case(BOMB, "b[0]: is an alias", 1), id="alias-bomb"),
    pytest.param(
        Case(TENANT + "reasons: !!python/object/apply:os.system [id]\n", "carries the tag", 5),
        id="tag-that-would-run",
    ),
    pytest.param(Case(TENANT.encode() + b"reasons: {a: \xff}\n", "is not UTF-8", 5), id="utf-8"),
    pytest.param(Case("[" * 100_000, "nested too deep"), id="nested"),
    pytest.param(Case("#" * (1 << 20) + "\n", "is larger than 1048576 bytes"), id="huge"),
    pytest.param(
        Case(TENANT.replace("default", "defualt"), "extends: there is no policy", 1), id="base"
    ),
    pytest.param(
        Case(
            TENANT.replace('/v1"', '/v1", api_key_env: MODEL_KEY_IN_TESTS'),
            "upstream.api_key_env: names the environment variable MODEL_KEY_IN_TESTS, which is not",
            4,
        ),
        id="key-of-the-server-not-set",
    ),
    pytest.param(
        Case(TENANT + f"judge: {{base_url: 'http://h/v1', api_key_env: '{SECRET}'}}\n", "judge", 5),
        id="key-in-place-of-its-name",
    ),
    pytest.param(
        Case(TENANT.replace(HASH, SECRET), "keys[0]: is no salted hash of a key", 3), id="bare-key"
    ),
    pytest.param(
        Case(TENANT.replace(HASH, f"sha256:{'0' * 64}"), "`guard-proxy keys new TENANT`", 3),
        id="hash-without-a-salt",
    ),
]


def written(folder: Path, name: str, content: str | bytes) -> Path:
    policies = folder / "policies.d"
    policies.mkdir(exist_ok=True)
    path = policies / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@each_row("case", POLICIES)
def test_a_policy_that_cannot_be_used(tmp_path: Path, case: Case) -> None:
    written(tmp_path, "hr.yaml", case.text)

    ended = run(tmp_path, "serve", port="0")

    assert_refused(ended, "The policies cannot be used:", case.said)
    lines = [int(found[1]) for found in AT.finditer(ended.err)]
    assert case.line in lines if case.line else "hr.yaml" in ended.err
    assert SECRET not in ended.err


ADDRESSES = [
    pytest.param('"http://h:99999/v1"', "names no port", id="port-too-high"),
    pytest.param('"http://h:0/v1"', "names no port", id="port-zero"),
    pytest.param('"http://h:http/v1"', "names no port", id="port-in-words"),
    pytest.param('"http://a b/v1"', "visible characters", id="blank"),
    pytest.param('"http://h/v1\\r\\nx: y"', "visible characters", id="line-end"),
    pytest.param('"http://모델.kr/v1"', "visible characters", id="hangul"),
    pytest.param('"http://a..b/v1"', "names no host", id="two-dots"),
    pytest.param('"http://h;x/v1"', "names no host", id="odd-letter"),
    pytest.param('"http:///v1"', "name a host", id="no-host"),
    pytest.param('"http://[zz]/v1"', "IPv6", id="not-ipv6"),
    pytest.param(f'"http://u:{SECRET}@h/v1"', "must end with the path", id="password"),
    pytest.param('"file:///etc/passwd"', "must begin with http", id="file"),
]


@each_row("address, said", ADDRESSES)
def test_an_address_that_no_request_could_go_to(tmp_path: Path, address: str, said: str) -> None:
    written(tmp_path, "hr.yaml", ADDRESSED.replace("{address}", address))

    with pytest.raises(PolicyError) as refused:
        load_policies(tmp_path / "policies.d", require_env=True)

    [problem] = refused.value.problems
    assert (problem.key, problem.place.line) == ("upstream.base_url", 4)
    assert said in problem.message
    assert SECRET not in str(problem)


@each_row(
    "address",
    ["http://127.0.0.1:8000/v1", "https://a-b.c_d.svc.cluster.local./v1/", "http://[::1]:1/%EA"],
)
def test_addresses_that_requests_can_go_to(address: str) -> None:
    adapter: TypeAdapter[str] = TypeAdapter(HttpAddress)
    assert adapter.validate_python(address) == address.rstrip("/")
    with pytest.raises(ValidationError):
        adapter.validate_python(address.replace("//", "// "))


@pytest.mark.parametrize(
    "key", ["a key", f"{SECRET}\n", "열쇠", "a\x00"], ids=["blank", "line-end", "hangul", "nul"]
)
def test_a_servers_key_that_no_header_can_carry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    if "\x00" in key:
        key = key.replace("\x00", "\x01")  # no environment can hold the other one
    monkeypatch.setenv("MODEL_KEY_IN_TESTS", key)
    written(tmp_path, "hr.yaml", TENANT.replace('/v1"', '/v1", api_key_env: MODEL_KEY_IN_TESTS'))

    ended = run(tmp_path, "serve", port="0")

    assert_refused(ended, "hr.yaml:4:", "upstream.api_key_env", "which holds no key")
    assert SECRET not in ended.err


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "policies.d" / "hr.yaml")


def _device(folder: Path) -> None:
    (folder / "policies.d" / "hr.yaml").symlink_to("/dev/zero")


def _loop(folder: Path) -> None:
    (folder / "policies.d" / "hr.yaml").symlink_to("hr.yaml")


def _none(_: Path) -> None:
    """Leave the directory empty."""


def _many(folder: Path) -> None:
    for number in range(MOST_FILES + 1):
        (folder / "policies.d" / f"p{number}.yaml").touch()


def _twins(folder: Path) -> None:
    for name in ("a", "b"):
        written(folder, f"{name}.yaml", TENANT)


FOLDERS = [
    pytest.param(_pipe, ["hr.yaml: is no regular file"], id="pipe"),
    pytest.param(_device, ["hr.yaml: is no regular file"], id="file-without-end"),
    pytest.param(_loop, ["hr.yaml: cannot be read"], id="link-to-itself"),
    pytest.param(_none, ["holds no policy"], id="empty"),
    pytest.param(_many, [f"holds more than {MOST_FILES} policies"], id="too-many"),
    pytest.param(_twins, ["b.yaml:2:1: tenant: ", "b.yaml:3:8: keys[0]: "], id="twins"),
]


@pytest.mark.parametrize(("make", "said"), FOLDERS)
def test_a_directory_that_cannot_be_used(
    tmp_path: Path, make: Callable[[Path], None], said: list[str]
) -> None:
    (tmp_path / "policies.d").mkdir()
    make(tmp_path)

    assert_refused(run(tmp_path, "serve", port="0"), *said)


SETTINGS = [
    pytest.param({"port": "eighty"}, "GUARD_PROXY_PORT: ", id="word-for-a-number"),
    pytest.param({"port": "70000"}, "GUARD_PROXY_PORT: ", id="port"),
    pytest.param({"workers": "0"}, "GUARD_PROXY_WORKERS: ", id="no-workers"),
    pytest.param({"workers": "1000000"}, "GUARD_PROXY_WORKERS: ", id="too-many-workers"),
    pytest.param(
        {"long_text_processes": "1000000"}, "GUARD_PROXY_LONG_TEXT_PROCESSES: ", id="processes"
    ),
    pytest.param({"shutdown_s": "nan"}, "GUARD_PROXY_SHUTDOWN_S: ", id="no-number"),
    pytest.param({"unready_s": "-1"}, "GUARD_PROXY_UNREADY_S: ", id="less-than-nothing"),
    pytest.param({"log_format": "xml"}, "GUARD_PROXY_LOG_FORMAT: ", id="format"),
    pytest.param(
        {"redis_url": f"redis://:{SECRET}@h:port/0"}, "GUARD_PROXY_REDIS_URL: ", id="redis"
    ),
    pytest.param({"admin_token": f"{SECRET}\n"}, "GUARD_PROXY_ADMIN_TOKEN: ", id="token"),
    pytest.param({"policies": "policies.d/hr.yaml"}, "cannot be read: Not a directory", id="file"),
]


@each_row("settings, said", SETTINGS)
def test_a_setting_that_cannot_be_used(tmp_path: Path, settings: dict[str, str], said: str) -> None:
    written(tmp_path, "hr.yaml", TENANT)

    ended = run(tmp_path, "serve", **settings)

    assert_refused(ended, said)
    assert SECRET not in ended.err


def test_more_workers_than_any_machine_could_bear(tmp_path: Path) -> None:
    ended = run(tmp_path, "serve", "--workers", "1025")  # without a policy, it would not start

    assert ended.status == 2
    assert "1024" in ended.err


@each_row("host", ["x" * 300, "a..b", "203.0.113.1"])
def test_a_host_that_nobody_can_listen_on(host: str) -> None:
    with pytest.raises(CannotListen, match="Cannot listen on"):
        listening(host, 0)


def test_a_variable_that_no_setting_has_is_pointed_out() -> None:
    environment = {
        "GUARD_PROXY_WOKERS": "4",
        "GUARD_PROXY_WORKERS": "4",
        "guard_proxy_port": "1",
        "GUARD_PROXY_QQQQQQQQ": "",
        "GUARDPROXY_REDIS_URL": "redis://cache",
        "PROXY_PORT": "3128",
        "MY_PORT": "1",
        "PATH": "/",
    }

    odd = dict(unknown_variables(environment))

    assert odd == {
        "GUARD_PROXY_WOKERS": "GUARD_PROXY_WORKERS",
        "GUARD_PROXY_QQQQQQQQ": "",
        "GUARDPROXY_REDIS_URL": "GUARD_PROXY_REDIS_URL",
    }
