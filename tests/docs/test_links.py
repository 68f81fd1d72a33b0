"""Links between README, docs and deploy lead somewhere, anchors included."""

import re
from pathlib import Path

from tests.reference import DOCS, ROOT, pages
from tests.tables import each_row

ALL = [*pages(), *sorted((ROOT / "deploy").glob("*.md"))]
_CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as a forge and the site make them."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_row("page", ALL)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in _LINK.findall(_CODE.sub("", page.read_text("utf-8"))):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)

    assert broken == []


@each_row("page", sorted(DOCS.rglob("*.md")))
def test_a_page_of_the_site_links_to_no_file_outside_of_it(page: Path) -> None:
    links = _LINK.findall(_CODE.sub("", page.read_text("utf-8")))
    paths = [link.partition("#")[0] for link in links if not link.startswith("http")]

    outside = [
        path for path in paths if path and not (page.parent / path).resolve().is_relative_to(DOCS)
    ]

    assert outside == []


def test_every_page_of_docs_stands_in_the_navigation() -> None:
    named = set(re.findall(r"[\w/.-]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8")))

    assert named == {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 200
