"""Server-Sent Events: reading a model server's stream and writing our own.

Reads what the WHATWG HTML standard (section 9.2) allows: CRLF, CR or LF, comments, a byte order
mark, several ``data`` lines to one event, and pieces cut anywhere.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject, read_object

STREAM_TYPE = "text/event-stream"  # the web framework adds the charset
DONE = b"data: [DONE]\n\n"
_LINE_END = rb"(?:\r\n|\n|\r(?!\n))"
_EVENT_END = re.compile(_LINE_END + _LINE_END)
_LINES = re.compile(r"\r\n|\n|\r")
# Whose stream it is and when to ask again is a matter of the model server's own connection.
_CONNECTION_LINE = re.compile(rb"^(?:id|retry)(?::[^\r\n]*)?(?:\r\n|\n|\r)", re.MULTILINE)
_NAMED_COMMENT = re.compile(rb"^: (x-[a-z-]+): ([^\n]*)\n", re.MULTILINE)
_NAMED_COMMENTS = re.compile(rb"(?:^: x-[a-z-]+: [^\n]*\n)+\n", re.MULTILINE)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLANK_LINE = b"\n\n"
_WRITER = msgspec.json.Encoder()
MOST_EVENT_BYTES = 4 * 2**20
"""Longest event; the largest that servers send hold a picture of some megabytes."""
_DATA = b"data: "
_OBJECT = b"data: {"


@dataclass(frozen=True, slots=True)
class Event:
    """One event.

    Attributes:
        raw: Its bytes as they came, fit to be passed on between others: with the blank line at the
            end, also where the server forgot it, and without the stream's byte order mark.
    """

    raw: bytes

    @property
    def data(self) -> str | None:
        """Its ``data`` lines joined; None for comments and events without data."""
        if _is_one_line(self.raw):
            return self.raw[len(_DATA) : -len(BLANK_LINE)].decode("utf-8", errors="replace")
        if b"data" not in self.raw:
            return None
        fields = _fields(self.raw)
        data = [value.removeprefix(" ") for name, _, value in fields if name == "data"]
        return "\n".join(data) if data else None

    @property
    def is_done(self) -> bool:
        """True if it is ``[DONE]``, the last event of a complete stream."""
        if self.raw.startswith(_OBJECT):
            return False
        return self.data is not None and self.data.strip() == "[DONE]"

    @property
    def says_something(self) -> bool:
        """True if it holds a JSON object."""
        if self.raw.startswith(_OBJECT):
            return True
        return bool(self.data and self.data.strip()) and not self.is_done


class EventReader:
    """Cuts a byte stream into events, whatever the pieces.

    Args:
        only_data: Leave out events without data: a stream may hold millions of comments.
    """

    def __init__(self, *, only_data: bool = False) -> None:
        self._only_data = only_data
        self._rest = b""
        self._begun = False
        self._has_returns = False

    @property
    def is_between(self) -> bool:
        """True if the next piece begins with an event."""
        return not self._rest

    def feed(self, piece: bytes) -> list[Event]:
        """Return the events that this piece completes.

        Raises:
            UpstreamBroken: one is longer than `MOST_EVENT_BYTES`.
        """
        # Blank lines end within the last three bytes of what was searched, or in the new piece.
        search_from = max(0, len(self._rest) - 3)
        self._rest += piece
        self._has_returns = self._has_returns or b"\r" in piece
        cut = self._cut_anywhere if self._has_returns else self._cut
        whole = cut(search_from)
        if max(len(self._rest), *map(len, whole), 0) > MOST_EVENT_BYTES:
            raise UpstreamBroken(f"an event of its stream has more than {MOST_EVENT_BYTES} bytes")
        if self._only_data:
            whole = [raw for raw in whole if b"data" in raw]
        return [self._event(raw) for raw in whole]

    def close(self) -> list[Event]:
        """Return what is left as a last event; servers do forget the final blank line."""
        rest, self._rest = self._rest, b""
        return [self._event(rest + BLANK_LINE)] if rest.strip() else []

    def _cut(self, search_from: int) -> list[bytes]:
        """Cut off what is complete where lines end in line feeds alone."""
        if self._rest.find(BLANK_LINE, search_from) < 0:
            return []
        *whole, self._rest = self._rest.split(BLANK_LINE)
        return [one + BLANK_LINE for one in whole]

    def _cut_anywhere(self, search_from: int) -> list[bytes]:
        """Cut off what is complete wherever a line may end."""
        whole = []
        begin = 0
        # A CR at the very end may be half of a CRLF: wait for the next piece.
        safe_end = len(self._rest) - self._rest.endswith(b"\r")
        while match := _EVENT_END.search(self._rest, search_from, safe_end):
            whole.append(self._rest[begin : match.end()])
            begin = search_from = match.end()
        self._rest = self._rest[begin:]
        return whole

    def _event(self, raw: bytes) -> Event:
        if not self._begun:
            self._begun = True
            raw = raw.removeprefix(_BYTE_ORDER_MARK)
        if not _is_one_line(raw) and _is_of_connection(raw):
            raw = _CONNECTION_LINE.sub(b"", raw)
        return Event(raw)


def read_events(stream: bytes) -> tuple[list[Event], bytes]:
    """Return the events of a whole stream, and its bytes.

    What says something after ``[DONE]`` is left out of both: no client reads it.

    Raises:
        UpstreamBroken: an event is longer than `MOST_EVENT_BYTES`.
    """
    reader = EventReader()
    events = reader.feed(stream) + reader.close()
    end = 1 + next((at for at, event in enumerate(events) if event.is_done), len(events))
    if not any(event.says_something for event in events[end:]):
        return events, stream
    return events[:end], b"".join(event.raw for event in events[:end])


def _is_one_line(raw: bytes) -> bool:
    """Tell whether an event is one line of data, as nearly all are."""
    return (
        raw.startswith(_DATA) and raw.find(b"\n") == len(raw) - len(BLANK_LINE) and b"\r" not in raw
    )


def _is_of_connection(raw: bytes) -> bool:
    may_be = b"id" in raw or b"retry" in raw
    return may_be and any(name in ("id", "retry") for name, _, _ in _fields(raw))


def _fields(raw: bytes) -> list[tuple[str, str, str]]:
    lines = _LINES.split(raw.decode("utf-8", errors="replace"))
    return [line.partition(":") for line in lines]


def write_event(body: Mapping[str, JsonValue]) -> bytes:
    """Return one event with a JSON object as its data."""
    return b"data: " + json_bytes(body) + b"\n\n"


def write_comments(lines: Mapping[str, str]) -> bytes:
    """Return comments, one ``name: value`` each, which no client takes for an event."""
    said = "".join(f": {name}: {value}\n" for name, value in lines.items())
    return f"{said}\n".encode() if said else b""


def read_comments(stream: bytes) -> dict[str, str]:
    """Return what such comments say; of those with the same name, the last one."""
    return {name.decode(): value.decode() for name, value in _NAMED_COMMENT.findall(stream)}


def without_comments(stream: bytes) -> bytes:
    """Return a stream's bytes without such comments."""
    return _NAMED_COMMENTS.sub(b"", stream)


def json_bytes(body: Mapping[str, JsonValue]) -> bytes:
    """Return compact JSON in UTF-8; escaped where the text holds half of a surrogate pair."""
    try:
        return _WRITER.encode(body)
    except UnicodeEncodeError:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")  # which escapes as JSON does


_READER = msgspec.json.Decoder(str)
_VALUE = re.compile(rb' ?("(?:[^"\\]|\\.)*")')
_QUOTE = 1


_LONGEST_ALIKE_BYTES = 16 * 1024
"""Longest chunk that can be written like others, with only its text replaced."""


@dataclass(frozen=True, slots=True)
class EventTemplate:
    """The bytes around the text of an event, its quotes included.

    A model server writes the same event around each piece of an answer. Once one of them was read,
    the next ones need no parsing: bytes that equal those before and behind the text mean the same.

    Attributes:
        before: All up to the text.
        behind: All from there on.
    """

    before: bytes
    behind: bytes

    def read(self, events: bytes) -> tuple[str, int]:
        """Return the text of all events at the beginning that this template wrote, and their end.

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


def template_of(raw: bytes, member: str, text: str) -> EventTemplate | None:
    """Return the template of an event; None if its bytes do not show where the text is."""
    if len(raw) > _LONGEST_ALIKE_BYTES:
        return None
    name = f'"{member}"'.encode()
    _, found, behind = raw.partition(name + b":")
    value = _VALUE.match(behind)
    is_sure = raw.count(name) == 1 and raw.endswith(b"\n")  # half of a line end may follow a CR
    if not (found and value and is_sure) or _read(value[1]) != text:
        return None
    end = len(raw) - len(behind) + value.end()
    template = EventTemplate(raw[: end - len(value[1]) + _QUOTE], raw[end - _QUOTE :])
    # With an escape, the member's name could stand there in another spelling.
    return None if b"\\" in template.before + template.behind else template


def _read(quoted: bytes) -> str | None:
    """Return what a JSON string says; None if this is none."""
    try:
        return _READER.decode(quoted)
    except ValueError:
        return None


def event_object(event: Event) -> JsonObject:
    """Return the object that an event holds.

    Raises:
        UpstreamBroken: it holds none.
    """
    try:
        return read_object((event.data or "").encode("utf-8", errors="surrogatepass"))
    except ValueError as error:
        raise UpstreamBroken(f"an event of its stream: {error}") from None
