"""Code and commands of a page of the documentation, for tests that run them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/guides/integrations"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: str, language: str) -> list[str]:
    """Return the blocks of a page in a language, in order."""
    text = (PAGES / f"{page}.md").read_text("utf-8")
    return [code for named, code in _BLOCK.findall(text) if named == language]
