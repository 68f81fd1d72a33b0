"""The pieces of the sources that lie nearest to a claim."""

from collections.abc import Sequence
from dataclasses import dataclass

from guards.core.finding import Span
from guards.core.reading import Part, Reading
from guards.evidence.passages import Place, SourcePassages
from guards.text.personal_data.mask import Masked, Masking
from policies.judging.judge import Window

MOST_WINDOWS = 3


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A source as a judge may see it.

    Attributes:
        part: The source.
        title: Its title, masked; empty if it has none.
        masked: Its text, masked.
    """

    part: Part
    title: str
    masked: Masked

    @classmethod
    def of(cls, part: Part, masking: Masking) -> "ShownSource":
        """Return a source as it may be seen."""
        title = masking.of(part.source.title).text if part.source else ""
        return cls(part, title, masking.of(part.text.raw))

    def piece(self, start: int, end: int, most_chars: int) -> str:
        """Return what stands between two places of its own text, cut if it is long.

        Only what is masked is cut: half an identifier is found by no rule.
        """
        span = self.masked.moved(Span(start, end))
        return self.masked.text[span.start : span.end][:most_chars]


def nearest_windows(
    claim: str, reading: Reading, sources: Sequence[ShownSource], window_chars: int
) -> tuple[Window, ...]:
    """Return the windows nearest to a claim, the nearest first.

    Args:
        claim: The claim, without marks.
        reading: The exchange: claims of few words are found by its question.
        sources: Its sources.
        window_chars: Longest window.
    """
    passages = reading.told.once(SourcePassages)
    by_claim, by_question = passages.shares(claim), passages.shares(reading.question.text.raw)
    parts = [source.part for source in sources]
    places = sorted(
        by_claim.keys() | by_question.keys(),
        key=lambda one: (-by_claim.get(one, 0.0), -by_question.get(one, 0.0), one),
    )
    # A source in another language shares no words: what is at its head is shown then.
    places += [Place(at, 0) for at, part in enumerate(parts) if part.text.sentences]
    windows: list[Window] = []
    shown: set[Place] = set()
    for place in places:
        if len(windows) == MOST_WINDOWS:
            break
        if place not in shown:
            first, last = _grown(parts[place.source], place.at, window_chars)
            shown |= {Place(place.source, at) for at in range(first, last + 1)}
            windows.append(_window(sources[place.source], first, last, window_chars))
    return tuple(windows)


def _grown(part: Part, sentence: int, window_chars: int) -> tuple[int, int]:
    """Return the first and last sentence of a window: the next one too, then the one before.

    What follows comes first, because exceptions (``다만…``) stand behind what they limit.
    """
    sentences = part.text.sentences
    first = last = sentence
    if last + 1 < len(sentences):
        behind = sentences[last + 1].end - sentences[first].start
        last += behind <= window_chars
    if first:
        before = sentences[last].end - sentences[first - 1].start
        first -= before <= window_chars
    return first, last


def _window(shown: ShownSource, first: int, last: int, window_chars: int) -> Window:
    sentences = shown.part.text.sentences
    source = shown.part.source
    return Window(
        source_id=source.id if source else "",
        title=shown.title,
        text=shown.piece(sentences[first].start, sentences[last].end, window_chars),
    )
