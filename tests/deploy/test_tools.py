"""What others' programs say of the files: Prometheus, kustomize, and a linter of Dockerfiles.

`make tools` fetches those that no package manager has put on the machine.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.dockerfile import DOCKERFILE, ROOT
from tests.deploy.kustomization import built
from tests.deploy.objects import name_of
from tests.deploy.yaml_files import DEPLOY, documents

pytestmark = pytest.mark.long

TOOLS = ROOT / ".venv" / "tools"


def tool(*names: str) -> str:
    """Return the first of these programs that there is.

    Args:
        names: What does the same under several names.
    """
    path = os.pathsep.join([f"{TOOLS}/bin", f"{TOOLS}/usr/bin", os.environ["PATH"]])
    found = next(filter(None, (shutil.which(name, path=path) for name in names)), None)
    assert found, f"there is no {' or '.join(names)}; `make tools` fetches what can be fetched"
    return found


def run(*words: str | Path) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["recording.yaml", "alerts.yaml"])
def test_prometheus_takes_the_rules(name: str) -> None:
    assert "SUCCESS" in run(tool("promtool"), "check", "rules", DEPLOY / "prometheus" / name)


def test_nothing_is_wrong_with_the_dockerfile() -> None:
    assert run(tool("hadolint"), "--failure-threshold", "warning", DOCKERFILE).count("error") == 0


@pytest.mark.parametrize(
    "folder", ["base", "redis", "monitoring", "overlays/small", "overlays/production"]
)
def test_kustomize_builds_what_the_tests_looked_at(folder: str) -> None:
    place = DEPLOY / "kubernetes" / folder
    program = tool("kustomize", "kubectl")
    said = run(program, "build" if program.endswith("kustomize") else "kustomize", place)

    assert {(str(one["kind"]), name_of(one)): one for one in documents(said)} == built(place)
