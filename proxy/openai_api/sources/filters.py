"""Which passages count as sources, and what they are called.

A passage marked ``[Source: …]`` needs the least relevance, only the best few count, and one a page.
Such a one, and one that only a sentence announced, needs the least length. What is blank, says that
nothing was found or repeats another passage never counts.
"""

import re
from dataclasses import replace

from guards.core.exchange import Source
from policies.schema.policy import SourceRules
from proxy.openai_api.sources.found import Dropped, Passage

_NO_RESULT = re.compile(
    r"(?:관련|검색|참고|해당|조회|제공|일치|저장|근거)[^\n]{0,24}?"
    r"(?:문서|자료|결과|정보|내용|컨텍스트|규정|항목|근거|데이터)[^\n]{0,12}?(?:없|찾(?:을\s수|지\s)|못)"
    r"|(?:문서|자료|결과|컨텍스트|정보)\s?(?:없음|가\s없습니다|를\s찾)"
    r"|\bno\s(?:\w+\s){0,3}(?:documents?|results?|context|information|matches|passages?|sources?)\b"
    r"|\b(?:documents?|results?|context|nothing)\b[^\n]{0,20}\bnot?\s?(?:found|available)"
    r"|nothing\s(?:was\s)?found|没有(?:找到|相关)",
    re.IGNORECASE,
)
_BLANK = re.compile(
    r"[\s\"'`(\[{<【]*"
    r"(?:none|null|nil|n/?a|empty|없음|해당\s?없음|내용\s?없음|undefined|nan|-+|\.+|\w+(?=\}))?"
    r"[\s\"'`)\]}>】.]*",
    re.IGNORECASE,
)
_LONGEST_NOTICE_CHARS = 80
MOST_SOURCES = 500
_SHOWN_CHARS = 40
_BEGINNING_CHARS = 40


def usable(
    passages: tuple[Passage, ...], rules: SourceRules, *, exact: bool = False
) -> tuple[tuple[Passage, ...], tuple[Dropped, ...]]:
    """Return the passages that count, in order, and those that do not.

    Args:
        passages: All passages, in order.
        rules: The tenant's thresholds.
        exact: The caller named them itself, so only blank ones are dropped.
    """
    kept: list[Passage] = []
    dropped: list[Dropped] = []
    seen = _Seen()
    best = _most_relevant(passages, rules)
    # What one sentence announced is one text, however many short paragraphs it has.
    announced = sum(len(passage.text.strip()) for passage in passages if passage.guessed)
    if announced >= rules.min_excerpt_chars:
        passages = tuple(replace(passage, guessed=False) for passage in passages)
    for at, passage in enumerate(passages):
        reason = _fault(passage, rules, exact=exact)
        if not reason and not exact:
            reason = seen.repeated(passage)
        crowded = passage.relevance is not None and at not in best
        if not reason and not exact and (crowded or len(kept) >= MOST_SOURCES):
            reason = "too_many"
        if reason:
            dropped.append(Dropped(reason, _shown(passage)))
        else:
            kept.append(passage)
    return tuple(kept), tuple(dropped)


def _fault(passage: Passage, rules: SourceRules, *, exact: bool) -> str:
    text = passage.text.strip()
    if exact:
        return "" if _has_words(passage) else "empty"
    if len(text) <= _LONGEST_NOTICE_CHARS and _BLANK.fullmatch(text):
        return "empty"
    if len(text) <= _LONGEST_NOTICE_CHARS and _NO_RESULT.search(text):
        return "no_result"
    measured = passage.guessed or passage.relevance is not None
    if measured and len(text) < rules.min_excerpt_chars:
        return "too_short"
    if passage.relevance is not None and passage.relevance < rules.min_relevance:
        return "low_relevance"
    return ""


def _has_words(passage: Passage) -> bool:
    """Tell whether a passage says anything: a number alone does so only below a title."""
    words = (passage.title, passage.text)
    named = any(char.isalpha() for text in words for char in text)
    return named and any(char.isalnum() for char in passage.text)


class _Seen:
    """The passages so far, by what they say; white space does not count.

    Only those that begin alike are compared to their ends: to take the white space out of all of
    them would take longer than to find them.
    """

    def __init__(self) -> None:
        self._pages: set[tuple[str, int | None]] = set()
        self._first: dict[tuple[str, str], str] = {}
        self._alike: dict[tuple[str, str], set[str]] = {}

    def repeated(self, passage: Passage) -> str:
        """Tell whether a passage repeats one before it, and remember it."""
        is_duplicate = self._is_duplicate(passage)
        if passage.relevance is None:
            return "duplicate" if is_duplicate else ""
        page = (passage.file, passage.page)
        is_same_page = page in self._pages
        self._pages.add(page)
        return "duplicate" if is_duplicate else "same_page" if is_same_page else ""

    def _is_duplicate(self, passage: Passage) -> bool:
        begins = (passage.title, _beginning(passage.text))
        if begins not in self._first:
            self._first[begins] = passage.text
            return False
        if begins not in self._alike:
            self._alike[begins] = {_squeezed(self._first[begins])}
        alike, squeezed = self._alike[begins], _squeezed(passage.text)
        is_known = squeezed in alike
        alike.add(squeezed)
        return is_known


def _beginning(text: str) -> str:
    """Return the first signs of a text that are no white space."""
    squeezed = _squeezed(text[: 2 * _BEGINNING_CHARS])
    if len(squeezed) < _BEGINNING_CHARS:
        squeezed = _squeezed(text)
    return squeezed[:_BEGINNING_CHARS]


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _most_relevant(passages: tuple[Passage, ...], rules: SourceRules) -> frozenset[int]:
    """Return the places of the marked passages that count when there are more than allowed."""
    if all(passage.relevance is None for passage in passages):
        return frozenset()
    pages: dict[tuple[str, int | None], int] = {}
    for at, passage in enumerate(passages):
        if not _fault(passage, rules, exact=False):
            pages.setdefault((passage.file, passage.page), at)
    ranked = sorted(pages.values(), key=lambda at: -(passages[at].relevance or 0.0))
    return frozenset(ranked[: rules.max_sources])


def _shown(passage: Passage) -> str:
    return passage.title or passage.file or passage.text.strip()[:_SHOWN_CHARS]


def numbered(passages: tuple[Passage, ...]) -> tuple[Source, ...]:
    """Return the passages as sources, each with an id of its own.

    A passage keeps the number that the prompt gave it; the others are counted from 1.
    """
    taken: set[str] = set()
    sources: list[Source] = []
    free = 1
    for at, passage in enumerate(passages, start=1):
        name = passage.name or str(at)
        if name in taken:
            free = max(free, at)
            while str(free) in taken:
                free += 1
            name = str(free)
        taken.add(name)
        sources.append(
            Source(
                id=name,
                title=passage.title,
                text=passage.text.strip(),
                file=passage.file,
                page=passage.page,
                score=passage.score,
            )
        )
    return tuple(sources)
