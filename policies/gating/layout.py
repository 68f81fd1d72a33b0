"""Follows the layout of an answer and tells after which of its sentences no segment may end.

Not inside code, not inside a row of a table, not before the first row of a table with a header, and
not behind what only opens the next thing: a heading, a title, a lead-in, a list marker, a rule.
"""

import re

from guards.text.lead_ins import HEADING, LEAD_IN

ORNAMENT = r"\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3\U0001f000-\U0001faff"
"""Characters of emoji, for a class of characters."""
_DECORATION = re.compile(
    rf"^(?:[>\s{ORNAMENT}]|\d\ufe0f?\u20e3)+|(?<![\s{ORNAMENT}])[\s{ORNAMENT}]+$"
)
_FENCE = re.compile(r"(?P<fence>```|~~~)[^`]*$")
_ROW = re.compile(r"\||[^|\n]{1,80}\s\|\s")
_RULE = re.compile(r"[ \t:|*_=-]+")
_LONE_MARKER = re.compile(r"[-*+•·○●▪■◦>#_ \t]*(?:(?:\d{1,3}|[가-하]|[A-Za-z])[.)]|[①-⑳])?[*_]*")
_LONGEST_MARKER_CHARS = 12
_LEAD_IN_CHARS = 40
# Longer than any heading the pattern knows, so that what is cut off here matches none.
_LINE_KEPT_CHARS = 100
_ITEM = re.compile(r"(?:[-*+•·○●▪◦✔✅☑✓]\ufe0f?\s|(?:\d{1,3}|[가-하])[.)]\s|\(\d{1,3}\)|[①-⑳])\s*")
_TITLE = re.compile(r"(?:[^.。:：!?…|]*\s)?[^\d\s.。:：!?…|]*[^\d\s.。:：!?…|다요죠까음함됨임*_]")
_LONGEST_TITLE_CHARS = 40
_BEGINS_BLOCK = re.compile(r"[ \t]*\n(?:[ \t]*\n|\s*[-*+•·○●▪■◦>|#①-⑳✔✅☑✓`~\d])")
_INDENT = re.compile(r"(?<=\n)[ \t]*(?=\S?\Z)")


class Layout:
    """The lines of an answer as far as they were read, sentence by sentence."""

    def __init__(self) -> None:
        self._line = ""
        self._fence = ""
        self._rows = 0
        self._indent = 0
        self._holds_title = False

    def holds(self, sentence: str, behind: str, *, begins_line: bool) -> bool:
        """Take the next sentence and tell whether what follows belongs to the same segment.

        Args:
            sentence: The sentence, without outer white space.
            behind: The white space behind it with the next visible character.
            begins_line: Whether nothing stands before it on its line.
        """
        before = "" if begins_line else f"{self._line} "
        self._line = (before + sentence[:_LINE_KEPT_CHARS])[:_LINE_KEPT_CHARS]
        opens_block = self._names_next(sentence, behind, begins_line)
        if self._is_in_code(sentence, begins_line):
            return True
        if self._is_in_table(sentence, behind, begins_line):
            return True
        return opens_block or self._opens(sentence) or (begins_line and _is_mark(sentence))

    def _is_in_code(self, sentence: str, begins_line: bool) -> bool:
        """Tell whether the sentence is code that goes on behind it."""
        if not begins_line:
            return bool(self._fence)
        if self._fence:
            self._fence = "" if sentence.startswith(self._fence) else self._fence
        elif opened := _FENCE.match(sentence):
            self._fence = opened["fence"]
        return bool(self._fence)

    def _is_in_table(self, sentence: str, behind: str, begins_line: bool) -> bool:
        """Tell whether the sentence is a part of a row, or of what stands before the first one."""
        ends_line = "\n" in behind
        if begins_line:
            is_row = (
                _ROW.match(sentence)
                or ("|" in sentence and _RULE.fullmatch(sentence))
                or (behind.endswith("|") and not ends_line)
            )
            self._rows = self._rows + 1 if is_row else 0
        return self._rows == 1 or (self._rows > 1 and not ends_line)

    def _names_next(self, sentence: str, behind: str, begins_line: bool) -> bool:
        """Tell whether a line names what stands below it; of two in a row the second does not."""
        indent, self._indent = self._indent, _indent(behind)
        item = _ITEM.match(sentence)
        opens = self._indent > indent if item else _BEGINS_BLOCK.match(behind) is not None
        name = undecorated(sentence[item.end() if item else 0 : _LINE_KEPT_CHARS])
        names_next = begins_line and opens and is_title(name)
        self._holds_title = names_next and not self._holds_title
        return self._holds_title

    def _opens(self, sentence: str) -> bool:
        is_heading = HEADING.match(undecorated(self._line)) is not None
        return is_heading or LEAD_IN.search(sentence[-_LEAD_IN_CHARS:]) is not None


def undecorated(line: str) -> str:
    """Return a line without emoji and signs of quotation around it."""
    return _DECORATION.sub("", line)


def is_title(line: str) -> bool:
    """Tell whether a line, undecorated and without the sign of a list, may be a title.

    It has no predicate at its end, and no value.
    """
    name = line.strip("*_ ")
    is_short = len(name) <= _LONGEST_TITLE_CHARS
    return is_short and not _ITEM.match(name) and _TITLE.fullmatch(name) is not None


def _indent(behind: str) -> int:
    found = _INDENT.search(behind)
    return len(found[0]) if found else 0


def _is_mark(sentence: str) -> bool:
    is_short = len(sentence) <= _LONGEST_MARKER_CHARS
    return bool(_RULE.fullmatch(sentence) or (is_short and _LONE_MARKER.fullmatch(sentence)))
