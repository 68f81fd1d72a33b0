"""Code and commands of a page of the documentation, and the programs that they are for."""

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/guides/integrations"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a page in a language, in order."""
    text = (PAGES / f"{page}.md").read_text("utf-8")
    return [code for named, code in _BLOCK.findall(text) if named == language]


def program(name: str) -> str:
    """Return the path of a program that `deploy/integrations.sh` has installed; skip without it."""
    folder = os.environ.get(f"{name.upper().replace('-', '_')}_BIN")
    if folder is None:
        pytest.skip(f"{name} is not installed: see deploy/integrations.sh")
    return f"{folder}/{name}"
