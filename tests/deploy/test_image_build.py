"""The steps of the Dockerfile, done one after the other in a folder: packages by hash, compiled."""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from policies.schema.keys import new_key
from tests.deploy.dockerfile import ROOT, context, defaults, stages
from tests.fakes.command import running_as
from tests.fakes.running_proxy import tenant_yaml

pytestmark = pytest.mark.long

BUILD, FINAL = stages()
BUILT = "/opt/guard-proxy"
LONGEST_S = 600.0


class Builder:
    """Does the steps of the first stage; what is absolute in them lies in `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.working = root / BUILD.last("WORKDIR").said.lstrip("/")
        self.given = root / "context"
        for path in context():
            copy = self.given / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)

    def do(self) -> None:
        self.working.mkdir(parents=True)
        for step in BUILD.steps:
            if step.name == "RUN":
                self._run(step.said)
            elif step.name == "COPY":
                self._copy(*step.words)

    def _run(self, said: str) -> None:
        done = subprocess.run(
            ["sh", "-c", said.replace(BUILT, f"{self.root}{BUILT}")],
            cwd=self.working,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def _environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
        return {**defaults(), **BUILD.environment, "PATH": path, "HOME": str(self.root)}

    def _copy(self, *words: str) -> None:
        *sources, target = words
        for source in sources:
            into = self.working / target
            for found in self.given.glob(source):
                if found.is_dir():
                    shutil.copytree(found, into, dirs_exist_ok=True)
                elif target.endswith("/"):
                    into.mkdir(exist_ok=True)
                    shutil.copy(found, into)


async def test_what_is_built_serves(tmp_path: Path) -> None:
    Builder(tmp_path).do()
    home = tmp_path / BUILT.lstrip("/")
    policies = tmp_path / "policies"
    policies.mkdir()
    policy = tenant_yaml("hr", new_key("hr")[1], "http://127.0.0.1:9")
    (policies / "hr.yaml").write_text(policy, "utf-8")
    moved = {
        "PATH": f"{home}/bin:/usr/bin:/bin",
        "TMPDIR": str(tmp_path),
        "GUARD_PROXY_HOST": "127.0.0.1",
        "GUARD_PROXY_PORT": "0",
        "GUARD_PROXY_POLICIES": str(policies),
        "GUARD_PROXY_SQLITE_PATH": str(tmp_path / "traces.sqlite3"),
    }
    start = [*FINAL.last("ENTRYPOINT").words, *FINAL.last("CMD").words]
    async with running_as(start, policies, {**FINAL.environment, **moved}) as container:
        await container.logged("service.started")
        container.signal(signal.SIGTERM)
        status = await container.ended()

    assert status == 0
    [packages] = home.glob("lib/python3*/site-packages")
    assert not (packages / "pip").exists()
    for name in ("guards", "policies", "proxy"):
        sources = [path for path in (packages / name).rglob("*.py") if path.is_file()]
        assert sources
        assert all(_is_compiled(path) for path in sources)
    assert str(ROOT) not in "".join(path.read_text() for path in packages.glob("*.pth"))


def _is_compiled(source: Path) -> bool:
    name = re.sub(r"\.py$", f".{sys.implementation.cache_tag}.pyc", source.name)
    return (source.parent / "__pycache__" / name).is_file()
