"""A text with labels in place of its personal identifiers, and the way there from the original.

What is masked leaves the house or is kept, so that business registration numbers always count.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from guards.core.finding import Span
from guards.text.personal_data.kinds import PersonalKind, PersonalSpan
from guards.text.personal_data.known import Known
from guards.text.personal_data.personal import find_personal


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
            span = _moved(span, masked_spans)
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
        self._known = Known(known)

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


def _moved(span: Span, masked_spans: tuple[PersonalSpan, ...]) -> Span:
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
