"""Follows the layout of an answer and tells after which of its sentences no segment may end.

Not inside code, not inside a row of a table, not before the first row of a table with a header, and
not behind what only opens the next thing: a heading, a lead-in, a list marker, a rule.
"""

import re

from guards.text.lead_ins import HEADING, LEAD_IN

_FENCE = re.compile(r"(?P<fence>```|~~~)[^`]*$")
_ROW = re.compile(r"\||[^|\n]{1,80}\s\|\s")
_RULE = re.compile(r"[ \t:|*_=-]+")
_LONE_MARKER = re.compile(r"[-*+•·○●▪■◦>#_ \t]*(?:(?:\d{1,3}|[가-하]|[A-Za-z])[.)]|[①-⑳])?[*_]*")
_LONGEST_MARKER_CHARS = 12
_LEAD_IN_CHARS = 40
# Longer than any heading the pattern knows, so that what is cut off here matches none.
_LINE_KEPT_CHARS = 100


class Layout:
    """The lines of an answer as far as they were read, sentence by sentence."""

    def __init__(self) -> None:
        self._line = ""
        self._fence = ""
        self._rows = 0

    def holds(self, sentence: str, *, begins_line: bool, ends_line: bool) -> bool:
        """Take the next sentence and tell whether what follows belongs to the same segment.

        Args:
            sentence: The sentence, without outer white space.
            begins_line: Whether nothing stands before it on its line.
            ends_line: Whether nothing stands behind it on its line.
        """
        before = "" if begins_line else f"{self._line} "
        self._line = (before + sentence[:_LINE_KEPT_CHARS])[:_LINE_KEPT_CHARS]
        if self._is_in_code(sentence, begins_line):
            return True
        if self._is_in_table(sentence, begins_line, ends_line):
            return True
        return self._opens(sentence) or (begins_line and _is_mark(sentence))

    def _is_in_code(self, sentence: str, begins_line: bool) -> bool:
        """Tell whether the sentence is code that goes on behind it."""
        if not begins_line:
            return bool(self._fence)
        if self._fence:
            self._fence = "" if sentence.startswith(self._fence) else self._fence
        elif opened := _FENCE.match(sentence):
            self._fence = opened["fence"]
        return bool(self._fence)

    def _is_in_table(self, sentence: str, begins_line: bool, ends_line: bool) -> bool:
        """Tell whether the sentence is a part of a row, or of what stands before the first one."""
        if begins_line:
            is_row = _ROW.match(sentence) or ("|" in sentence and _RULE.fullmatch(sentence))
            self._rows = self._rows + 1 if is_row else 0
        return self._rows == 1 or (self._rows > 1 and not ends_line)

    def _opens(self, sentence: str) -> bool:
        is_heading = HEADING.match(self._line) is not None
        return is_heading or LEAD_IN.search(sentence[-_LEAD_IN_CHARS:]) is not None


def _is_mark(sentence: str) -> bool:
    is_short = len(sentence) <= _LONGEST_MARKER_CHARS
    return bool(_RULE.fullmatch(sentence) or (is_short and _LONE_MARKER.fullmatch(sentence)))
