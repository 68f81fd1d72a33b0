"""Events that differ in nothing but their text, told by their bytes.

A model server writes the same event around each piece of an answer. Once one of them was read, the
next ones need no reading: what stands before and behind the text is what it was, and so means what
it meant.
"""

import re
from dataclasses import dataclass

import msgspec

_READER = msgspec.json.Decoder(str)
_VALUE = re.compile(rb' ?("(?:[^"\\]|\\.)*")')
_QUOTE = 1


@dataclass(frozen=True, slots=True)
class Mould:
    """What stands around the text of an event, its quotes included.

    Attributes:
        before: All up to the text.
        behind: All from there on.
    """

    before: bytes
    behind: bytes

    def read(self, events: bytes) -> tuple[str, int]:
        """Return the text of all events at the beginning that came of this mould, and their end.

        An event without a text is none of them: it may mean something else.
        """
        texts: list[str] = []
        done = 0
        while events.startswith(self.before, done):
            start = done + len(self.before)
            end = events.find(self.behind, start)
            text = _read(events[start - _QUOTE : end + _QUOTE]) if end > start else None
            if text is None:
                break
            texts.append(text)
            done = end + len(self.behind)
        return "".join(texts), done


def mould_of(raw: bytes, member: str, text: str) -> Mould | None:
    """Return the mould of an event; None where its bytes do not tell for sure where the text is.

    Args:
        raw: The event.
        member: Name of the member that holds the text.
        text: The text.
    """
    name = f'"{member}"'.encode()
    _, found, behind = raw.partition(name + b":")
    value = _VALUE.match(behind)
    is_sure = raw.count(name) == 1 and raw.endswith(b"\n")  # half of a line end may follow a CR
    if not (found and value and is_sure) or _read(value[1]) != text:
        return None
    end = len(raw) - len(behind) + value.end()
    mould = Mould(raw[: end - len(value[1]) + _QUOTE], raw[end - _QUOTE :])
    # With an escape, the member's name could stand there in another spelling.
    return None if b"\\" in mould.before + mould.behind else mould


def _read(quoted: bytes) -> str | None:
    """Return what a JSON string says; None if this is none."""
    try:
        return _READER.decode(quoted)
    except ValueError:
        return None
