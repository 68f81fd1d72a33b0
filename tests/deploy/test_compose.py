"""The compose file: valid by the specification, and true to the program and to its neighbours."""

import re
from pathlib import Path

import compose_spec
import pytest

from policies.schema.sections import Timeouts
from proxy.cli.serve import CLOSING_S
from proxy.settings import Settings
from tests.deploy.dockerfile import ROOT, stages
from tests.deploy.front import directive
from tests.deploy.objects import at, fields, seconds, texts
from tests.deploy.yaml_files import DEPLOY, Fields, document_in

COMPOSE = DEPLOY / "compose.yaml"
FOUND = document_in(COMPOSE)
SERVICES: dict[str, Fields] = {
    name: fields(FOUND, f"services.{name}") for name in fields(FOUND, "services")
}
PROXY, NGINX, REDIS = SERVICES["proxy"], SERVICES["nginx"], SERVICES["redis"]
BY_NAME = [pytest.param(one, id=name) for name, one in SERVICES.items()]
IMAGE = stages()[-1]


def test_it_is_valid() -> None:
    # What stands in for a value is put in before compose reads the file.
    text = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", COMPOSE.read_text("utf-8"))
    text = re.sub(r"\$\{[^}]*\}", "given", text)
    # Docker's word for an address that it knows; this reader wants to see one.
    text = text.replace("host-gateway", "192.0.2.1")
    options = compose_spec.PyOptions(apply_merge=True)
    read = options.from_yaml(text)

    read.validate()
    assert set(read.service_names()) == {"proxy", "nginx", "redis"}


@pytest.mark.parametrize("broken", ["read_onyl: true", "restart: {often: true}", "tmpfs: 3"])
def test_what_is_misspelt_is_noticed(broken: str) -> None:
    with pytest.raises(ValueError, match=r"^services\.a"):
        compose_spec.PyCompose.from_yaml(f"services:\n  a:\n    image: b\n    {broken}\n")


@pytest.mark.parametrize("service", BY_NAME)
def test_no_service_may_do_more_than_it_must(service: Fields) -> None:
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert not str(service["image"]).endswith(("latest", ":"))


def test_what_one_waits_for_says_when_it_is_ready() -> None:
    for service in SERVICES.values():
        for name, wanted in fields(service, "depends_on").items():
            assert at(wanted, "condition") == "service_healthy"
            assert "healthcheck" in SERVICES[name] or "build" in SERVICES[name]
    assert IMAGE.all("HEALTHCHECK")


def test_what_is_mounted_is_there() -> None:
    for service in SERVICES.values():
        for mount in texts(service, "volumes"):
            source = mount.partition(":")[0]
            if source.startswith("."):
                assert (DEPLOY / source).exists()
            else:
                assert source in fields(FOUND, "volumes")
    assert (DEPLOY / str(at(PROXY, "build.context"))).resolve() == ROOT
    assert (ROOT / str(at(PROXY, "build.dockerfile"))).is_file()


def test_the_image_finds_its_folders() -> None:
    mounted = {mount.split(":")[1] for mount in texts(PROXY, "volumes")}
    mounted |= {mount.partition(":")[0] for mount in texts(PROXY, "tmpfs")}

    assert IMAGE.environment["GUARD_PROXY_POLICIES"] in mounted
    assert str(Path(IMAGE.environment["GUARD_PROXY_SQLITE_PATH"]).parent) in mounted
    assert IMAGE.environment["TMPDIR"] in mounted


def test_its_settings_are_settings() -> None:
    known = {f"GUARD_PROXY_{name.upper()}" for name in Settings.model_fields}
    example = (DEPLOY / "env.example").read_text("utf-8")
    named = set(re.findall(r"^(GUARD_PROXY_\w+)=", example, re.MULTILINE))

    assert fields(PROXY, "environment").keys() | named <= known


def test_what_has_to_be_filled_in_is_in_the_example() -> None:
    asked = set(re.findall(r"\$\{(\w+)", COMPOSE.read_text("utf-8")))
    example = (DEPLOY / "env.example").read_text("utf-8")

    assert asked <= set(re.findall(r"^(?:# )?(\w+)=", example, re.MULTILINE))


def test_a_replica_may_end_everything_before_it_is_killed() -> None:
    given = fields(PROXY, "environment")
    unready_s, shutdown_s = (
        float(str(given[f"GUARD_PROXY_{name}"])) for name in ("UNREADY_S", "SHUTDOWN_S")
    )

    assert unready_s > 0
    assert shutdown_s >= Timeouts().total_s
    for service in (PROXY, NGINX):
        assert seconds(service["stop_grace_period"]) > unready_s + shutdown_s + CLOSING_S
    assert NGINX["stop_signal"] == "SIGQUIT"


def test_redis_keeps_what_it_was_given_and_only_replicas_reach_it() -> None:
    command = texts(REDIS, "command")
    pairs = dict(zip(command[1::2], command[2::2], strict=True))

    assert pairs["--appendonly"] == "yes"
    assert pairs["--maxmemory-policy"] == "noeviction"
    assert "ports" not in REDIS
    assert texts(REDIS, "networks") == ["inside"]
    assert at(FOUND, "networks.inside.internal") is True


def test_nginx_is_before_several_replicas_on_their_port() -> None:
    replicas = at(PROXY, "deploy.replicas")

    assert isinstance(replicas, int)
    assert replicas >= 2
    assert "ports" not in PROXY
    asked = (DEPLOY / "nginx" / "nginx.conf").read_text("utf-8")
    assert f"server proxy:{IMAGE.environment['GUARD_PROXY_PORT']} resolve" in asked
    assert "listen 8080 " in asked
    assert "listen 8081 " in asked
    assert texts(NGINX, "ports") == [
        "${PORT:-8080}:8080",
        "127.0.0.1:${OPERATORS_PORT:-8081}:8081",
    ]


def test_there_are_descriptors_for_all_connections() -> None:
    ours = Settings()
    wanted = ours.max_connections + ours.max_upstream_connections + 256

    assert int(str(at(PROXY, "ulimits.nofile"))) >= wanted
    assert int(str(at(NGINX, "ulimits.nofile"))) >= int(directive("worker_rlimit_nofile"))


def test_one_worker_of_nginx_can_hold_all_that_replicas_serve() -> None:
    """A request takes a connection on either side."""
    replicas = int(str(at(PROXY, "deploy.replicas")))
    connections = int(directive("worker_connections"))

    assert connections >= 2 * replicas * Settings().max_requests
    assert int(directive("worker_rlimit_nofile")) >= 2 * connections
