"""The text around a removed citation mark, and the characters removed with the mark."""

from dataclasses import dataclass

from guards.text.particles import agreeing, particle_at, stem
from guards.text.sentences import place_to_remove
from policies.citing import phrases

BLANKS = " \t\u00a0\u202f\u3000"
"""White space within a line, with the kinds that do not break."""
_PUNCTUATION = tuple(".,!?;:)]}”’…。、")
_PAIRED_SIGNS = ("**", "__", '"')
STOPS = (".", "!", "?", "。")


@dataclass(frozen=True, slots=True)
class Around:
    """The text around a removed mark.

    Attributes:
        left: The text before it, a window of it.
        right: The text behind it, a window of it.
        mark_before: Where in `left` the last mark that stays ends; None if none is left of it.
        mark_behind: Where in `right` the next one begins; None if none is right of it.
    """

    left: str
    right: str
    mark_before: int | None = None
    mark_behind: int | None = None

    def outside(self, start: int, end: int) -> "Around":
        """Return what stands around a wider place.

        Args:
            start: Where it begins, in `left`.
            end: Where it ends, in `right`.
        """
        before, behind = self.mark_before, self.mark_behind
        return Around(
            self.left[:start],
            self.right[end:],
            before if before is not None and before <= start else None,
            behind - end if behind is not None and behind >= end else None,
        )


@dataclass(frozen=True, slots=True)
class Closing:
    """Characters that are removed with a mark.

    Attributes:
        left: How many characters before it go.
        right: How many characters behind it go.
        text: What stands there then.
    """

    left: int = 0
    right: int = 0
    text: str = ""


def without(around: Around, start: int, end: int) -> Closing:
    """Take out what stands from `start` in the text before to `end` in the text behind."""
    both = around.left + around.right
    first, last = place_to_remove(both, start, len(around.left) + end)
    return Closing(len(around.left) - first, last - len(around.left))


def taken_over(around: Around, word: str, blanks: int) -> Closing:
    """Let the particle behind the mark follow a word before it, over some blanks."""
    particle = particle_at(around.right, 0)
    return Closing(blanks, len(particle), agreeing(particle, word))


def spaced(around: Around) -> Closing:
    """Close up blanks and punctuation that were apart only because of the mark."""
    before, rest = around.left.rstrip(BLANKS), around.right.lstrip(BLANKS)
    ahead, behind = len(around.left) - len(before), len(around.right) - len(rest)
    if not before or before.endswith("\n"):
        return Closing(right=behind)
    if not rest or rest.startswith("\n"):
        return Closing(left=ahead)
    if ahead and behind:
        closes = rest.startswith(_PUNCTUATION) or _closes(rest, before)
        return _against(before, rest, ahead, behind) if closes else Closing(right=behind)
    if rest.startswith(_PUNCTUATION) or (ahead and _closes(rest, before)):
        return _against(before, rest, ahead, behind)
    if before.endswith("**") and rest.startswith("**") and not (ahead or behind):
        return Closing(text=" ")
    return Closing() if ahead or behind else taken_over(around, before, 0)


def is_open(sign: str, left: str) -> bool:
    """Tell whether a sign that opens and closes alike is open at the end of a text."""
    return left[left.rfind("\n") + 1 :].count(sign) % 2 == 1


def is_free_standing(left: str) -> bool:
    """Tell whether what follows a text begins a word of its own."""
    return not left or left[-1].isspace() or left[-1] in "([（"


def _closes(rest: str, before: str) -> bool:
    """Tell whether a sign that opens and closes alike stands there and closes."""
    return any(rest.startswith(sign) and is_open(sign, before) for sign in _PAIRED_SIGNS)


def _against(before: str, rest: str, ahead: int, behind: int) -> Closing:
    """Close up before a sign; of two stops, or of a comma and a stop, only one stays."""
    if rest[0] in STOPS and before[-1] in STOPS and not rest.startswith(".."):
        return Closing(ahead, behind + 1)
    if rest[0] in STOPS and before[-1] in ",;、":
        return Closing(ahead + 1, behind)
    return Closing(ahead, behind)


_LEADS_ON = frozenset(
    "반면 다만 또한 특히 한편 따라서 즉 단 그리고 또 및 그러나 하지만 관련".split()
)


def listed(around: Around) -> Closing | None:
    """Let the name of a source behind the mark go with it: ``출처: [1] a.pdf, [7] b.pdf``."""
    line = phrases.LISTING.search(around.left)
    name = phrases.NAME.match(around.right)
    if line is None or name is None:
        return None
    if line["before"]:
        return Closing(len(line["joiner"]), name.end("name"))
    if name["joiner"]:
        return Closing(right=name.end("joiner"))
    return without(around, line.start("content"), name.end("name"))


def whole_line(around: Around) -> Closing | None:
    """Take out a line, or the end of one, that only said where something stands."""
    end = phrases.LINE_END.match(around.right)
    if end is None:
        return None
    label = phrases.SENTENCE_LABEL.search(around.left) or phrases.DASH_BEFORE.search(around.left)
    if label:
        return Closing(len(label[0]), end.end())
    line = phrases.LINE_LABEL.search(around.left) or phrases.BARE_ITEM.search(around.left)
    return None if line is None else without(around, line.start("content"), end.end())


def pointing(around: Around) -> Closing | None:
    """Take out a sentence or a bracket that only points at the mark."""
    pointed, points = phrases.POINTED.search(around.left), phrases.POINTING.match(around.right)
    if pointed is None or points is None:
        return None
    if around.left.endswith(STOPS) and around.right.startswith(tuple(BLANKS)):
        return None  # the mark closed the sentence before
    start, end = pointed.end("gap"), points.end()
    if around.left[:start].endswith("(") and around.right[end:].startswith(")"):
        start, end = start - 1, end + 1
    return without(around, start, end)


def is_noun(word: str) -> bool:
    """Tell whether a word bears no particle and ends no sentence."""
    return word[-1].isalnum() and word not in _LEADS_ON and stem(word) == word
