"""A text with labels in place of personal identifiers, and the mapping of positions.

Identifiers that are known from elsewhere are found in any notation, in time that does not depend on
their number. Masked text is stored or sent to others, so business registration numbers are always
masked.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from guards.core.finding import Span
from guards.text.personal_data.personal import DenseText, dense, find_personal, subscriber
from guards.text.personal_data.rules import PersonalKind, PersonalSpan

_HEAD_CHARS = 3


class Occurrences:
    """Places of some values in a text."""

    def __init__(self, values: Iterable[str]) -> None:
        self._values = frozenset(filter(None, values))
        lengths: dict[str, set[int]] = defaultdict(set)
        for value in self._values:
            lengths[value[:_HEAD_CHARS]].add(len(value))
        self._lengths = {head: sorted(found, reverse=True) for head, found in lengths.items()}
        first = "".join(sorted({head[0] for head in lengths}))
        # Without values: a pattern that is found nowhere.
        self._first = re.compile(f"[{re.escape(first)}]" if first else r"(?!)")

    def all_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield every place where a value stands, also those that overlap: the longer one first."""
        for begin in self._first.finditer(text):
            start = begin.start()
            for length in self._lengths_at(text, start):
                end = start + length
                if end <= len(text) and text[start:end] in self._values:
                    yield start, end

    def _lengths_at(self, text: str, start: int) -> Iterator[int]:
        """Yield the lengths of the values that may stand at a place."""
        # A value shorter than a head is a head of its own.
        for size in range(_HEAD_CHARS, 0, -1):
            yield from self._lengths.get(text[start : start + size], ())


_LEAST_DENSE_CHARS = 7
_PREFIXES = ("0", "82", "820", "0082")


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """Place of a known identifier in a text.

    Attributes:
        value: The identifier as it is known, which may be another notation.
        start: Where it begins, in code points.
        end: Where it ends.
    """

    value: str
    start: int
    end: int


class KnownIdentifiers:
    """Known identifiers, to be found in texts without the words that identify them.

    Args:
        identifiers: The identifiers. Of two notations of the same one, the first counts.
    """

    def __init__(self, identifiers: Mapping[str, PersonalKind]) -> None:
        self._known_as: dict[str, str] = {}
        self._written: dict[str, str] = {}
        for value, kind in identifiers.items():
            first = self._known_as.setdefault(subscriber(kind, value), value)
            # The arguments of a tool write it as JSON in ASCII does.
            for written in (value, json.dumps(value)[1:-1]):
                self._written.setdefault(written, first)
        self._notations = {
            notation: value
            for written, value in self._written.items()
            for notation in _notations(identifiers[value], written)
        }
        self._exact = Occurrences(self._written)
        self._dense = Occurrences(self._notations)

    @property
    def values(self) -> tuple[str, ...]:
        """The identifiers, each in its first notation."""
        return tuple(self._known_as.values())

    def all_in(self, text: str) -> list[KnownPlace]:
        """Return every place where one stands, the first and longest ones first; some overlap."""
        if not self._written:
            return []
        places = {
            KnownPlace(self._written[text[start:end]], start, end)
            for start, end in self._exact.all_in(text)
        }
        places.update(self._other_notations(text))
        return sorted(places, key=lambda place: (place.start, -place.end, place.value))

    def apart_in(self, text: str) -> Iterator[KnownPlace]:
        """Yield places that do not overlap: from the left, the longest at each."""
        position = 0
        for place in self.all_in(text):
            if place.start >= position:
                yield place
                position = place.end

    def _other_notations(self, text: str) -> Iterator[KnownPlace]:
        shown = DenseText(text)
        for start, end in self._dense.all_in(shown.text):
            place = shown.whole(start, end)
            if place is not None:
                yield KnownPlace(self._notations[shown.text[start:end]], *place)


def _notations(kind: PersonalKind, written: str) -> Iterator[str]:
    """Yield the notations of an identifier without its separators."""
    said = dense(written)
    if len(said) < _LEAST_DENSE_CHARS:
        return
    yield said
    if kind is PersonalKind.PHONE:
        number = subscriber(kind, written)
        yield from (f"{prefix}{number}" for prefix in _PREFIXES)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text whose identifiers are masked, and the way there from the original.

    Attributes:
        text: The masked text.
        passes: What each pass over the text masked, in the positions of the text it worked on.
    """

    text: str
    passes: tuple[tuple[PersonalSpan, ...], ...] = ()

    def moved(self, span: Span) -> Span:
        """Return where a span of the original stands now; a masked part becomes its whole label."""
        for masked_spans in self.passes:
            span = _moved_span(span, masked_spans)
        return span


def masked(text: str) -> str:
    """Return a text with a label in place of each identifier; nothing is found in it again."""
    return mask(text).text


def identifiers_in(texts: Iterable[str]) -> dict[str, PersonalKind]:
    """Return the identifiers of some texts as they are written there, to be masked in others."""
    return {
        text[span.start : span.end]: span.kind
        for text in texts
        for span in find_personal(text, business_numbers=True)
    }


def mask(text: str, known: Mapping[str, PersonalKind] = MappingProxyType({})) -> Masked:
    """Mask a text and remember how.

    Args:
        text: The text.
        known: Identifiers found elsewhere, masked here even without the words that gave them away
            and in any other notation.
    """
    return Masking(known).of(text)


class Masking:
    """Masks several texts alike.

    Args:
        known: Identifiers that are masked wherever they stand, in any notation.
    """

    def __init__(self, known: Mapping[str, PersonalKind]) -> None:
        self._kinds = known
        self._known = KnownIdentifiers(known)

    def of(self, text: str) -> Masked:
        """Mask a text and remember how."""
        passes: list[tuple[PersonalSpan, ...]] = []
        # Masking brings words nearer to numbers, so that what counts only near one may count now.
        while spans := _united([*find_personal(text, business_numbers=True), *self._places(text)]):
            passes.append(spans)
            text = _labelled(text, spans)
        return Masked(text, tuple(passes))

    def _places(self, text: str) -> list[PersonalSpan]:
        return [
            PersonalSpan(self._kinds[place.value], place.start, place.end)
            for place in self._known.all_in(text)
        ]


def _united(spans: list[PersonalSpan]) -> tuple[PersonalSpan, ...]:
    """Return spans in order, those that overlap as one of the first one's kind."""
    united: list[PersonalSpan] = []
    for span in sorted(spans, key=lambda span: span.start):
        if united and span.start < united[-1].end:
            first = united.pop()
            united.append(PersonalSpan(first.kind, first.start, max(first.end, span.end)))
        else:
            united.append(span)
    return tuple(united)


def _labelled(text: str, spans: tuple[PersonalSpan, ...]) -> str:
    pieces: list[str] = []
    position = 0
    for span in spans:
        pieces += (text[position : span.start], span.kind.label)
        position = span.end
    return "".join([*pieces, text[position:]])


def _moved_span(span: Span, masked_spans: tuple[PersonalSpan, ...]) -> Span:
    """Return a span's place after one pass, wide enough for each label that it touches."""
    start, end = span.start, span.end
    shift = 0
    new_start = new_end = None
    for place in masked_spans:
        label_start = place.start + shift
        label_end = label_start + len(place.kind.label)
        if new_start is None and start < place.end:
            new_start = label_start if start >= place.start else start + shift
        if new_end is None and end <= place.end:
            new_end = label_end if end > place.start else end + shift
        shift = label_end - place.end
    return Span(
        start + shift if new_start is None else new_start,
        end + shift if new_end is None else new_end,
    )
