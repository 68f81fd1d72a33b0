"""The pieces of the sources that lie nearest to a claim."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guards.core.finding import Span
from guards.core.reading import Part
from guards.text.features import features
from guards.text.held import Wanted
from guards.text.mask import Masked, Masking
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


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence of a source and how near it is.

    Attributes:
        claim_share: Share of the claim's words that it holds.
        question_share: The same of the question's.
        part: Number of the source.
        sentence: Number of the sentence.
    """

    claim_share: float
    question_share: float
    part: int
    sentence: int


def nearest_windows(
    claim: str, question: str, sources: Sequence[ShownSource], window_chars: int
) -> tuple[Window, ...]:
    """Return the windows nearest to a claim, the nearest first.

    Args:
        claim: The claim, without marks.
        question: The question: claims of few words are found by it.
        sources: The sources.
        window_chars: Longest window.
    """
    asked = Wanted(features(question))
    wanted = Wanted(features(claim))
    parts = [source.part for source in sources]
    places = [place for at, part in enumerate(parts) for place in _places(at, part, wanted, asked)]
    places.sort(key=lambda one: (-one.claim_share, -one.question_share, one.part, one.sentence))
    # A source in another language shares no words: what is at its head is shown then.
    places += [_Place(0, 0, at, 0) for at, part in enumerate(parts) if part.text.sentences]
    windows: list[Window] = []
    shown: set[tuple[int, int]] = set()
    for place in places:
        if len(windows) == MOST_WINDOWS:
            break
        if (place.part, place.sentence) not in shown:
            first, last = _grown(parts[place.part], place.sentence, window_chars)
            shown |= {(place.part, at) for at in range(first, last + 1)}
            windows.append(_window(sources[place.part], first, last, window_chars))
    return tuple(windows)


def _places(at: int, part: Part, wanted: Wanted, asked: Wanted) -> Iterator[_Place]:
    index = part.text.held_index
    by_claim, by_question = index.held(wanted), index.held(asked)
    for sentence in by_claim.keys() | by_question.keys():
        yield _Place(
            wanted.share(by_claim.get(sentence, 0), wanted.words),
            asked.share(by_question.get(sentence, 0), asked.words),
            at,
            sentence,
        )


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
