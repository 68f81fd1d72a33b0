"""The image by itself, run by Docker with the options of deploy/README.md."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from proxy.cli.demo import the_tour
from proxy.demo import MODEL
from proxy.golden.runner import body_of
from tests.deploy.containers.engine import (
    IMAGE,
    docker,
    eventually,
    exit_status,
    is_healthy,
    new_key,
    policy_yaml,
    rights,
    written_outside_volumes,
)
from tests.deploy.dockerfile import stages
from tests.deploy.front import free_port
from tests.deploy.yaml_files import DEPLOY

pytestmark = pytest.mark.engine

VOLUME = "guard-proxy-trial"
NOBODY = "http://127.0.0.1:9"
COMPLAINT = next(
    body_of(the_tour(), case, case.asked[0], (), MODEL)
    for case in the_tour().cases
    if case.id == "complaint"
)


def options(port: int, policies: Path) -> list[str]:
    """Return what stands between `docker run` and the image, with other places."""
    text = (DEPLOY / "README.md").read_text("utf-8").replace("\\\n", " ")
    [said] = re.findall(rf"^docker run (--read-only .+) {IMAGE}$", text, re.MULTILINE)
    for shipped, here in (
        ("127.0.0.1:8080:", f"127.0.0.1:{port}:"),
        ('"$PWD/policies.d":', f"{policies}:"),
        (" state:", f" {VOLUME}:"),
    ):
        assert said.count(shipped) == 1
        said = said.replace(shipped, here)
    return shlex.split(said)


@dataclass(frozen=True)
class Container:
    """The service in a container, and how to ask it."""

    id: str
    app: httpx.Client


@pytest.fixture(params=[1, 2], ids="{}-workers".format)
def container(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Container]:
    key, hashed = new_key(docker("run", "--rm", IMAGE, "keys", "new", "hr-policy"))
    tmp_path.chmod(0o755)
    (tmp_path / "hr-policy.yaml").write_text(policy_yaml(hashed, NOBODY), "utf-8")
    port = free_port()
    workers = f"--env=GUARD_PROXY_WORKERS={request.param}"
    started = docker("run", "--detach", *options(port, tmp_path), workers, IMAGE).strip()
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", headers={"authorization": f"Bearer {key}"}
        ) as app:
            eventually(lambda: is_healthy(started))
            yield Container(started, app)
    finally:
        docker("rm", "--force", started)
        docker("volume", "rm", VOLUME)


def test_it_serves_and_writes_only_its_traces_and_stops(container: Container) -> None:
    reply = container.app.post("/v1/chat/completions", json=COMPLAINT)
    found = rights(container.id)
    home = docker("exec", container.id, "ls", "/var/lib/guard-proxy").split()
    docker("stop", container.id)

    assert reply.headers["x-guard-action"] == "replace"
    assert found["Uid"] == stages()[-1].last("USER").said.partition(":")[0]
    assert found["CapEff"] == "0" * 16
    assert set(home) == {f"guard-proxy.sqlite3{end}" for end in ("", "-shm", "-wal")}
    assert exit_status(container.id) == 0
    assert written_outside_volumes(container.id) == ""


def test_nothing_in_it_can_install_anything(container: Container) -> None:
    tried = docker(
        *("exec", container.id, "sh", "-c"),
        "/opt/guard-proxy/bin/python -m pip --version 2>&1 || true",
    )

    assert "No module named pip" in tried
