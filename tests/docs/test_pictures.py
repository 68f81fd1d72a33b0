"""README and docs show what `make screenshots`, `make bench` and `make quality` draw."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.browser.pictures import PICTURES
from tests.reference import DOCS, pages

SHOWN = {
    (page.parent / link).resolve()
    for page in pages()
    for link in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
}
CHARTS = [DOCS / "bench/bench.svg", DOCS / "quality/quality.svg"]
SCREENSHOTS = [DOCS / f"screenshots/{name}.png" for name in PICTURES]
MOST_BYTES = 300_000


def test_these_pictures_are_shown_and_no_others() -> None:
    assert sorted(SHOWN) == sorted([*CHARTS, *SCREENSHOTS])


@pytest.mark.parametrize("path", CHARTS, ids=lambda path: str(path.name))
def test_a_chart_is_a_drawing_that_loads_nothing(path: Path) -> None:
    drawn = path.read_text(encoding="utf-8")
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r"<script|<image|href=|url\((?!#)", drawn)


@pytest.mark.parametrize("path", SCREENSHOTS, ids=lambda path: str(path.name))
def test_a_picture_is_there_and_small(path: Path) -> None:
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) < MOST_BYTES
