"""What no template may do: let anything out unescaped, or run what the page's rules forbid."""

import re
from pathlib import Path

import pytest
from jinja2 import nodes

from proxy.dashboard.languages import Language
from proxy.dashboard.page import NAVIGATION, TEMPLATES, Assets, Renderer

PATHS = sorted(path.relative_to(TEMPLATES) for path in TEMPLATES.rglob("*.html"))
INLINE = re.compile(
    r"""\s(?:on\w+|style|hx-on[\w:-]*)=["'{]|<style|<script(?![^>]*\ssrc=)|javascript:"""
)
EXEMPT = {"safe", "forceescape"}


@pytest.mark.parametrize("path", PATHS, ids=str)
def test_exempts_nothing_from_escaping(path: Path) -> None:
    environment = Renderer(Assets()).environment(Language.KOREAN)
    tree = environment.parse((TEMPLATES / path).read_text(encoding="utf-8"))
    used = {filtering.name for filtering in tree.find_all(nodes.Filter)}
    assert used & EXEMPT == set()
    assert list(tree.find_all(nodes.ScopedEvalContextModifier)) == []
    assert environment.autoescape is True


@pytest.mark.parametrize("language", Language)
def test_what_is_translated_is_no_html_and_no_format(language: Language) -> None:
    template = Renderer(Assets()).environment(language).from_string("{{ _(said) }}")

    assert template.render(said="<b>100%(x)s</b>") == "&lt;b&gt;100%(x)s&lt;/b&gt;"


@pytest.mark.parametrize("path", PATHS, ids=str)
def test_has_nothing_inline(path: Path) -> None:
    assert INLINE.findall((TEMPLATES / path).read_text(encoding="utf-8")) == []


def test_navigation_names_each_page_once() -> None:
    assert len({path for path, _ in NAVIGATION}) == len(NAVIGATION)
