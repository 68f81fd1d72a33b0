"""Docker's commands, and the services of `deploy/compose.yaml` as it runs them."""

import json
import re
import resource
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.deploy.dockerfile import ROOT
from tests.deploy.front import free_port
from tests.deploy.yaml_files import DEPLOY

IMAGE = "guard-proxy:0.1.0"
TENANT = "hr-policy"
TRIAL = Path(__file__).with_name("trial.yaml")
DEADLINE_S = 60.0
_LONGEST_S = 300.0


def docker(*words: str | Path, folder: Path = ROOT, stdin: str = "") -> str:
    """Return what a command says that went well."""
    done = subprocess.run(
        ["docker", *words],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=_LONGEST_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def eventually(holds: Callable[[], bool]) -> None:
    """Return as soon as a condition holds; fail if it does not in time."""
    end = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.2)


def is_healthy(container: str) -> bool:
    """Say whether the engine, which runs the health check, finds a container well."""
    said = docker("inspect", "--format", "{{.State.Health.Status}}", container)
    return said.strip() == "healthy"


def exit_status(container: str) -> int:
    """Return how the program of a container that has stopped has ended."""
    return int(docker("inspect", "--format", "{{.State.ExitCode}}", container))


def rights(container: str) -> dict[str, str]:
    """Return what the kernel says that the first process of a container is and may do."""
    said = docker("exec", container, "cat", "/proc/1/status")
    return dict(re.findall(r"^(\w+):\t(\S+)", said, re.MULTILINE))


def written_outside_volumes(container: str) -> str:
    """Return what differs from the image."""
    return docker("diff", container).strip()


def new_key(said: str) -> tuple[str, str]:
    """Return a key and the line for the policy out of what `keys new` says."""
    key, line = re.findall(r"(gp-\S+|hmac:\S+)", said)
    return key, line


def policy_yaml(hashed: str, model: str) -> str:
    """Return the example's policy, filled in as the README says."""
    text = (ROOT / "policies" / "examples" / f"{TENANT}.yaml").read_text("utf-8")
    for shipped, here in (
        ("keys: []", f"keys: [{json.dumps(hashed)}]"),
        ("http://127.0.0.1:8000/v1", f"{model}/v1"),
    ):
        assert text.count(shipped) == 1
        text = text.replace(shipped, here)
    return text


@dataclass(frozen=True)
class Services:
    """Everything of the compose file, up and well.

    Attributes:
        folder: Where the compose file lies.
        key: What lets an app in.
        admin: What lets those in who run it.
    """

    folder: Path
    key: str
    admin: str
    apps: httpx.Client
    operators: httpx.Client

    def compose(self, *words: str) -> str:
        return docker("compose", *words, folder=self.folder)

    def up(self, *words: str) -> None:
        self.compose("up", "--detach", "--wait", *words)

    def setting(self, name: str, value: str) -> None:
        """Write a variable for the commands that follow."""
        with (self.folder / ".env").open("a", encoding="utf-8") as env:
            env.write(f"{name}={value}\n")

    def containers(self, service: str) -> list[str]:
        return self.compose("ps", "--quiet", service).split()

    def ask(self, body: object) -> httpx.Response:
        return self.apps.post("/v1/chat/completions", json=body)

    def ask_like_a_library(self, body: object) -> httpx.Response:
        """Ask once more where no replica was found, after the time that the reply says."""
        reply = self.ask(body)
        if reply.status_code == 503 and reply.json()["error"]["code"] == "no_replica":
            time.sleep(float(reply.headers["retry-after"]))
            return self.ask(body)
        return reply

    def replicas_that_replied(self, after: int = 0) -> set[str]:
        """Return their addresses as nginx has noted them, but for its first lines."""
        log = self.compose("logs", "--no-log-prefix", "nginx").splitlines()
        return set(re.findall(r'"replica":"([^"]+)"', "\n".join(log[after:])))

    def lines_of_nginx(self) -> int:
        return len(self.compose("logs", "--no-log-prefix", "nginx").splitlines())

    def has_trace(self, reply: httpx.Response) -> bool:
        found = self.operators.get(f"/traces/{reply.headers['x-guard-request-id']}")
        return found.status_code == 200


@contextmanager
def services(folder: Path) -> Iterator[Services]:
    """Do what deploy/README.md says for one machine, and take everything away at the end."""
    shutil.copytree(DEPLOY, folder, dirs_exist_ok=True)
    shutil.copy(TRIAL, folder / "compose.override.yaml")
    hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    ports, admin = (free_port(), free_port()), secrets.token_hex(32)
    filled_in = {
        "REDIS_PASSWORD": secrets.token_hex(32),
        "GUARD_PROXY_ADMIN_TOKEN": admin,
        "GUARD_PROXY_DASHBOARD_HTTPS": "false",
        "PORT": str(ports[0]),
        "OPERATORS_PORT": str(ports[1]),
        "DESCRIPTORS": str(min(hard_limit, 65_536)),
        "PROXY_IMAGE": IMAGE,
    }
    env = "".join(f"{name}={value}\n" for name, value in filled_in.items())
    (folder / ".env").write_text(env, "utf-8")
    try:
        said = docker(
            *("compose", "run", "--rm", "--no-deps", "proxy", "keys", "new", TENANT), folder=folder
        )
        key, hashed = new_key(said)
        policy = policy_yaml(hashed, "http://model:8000")
        (folder / "policies" / f"{TENANT}.yaml").write_text(policy, "utf-8")
        with (
            _client(ports[0], key) as apps,
            _client(ports[1], admin) as operators,
        ):
            running = Services(folder, key, admin, apps, operators)
            running.up()
            yield running
    finally:
        docker("compose", "down", "--volumes", folder=folder)


def _client(port: int, token: str) -> httpx.Client:
    return httpx.Client(
        base_url=f"http://127.0.0.1:{port}",
        headers={"authorization": f"Bearer {token}"},
        timeout=DEADLINE_S,
    )
