"""The many ways in which one answer can be written to the wire."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject
from tests.fakes.wire_upstream import JSON_TYPE, WireReply, cut, encoded

CREATED = 1_893_456_000
_FEW = 12
_STRETCH = 600
_UNIT_BYTES = 2
_NOTE: JsonObject = {"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}


@dataclass(frozen=True)
class WireStyle:
    """How a model server writes; the default is OpenAI's way, a whole answer to a delta.

    Attributes:
        deltas: Cuts of the text: ``whole``, ``some`` or ``each`` UTF-16 unit by itself.
        pieces: Cuts of the bytes: ``whole``, ``some`` or ``each`` byte of a stretch by itself.
        seed: Decides where ``some`` cuts fall, and which event gets what.
        line_end: Ends every line.
        escaped: Everything beyond ASCII is escaped.
        spread: The JSON of an event is spread over several ``data`` lines.
        chatty: Comments, other fields and chunks without choices stand between the events.
        mark: A byte order mark comes first.
        done: ``[DONE]`` comes last.
        blank_line: The last event is followed by one.
        role_alone: The role has a delta of its own; else it stands in every delta.
        ends_with_text: The finish reason comes with the last of the text.
        unfinished: What the finish reason is until then.
        in_turn: The choices take turns; else one is written after the other.
        encoding: Content encoding.
        recut: The cuts of the bytes fall into the encoded body.
    """

    deltas: str = "whole"
    pieces: str = "whole"
    seed: int = 0
    line_end: str = "\n"
    escaped: bool = False
    spread: bool = False
    chatty: bool = False
    mark: bool = False
    done: bool = True
    blank_line: bool = True
    role_alone: bool = True
    ends_with_text: bool = False
    unfinished: str | None = None
    in_turn: bool = True
    encoding: str = ""
    recut: bool = False


@dataclass(frozen=True)
class Spoken:
    """What is said to one request.

    Attributes:
        texts: One for each choice.
        finish_reason: Why they ended; None if they did not.
        usage: Tokens used.
        calls: Calls of tools behind each text.
    """

    texts: Sequence[str]
    finish_reason: str | None = "stop"
    usage: JsonObject = field(default_factory=dict)
    calls: Sequence[JsonObject] = ()


def plain(spoken: Spoken) -> WireReply:
    """Return it as one JSON object."""
    called: JsonObject = {"tool_calls": [*spoken.calls]} if spoken.calls else {}
    choices: list[JsonValue] = [
        {
            "index": index,
            "message": {"role": "assistant", "content": text, **called},
            "logprobs": None,
            "finish_reason": spoken.finish_reason,
        }
        for index, text in enumerate(spoken.texts)
    ]
    body = _frame("chat.completion") | {"choices": choices, "usage": spoken.usage}
    return WireReply([json.dumps(body).encode()], JSON_TYPE)


def streamed(spoken: Spoken, style: WireStyle) -> WireReply:
    """Return it as a stream in this style."""
    random = Random(style.seed)
    events = [_event(chunk, style, random) for chunk in _chunks(spoken, style, random)]
    if style.done:
        events.append(f"data: [DONE]{style.line_end * 2}")
    body = "".join(events).encode("utf-8", "backslashreplace")
    if not style.blank_line:
        body = body.removesuffix(style.line_end.encode())
    if style.mark:
        body = b"\xef\xbb\xbf" + body
    pieces = encoded(cut(body, _cuts(style.pieces, len(body), random)), style.encoding)
    if style.recut:
        packed = b"".join(pieces)
        pieces = cut(packed, _cuts(style.pieces, len(packed), random))
    return WireReply(pieces, encoding=style.encoding)


def _frame(kind: str) -> JsonObject:
    return {"id": "chatcmpl-1", "object": kind, "created": CREATED, "model": "scripted-ko"}


def _cuts(how: str, size: int, random: Random) -> list[int]:
    if how == "each":
        begin = random.randrange(max(1, size - _STRETCH))
        return list(range(begin, min(size, begin + _STRETCH)))
    return [random.randrange(size) for _ in range(_FEW)] if how == "some" and size else []


def _chunks(spoken: Spoken, style: WireStyle, random: Random) -> Iterator[JsonObject]:
    frame = _frame("chat.completion.chunk")
    if style.chatty:
        yield _NOTE
    waiting = [
        list(_choices(index, text, spoken, style, random))
        for index, text in enumerate(spoken.texts)
    ]
    while any(waiting):
        for choices in waiting:
            while choices:
                yield frame | {"choices": [choices.pop(0)]}
                if style.in_turn:
                    break
    if spoken.usage:
        yield frame | {"choices": [], "usage": spoken.usage}


def _choices(
    index: int, text: str, spoken: Spoken, style: WireStyle, random: Random
) -> Iterator[JsonObject]:
    role: JsonObject = {"role": "assistant"}
    deltas: list[JsonObject] = [{"content": piece} for piece in _units(text, style, random)]
    if style.role_alone:
        deltas.insert(0, role | {"content": ""})
    else:
        deltas = [role | delta for delta in deltas]
    if spoken.calls:
        deltas.append({"tool_calls": [*spoken.calls]})
    if not style.ends_with_text:
        deltas.append({})
    for number, delta in enumerate(deltas, start=1):
        reason = spoken.finish_reason if number == len(deltas) else style.unfinished
        yield {"index": index, "delta": delta, "finish_reason": reason}


def _units(text: str, style: WireStyle, random: Random) -> list[str]:
    """Cut a text between any two of its UTF-16 units, also inside a character."""
    units = text.encode("utf-16-le")
    places = [at * _UNIT_BYTES for at in _cuts(style.deltas, len(units) // _UNIT_BYTES, random)]
    return [piece.decode("utf-16-le", "surrogatepass") for piece in cut(units, places)]


def _event(chunk: JsonObject, style: WireStyle, random: Random) -> str:
    written = json.dumps(
        chunk, ensure_ascii=style.escaped, indent=1 if style.spread else None
    ).split("\n")
    lines = [f"data: {line}" for line in written]
    before = ""
    if style.chatty:
        before = random.choice(["", f": 대기 중{style.line_end * 2}", "", f":{style.line_end}"])
        lines = random.choice([lines, ["event: message", *lines], lines])
    return before + style.line_end.join([*lines, "", ""])
