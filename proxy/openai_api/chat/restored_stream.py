"""The chunks of a stream with the caller's own identifiers put back, wherever the cuts fall."""

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import JsonValue

from proxy.openai_api.choices import choice_index, without_tokens
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.json_texts import with_texts
from proxy.openai_api.restoring import PieceRestorer, Restoring

_WORDS = ("content", "reasoning", "reasoning_content", "refusal")
_CALLS = "tool_calls"
_OLD_CALL = "function_call"


class StreamRestorer:
    """Restores the chunks of one stream.

    Args:
        stand_ins: Those of the request.
    """

    def __init__(self, stand_ins: Restoring) -> None:
        self._stand_ins = stand_ins
        self._choices: dict[int, _ChoiceRestorer] = {}
        self._frame: JsonObject = {}

    def feed(self, chunk: JsonObject) -> JsonObject:
        """Return a chunk as it can be sent on; what may be half a placeholder comes later."""
        found = objects(chunk.get("choices"))
        if not found:
            return chunk
        self._frame = {key: value for key, value in chunk.items() if key != "usage"}
        choices: list[JsonValue] = []
        for position, choice in enumerate(found):
            index = choice_index(choice, position)
            restorer = self._choices.setdefault(index, _ChoiceRestorer(self._stand_ins))
            choices.append(restorer.feed(choice))
        return chunk | {"choices": choices}

    def close(self) -> Iterator[JsonObject]:
        """Yield what was kept back of choices that the model server did not end."""
        for index, restorer in self._choices.items():
            delta = restorer.flushed({})
            if delta:
                rest: JsonObject = {"index": index, "delta": delta, "finish_reason": None}
                yield self._frame | {"choices": [rest]}


class _Place(NamedTuple):
    """Which text of a choice a piece belongs to; `call` tells the calls of tools apart."""

    member: str
    call: int = 0


class _ChoiceRestorer:
    """Restores the deltas of one choice, each of its texts by itself."""

    def __init__(self, stand_ins: Restoring) -> None:
        self._stand_ins = stand_ins
        self._texts: dict[_Place, PieceRestorer] = {}

    def feed(self, choice: JsonObject) -> JsonObject:
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return choice
        changed = self._fed(delta)
        if choice.get("finish_reason"):
            changed = self.flushed(changed)
        return choice if changed == delta else without_tokens(choice) | {"delta": changed}

    def flushed(self, delta: JsonObject) -> JsonObject:
        """Return a delta with all that was kept back at the end of it."""
        ended = dict(delta)
        for place, restorer in self._texts.items():
            held = restorer.close()
            if not held:
                continue
            if place.member == _CALLS:
                call: JsonObject = {"index": place.call, "function": {"arguments": held}}
                ended[_CALLS] = [*objects(ended.get(_CALLS)), call]
            elif place.member == _OLD_CALL:
                said = member(ended.get(_OLD_CALL), "arguments")
                ended[_OLD_CALL] = {"arguments": f"{said or ''}{held}"}
            else:
                ended[place.member] = f"{ended.get(place.member) or ''}{held}"
        return ended

    def _fed(self, delta: JsonObject) -> JsonObject:
        fed = dict(delta)
        for name in _WORDS:
            if name in delta:
                fed[name] = self._said(_Place(name), delta[name])
        calls = objects(delta.get(_CALLS))
        if calls:
            fed[_CALLS] = [self._call(call, position) for position, call in enumerate(calls)]
        if _OLD_CALL in delta:
            fed[_OLD_CALL] = self._function(_Place(_OLD_CALL), delta[_OLD_CALL])
        return fed

    def _call(self, call: JsonObject, position: int) -> JsonValue:
        if "function" not in call:
            return call
        place = _Place(_CALLS, choice_index(call, position))
        return call | {"function": self._function(place, call["function"])}

    def _function(self, place: _Place, function: JsonValue) -> JsonValue:
        if not isinstance(function, dict) or "arguments" not in function:
            return function
        return function | {"arguments": self._said(place, function["arguments"])}

    def _said(self, place: _Place, piece: JsonValue) -> JsonValue:
        if not isinstance(piece, str):
            return with_texts(piece, self._stand_ins.restore)  # parts of a content come whole
        if place not in self._texts:
            self._texts[place] = self._stand_ins.in_pieces()
        return self._texts[place].feed(piece)
