"""Reads the lexicons' notation for phrases and finds those phrases in a sentence.

The notation is that of `guards.lexicons.phrases`. Phrases are filed by the words they open with,
so a look into the book costs a few hash look-ups, however many phrases stand in it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from guards.text.conjugation import shapes
from guards.text.phrase_parts import (
    Anything,
    Ending,
    Look,
    OneOf,
    Part,
    Place,
    Sequence,
    Stop,
    Words,
)

_LONGEST_GAP_LETTERS = 12
_PIECE = re.compile(
    r"\([가-힣a-z0-9|]+\)|\(\?<?[!=]|[()|?~…$]|<[^>]+>|\{[^}]+\}|\[[^\]]+\](?:\{\d,\d\})?"
    r"|[가-힣a-z0-9](?=\?)|(?:[가-힣a-z0-9](?!\?))+"
)
_REPEATED = re.compile(r"\{(\d),(\d)\}")


class Phrasebook:
    """The phrases of a block of notation.

    Args:
        notation: One phrase a line.
        reader: Reads them; books that share one also share the groups it has read.
    """

    def __init__(self, notation: str, reader: "PhraseReader") -> None:
        self._by_opening: dict[str, list[Part]] = {}
        self._without_opening: list[Part] = []
        for line in notation.splitlines():
            phrase = line.split("#")[0].replace(" ", "")
            if phrase:
                self._file(reader.phrase(phrase))
        lengths: dict[str, set[int]] = {}
        for word in self._by_opening:
            lengths.setdefault(word[0], set()).add(len(word))
        self._lengths = {letter: tuple(sorted(found)) for letter, found in lengths.items()}

    def _file(self, phrase: Part) -> None:
        openings = phrase.openings()
        if openings is None:
            self._without_opening.append(phrase)
            return
        for word in openings:
            self._by_opening.setdefault(word, []).append(phrase)

    def ends(self, place: Place, at: int) -> set[int]:
        """Return where phrases that begin at `at` may end."""
        candidates = self._that_may_begin(place.text, at)
        return {end for phrase in candidates for end in phrase.ends(place, at)}

    def begun(self, place: Place) -> Iterator[int]:
        """Yield where phrases may begin, in order; some may not go on as they begin."""
        if self._without_opening:
            yield from range(len(place.text))
            return
        text, by_opening, lengths = place.text, self._by_opening, self._lengths
        for at, letter in enumerate(text):
            if letter in lengths and any(text[at : at + n] in by_opening for n in lengths[letter]):
                yield at

    def _that_may_begin(self, text: str, at: int) -> Iterable[Part]:
        lengths = self._lengths.get(text[at : at + 1])
        if lengths is None:
            return self._without_opening
        by_opening = self._by_opening
        filed = [by_opening.get(text[at : at + length], ()) for length in lengths]
        return dict.fromkeys(chain(self._without_opening, *filed))


class PhraseReader:
    """Reads phrases; what they share is read once.

    Args:
        groups: Named lists of words, for ``<name>`` and ``{name}``.
    """

    def __init__(self, groups: Mapping[str, str]) -> None:
        self._groups = groups
        self._known: dict[str, Part] = {"~": Ending(), "…": Anything(0, _LONGEST_GAP_LETTERS)}
        self._known["$"] = Stop()

    def phrase(self, notation: str) -> Part:
        """Return the part that a phrase as a whole is."""
        if _PIECE.sub("", notation):
            raise ValueError(f"this phrase cannot be read: {notation}")
        return self._one_of(_PIECE.finditer(notation))

    def _one_of(self, pieces: Iterator[re.Match[str]]) -> Part:
        """Read up to the closing bracket that belongs to the one just read, or to the end."""
        ways: list[list[tuple[Part, bool]]] = [[]]
        for piece in pieces:
            match piece[0]:
                case ")":
                    break
                case "|":
                    ways.append([])
                case "?":
                    part, _ = ways[-1].pop()
                    ways[-1].append((part, True))
                case _:
                    ways[-1].append((self._part(piece[0], pieces), False))
        return _simplest(ways)

    def _part(self, piece: str, pieces: Iterator[re.Match[str]]) -> Part:
        if piece == "(":  # it holds more than words
            return self._one_of(pieces)
        if piece.startswith("(?"):
            sought = self._one_of(pieces)
            lengths = {len(word) for word in sought.openings() or ()}
            back = tuple(lengths) if piece.startswith("(?<") else ()
            return Look(sought, piece.endswith("="), back)
        if piece not in self._known:
            self._known[piece] = self._plain(piece)
        return self._known[piece]

    def _plain(self, piece: str) -> Part:
        if piece[0] == "(":
            return Words(piece[1:-1].split("|"))
        if piece[0] == "<":
            return Words(self._groups[piece[1:-1]].split())
        if piece[0] == "{":
            stems = self._groups.get(piece[1:-1], piece[1:-1])
            return Words(shape for stem in stems.split() for shape in shapes(stem))
        if piece[0] == "[":
            repeated = _REPEATED.search(piece)
            if repeated:  # nothing but letters stands in a sentence, so any will do
                return Anything(int(repeated[1]), int(repeated[2]))
            return Words(piece[1:-1])
        return Words((piece,))


def _simplest(ways: list[list[tuple[Part, bool]]]) -> Part:
    """Return one table of words for an alternation of nothing but words."""
    if all(len(way) == 1 and isinstance(way[0][0], Words) and not way[0][1] for way in ways):
        tables = [way[0][0].openings() or frozenset() for way in ways]
        return Words(frozenset().union(*tables))
    sequences = [Sequence(tuple(way)) for way in ways]
    return sequences[0] if len(sequences) == 1 else OneOf(tuple(sequences))
