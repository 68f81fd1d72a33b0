"""The README shows the pictures that `make screenshots` takes, and every one of them is there."""

import re
from pathlib import Path

import pytest

from tests.browser.pictures import PICTURES

ROOT = Path(__file__).parent.parent
SHOWN = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
MOST_BYTES = 300_000


def test_the_readme_shows_these_pictures_and_no_others() -> None:
    assert sorted(SHOWN) == sorted(f"docs/screenshots/{name}.png" for name in PICTURES)


@pytest.mark.parametrize("path", SHOWN)
def test_a_picture_is_there_and_small(path: str) -> None:
    content = (ROOT / path).read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) < MOST_BYTES
