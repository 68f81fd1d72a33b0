"""The image: what its file says, and its start command run as it stands, by nobody special."""

import asyncio
import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import httpx
import pytest

from policies.schema.keys import new_key
from proxy.cli import COMMANDS
from proxy.settings import Settings
from tests.deploy.dockerfile import ROOT, context, stages
from tests.fakes.command import Running, running_as
from tests.fakes.running_proxy import chat_body, tenant_yaml
from tests.fakes.scripted_upstream import ScriptedUpstream

BUILD, FINAL = stages()
USER = 10001
HEALTH_CHECK: list[str] = json.loads(FINAL.last("HEALTHCHECK").said.partition("CMD ")[2])
START = [*FINAL.last("ENTRYPOINT").words, *FINAL.last("CMD").words]


def test_it_is_built_in_one_stage_and_runs_in_another() -> None:
    assert BUILD.base == "${BASE} AS build"
    assert FINAL.base == "${BASE}"
    assert not list(FINAL.copies)
    assert [step.words[0] for step in FINAL.all("COPY")] == ["--from=build"]


def test_packages_are_installed_by_their_hashes_alone() -> None:
    installs = [step.said for step in BUILD.all("RUN") if " install " in step.said]

    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    assert "--no-deps --no-build-isolation" in installs[1]


def test_it_runs_as_somebody_who_is_not_root_and_is_known_by_number() -> None:
    user, _, group = FINAL.last("USER").said.partition(":")

    assert user == group == str(USER)
    assert FINAL.steps.index(FINAL.last("USER")) > max(
        FINAL.steps.index(step) for step in FINAL.all("RUN")
    )


def test_it_hears_signals_itself() -> None:
    """A shell in front of the program would keep SIGTERM for itself."""
    for name in ("ENTRYPOINT", "CMD"):
        assert FINAL.last(name).said.startswith("[")
    assert FINAL.last("STOPSIGNAL").said == "SIGTERM"
    assert FINAL.last("CMD").words[0] in COMMANDS


def test_its_health_check_needs_nothing_but_itself() -> None:
    assert HEALTH_CHECK == ["guard-proxy", "health"]
    assert "health" in COMMANDS


def test_its_settings_are_settings() -> None:
    named = {name for name in FINAL.environment if name.startswith("GUARD_PROXY_")}

    assert named <= {f"GUARD_PROXY_{name.upper()}" for name in Settings.model_fields}
    for stage in (BUILD, FINAL):
        assert "PYTHONDONTWRITEBYTECODE" not in stage.environment


def test_what_it_writes_is_on_a_volume() -> None:
    [volume] = FINAL.last("VOLUME").words

    assert Path(FINAL.environment["GUARD_PROXY_SQLITE_PATH"]).parent == Path(volume)
    assert FINAL.last("WORKDIR").said == volume


def test_everything_that_is_copied_is_handed_to_the_builder() -> None:
    handed = {str(path.relative_to(ROOT)) for path in context()}

    for source, _ in BUILD.copies:
        folder = source.rpartition("/")[0] if "*" in source else source
        assert any(name == source or name.startswith(f"{folder}/") for name in handed), source


def test_nothing_else_is_handed_to_the_builder() -> None:
    handed = context()

    assert {path.relative_to(ROOT).parts[0] for path in handed} == {
        *("pyproject.toml", "README.md", "LICENSE", "NOTICE"),
        *("deploy", "guards", "policies", "proxy"),
    }
    assert not [path for path in handed if path.suffix == ".pyc" or path.name == ".env"]


@contextlib.contextmanager
def clean_place() -> Iterator[Path]:
    """Give a folder that anybody may enter, unlike those of pytest."""
    made = Path(tempfile.mkdtemp(prefix="guard-proxy-image-"))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made)


@functools.cache
def as_nobody() -> list[str]:
    """Return what runs a command as the image's user; nothing where we are not root ourselves.

    A checkout in root's own home is read by the capability to read; where there is not even that,
    the command runs as we do.
    """
    if os.geteuid() != 0:
        return []
    plain = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    reading = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    # Python that cannot read its own home takes another's, if it finds one.
    same = f"import sys, proxy; sys.exit(sys.base_prefix != {sys.base_prefix!r})"
    for words in ([*plain, "--no-new-privs"], [*plain, *reading]):
        tried = subprocess.run(
            [*words, sys.executable, "-c", same], cwd=ROOT, capture_output=True, check=False
        )
        if tried.returncode == 0:
            return words
    return []


class Image:
    """The image's file system, moved into a folder; its program is that of this environment."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.state = self._folder("/var/lib/guard-proxy", 0o750)
        self.policies = self._folder("/etc/guard-proxy/policies", 0o755)
        self.tmp = self._folder("/tmp", 0o1777)
        self.working = place / "nothing"
        self.working.mkdir(mode=0o555)
        if os.geteuid() == 0:
            os.chown(self.state, USER, USER)

    def _folder(self, path: str, mode: int) -> Path:
        folder = self.place / path.lstrip("/")
        folder.mkdir(parents=True)
        folder.chmod(mode)
        return folder

    @property
    def environment(self) -> dict[str, str]:
        """What `ENV` says, and nothing else."""
        moved = {
            name: f"{self.place}{value}" if value.startswith("/") else value
            for name, value in FINAL.environment.items()
        }
        return moved | {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}

    def written(self) -> set[str]:
        """Where there is anything now that was not there at the start."""
        return {
            str(path.relative_to(self.place))
            for path in self.place.rglob("*")
            if path.is_file() and self.policies not in path.parents
        }


@pytest.fixture
def image() -> Iterator[Image]:
    with clean_place() as place:
        yield Image(place)


@contextlib.asynccontextmanager
async def started(image: Image, **settings: str) -> AsyncGenerator[tuple[Running, str], None]:
    """Run the start command, on loopback and a free port; yields it and its address."""
    of_tests = {"GUARD_PROXY_HOST": "127.0.0.1", "GUARD_PROXY_PORT": "0"}
    environment = image.environment | of_tests | settings
    async with running_as([*as_nobody(), *START], image.working, environment) as container:
        begun = await container.logged("service.started")
        yield container, str(begun["address"])


@pytest.mark.long
async def test_it_starts_serves_and_stops_as_it_stands(image: Image) -> None:
    key, hashed = new_key("hr")
    async with ScriptedUpstream().running() as upstream:
        upstream.says("네.")
        policy = tenant_yaml("hr", hashed, upstream.address)
        (image.policies / "hr.yaml").write_text(policy, "utf-8")
        async with started(image) as (container, address), httpx.AsyncClient() as client:
            reply = await client.post(
                f"{address}/v1/chat/completions",
                json=chat_body("안녕하세요?"),
                headers={"authorization": f"Bearer {key}"},
            )
            healthy = await health(image, address)
            container.signal(signal.SIGTERM)
            status = await container.ended()

    assert reply.status_code == 200
    assert healthy == (0, "ready\n")
    assert status == 0
    assert all(name.startswith("var/lib/guard-proxy/") for name in image.written())


@pytest.mark.long
async def test_it_serves_with_several_workers(image: Image) -> None:
    """They need a folder for what they have in common: TMPDIR, as all else is read-only."""
    (image.policies / "hr.yaml").write_text(
        tenant_yaml("hr", new_key("hr")[1], "http://127.0.0.1:9"), "utf-8"
    )
    async with started(image, GUARD_PROXY_WORKERS="2") as (container, address):
        async with httpx.AsyncClient() as client:
            ready = await client.get(f"{address}/readyz")
        container.signal(signal.SIGTERM)
        status = await container.ended()

    assert ready.json()["worker"]["of"] == 2
    assert status == 0
    assert not [name for name in image.written() if name.startswith("tmp/")]


@pytest.mark.long
async def test_without_policies_it_says_so_and_ends(image: Image) -> None:
    command = [*as_nobody(), *START]
    async with running_as(command, image.working, image.environment) as container:
        status = await container.ended()

    assert status == 2
    assert str(image.policies) in "".join(container.err)


async def health(image: Image, address: str) -> tuple[int, str]:
    """Run the health check beside the service, as the container engine does."""
    environment = image.environment | {"GUARD_PROXY_PORT": address.rpartition(":")[2]}
    check = await asyncio.create_subprocess_exec(
        *as_nobody(),
        *HEALTH_CHECK,
        cwd=image.working,
        env=environment,
        stdout=subprocess.PIPE,
    )
    out, _ = await check.communicate()
    assert check.returncode is not None
    return check.returncode, out.decode()
