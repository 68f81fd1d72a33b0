"""A name in a text, and the form in which names are compared: without spaces, dots and case."""

import re
from dataclasses import dataclass

_IGNORED = re.compile(r"[\s·\"'‘’“”「」『』《》〈〉()\-_.,]+")


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text.

    Attributes:
        text: As it stands, without its particle.
        start: Where it begins, in code points.
        end: Where it ends (half-open).
        head: The noun that it ends with (구청, 센터), in small letters; empty if there is none.
        specific: What makes it this one and no other (영통), comparable.
    """

    text: str
    start: int
    end: int
    head: str
    specific: str

    @property
    def key(self) -> str:
        """The whole name, comparable."""
        return dense(self.text)


def dense(text: str) -> str:
    """Return a text as names are compared."""
    return _IGNORED.sub("", text).casefold()
