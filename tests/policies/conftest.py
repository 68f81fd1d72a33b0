import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from policies.schema.base import Problem
from policies.schema.loader import LoadedPolicy, load_policies, survey


@dataclass(frozen=True)
class Folder:
    """A directory of policies, written and read by a test; messages leave its path out."""

    path: Path

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    def load(self) -> Mapping[str, LoadedPolicy]:
        return load_policies(self.path, require_env=True)

    def errors(self, *, require_env: bool = False) -> list[str]:
        return self._said(survey(self.path, require_env=require_env).errors)

    def only_error(self) -> str:
        [message] = self.errors()
        return message

    def warnings(self) -> list[str]:
        return self._said(survey(self.path, require_env=False).warnings)

    def _said(self, problems: tuple[Problem, ...]) -> list[str]:
        return [str(problem).replace(f"{self.path}/", "") for problem in problems]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)
