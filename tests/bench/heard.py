"""What came back: kept as it came while the load runs, and read when it is over."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

_ACTION = re.compile(rb"\r\nx-guard-action:[ \t]*(\w+)", re.IGNORECASE)
# A stream's head leaves before the verdict; what it says is compared word by word as well.
_FAITHFUL = (b"pass", b"pending")
_EVENT_END = re.compile(rb"\r?\n\r?\n")


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as it came: each part of the body with the moment, by the shared clock."""

    head: bytes
    pieces: Sequence[tuple[int, bytes]]


@dataclass(frozen=True, slots=True)
class Call:
    """One request and what came of it; moments are nanoseconds of ``time.monotonic_ns``.

    Attributes:
        seed: Its number.
        asked_ns: When the request was written.
        first_byte_ns: When the reply began.
        ended_ns: When the reply was there.
        visible: For a stream, how many characters of the answer could be seen from when on.
        problem: What was wrong with the reply; empty if nothing.
    """

    seed: int
    asked_ns: int
    first_byte_ns: int = 0
    ended_ns: int = 0
    visible: Sequence[tuple[int, int]] = ()
    problem: str = ""


def problem_of(reply: Reply, said: str, wanted: str | None) -> str:
    """Tell what is wrong with a reply of which these words were read; nothing if it is right.

    ``wanted`` is None where the words do not matter.
    """
    status = reply.head.split(b" ", 2)[1:2]
    if status != [b"200"]:
        words = b"".join(words for _, words in reply.pieces)[:200]
        return f"status {b''.join(status).decode()}: {words.decode('utf-8', 'replace')}"
    if wanted is None:
        return ""
    action = _ACTION.search(reply.head)
    if action and action[1] not in _FAITHFUL:
        return f"x-guard-action: {action[1].decode()}"
    if said != wanted:
        return f"another answer than the model's: {said[:100]!r}"
    return ""


def plain_words(reply: Reply) -> str:
    """Return the answer of a plain reply; empty if there is none."""
    try:
        body = json.loads(b"".join(words for _, words in reply.pieces))
        return str(body["choices"][0]["message"]["content"])
    except (ValueError, LookupError, TypeError):
        return ""


def streamed_words(reply: Reply) -> tuple[str, list[tuple[int, int]]]:
    """Return the answer of a stream, and how many characters of it were there from when on."""
    said: list[str] = []
    visible: list[tuple[int, int]] = []
    many = 0
    rest = b""
    for moment_ns, piece in reply.pieces:
        *events, rest = _EVENT_END.split(rest + piece)
        words = "".join(map(_delta, events))
        if words:
            said.append(words)
            many += len(words)
            visible.append((moment_ns, many))
    return "".join(said), visible


def _delta(event: bytes) -> str:
    """Return what an event adds to the answer; comments and other events add nothing."""
    words = b"".join(
        line.removeprefix(b"data:") for line in event.splitlines() if line.startswith(b"data:")
    )
    if not words or words.strip() == b"[DONE]":
        return ""
    try:
        choices = json.loads(words).get("choices") or [{}]
        return choices[0].get("delta", {}).get("content") or ""
    except (ValueError, AttributeError):
        return ""
