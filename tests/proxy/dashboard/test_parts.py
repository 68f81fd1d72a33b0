"""What pages are made of: addresses, figures, languages, spans of time, templates."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import extract_from_dir
from jinja2 import nodes
from litestar.datastructures import Headers

from proxy.dashboard.access import comes_from_here, is_ours, local_page
from proxy.dashboard.overview import SPANS, Span
from proxy.dashboard.page import (
    NAVIGATION,
    TEMPLATES,
    Assets,
    Language,
    Renderer,
    catalogs,
    chosen_language,
    duration,
    number,
    percent,
    translations,
)
from proxy.traces.tally import TallyBucket
from proxy.views import msgid
from tests.tables import each_row


@each_row("asked, led", "led")
def test_leads_to_a_page_of_ours(asked: str, led: str) -> None:
    assert local_page(asked) == led


@each_row("path, ours", "tells_its_own_paths")
def test_tells_its_own_paths(path: str, ours: bool) -> None:
    assert is_ours(path) is ours


@each_row("value, written", [(None, "–"), (0, "0"), (999, "999"), (1234567, "1,234,567")])
def test_writes_a_count(value: float | None, written: str) -> None:
    assert number(value) == written


@each_row("share, written", "writes_a_share")
def test_writes_a_share(share: float | None, written: str) -> None:
    assert percent(share) == written


@each_row("ms, written", "writes_a_time")
def test_writes_a_time(ms: float | None, written: str) -> None:
    assert duration(ms) == written


@each_row("asked, kept, accepted, chosen", "chosen")
def test_chooses(asked: str | None, kept: str | None, accepted: str, chosen: str) -> None:
    assert chosen_language(asked, kept, accepted) == chosen


def test_translates_what_is_marked() -> None:
    marked = msgid("Sign in")
    assert translations(Language.ENGLISH).gettext(marked) == "Sign in"
    assert translations(Language.KOREAN).gettext(marked) == "로그인"


HOST = "desk.example:8080"


@each_row("said", "ours")
def test_ours(said: dict[str, str]) -> None:
    assert comes_from_here(Headers({"host": HOST, **said}))


@each_row("said", "others")
def test_not_ours(said: dict[str, str]) -> None:
    assert not comes_from_here(Headers({"host": HOST, **said}))


def test_a_request_without_a_host_is_nobodys() -> None:
    assert not comes_from_here(Headers({"origin": ""}))


NOW = datetime(2031, 5, 6, 10, 47, 12, tzinfo=UTC)


def buckets_of(span: Span, now: datetime) -> list[TallyBucket]:
    """Return what a store returns for a span: every bucket that it touches, one request in each."""
    start = span.since(now) - (span.since(now) - datetime(2031, 1, 1, tzinfo=UTC)) % span.per.span
    buckets = []
    while start < now:
        buckets.append(TallyBucket(start, {"requests": 1}))
        start += span.per.span
    return buckets


@pytest.mark.parametrize("span", SPANS, ids=lambda span: span.name)
def test_a_span_is_made_of_whole_bars(span: Span) -> None:
    buckets = buckets_of(span, NOW)
    bars = list(span.bars(buckets))

    size = span.bar // span.per.span
    assert len(buckets) == span.length // span.per.span
    assert [bar.tally.requests for bar in bars] == [size] * (span.length // span.bar)
    assert bars[0].start == buckets[0].start
    assert bars[-1].start + span.bar == buckets[-1].start + span.per.span


@pytest.mark.parametrize("span", SPANS, ids=lambda span: span.name)
def test_the_newest_bar_is_whole_where_the_store_keeps_less(span: Span) -> None:
    size = span.bar // span.per.span
    kept = buckets_of(span, NOW)[-(2 * size + 1) :]
    bars = list(span.bars(kept))
    assert [bar.tally.requests for bar in bars[-2:]] == [size, size]


@pytest.mark.parametrize("span", SPANS, ids=lambda span: span.name)
def test_a_chart_has_room_for_its_bars(span: Span) -> None:
    assert 20 <= span.length // span.bar <= 40
    assert span.length % span.bar == timedelta(0)


PATHS = sorted(path.relative_to(TEMPLATES) for path in TEMPLATES.rglob("*.html"))
INLINE = re.compile(
    r"""\s(?:on\w+|style|hx-on[\w:-]*)=["'{]|<style|<script(?![^>]*\ssrc=)|javascript:"""
)
EXEMPT = {"safe", "forceescape"}


@each_row("path", PATHS)
def test_exempts_nothing_from_escaping(path: Path) -> None:
    environment = Renderer(Assets()).environment(Language.KOREAN)
    tree = environment.parse((TEMPLATES / path).read_text(encoding="utf-8"))
    used = {filtering.name for filtering in tree.find_all(nodes.Filter)}
    assert used & EXEMPT == set()
    assert list(tree.find_all(nodes.ScopedEvalContextModifier)) == []
    assert environment.autoescape is True


@each_row("language", Language)
def test_what_is_translated_is_no_html_and_no_format(language: Language) -> None:
    template = Renderer(Assets()).environment(language).from_string("{{ _(said) }}")

    assert template.render(said="<b>100%(x)s</b>") == "&lt;b&gt;100%(x)s&lt;/b&gt;"


@each_row("path", PATHS)
def test_has_nothing_inline(path: Path) -> None:
    assert INLINE.findall((TEMPLATES / path).read_text(encoding="utf-8")) == []


def test_navigation_names_each_page_once() -> None:
    assert len({path for path, _ in NAVIGATION}) == len(NAVIGATION)


PROXY = Path(__file__).parents[3] / "proxy"
METHODS = [("templates/**.html", "jinja2"), ("**.py", "python")]
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "msgid": None}
PLACEHOLDER = re.compile(r"%\(\w+\)\w|%%|\{\w*\}")


def said() -> set[str]:
    """Return every text that templates and code mark for translation."""
    return {
        _singular(message)
        for folder in (PROXY / "dashboard", PROXY / "views")
        for _, _, message, _, _ in extract_from_dir(folder, METHODS, keywords=KEYWORDS)
        if message
    }


def translated() -> list[Message]:
    return [message for catalog in catalogs() for message in catalog if message.id]


def test_all_that_is_said_is_translated() -> None:
    known = {_singular(message.id) for message in translated() if all(_strings(message))}
    assert said() - known == set()


def test_nothing_else_is_translated() -> None:
    assert {_singular(message.id) for message in translated()} - said() == set()


def test_nothing_is_translated_twice() -> None:
    counted = Counter(_singular(message.id) for message in translated())
    assert [text for text, times in counted.items() if times > 1] == []


def test_nothing_is_fuzzy_or_obsolete() -> None:
    assert [message.id for message in translated() if message.fuzzy] == []
    assert [text for catalog in catalogs() for text in catalog.obsolete] == []


def test_translations_fill_in_the_same() -> None:
    differing = [
        (message.id, string)
        for message in translated()
        for string in _strings(message)
        if _filled(string) != _filled(_last(message.id))
    ]
    assert differing == []


def _filled(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def _singular(message: str | Sequence[str]) -> str:
    return message if isinstance(message, str) else message[0]


def _last(message: str | Sequence[str]) -> str:
    """Return the plural, which names all that is filled in; a text without one stands alone."""
    return message if isinstance(message, str) else message[-1]


def _strings(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string or ())
