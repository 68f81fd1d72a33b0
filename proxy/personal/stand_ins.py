"""What stands in for the user's own identifiers before the model, and the way back.

An identifier becomes a placeholder such as ``[전화번호-1]``, and what the model makes of the
placeholder becomes the identifier again. The two are known to each other for one request, in memory
only; nothing that prints the object shows them.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from guards.text.mask_occurrences import Occurrences
from guards.text.personal_kinds import PersonalKind

LONGEST_PLACEHOLDER_CHARS = 60
_MOST_DIGITS = 6
# As it stands, and as JSON in ASCII writes it: arguments of tools often are.
_NOUN_OF = {
    written: kind.noun
    for kind in PersonalKind
    for written in (kind.noun, json.dumps(kind.noun)[1:-1])
}
_NOUNS = "|".join(map(re.escape, _NOUN_OF))
# Models space a placeholder differently, widen its brackets or escape all of it for Markdown. Half
# an escape is none: in a JSON text, the backslash before a bracket belongs to something else.
_PLACEHOLDER = re.compile(
    rf"[\[［] ?(?P<noun>{_NOUNS}) ?[-‐–—－] ?(?P<number>\d{{1,{_MOST_DIGITS}}}) ?[\]］]"
    rf"|\\\[(?P<noun_>{_NOUNS})\\?-(?P<number_>\d{{1,{_MOST_DIGITS}}})\\\]",
    re.ASCII | re.IGNORECASE,
)
_BEGUN = re.compile(rf"\\?[\[［][^\]］]{{0,{LONGEST_PLACEHOLDER_CHARS}}}\Z|\\\Z")

_Place = tuple[str, int]


class StandIns:
    """The identifiers of one request, each with what stands in for it.

    Args:
        identifiers: What they are, in the order in which they were found.
        texts: All words of the request: a placeholder that somebody wrote there is not taken.
    """

    def __init__(
        self, identifiers: Mapping[str, PersonalKind] | None = None, texts: Iterable[str] = ()
    ) -> None:
        self._identifiers = dict(identifiers or {})
        self._values = _numbered(self._identifiers, texts)
        self._written: dict[str, str] = {}
        for (noun, number), value in self._values.items():
            self._written[value] = f"[{noun}-{number}]"
            # How the arguments of an earlier call of a tool may write it.
            self._written.setdefault(json.dumps(value)[1:-1], f"[{noun}-{number}]")
        self._occurrences = Occurrences(self._written)

    @property
    def identifiers(self) -> Mapping[str, PersonalKind]:
        """What is hidden, by kind: to mask it at rest where no words near give it away."""
        return self._identifiers

    def __bool__(self) -> bool:
        """Tell whether there is anything to hide."""
        return bool(self._identifiers)

    def hide(self, text: str) -> str:
        """Return a text with the placeholders in place of the identifiers."""
        pieces: list[str] = []
        position = 0
        for start, end in self._occurrences.apart_in(text):
            pieces += (text[position:start], self._written[text[start:end]])
            position = end
        return "".join([*pieces, text[position:]])

    def restore(self, text: str) -> str:
        """Return a text with the identifiers in place of the placeholders.

        No identifier holds what JSON would have to escape, so a JSON text stays one.
        """
        return _PLACEHOLDER.sub(self._restored, text)

    def _restored(self, found: re.Match[str]) -> str:
        return self._values.get(_place(found), found[0])


class Restorer:
    """Restores a text that comes in pieces, cut anywhere.

    Args:
        stand_ins: Those of the request.
    """

    def __init__(self, stand_ins: StandIns) -> None:
        self._stand_ins = stand_ins
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what can be said by now; what may be half a placeholder is kept back."""
        text = self._held + piece
        begun = _BEGUN.search(text)
        end = begun.start() if begun else len(text)
        self._held = text[end:]
        return self._stand_ins.restore(text[:end])

    def close(self) -> str:
        """Return what was kept back."""
        held, self._held = self._held, ""
        return held


def _place(found: re.Match[str]) -> _Place:
    noun = found["noun"] or found["noun_"]
    return _NOUN_OF[noun.lower()], int(found["number"] or found["number_"])


def _numbered(identifiers: Mapping[str, PersonalKind], texts: Iterable[str]) -> dict[_Place, str]:
    """Return the identifiers by noun and number, leaving out numbers that are taken."""
    if not identifiers:
        return {}
    taken = {_place(found) for text in texts for found in _PLACEHOLDER.finditer(text)}
    counts: Counter[str] = Counter()
    numbered: dict[_Place, str] = {}
    for value, kind in identifiers.items():
        counts[kind.noun] += 1
        while (kind.noun, counts[kind.noun]) in taken:
            counts[kind.noun] += 1
        numbered[kind.noun, counts[kind.noun]] = value
    return numbered
