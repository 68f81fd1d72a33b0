"""Settings of the service: from the environment, or refused by name."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from proxy.settings import LogFormat, Settings


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


@pytest.mark.parametrize(("name", "text", "value"), GIVEN)
def test_a_variable_sets_what_it_names(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, value: object
) -> None:
    monkeypatch.setenv(f"GUARD_PROXY_{name.upper()}", text)

    assert getattr(Settings(), name) == value


@pytest.mark.parametrize(
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
    ("port", "abc"),
    ("workers", "0"),
    ("long_text_processes", "-1"),
    ("port", "-1"),
    ("port", "65536"),
    ("policies_polling", "perhaps"),
    ("debug", "loud"),
    ("log_format", "xml"),
    ("max_body_bytes", "0"),
    ("max_reply_bytes", "10MiB"),
    ("keep_alive_s", "0"),
    ("keep_alive_s", "inf"),
    ("keep_alive_s", "nan"),
    ("shutdown_s", "-1"),
    ("shutdown_s", "inf"),
    ("redis_url", "127.0.0.1:6379"),
    ("redis_url", "http://127.0.0.1:6379"),
    ("redis_url", "redis://127.0.0.1:port/0"),
]


@pytest.mark.parametrize(("name", "text"), REFUSED)
def test_a_wrong_value_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setenv(f"GUARD_PROXY_{name.upper()}", text)

    with pytest.raises(ValidationError) as refused:
        Settings()

    [problem] = refused.value.errors()
    assert problem["loc"] == (name,)


@pytest.mark.parametrize("name", list(Settings.model_fields))
def test_an_empty_variable_is_one_that_is_not_set(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    unset = getattr(Settings(), name)
    monkeypatch.setenv(f"GUARD_PROXY_{name.upper()}", "")

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
