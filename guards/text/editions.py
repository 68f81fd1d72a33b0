"""Editions of a document: recognised by title and date, and which of two is newer.

Read from the title (or the file's name) and from labelled dates at the head of the text
(``시행일: 2031. 3. 5.``). A draft (개정안) is never called the newer one: it may not be in force.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from guards.core.exchange import Source
from guards.lexicons.loading import section_words
from guards.text.slots.dates import full_year

DOCUMENT_WORDS = section_words("editions", "document")
"""Say what kind of document it is, and nothing of its subject."""
_OLDER_WORDS = section_words("editions", "older")
_NEWER_WORDS = section_words("editions", "newer")
_DRAFT_WORDS = section_words("editions", "draft")
_EDITION_WORDS = section_words("editions", "edition")
_BEFORE_OR_AFTER = re.compile(r"(?:개정|변경|수정|시행)\s?(?P<side>전|후)(?![가-힣])")
_YEAR = r"(?P<year>(?:19|20)\d{2})"
_DATE = re.compile(
    rf"(?<!\d){_YEAR}(?:[년.\-/]\s?(?P<month>\d{{1,2}})(?:[월.\-/]\s?(?P<day>\d{{1,2}})[일.]?|월)?|\s?년)?"
    r"(?:도)?(?:\s?(?:판|본|개정판?|시행))?(?!\d)"
)
_LABELLED = re.compile(
    r"(?:^|[\[(<〈「|])\s*(?:최종\s?|최근\s?)?"
    r"(?:시행|개정|게시|공고|작성|등록|수정|배포|발행|갱신|업데이트|기준)(?:일자|일)?\s?[::]?\s?"
    rf"{_DATE.pattern}",
    re.MULTILINE,
)
_VERSION = re.compile(
    r"제\s?(?P<edition>\d{1,2})\s?판|(?<![A-Za-z])(?:v|ver\.?|버전)\s?(?P<version>\d{1,2}(?:\.\d{1,2})*)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[가-힣A-Za-z0-9]+")
_COUNTER = re.compile(r"\d+$")
_HEAD_CHARS = 400
_EDITIONS_KEPT = 512

Date = tuple[int, ...]
"""Year, month and day as far as they are known."""


@dataclass(frozen=True, slots=True)
class Edition:
    """Edition of a source, by its own words.

    Attributes:
        name: What it calls itself, with the words of its edition.
        subject: The words of its title that name what it is about; equal for all editions.
        dates: Dates of the edition, in the order of their worth.
        version: Its number, such as (2, 1); empty if it has none.
        rank: -1 for one called the older, 1 for one called the newer, else 0.
        draft: It is a draft.
    """

    name: str
    subject: frozenset[str]
    dates: tuple[Date, ...]
    version: tuple[int, ...]
    rank: int
    draft: bool

    def is_newer_than(self, other: "Edition") -> bool:
        """Tell whether this is certainly the newer one of two editions."""
        if self.draft or other.draft:
            return False
        if self.rank != other.rank:
            return self.rank > other.rank
        if self.version and other.version and self.version != other.version:
            return self.version > other.version
        if not (self.dates and other.dates):
            return False
        one, two = self.dates[0], other.dates[0]
        known = min(len(one), len(two))
        return one[:known] > two[:known]

    def is_ranked_against(self, other: "Edition") -> bool:
        """Tell whether it is certain which one is the newer."""
        return self.is_newer_than(other) or other.is_newer_than(self)


def edition_of(source: Source) -> Edition:
    """Read what a source says of itself."""
    return _edition(source.title or source.file, source.text[:_HEAD_CHARS])


@lru_cache(maxsize=_EDITIONS_KEPT)
def _edition(name: str, head: str) -> Edition:
    sides = {match["side"] for match in _BEFORE_OR_AFTER.finditer(name)}
    rest = _BEFORE_OR_AFTER.sub(" ", name)
    version = _version(rest)
    rest = _VERSION.sub(" ", rest)
    in_title = [_date(match) for match in _DATE.finditer(rest)]
    labelled = [_date(match) for match in _LABELLED.finditer(head)]
    words = [word.lower() for word in _WORD.findall(_DATE.sub(" ", rest))]
    return Edition(
        name=name,
        subject=frozenset(word for word in words if _names_subject(word)),
        dates=(*in_title, *([max(labelled)] if labelled else [])),
        version=version,
        rank=_rank(frozenset(words), sides),
        draft=not _DRAFT_WORDS.isdisjoint(words),
    )


def _version(name: str) -> tuple[int, ...]:
    match = _VERSION.search(name)
    if match is None:
        return ()
    return tuple(int(part) for part in (match["edition"] or match["version"]).split("."))


def _date(match: re.Match[str]) -> Date:
    parts = (match["month"], match["day"])
    return (full_year(match["year"]), *(int(part) for part in parts if part))


def _rank(words: frozenset[str], sides: set[str]) -> int:
    if "전" in sides or words & _OLDER_WORDS:
        return -1
    return 1 if "후" in sides or words & _NEWER_WORDS else 0


def _names_subject(word: str) -> bool:
    bare = _COUNTER.sub("", word)
    return bool(bare) and not any(
        bare in known
        for known in (DOCUMENT_WORDS, _OLDER_WORDS, _NEWER_WORDS, _DRAFT_WORDS, _EDITION_WORDS)
    )
