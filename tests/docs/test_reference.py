"""The generated blocks of README and docs are what the code says."""

import re

from tests.reference import BLOCKS, ROOT, pages, regenerated
from tests.tables import each_row

TEXTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in pages()}

EXAMPLES = "docs/adding-a-guard.md"
"""It names files that a reader is about to write."""


@each_row("page", [page for page, text in TEXTS.items() if "<!-- begin " in text])
def test_a_page_is_what_the_code_says(page: str) -> None:
    """When it fails: python -m tests.reference."""
    assert regenerated(TEXTS[page]) == TEXTS[page], "out of date: run python -m tests.reference"


def test_every_block_stands_on_one_page() -> None:
    shown = [name for text in TEXTS.values() for name in re.findall(r"<!-- begin (\S+) -->", text)]

    assert sorted(set(shown)) == sorted(BLOCKS)


@each_row("page", [page for page in TEXTS if page != EXAMPLES])
def test_files_that_are_named_exist(page: str) -> None:
    named = re.findall(r"`((?:guards|policies|proxy|deploy|tests|docs)/[\w./-]+)`", TEXTS[page])

    assert [path for path in named if not (ROOT / path).exists()] == []
