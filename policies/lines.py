"""The lines of the sources that may answer a question, each with what says what it is about.

A line is a sentence, an item of a list or the row of a table. What is near it says it as well as
its own words do (its label, the question that it answers); what is above it says it of all its
neighbours (the title, headings, the head of the table, the sentence that a list follows).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from guards.claims.layout import Level
from guards.claims.reader import Claim, Reading, label_words
from guards.core.exchange import Source
from guards.core.keeping import lazy
from guards.core.reading import SourceSet
from guards.evidence.index import SourceIndex
from guards.evidence.topic import other_words
from guards.korean.words import Word, canonical, simple_nouns
from guards.lexicons.loading import sections, words
from policies.asked import AskedWord

HELD = 0.7
"""Grade from which on a word is said."""
_LOOSE, _PARTS, _STEM, _ENDS_ALIKE, _RUN, _SYLLABLE = 0.7, 0.8, 0.6, 0.6, 0.6, 0.4
_SPACING = re.compile(r"[\s·ㆍ,]+")
_IS_QUESTION = re.compile(r"^\s*(?:Q|질문|문)\d{0,2}[.):]|\?$")
_BARE_REPLY = re.compile(r"(?:A\d?[.:]\s*)?(?:네|아니요|예|아니오)[.,]?|[AQ]\d?[.:]|답변?[.:]")
_ANSWERS = re.compile(r"\s*(?:A|답)")
_ITEM = re.compile(
    r"[ \t]*(?:제\s?\d+\s?조|[-*•·○●▪■◦>∎▶◇◆※]+[ \t]*|(?:\d{1,3}|[가-하])[.)][ \t]+|[①-⑳])"
)
_SHORT_NUMBER = re.compile(r"\d+[세층인호]|\d+학년")
_DAY = re.compile(r"[월화수목금토일](?=요일)")
_DAY_IN_LIST = re.compile(
    r"(?<![가-힣])[월화수목금토일](?=[·,~∼/])|(?<=[·,~∼/])[월화수목금토일](?![가-힣])"
)
_DAYS = {"평일": "월화수목금", "주말": "토일"}
_COSTS = "비료금세율"
_PREFIXES = words("prefixes")
_LONGEST_KEPT = 8192


def _loose() -> Mapping[str, frozenset[str]]:
    """Return for each word what it may stand for: the first of a line for the others, and back."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in sections("direct_answers")["loose"]:
        first, *others = line.split()
        found[first].update(others)
        for other in others:
            found[other].add(first)
    return {word: frozenset(group) for word, group in found.items()}


_STANDS_FOR = _loose()


@lru_cache(maxsize=_LONGEST_KEPT)
def others_for(word: str) -> frozenset[str]:
    """Return the words that a page may use for a word; verbs with 다."""
    return other_words(word) | _STANDS_FOR.get(word, frozenset())


def dense(text: str) -> str:
    """Return a text without spaces, middle dots, commas and case."""
    return _SPACING.sub("", text).casefold()


@lru_cache(maxsize=4096)
def days_in(text: str) -> frozenset[str]:
    """Return the days of the week that a text names."""
    found = {*_DAY.findall(text), *_DAY_IN_LIST.findall(text)}
    for name, days in _DAYS.items():
        found.update(days if name in text else "")
    return frozenset(found)


class Said:
    """A text with its words, to ask whether it says a word of a question."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.text = " / ".join(part for part in parts if part)
        self.dense = dense(self.text)
        words = (word for part in parts for word in label_words(part))
        self.features = frozenset(feature for word in words for feature in word.features)

    def grade(self, asked: AskedWord) -> float:
        """Return how surely it says a word, from 0 to 1."""
        word, text = asked.word, asked.word.text.casefold()
        if asked.role == "number":
            return float(self._has_number(text))
        if days := days_in(text):
            return float(days <= days_in(self.text))
        if word.features[-1] in self.features:
            return 1.0
        is_noun = not asked.text.endswith("다") or not word.is_verb
        if is_noun and len(text) > 1 and self._has_free(text):
            return 1.0
        if is_noun and len(text) > 2 and text[-1] in "도만" and self._has_free(text[:-1]):
            return _LOOSE  # 특별전도: a particle that was taken for a part of the noun
        if is_noun and len(text) > 2 and text[-1] in _COSTS:
            # 숙박비 is no 숙박 예치금.
            return max(_STEM if text[:-1] in self.dense else 0.0, self._other(asked, _PARTS))
        parts = simple_nouns(word)
        if len(parts) > 1 and all(part in self.features for part in parts):
            return 1.0
        found = max(self._other(asked, _LOOSE), self._parts(parts))
        return max(found, self._alike(text) if is_noun else self._ends_alike(asked.text))

    def _has_number(self, text: str) -> bool:
        short = _SHORT_NUMBER.match(text)
        forms = (text, short[0]) if short else (text,)
        return any(re.search(rf"(?<![\d.]){re.escape(one)}", self.dense) for one in forms)

    def _has_free(self, text: str) -> bool:
        """Tell whether a text stands there without a prefix that makes another thing of it."""
        at = self.dense.find(text)
        while at >= 0:
            if at == 0 or self.dense[at - 1] not in _PREFIXES:
                return True
            at = self.dense.find(text, at + 1)
        return False

    def _other(self, asked: AskedWord, grade: float) -> float:
        others = others_for(asked.text) | others_for(asked.word.text)
        return grade * any(map(self._has, others))

    def _has(self, other: str) -> bool:
        is_verb = other.endswith("다")
        return canonical(other) in self.features or (
            len(other) > 1 and not is_verb and other in self.dense
        )

    def _parts(self, parts: Sequence[str]) -> float:
        if len(parts) < 2:
            return 0.0
        held = (
            1.0 if part in self.features else _LOOSE * any(map(self._has, others_for(part)))
            for part in parts
        )
        return _PARTS * sum(held) / len(parts)

    def _alike(self, text: str) -> float:
        """Return the grade for the longest piece of a noun that stands there."""
        if len(text) == 1:
            return _SYLLABLE * (text in self.dense)
        for size in range(len(text) - 1, 1, -1):
            if any(text[at : at + size] in self.dense for at in range(len(text) - size + 1)):
                return _RUN * size / len(text)
        return 0.0

    def _ends_alike(self, verb: str) -> float:
        """Return the grade for another verb with the same end: 돌려보내다, 보내다."""
        ends = (one for one in self.features if one.endswith("다") and len(one) > 2)
        is_short = len(verb) <= 2
        return _ENDS_ALIKE * (
            not is_short and any(verb.endswith(one) or one.endswith(verb) for one in ends)
        )


class Line:
    """A sentence, list item or table row of a source.

    Attributes:
        source: Its source.
        place: Number of the source, from 0.
        reading: The source, read.
        claims: Its clauses; those of all cells of a row.
        cells: The texts of a row by column; empty for any other line.
        columns: The head of the table by column.
        labels: What stands before it on its line.
        over: The headings and list items that it stands under.
        lead: The sentence that its list follows.
        before: The sentence before it in its paragraph.
        question: The question that it answers on its page.
    """

    def __init__(
        self,
        source: Source,
        place: int,
        reading: Reading,
        claims: tuple[Claim, ...],
        *,
        cells: Mapping[int, str] | None = None,
        columns: Mapping[int, str] | None = None,
        lead: "Line | None" = None,
        before: "Line | None" = None,
        question: str = "",
    ) -> None:
        self.source = source
        self.place = place
        self.reading = reading
        self.claims = claims
        self.cells = cells or {}
        self.columns = columns or {}
        labels = claims[0].block.labels
        self.labels = [one for one in labels if one.level is Level.LABEL]
        self.over = [one for one in labels if one.level in {Level.PARENT, Level.HEADING}]
        self.lead = lead
        self.before = before
        self.question = question

    @lazy
    def text(self) -> str:
        """What it says: its sentence, or its cells."""
        return " | ".join(self.cells.values()) if self.cells else self.reading.text_of(self.claims)

    @lazy
    def raw(self) -> str:
        """The row of the table, or the sentence, as it stands there without emphasis."""
        if not self.cells:
            return self.text
        return self.reading.page.plain.split("\n")[self.claims[0].block.line].strip()

    @property
    def head(self) -> str:
        """What names it: the first cell of a row, the last label before a sentence."""
        if self.cells:
            return self.cells.get(0, "")
        return self.labels[-1].text if self.labels else ""

    @property
    def words(self) -> Sequence[Word]:
        """Its own words."""
        if self.cells:
            return [word for text in self.cells.values() for word in label_words(text)]
        return [word for claim in self.claims for word in claim.clause.words]

    @lazy
    def near(self) -> Said:
        """It, its labels and the question that it answers."""
        labels = [*(one.text for one in self.labels), self.question]
        return Said([*labels, self.text])

    @lazy
    def above(self) -> Said:
        """What it stands under."""
        over = [one.text for one in self.over]
        lead = self.lead.text if self.lead else ""
        return Said([self.source.title, *over, *self.columns.values(), lead])

    @lazy
    def named(self) -> Said:
        """What names it."""
        return Said([self.head])


class SourceLines:
    """The lines of a request's sources, in order."""

    def __init__(self, sources: SourceSet) -> None:
        readings = sources.once(SourceIndex).readings
        self.lines = [
            line
            for place, (part, reading) in enumerate(zip(sources.parts, readings, strict=True))
            if part.source
            for line in _lines_in(part.source, place, reading)
        ]
        self._dense: dict[int, str] = defaultdict(str)
        for line in self.lines:
            self._dense[line.place] += line.near.dense + line.above.dense

    def has(self, place: int, text: str) -> bool:
        """Tell whether a source has a text, without spaces."""
        return text in self._dense[place]


def _lines_in(source: Source, place: int, reading: Reading) -> Iterator[Line]:
    yield from _rows(source, place, reading)
    lead: Line | None = None
    before: Line | None = None
    question = ""
    plain = reading.page.plain
    for claims in reading.sentences:
        block, text = claims[0].block, reading.text_of(claims).strip()
        if block.is_heading or block.is_cell:
            before = None
            continue
        if _BARE_REPLY.fullmatch(text) or not text.strip(" -–.·"):
            continue
        if _IS_QUESTION.search(text):
            question, before = text, None
            continue
        first = plain.rfind("\n", 0, block.start) + 1
        if before is not None and block is not before.claims[0].block:
            question = question if _ANSWERS.match(plain, first) else ""
            before = None
        is_item = _ITEM.match(plain, first) is not None
        label = next((one.text for one in block.labels if one.text.endswith("?")), "")
        line = Line(
            source,
            place,
            reading,
            claims,
            lead=lead if is_item else None,
            before=before,
            question=label or question,
        )
        yield line
        before = line
        if not (is_item or line.labels):
            lead = line


def _rows(source: Source, place: int, reading: Reading) -> Iterator[Line]:
    """Yield the rows of the tables, without their heads."""
    page = reading.page
    first: dict[int, int] = {}
    columns: dict[int, dict[int, str]] = defaultdict(dict)
    cells: dict[tuple[int, int], dict[int, str]] = defaultdict(dict)
    for block in page.blocks:
        if not block.is_cell:
            continue
        text = page.plain[block.start : block.end].strip()
        if first.setdefault(block.table, block.line) == block.line:
            columns[block.table][block.column] = text
        else:
            row = cells[block.table, block.line]
            row[block.column] = f"{row[block.column]} / {text}" if block.column in row else text
    claims: dict[tuple[int, int], list[Claim]] = defaultdict(list)
    for claim in reading.claims:
        if claim.block.is_cell:
            claims[claim.block.table, claim.block.line].append(claim)
    for key, row in cells.items():
        if claims[key]:
            heads = columns[key[0]]
            yield Line(source, place, reading, tuple(claims[key]), cells=row, columns=heads)
