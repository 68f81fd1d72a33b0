"""Lines, items and sentences that do nothing but point at a citation mark that was taken out."""

from guards.text.particles import stem
from policies.citing import phrases
from policies.citing.around import BLANKS, STOPS, Around, Closing, without

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
