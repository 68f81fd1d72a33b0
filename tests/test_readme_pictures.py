"""The README shows what `make screenshots` and `make bench` draw, and all of it is there."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.browser.pictures import PICTURES

ROOT = Path(__file__).parent.parent
SHOWN = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
SCREENSHOTS = [path for path in SHOWN if path.endswith(".png")]
CHART = "docs/bench/bench.svg"
MOST_BYTES = 300_000


def test_the_readme_shows_these_pictures_and_no_others() -> None:
    assert sorted(SHOWN) == sorted([CHART, *(f"docs/screenshots/{name}.png" for name in PICTURES)])


def test_the_chart_is_a_drawing_that_loads_nothing() -> None:
    drawn = (ROOT / CHART).read_text(encoding="utf-8")
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r"<script|<image|href=|url\((?!#)", drawn)


@pytest.mark.parametrize("path", SCREENSHOTS)
def test_a_picture_is_there_and_small(path: str) -> None:
    content = (ROOT / path).read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) < MOST_BYTES
