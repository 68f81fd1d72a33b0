"""Closes the text around citation marks that were taken out.

Nothing of a mark stays behind: no doubled blank, no blank before a full stop, no empty brackets,
no joining comma, no ``출처:`` without a source and no ``에 따르면,`` without a document. A sentence
that is about the mark itself (``[7]은 연차를 정한다``) has no meaning without it and cannot be
healed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from guards.core.finding import Span
from guards.text.particle_choice import agreeing, particle_at
from guards.text.particles import stem
from guards.text.removal import place_to_remove
from policies.citing import phrases
from policies.edits import Edit

_LOOK_CHARS = 160
_CLOSER_OF = dict(zip("([（【「『", ")]）】」』", strict=True)) | {"**": "**", "__": "__"}
_LEADS_ON = frozenset(
    "반면 다만 또한 특히 한편 따라서 즉 단 그리고 또 및 그러나 하지만 관련".split()
)
_SUBJECT_ENDINGS = ("이", "가")
_PUNCTUATION = tuple(".,!?;:)]}”’…。、")
_PAIRED_SIGNS = ("**", "__", '"')
_STOPS = ".!?。"


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a mark that went.

    Attributes:
        left: The text before it, a window of it.
        right: The text behind it, a window of it.
    """

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class _Closing:
    """What goes with a mark.

    Attributes:
        left: How many characters before it go.
        right: How many characters behind it go.
        text: What stands there then.
    """

    left: int = 0
    right: int = 0
    text: str = ""


def heal(text: str, places: Iterable[int]) -> tuple[Edit, ...] | None:
    """Return the edits that close the text up; None if a sentence does not survive its mark.

    Args:
        text: The text without the marks.
        places: Where in it marks were taken out.
    """
    edits: list[Edit] = []
    floor = 0
    for start, end, ceiling in _regions(text, places):
        left, right = text[max(0, start - _LOOK_CHARS) : start], text[end : end + _LOOK_CHARS]
        closing = _closing(_Around(left, right))
        if closing is None:
            return None
        span = Span(max(floor, start - closing.left), min(ceiling, end + closing.right))
        floor = span.end
        if closing.text or span.start < span.end:
            edits.append(Edit(span, closing.text))
    return tuple(edits)


def _regions(text: str, places: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the stretches in which nothing but marks stood, each with where the next one begins."""
    stretches: list[list[int]] = []
    for place in sorted(set(places)):
        if stretches and phrases.ONLY_JOINS.fullmatch(text, stretches[-1][1], place):
            stretches[-1][1] = place
        else:
            stretches.append([place, place])
    for (start, end), (following, _) in pairwise([*stretches, [len(text), len(text)]]):
        yield start, end, following


def _closing(around: _Around) -> _Closing | None:
    for rule in (_in_brackets, _joined, _whole_line, _pointing, _framed, _labelled):
        closing = rule(around)
        if closing is not None:
            return closing
    if phrases.HELD.match(around.right) and _stands_free(around.left):
        return _held_by_the_word_before(around)
    return _spaced(around)


def _in_brackets(around: _Around) -> _Closing | None:
    """Brackets, or signs of emphasis, that hold nothing any more."""
    opened, closed = phrases.OPENED.search(around.left), phrases.CLOSED.match(around.right)
    if opened is None or closed is None or _CLOSER_OF[opened["open"]] != closed["close"]:
        return None
    if opened["open"] == closed["close"] and not _is_open(opened["open"], around.left):
        return None
    outside = _Around(around.left[: opened.start()], around.right[closed.end() :])
    more = _joined(outside) or _whole_line(outside) or _rejoined(outside)
    gone = len(around.left) - opened.start()
    return _Closing(gone + more.left, closed.end() + more.right, more.text)


def _rejoined(around: _Around) -> _Closing:
    """A particle behind brackets belongs to the word before them, or else all is as usual."""
    before = around.left.rstrip(" \t")
    if before and phrases.HELD.match(around.right):
        return _taken_over(around, before, len(around.left) - len(before))
    return _spaced(around)


def _joined(around: _Around) -> _Closing | None:
    """A comma or an ``and`` that joined the mark to one that stays."""
    before = phrases.MARK_AND_JOINER.search(around.left)
    behind = phrases.JOINER_AND_MARK.match(around.right)
    if behind and (before or _stands_free(around.left) or behind["is_last"] is not None):
        return _Closing(right=behind.end("joiner"))
    if before is None:
        return None
    particle = particle_at(around.right, 0)
    return _Closing(len(before["joiner"]), len(particle), agreeing(particle, before["mark"]))


def _whole_line(around: _Around) -> _Closing | None:
    """A line, or the end of one, that only said where something stands."""
    end = phrases.LINE_END.match(around.right)
    if end is None:
        return None
    if label := phrases.SENTENCE_LABEL.search(around.left):
        return _Closing(len(label[0]), end.end())
    line = phrases.LINE_LABEL.search(around.left) or phrases.BARE_ITEM.search(around.left)
    return None if line is None else _without(around, line.start("content"), end.end())


def _pointing(around: _Around) -> _Closing | None:
    """A sentence or a bracket that only points at the mark."""
    pointed, pointing = phrases.POINTED.search(around.left), phrases.POINTING.match(around.right)
    if pointed is None or pointing is None:
        return None
    start, end = pointed.end("gap"), pointing.end()
    if around.left[:start].endswith("(") and around.right[end:].startswith(")"):
        start, end = start - 1, end + 1
    return _without(around, start, end)


def _without(around: _Around, start: int, end: int) -> _Closing:
    """Take out what stands from `start` in the text before to `end` in the text behind."""
    both = around.left + around.right
    first, last = place_to_remove(both, start, len(around.left) + end)
    return _Closing(len(around.left) - first, last - len(around.left))


def _framed(around: _Around) -> _Closing | None:
    """``[7]에 따르면,`` and the like, where the mark is all that it names."""
    frame = phrases.FRAME.match(around.right)
    if frame is None:
        return None
    if label := phrases.LABEL_BEFORE.search(around.left):
        return _Closing(len(label[0]), frame.end())
    words = around.left.split()
    names_itself = words and _is_noun(words[-1])
    if not _stands_free(around.left) or names_itself or _is_doubtful(around.left):
        return None
    return _Closing(right=frame.end())


def _labelled(around: _Around) -> _Closing | None:
    """``출처 [7]은``: the word before it is enough to hold the particle."""
    label = phrases.LABEL_BEFORE.search(around.left)
    if (
        label is None
        or label[0].rstrip().endswith((":", "："))
        or not phrases.HELD.match(around.right)
    ):
        return None
    return _taken_over(around, label[0].rstrip(), len(label[0]) - len(label[0].rstrip()))


def _held_by_the_word_before(around: _Around) -> _Closing | None:
    """Return how a particle that has lost its mark finds its word; None if it was the mark's own.

    ``규정 [7]은`` has a word of its own, ``근거는 [7]입니다`` has none.
    """
    words = around.left.split()
    blanks = len(around.left) - len(around.left.rstrip(" \t"))
    joins = particle_at(around.right, 0) or phrases.JOINS_ON.match(around.right)
    if not words or not blanks or not joins or not _is_noun(words[-1]):
        return None
    return _taken_over(around, words[-1], blanks)


def _taken_over(around: _Around, word: str, blanks: int) -> _Closing:
    particle = particle_at(around.right, 0)
    return _Closing(blanks, len(particle), agreeing(particle, word))


def _is_noun(word: str) -> bool:
    """Tell whether a word bears no particle and ends no sentence."""
    return word[-1].isalnum() and word not in _LEADS_ON and stem(word) == word


def _is_doubtful(left: str) -> bool:
    """Tell whether the word before may be a noun (휴가) as well as the subject of a clause."""
    return left.rstrip(" \t").endswith(_SUBJECT_ENDINGS)


def _stands_free(left: str) -> bool:
    return not left or left[-1].isspace() or left[-1] in "([（"


def _is_open(sign: str, left: str) -> bool:
    """Tell whether a sign that opens and closes alike is open at the end of a text."""
    return left[left.rfind("\n") + 1 :].count(sign) % 2 == 1


def _spaced(around: _Around) -> _Closing:
    """Blanks and punctuation that were apart only because of the mark."""
    before, rest = around.left.rstrip(" \t"), around.right.lstrip(" \t")
    ahead, behind = len(around.left) - len(before), len(around.right) - len(rest)
    if not before or before.endswith("\n"):
        return _Closing(right=behind)
    if not rest or rest.startswith("\n"):
        return _Closing(left=ahead)
    if ahead and behind:
        closes = rest.startswith(_PUNCTUATION) or _closes(rest, before)
        return _against(before, rest, ahead, behind) if closes else _Closing(right=behind)
    if rest.startswith(_PUNCTUATION) or (ahead and _closes(rest, before)):
        return _against(before, rest, ahead, behind)
    if before.endswith("**") and rest.startswith("**") and not (ahead or behind):
        return _Closing(text=" ")
    return _Closing() if ahead or behind else _taken_over(around, before, 0)


def _closes(rest: str, before: str) -> bool:
    """Tell whether a sign that opens and closes alike stands there and closes."""
    return any(rest.startswith(sign) and _is_open(sign, before) for sign in _PAIRED_SIGNS)


def _against(before: str, rest: str, ahead: int, behind: int) -> _Closing:
    """Close up before a sign; of two stops, or of a comma and a stop, only one stays."""
    if rest[0] in _STOPS and before[-1] in _STOPS and not rest.startswith(".."):
        return _Closing(ahead, behind + 1)
    if rest[0] in _STOPS and before[-1] in ",;、":
        return _Closing(ahead + 1, behind)
    return _Closing(ahead, behind)
