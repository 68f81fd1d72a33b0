"""Cuts an answer into segments while it is written: what is judged, and let out, at once.

A segment is a sentence with its citation marks, and what cannot stand alone before it. It ends
right behind them; white space belongs to the next segment. Its end is told when the next visible
character is there, so that the last segment is never empty, and never depends on more than

* that character,
* what a sentence's end looks ahead (see `guards.text.sentence_ends`),
* behind a line that opens an answer, but says nothing for sure if a list begins below it: five
  characters of the next one.
"""

import re
from collections import deque

from guards.text.lead_ins import LEAD_IN
from guards.text.sentence_ends import SentenceEnds, sentence_ends
from guards.text.sentences import Sentence
from policies.gating.layout import ORNAMENT, Layout
from policies.gating.opening import Opening

# Each end leads to an inspection of what was written so far. Where segments grow with the text
# there are few of them, and the cost of all inspections grows like the text, not like its square.
_SHORT_TEXT_CHARS = 1500
_LEAST_PART_OF_LONG_TEXT = 20
_LIST_LOOK_AHEAD_CHARS = 5
_SPACE = re.compile(r"\s*")
_NEXT_SENTENCE = " 다음"
# What may stand behind a finished sentence: emphasis that ends, an emoji, a remark in brackets.
_ORNAMENTS = re.compile(rf"(?<![*_\s{ORNAMENT}])[*_\s{ORNAMENT}]+\Z")
_REMARK = re.compile(r"(?<=[.!?…。！？])[ \t]?[(\[【][^()\[\]【】\n]{1,200}[)\]】]\Z")
_FENCE_LINE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)


class Segmenter:
    """The segments of one answer; the same wherever the answer was cut into pieces."""

    def __init__(self) -> None:
        self._ends = SentenceEnds()
        self._layout = Layout()
        self._opening = Opening()
        self._waiting: deque[Sentence] = deque()
        self._read = self._visible_end = self._last = 0
        self._begins_line = True
        self._is_whole = False

    @property
    def text(self) -> str:
        """The answer so far."""
        return self._ends.text

    def feed(self, piece: str) -> list[int]:
        """Take the next piece of the answer.

        Returns:
            The ends of the segments that are certain now, in order, in code points of the answer.
        """
        visible = piece.rstrip()
        if visible:
            self._visible_end = len(self.text) + len(visible)
        ends = self._ends.grow(piece)
        if ends:
            self._take(ends)
        return self._decided() if self._waiting else []

    def close(self) -> list[int]:
        """Return the ends of what is left; the last one is the end of the answer."""
        self._is_whole = True
        self._take(self._ends.close())
        decided = self._decided()
        return [*decided, len(self.text)] if self.text else decided

    def _take(self, ends: list[int]) -> None:
        for end in ends:
            piece = self.text[self._read : end]
            visible = piece.strip()
            if visible:
                start = self._read + len(piece) - len(piece.lstrip())
                self._waiting.append(Sentence(visible, start, start + len(visible)))
            self._read = end

    def _decided(self) -> list[int]:
        boundaries = []
        while self._waiting and self._waiting[0].end < self._visible_end:
            sentence = self._waiting[0]
            following = self._following(sentence.end)
            if self._last == 0 and self._must_wait(sentence.end, following):
                break
            self._waiting.popleft()
            if self._is_boundary(sentence, following):
                boundaries.append(sentence.end)
                self._last = sentence.end
        return boundaries

    def _following(self, end: int) -> int:
        space = _SPACE.match(self.text, end)
        return space.end() if space else end

    def _must_wait(self, end: int, following: int) -> bool:
        is_short = len(self.text) < following + _LIST_LOOK_AHEAD_CHARS
        if self._is_whole or not is_short or "\n" not in self.text[end:following]:
            return False
        return not self._opening.is_sure(self.text[:following], self.text[following])

    def _is_boundary(self, sentence: Sentence, following: int) -> bool:
        ends_line = "\n" in self.text[sentence.end : following]
        begins_line, self._begins_line = self._begins_line, ends_line
        spoken = self._opening.spoken(sentence)
        behind = self.text[sentence.end : following + 1]
        if not spoken or self._layout.holds(spoken, behind, begins_line=begins_line):
            return False
        if self._last == 0:
            ahead = following + _LIST_LOOK_AHEAD_CHARS if ends_line else sentence.end
            return not self._opening.holds(self.text[:ahead], sentence.end)
        is_short_text = sentence.end <= _SHORT_TEXT_CHARS
        grown = (sentence.end - self._last) * _LEAST_PART_OF_LONG_TEXT
        return is_short_text or grown >= sentence.end


def is_complete(segment: str) -> bool:
    """Tell whether the last segment of an answer ends like a finished sentence.

    A finished line does too, and a finished row of a table, but no lead-in and no open code.
    """
    if len(_FENCE_LINE.findall(segment)) % 2:
        return False
    visible = segment.rstrip()
    last_line = visible[visible.rfind("\n") + 1 :].lstrip()
    if "\n" in segment[len(visible) :]:
        return LEAD_IN.search(last_line) is None
    if last_line.startswith(("|", "```", "~~~")):
        return len(last_line) > 1 and last_line.endswith(("|", "```", "~~~"))
    bare = _REMARK.sub("", _ORNAMENTS.sub("", last_line))
    return len(bare) in sentence_ends(bare + _NEXT_SENTENCE)
