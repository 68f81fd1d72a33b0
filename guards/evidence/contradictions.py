"""Sentences of the sources that say the same with different values.

Two sentences contradict each other only if they have the same words in the same order but for the
values, and if their sources speak of one subject: what differs between two titles or headings,
other than the edition and the kind of document, is a scope of its own.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from guards.claims.layout import Level
from guards.claims.reader import Claim, Reading, label_words
from guards.core.exchange import Source
from guards.core.keeping import lazy
from guards.core.reading import Part, SourceSet
from guards.evidence.index import SourceIndex
from guards.evidence.opposites.meaning import covered
from guards.evidence.values import Value, by_sentence, values_of
from guards.korean.morphemes import morphemes
from guards.korean.words import Word, canonical, content_words
from guards.lexicons.loading import section_words
from guards.text.editions import Edition, edition_of

Key = tuple[str, ...]

_VALUE = "◆"
_LONGEST_CHARS = 800
_MOST_VALUES = 12
_LONGEST_HEAD_CHARS = 30
# A key that turns up so often is a form, and what its values are about stands elsewhere.
_MOST_WITH_ONE_KEY = 12
_WORDS_WITHOUT_TITLE = 2
_WORDS_IN_ONE_DOCUMENT = 3
_SHARED = 0.6
"""Share of its words that sentences with the same key have at least."""
_MOST_COMPARED = 100
"""Sentences with values of the same kinds, of which more are not compared one by one."""
_WORD = re.compile(r"[가-힣A-Za-z0-9]+")
_ITEM = re.compile(r"[ \t]*(?:[-*•·○●▪■◦>]+[ \t]+|(?:\d{1,3}|[가-하])[.)][ \t]+|[①-⑳])")
_CLOSED = re.compile(r"[.!?。:;,|]$|(?:다|요|음|함|됨|임)$")
# What a sentence says in them counts; particles, endings and signs do not.
_TELLING = re.compile(r"NN|NP|NR|VV|VA|VCN|MM|MAG|XR|XPN|XSN|SN|SL|SH")
_SMALL_BUT_TELLING = frozenset({"만", "까지", "부터", "않", "못하", "말", _VALUE})
# What only makes a sentence of a value: 10일로 한다, 각각 10일입니다.
_TELLS_NOTHING = section_words("question_words", "measure") | {"하", "되", "것", "정도", "각각"}
_POINTING = re.compile(
    r"(?<![가-힣])(?:이|그|저|본|위|동|해당|다음|아래|상기|이러한|그러한)(?=\s)|각\s?[호목항]|"
    r"다음과|아래와|같은\s?(?:조|항|호|법)|제\s?\d{1,4}\s?[조항호]|"
    r"(?<![가-힣])(?:다만|단|또한|아울러)[,\s]"
)


@dataclass(frozen=True, slots=True)
class ValueSentence:
    """A sentence of a source with values, and the source that has it.

    Attributes:
        source: The source.
        edition: What the source says of itself.
        sentence: Its claims.
        quoted: The sentence, verbatim; the line, if labels stand on it.
        values: Its values, in order.
        key: Its telling words in order, with those that say what it is about before them.
        words: How many content words it has.
        headings: The words of the headings above it.
        head: The last short line before it that says nothing: it may be a heading, too.
        points: Whether it leans on what stands around it (이 규정, 다음 각 호, 제2항).
        around: The features of the sentence, its labels and the title of its source.
    """

    source: Source
    edition: Edition
    sentence: tuple[Claim, ...]
    quoted: str
    values: tuple[Value, ...]
    key: Key
    words: int
    headings: frozenset[str]
    head: str
    points: bool
    around: Mapping[str, float] = field(repr=False)

    @property
    def subject(self) -> frozenset[str]:
        """The words of title and headings that say what it is about."""
        return self.edition.subject | self.headings

    def share(self, words: Sequence[Word]) -> float:
        """Return the share of some words, from 0 to 1, that stand in it or above it."""
        return sum(covered(word, self.around) for word in words) / len(words) if words else 0.0


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a contradiction, as an answer may take it.

    Attributes:
        own: Who says it.
        value: The value that is said.
        other: Who says otherwise.
        other_value: The value that is said there.
    """

    own: ValueSentence
    value: Value
    other: ValueSentence
    other_value: Value

    @property
    def is_older(self) -> bool:
        """True if the other source is certainly the newer edition."""
        return self.other.edition.is_newer_than(self.own.edition)

    @property
    def is_newer(self) -> bool:
        """True if this source is certainly the newer edition."""
        return self.own.edition.is_newer_than(self.other.edition)


class Contradictions:
    """The values in the sources of a request, and the contradictions among them.

    Attributes:
        sides: Both sides of every contradiction.
    """

    def __init__(self, sources: SourceSet) -> None:
        readings = sources.once(SourceIndex).readings
        self._origins = [
            _Origin(part.source, part, reading)
            for part, reading in zip(sources.parts, readings, strict=True)
            if part.source
        ]
        self._drafts = [draft for origin in self._origins for draft in origin.drafts()]
        likely = (one.read for one in _with_a_likely_other(self._drafts))
        self.sides = tuple(_sides_of(one for one in likely if one is not None))

    @lazy
    def sentences(self) -> list[ValueSentence]:
        """Every sentence with values, in order."""
        return [one for draft in self._drafts if (one := draft.read) is not None]


class _Origin:
    """A source whose sentences with values are read."""

    def __init__(self, source: Source, part: Part, reading: Reading) -> None:
        self.source = source
        self.raw = part.text.raw
        self.reading = reading
        self._values = part.text.once(values_of)

    @lazy
    def edition(self) -> Edition:
        """What the source says of itself."""
        return edition_of(self.source)

    @lazy
    def heads(self) -> list[tuple[str, str]]:
        """For each sentence the short line without a predicate, and the sentence, before it."""
        return _heads(self.reading)

    def drafts(self) -> Iterator["_Draft"]:
        """Yield the sentences with values, in order."""
        for sentence, values in by_sentence(self.reading, self._values):
            start, end = self.reading.page.raw_span(sentence[0].start, sentence[-1].end)
            is_long = len(values) > _MOST_VALUES or end - start > _LONGEST_CHARS
            if not (is_long or sentence[0].block.is_heading):
                yield _Draft(self, sentence, values, start, end)


class _Draft:
    """A sentence with values, before it is read as one that may contradict another.

    Attributes:
        kinds: The kinds of its values, in order.
    """

    def __init__(
        self,
        origin: _Origin,
        sentence: tuple[Claim, ...],
        values: Sequence[Value],
        start: int,
        end: int,
    ) -> None:
        self.kinds = tuple([value.kind for value in values])
        self._origin = origin
        self._sentence = sentence
        self.values = values
        self._start = start
        self._end = end

    @property
    def features(self) -> set[str]:
        """The features of its words."""
        clauses = [claim.clause for claim in self._sentence]
        return {word.features[-1] for one in clauses for word in one.words if not word.is_light}

    def differs(self, other: "_Draft") -> bool:
        """Tell whether another sentence with values of the same kinds has another one anywhere."""
        pairs = zip(self.values, other.values, strict=True)
        return any(not value.is_like(beside) for value, beside in pairs)

    @lazy
    def read(self) -> ValueSentence | None:
        """The sentence, read; None if it says nothing but its values."""
        origin, sentence, reading = self._origin, self._sentence, self._origin.reading
        start, end, plain = self._start, self._end, reading.page.plain
        own = _without(origin.raw, start, end, self.values)
        found = content_words(morphemes(own))
        words = sum(word.text not in _TELLS_NOTHING for word in found)
        labels = [one for one in sentence[0].block.labels if one.level is not Level.HEADING]
        if not (words or labels):
            return None
        head, lead_in = origin.heads[sentence[0].sentence]
        is_item = _ITEM.match(plain[plain.rfind("\n", 0, sentence[0].start) + 1 :])
        # A sentence before one that is no item of a list is about something else.
        lead_in = lead_in if is_item else ""
        above = (*(label.text for label in labels), lead_in)
        return ValueSentence(
            source=origin.source,
            edition=origin.edition,
            sentence=sentence,
            quoted=_line(origin.raw, start, end) if labels else origin.raw[start:end],
            values=tuple(self.values),
            key=(*(token for text in above for token in (*_key(text), "/")), *_key(own)),
            words=words + sum(len(label_words(label.text)) for label in labels),
            headings=frozenset(
                word
                for label in sentence[0].block.labels
                if label.level is Level.HEADING
                for word in _WORD.findall(label.text.lower())
            ),
            head=head,
            points=leans_on_context(own),
            around=_around(sentence, f"{origin.edition.name} {head} {lead_in}"),
        )


def _with_a_likely_other(drafts: Sequence[_Draft]) -> Iterator[_Draft]:
    """Yield the sentences that may have another one's words, with other values of the same kinds.

    To read a sentence without its values takes long, and most have words that no other one has.
    """
    by_kinds: dict[tuple[str, ...], list[_Draft]] = defaultdict(list)
    for one in drafts:
        by_kinds[one.kinds].append(one)
    likely: set[int] = set()
    for alike in by_kinds.values():
        if len(alike) > _MOST_COMPARED:
            likely.update(map(id, alike))
            continue
        read = [(one, one.features) for one in alike] if len(alike) > 1 else []
        for (one, own), (other, theirs) in combinations(read, 2):
            # What stands right beside the values may be read otherwise.
            if len(own & theirs) >= _SHARED * min(len(own), len(theirs)) and one.differs(other):
                likely |= {id(one), id(other)}
    return (one for one in drafts if id(one) in likely)


def leans_on_context(text: str) -> bool:
    """Tell whether a sentence points at what stands around it (이 규정, 다음 각 호, 제2항)."""
    return _POINTING.search(text) is not None


def _heads(reading: Reading) -> list[tuple[str, str]]:
    """Return for each sentence the short line without a predicate, and the sentence, before it."""
    found: list[tuple[str, str]] = []
    head = lead_in = ""
    for sentence in reading.sentences:
        block = sentence[0].block
        text = _text(reading, sentence[0].sentence)
        line = reading.page.plain.rfind("\n", 0, block.start) + 1
        is_item = _ITEM.match(reading.page.plain, line) is not None
        found.append((head, lead_in))
        if is_item or block.is_cell:
            continue
        is_head = len(text) <= _LONGEST_HEAD_CHARS and not _CLOSED.search(text)
        if is_head and not any(claim.clause.figures for claim in sentence):
            head, lead_in = text, ""
        else:
            lead_in = text
    return found


def _text(reading: Reading, number: int) -> str:
    """Return a sentence as it stands without emphasis; empty if there is none of that number."""
    if number >= len(reading.sentences):
        return ""
    sentence = reading.sentences[number]
    return reading.page.plain[sentence[0].start : sentence[-1].end].strip()


def _around(sentence: Sequence[Claim], above: str) -> dict[str, float]:
    words = [word for claim in sentence for word in claim.clause.words]
    words += [word for _, label in sentence[0].labels for word in label]
    return dict.fromkeys((f for word in (*words, *label_words(above)) for f in word.features), 1.0)


def _without(raw: str, start: int, end: int, values: Iterable[Value]) -> str:
    """Return a piece of a text with a mark in the place of each value."""
    pieces: list[str] = []
    for value in values:
        pieces += [raw[start : value.start], _VALUE]
        start = max(start, value.end)
    return "".join((*pieces, raw[start:end]))


def _key(text: str) -> Iterator[str]:
    for one in morphemes(text):
        if one.form in _SMALL_BUT_TELLING:
            yield one.form
        elif _TELLING.match(one.tag) and one.form not in _TELLS_NOTHING:
            yield canonical(one.form.lower())


def _line(raw: str, start: int, end: int) -> str:
    stop = raw.find("\n", end)
    return raw[raw.rfind("\n", 0, start) + 1 : stop if stop >= 0 else len(raw)].strip()


def _sides_of(sentences: Iterable[ValueSentence]) -> Iterator[Side]:
    by_key: dict[Key, list[ValueSentence]] = defaultdict(list)
    for one in sentences:
        by_key[one.key].append(one)
    for group in by_key.values():
        if len(group) > _MOST_WITH_ONE_KEY:
            continue
        for position, one in enumerate(group):
            for other in group[:position]:
                for value, other_value in _contradictions(one, other):
                    yield Side(one, value, other, other_value)
                    yield Side(other, other_value, one, value)


def _contradictions(one: ValueSentence, other: ValueSentence) -> list[tuple[Value, Value]]:
    if len(one.values) != len(other.values) or not _on_one_subject(one, other):
        return []
    pairs = list(zip(one.values, other.values, strict=True))
    if any(value.kind != beside.kind for value, beside in pairs):
        return []
    different = [pair for pair in pairs if not pair[0].is_like(pair[1])]
    if one.edition.is_ranked_against(other.edition):
        return different
    # Where two values differ, the first may be what tells two rules apart (50명 이상: 3일).
    if len(different) != 1 or any(value.is_threshold for value in different[0]):
        return []
    return different


def _on_one_subject(one: ValueSentence, other: ValueSentence) -> bool:
    """Tell whether two sentences with one key are about the same thing."""
    leans = one.points or other.points
    words = min(one.words, other.words)
    if one.edition.name and one.edition.name == other.edition.name:
        in_place = one.source.id != other.source.id or one.head == other.head
        is_long = words >= _WORDS_IN_ONE_DOCUMENT
        return in_place and not leans and is_long and one.headings == other.headings
    if one.subject and other.subject:
        return one.subject == other.subject
    return not leans and words >= _WORDS_WITHOUT_TITLE
