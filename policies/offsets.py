"""The same place in a text as three kinds of programs count it.

Python counts code points; Go, Rust and C bytes of UTF-8; JavaScript, Java and C# units of UTF-16.
A Hangul syllable is one, three and one; a pictograph one, four and two.
"""

from itertools import accumulate

from pydantic import BaseModel, ConfigDict, Field

from guards.core.finding import Span

_Pair = tuple[int, int]


class Place(BaseModel):
    """A half-open place in a text, counted in three ways."""

    model_config = ConfigDict(frozen=True)

    cp: _Pair = Field(description="Start and end in Unicode code points.")
    utf8: _Pair = Field(description="Start and end in bytes of UTF-8.")
    utf16: _Pair = Field(description="Start and end in units of UTF-16.")


class Offsets:
    """The places of one text; the text is gone through once, however many places are asked for.

    Half of a surrogate pair, which UTF-8 cannot hold, counts as three bytes and one unit.
    """

    def __init__(self, text: str) -> None:
        self._utf8 = tuple(accumulate(map(_utf8_bytes, text), initial=0))
        self._utf16 = tuple(accumulate((1 + (char > "\uffff") for char in text), initial=0))

    def place(self, span: Span) -> Place:
        """Return a span of the text in all three counts."""
        start, end = span.start, span.end
        return Place(
            cp=(start, end),
            utf8=(self._utf8[start], self._utf8[end]),
            utf16=(self._utf16[start], self._utf16[end]),
        )


def _utf8_bytes(char: str) -> int:
    if char < "\x80":
        return 1
    if char < "\u0800":
        return 2
    return 4 if char > "\uffff" else 3
