"""Cuts a message into clauses: the pieces between two marks, their swear words set apart."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from guards.lexicons import address
from guards.lexicons.phrases import words
from guards.text.hangul import Letters, letters_only
from guards.text.swearing import Swearword, swearwords

_PIECE = re.compile(r"[^.?!,;~…\n]+")
_EMPHASIS = re.compile(f"(?<![가-힣]){words(address.EMPHASIS)}(?![가-힣])")


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a message between two marks, without its swear words.

    Attributes:
        letters: Its letters; their places are positions in the message.
        text: The piece itself.
        start: Where it begins in the message.
        question_mark: Whether it ends with one.
        swearwords: Those that stood in it.
    """

    letters: Letters
    text: str
    start: int
    question_mark: bool
    swearwords: tuple[Swearword, ...]

    def word_starts(self) -> frozenset[int]:
        """Return where words begin among the letters."""
        places = self.letters.places
        return frozenset(
            at for at, (start, _) in enumerate(places) if at == 0 or places[at - 1][1] < start
        )

    def without_emphasis(self) -> "Clause":
        """Return the clause without the adverbs that may stand between any two of its words."""
        text = _EMPHASIS.sub(_blank, self.text)
        plain = letters_only(text, 0, len(text))
        places = tuple((start + self.start, end + self.start) for start, end in plain.places)
        return replace(self, text=text, letters=Letters(plain.text, places))

    def letters_before(self, position: int) -> str:
        """Return the letters in front of a position in the message."""
        return letters_only(self.text, 0, position - self.start).text


def clauses(message: str) -> Iterator[Clause]:
    """Yield the clauses of a message whose syllables are joined."""
    sworn = swearwords(message)
    calm = message
    for word in sworn:
        calm = calm[: word.start] + " " * (word.end - word.start) + calm[word.end :]
    for piece in _PIECE.finditer(calm):
        start, end = piece.span()
        yield Clause(
            letters=letters_only(calm, start, end),
            text=piece[0],
            start=start,
            question_mark="?" in calm[end : end + 2],
            swearwords=tuple(word for word in sworn if start <= word.start < end),
        )


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
