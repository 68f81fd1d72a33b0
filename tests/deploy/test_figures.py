"""Figures that files of deploy/ and pages of docs/ share are the same everywhere."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from policies.schema.sections import Timeouts, Tracing
from proxy.cli.serve import CLOSING_S
from proxy.settings import Settings
from tests.deploy.objects import at
from tests.deploy.yaml_files import DEPLOY, document_in
from tests.tables import each_row

FIGURES = document_in(DEPLOY / "figures.yaml")
DOCS = DEPLOY.parent / "docs"
BASE = DEPLOY / "kubernetes" / "base" / "deployment.yaml"
PRODUCTION = DEPLOY / "kubernetes" / "overlays" / "production"
REDIS = DEPLOY / "kubernetes" / "redis" / "statefulset.yaml"
COMPOSE, README, SIZING = DEPLOY / "compose.yaml", DEPLOY / "README.md", DOCS / "sizing.md"
NGINX = DEPLOY / "nginx" / "nginx.conf"


def number(name: str) -> float:
    found = at(FIGURES, name)
    assert isinstance(found, int | float), name
    return found


@dataclass(frozen=True)
class Place:
    """Where a figure is written: every match of a pattern, in the unit of its group."""

    figure: str
    file: Path
    pattern: str
    factor: float = 1.0


PLACES = [
    Place("proxy.memory_mib", COMPOSE, r"replicas: \d+\n\s+resources:\n\s+limits: .memory: (\d+)m"),
    Place("proxy.memory_mib", BASE, r"limits:\n\s+memory: (\d+)Gi", 1 / 1024),
    Place("proxy.memory_mib", README, r"memory of a replica \| (\d+) GiB", 1 / 1024),
    Place("proxy.memory_mib", README, r"two replicas of (\d+) GiB", 1 / 1024),
    Place("proxy.worker_mb", SIZING, r"170 to (\d+) MB with full caches"),
    Place("proxy.worker_mb", README, r"(\d+) MB a worker"),
    Place("proxy.worker_mb", BASE, r"a worker takes 130 to (\d+) MB"),
    Place("proxy.streams_mb", SIZING, r"(\d+) MB more per 1,000 idle streams"),
    Place("proxy.streams_mb", README, r"(\d+) MB for 1,000 streams"),
    Place("proxy.streams_mb", BASE, r"(\d+) MB more for 1,000 open"),
    Place("proxy.answers_per_s", SIZING, r"stream of 100 chunks .*\| (\d+) a second \|\n"),
    Place("proxy.descriptors", COMPOSE, r"nofile: (\d+)"),
    Place("proxy.descriptors", NGINX, r"worker_rlimit_nofile (\d+);"),
    Place("proxy.descriptors", README, r"compose (65,\d+);"),
    Place("proxy.compose_unready_s", COMPOSE, r'UNREADY_S: "(\d+)"'),
    Place("proxy.unready_s", BASE, r'UNREADY_S\n\s+value: "(\d+)"'),
    Place("proxy.unready_s", README, r"`GUARD_PROXY_UNREADY_S` \| (\d+) s"),
    Place("proxy.compose_unready_s", README, r"`GUARD_PROXY_UNREADY_S` \| \d+ s \(compose (\d+) s"),
    Place("proxy.shutdown_s", COMPOSE, r'SHUTDOWN_S: "(\d+)"'),
    Place("proxy.shutdown_s", BASE, r'SHUTDOWN_S\n\s+value: "(\d+)"'),
    Place("proxy.shutdown_s", README, r"(?:SHUTDOWN_S|total_s`, in policies)`? ?\| (\d+) s"),
    Place("proxy.grace_s", COMPOSE, r"stop_grace_period: (3\d\d)s"),
    Place("proxy.grace_s", BASE, r"terminationGracePeriodSeconds: (\d+)"),
    Place("proxy.grace_s", README, r"docker stop -t (\d+)"),
    Place("proxy.grace_s", README, r"`stop_grace_period` \| (\d+) s"),
    Place("proxy.state_gib", BASE, r"name: state\n\s+emptyDir:\n\s+sizeLimit: (\d+)Gi"),
    Place("proxy.state_gib", README, r"grow above (\d+) GiB"),
    Place("proxy.replicas", COMPOSE, r"replicas: (\d+)"),
    Place("scaling.least_pods", PRODUCTION / "autoscaler.yaml", r"minReplicas: (\d+)"),
    Place("scaling.most_pods", PRODUCTION / "autoscaler.yaml", r"maxReplicas: (\d+)"),
    Place("scaling.most_pods", DOCS / "guides" / "deployment.md", r"3\s+to (\d+) pods"),
    Place("scaling.streams_per_pod", PRODUCTION / "autoscaler.yaml", r'averageValue: "(\d+)"'),
    Place("scaling.streams_per_pod", README, r"target of the autoscaler, (\d+) a pod"),
    Place("scaling.answer_s", PRODUCTION / "autoscaler.yaml", r"those that take (\d+) s"),
    Place("proxy.answers_per_s", PRODUCTION / "autoscaler.yaml", r"carries (\d+) streamed"),
    Place("front.read_timeout_s", NGINX, r"(?:read|shutdown)_timeout (3\d+)s;"),
    Place("front.read_timeout_s", README, r"(?:timeout: \"|above |시간은 |balancer \| )(33\d)"),
    Place("front.body_mib", NGINX, r"client_max_body_size (\d+)m;"),
    Place("front.body_mib", README, r"(?:nginx \| |body-size: )(16)(?: MiB|m)"),
    Place("front.connections", NGINX, r"worker_connections (\d+);"),
    Place("front.connections", README, r"`worker_connections`, nginx \| ([\d,]+)"),
    Place("redis.trace_kb", SIZING, r"`masked` \(the default\) .*\| ([\d.]+) KB \| [\d.]+ GB"),
    Place("redis.tenant_gb", SIZING, r"default holds ([\d.]+) GB"),
    Place("redis.tenant_gb", SIZING, r"needs ([\d.]+) GB more"),
    Place("redis.tenant_gb", README, r"([\d.]+) GB for each tenant"),
    Place("redis.maxmemory_gb", COMPOSE, r"--maxmemory\n\s+- (\d+)gb"),
    Place("redis.maxmemory_gb", COMPOSE, r"(\d+) GB hold two"),
    Place("redis.maxmemory_gb", REDIS, r"--maxmemory\n\s+- (\d+)gb"),
    Place("redis.maxmemory_gb", REDIS, r"(\d+) GB hold"),
    Place("redis.maxmemory_gb", README, r"`maxmemory` (\d+) GB"),
    Place("redis.maxmemory_gb", SIZING, r"set (\d+) GB, enough for two tenants"),
    Place("redis.memory_mib", COMPOSE, r"limits: .memory: (4\d+)m"),
    Place("redis.memory_mib", REDIS, r"memory: (\d+)Mi"),
    Place("redis.memory_mib", README, r"(?:container |, and )([\d.]+) GiB", 1 / 1024),
    Place("redis.memory_mib", SIZING, r"container of ([\d.]+) GiB", 1 / 1024),
    Place("redis.disk_gib", REDIS, r"storage: (\d+)Gi"),
    Place("redis.disk_gib", README, r"disk (\d+) GiB"),
]


@each_row("place", PLACES)
def test_a_figure_is_the_same_wherever_it_is_written(place: Place) -> None:
    found = re.findall(place.pattern, place.file.read_text("utf-8"))

    assert found, f"{place.file.name} no longer says {place.figure}: {place.pattern}"
    wanted = number(place.figure) * place.factor
    assert {float(one.replace(",", "")) for one in found} == {wanted}, place.file


def test_every_figure_is_used() -> None:
    named = {
        f"{group}.{name}"
        for group, inner in FIGURES.items()
        if isinstance(inner, dict)
        for name in inner
    }

    assert named == {place.figure for place in PLACES} | {"redis.tenants"}


@pytest.mark.parametrize(
    "file",
    [COMPOSE, BASE, DEPLOY / "Dockerfile", README, DEPLOY / "try-image.sh"],
    ids=lambda one: one.name,
)
def test_the_image_has_one_version(file: Path) -> None:
    assert set(re.findall(r"guard-proxy:(\d[\w.]*\w)", file.read_text("utf-8"))) == {
        str(FIGURES["version"])
    }
    assert f"newTag: {FIGURES['version']}" in (PRODUCTION / "kustomization.yaml").read_text("utf-8")


def test_redis_has_room_for_the_tenants_that_it_is_sized_for() -> None:
    keep_last = Tracing().keep_last
    assert keep_last is not None
    tenant_gb = keep_last * number("redis.trace_kb") / 1e6

    assert round(tenant_gb, 1) == number("redis.tenant_gb")
    # Redis reads `3gb` as 3 x 1024^3; a tenth is left for counts, sessions and limits.
    room_gb = number("redis.maxmemory_gb") * 2**30 / 1e9
    assert number("redis.tenants") * tenant_gb * 1.1 <= room_gb
    assert number("redis.memory_mib") == 1.5 * number("redis.maxmemory_gb") * 1024
    assert number("redis.disk_gib") >= 3 * number("redis.maxmemory_gb")


def test_a_replica_has_room_for_its_worker_its_streams_and_long_texts() -> None:
    streams = number("proxy.streams_mb") * Settings().max_streams / 1_000
    worker_mb = number("proxy.worker_mb") + streams

    assert 2 * worker_mb < number("proxy.memory_mib")


def test_times_follow_one_another() -> None:
    total_s = Timeouts().total_s

    assert number("proxy.shutdown_s") >= total_s
    assert number("front.read_timeout_s") > total_s
    assert number("proxy.grace_s") > sum(
        (number("proxy.unready_s"), number("proxy.shutdown_s"), CLOSING_S)
    )
    assert number("front.body_mib") * 2**20 > Settings().max_body_bytes


def test_pods_are_added_before_one_is_full() -> None:
    open_streams = number("proxy.answers_per_s") * number("scaling.answer_s")

    assert number("scaling.streams_per_pod") <= open_streams
    assert number("scaling.streams_per_pod") < Settings().max_streams
