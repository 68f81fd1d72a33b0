"""Settings, and the addresses of Redis among them."""

from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import ValidationError
from redis.asyncio.connection import parse_url

from proxy.settings import LogFormat, Settings
from proxy.shared_redis import BadRedisAddress, RedisAddress, RedisKind, SharedRedis, trusting
from tests.tables import each_row


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"GUARD_PROXY_{name.upper()}", raising=False)


GIVEN = [
    ("policies", "/etc/guard", Path("/etc/guard")),
    ("policies_polling", "true", True),
    ("host", "0.0.0.0", "0.0.0.0"),
    ("port", "0", 0),
    ("port", "65535", 65535),
    ("workers", "4", 4),
    ("long_text_chars", "0", 0),
    ("long_text_processes", "0", 0),
    ("source_cache_chars", "0", 0),
    ("sqlite_path", "/var/traces.db", Path("/var/traces.db")),
    ("debug", "1", True),
    ("debug", "false", False),
    ("log_format", "json", LogFormat.JSON),
    ("max_body_bytes", "1", 1),
    ("max_reply_bytes", "2048", 2048),
    ("keep_alive_s", "0.5", 0.5),
    ("shutdown_s", "120", 120.0),
]


@each_row("name, text, value", GIVEN)
def test_a_variable_sets_what_it_names(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, value: object
) -> None:
    with monkeypatch.context() as environment:
        environment.setenv(f"GUARD_PROXY_{name.upper()}", text)

        assert getattr(Settings(), name) == value


@each_row(
    "address", ["redis://127.0.0.1:6379/0", "rediss://user:word@redis:6380/1", "unix:///run/r.sock"]
)
def test_an_address_of_redis_is_taken_as_it_is(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("GUARD_PROXY_REDIS_URL", address)

    given = Settings().redis_url

    assert given is not None
    assert given.get_secret_value() == address


REFUSED = [
    ("long_text_processes", "-1"),
    ("port", "-1"),
    ("port", "65536"),
    ("policies_polling", "perhaps"),
    ("debug", "loud"),
    ("max_body_bytes", "0"),
    ("max_reply_bytes", "10MiB"),
    ("keep_alive_s", "0"),
    ("keep_alive_s", "inf"),
    ("shutdown_s", "-1"),
    ("shutdown_s", "inf"),
    ("redis_url", "127.0.0.1:6379"),
    ("redis_url", "http://127.0.0.1:6379"),
    ("redis_url", "redis://127.0.0.1:port/0"),
]


@each_row("name, text", REFUSED)
def test_a_wrong_value_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    with monkeypatch.context() as environment:
        environment.setenv(f"GUARD_PROXY_{name.upper()}", text)

        with pytest.raises(ValidationError) as refused:
            Settings()

    [problem] = refused.value.errors()
    assert problem["loc"] == (name,)


@each_row("name", list(Settings.model_fields))
def test_an_empty_variable_is_one_that_is_not_set(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    unset = getattr(Settings(), name)
    with monkeypatch.context() as environment:
        environment.setenv(f"GUARD_PROXY_{name.upper()}", "")

        assert getattr(Settings(), name) == unset


def test_without_a_variable_nobody_is_admin_and_nothing_leaves_the_machine() -> None:
    settings = Settings()

    assert settings.admin_token is None
    assert settings.redis_url is None
    assert settings.host == "127.0.0.1"
    assert settings.max_body_bytes == 10 * 1024 * 1024


def test_secrets_are_not_shown_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUARD_PROXY_ADMIN_TOKEN", "token-nobody-may-see")
    monkeypatch.setenv("GUARD_PROXY_REDIS_URL", "redis://:word-nobody-may-see@127.0.0.1/0")

    settings = Settings()

    for shown in (repr(settings), str(settings), settings.model_dump_json()):
        assert "nobody-may-see" not in shown


def test_a_wrong_address_of_redis_does_not_show_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GUARD_PROXY_REDIS_URL", "redis://:nobody-may/see@127.0.0.1/0")

    with pytest.raises(ValidationError) as refused:
        Settings()

    [problem] = refused.value.errors()
    assert "nobody-may" not in problem["msg"]


def test_variables_of_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GUARD_PROXY_TEST_REDIS_URL", "redis://127.0.0.1/0")
    monkeypatch.setenv("PORT", "99999")

    assert Settings().port == 8080


WORD = "s3cr3t-w0rd"

TAKEN = [
    pytest.param(
        "redis://127.0.0.1:6379/0",
        RedisAddress(RedisKind.SERVER, (), "", "redis://127.0.0.1:6379/0"),
        id="server",
    ),
    pytest.param(
        "unix:///run/r.sock",
        RedisAddress(RedisKind.SERVER, (), "", "unix:///run/r.sock"),
        id="socket",
    ),
    pytest.param(
        "redis+sentinel://a:1,b/guard",
        RedisAddress(RedisKind.SENTINEL, (("a", 1), ("b", 26379)), "guard", "redis://one/0"),
        id="sentinels-and-their-usual-port",
    ),
    pytest.param(
        f"rediss+sentinel://us%40er:{WORD}@a:1/guard/3?ssl_ca_certs=/ca.pem",
        RedisAddress(
            RedisKind.SENTINEL,
            (("a", 1),),
            "guard",
            f"rediss://us%40er:{WORD}@one/3?ssl_ca_certs=/ca.pem",
        ),
        id="sentinels-with-all-there-is",
    ),
    pytest.param(
        f"redis+cluster://:{WORD}@a:1,[::1]:2,b",
        RedisAddress(
            RedisKind.CLUSTER,
            (("a", 1), ("::1", 2), ("b", 6379)),
            "",
            f"redis://:{WORD}@one/0",
        ),
        id="cluster",
    ),
    pytest.param(
        "rediss+cluster://a:1/0",
        RedisAddress(RedisKind.CLUSTER, (("a", 1),), "", "rediss://one/0"),
        id="cluster-with-the-only-database-it-has",
    ),
]


@each_row("address, taken", TAKEN)
def test_an_address_is_taken_apart(address: str, taken: RedisAddress) -> None:
    assert RedisAddress.of(address) == taken
    SharedRedis.check(address.replace("ssl_ca_certs=/ca.pem", "ssl_check_hostname=false"))


CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAa+/=\n-----END CERTIFICATE-----\n"
TRUSTED = "ssl_ca_data=" + quote(CERTIFICATE)


@each_row("address, with_trust", "trusting")
def test_an_authority_of_ones_own_is_trusted_if_the_address_names_none(
    address: str, with_trust: str | None
) -> None:
    given = trusting(address, CERTIFICATE)

    assert given == (with_trust or address)
    if with_trust:
        known = dict(parse_url(RedisAddress.of(given).server_url))
        assert known["ssl_ca_data"] == CERTIFICATE


@each_row("address, said", "no_address")
def test_what_cannot_be_used_is_refused_without_a_word_of_it(address: str, said: str) -> None:
    with pytest.raises(BadRedisAddress, match=said) as refused:
        SharedRedis.check(address)

    assert WORD not in str(refused.value)
    assert refused.value.__cause__ is None
