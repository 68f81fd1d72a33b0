"""The answer in one choice of a reply, and the part of it that a reader sees."""

import json
import re
from dataclasses import dataclass

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.model_request import MOST_CHOICES

# Some models write their reasoning into the content; it is not the answer. Only a closed block at
# the very start counts, so that no answer can hide behind a tag.
_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_BARE_VALUE = re.compile(r"\d|true|false")
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?')


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer in one choice.

    Attributes:
        index: Number of the choice.
        content: Its text as it came; empty if there is none.
        tool_turn: It calls tools, so it is not an answer yet.
        finish_reason: Why it ended, in the model server's word.
    """

    index: int
    content: str
    tool_turn: bool
    finish_reason: str | None

    @property
    def thinks(self) -> bool:
        """True if the content has reasoning before the answer."""
        return _THINKING.match(self.content) is not None

    @property
    def has_bare_values(self) -> bool:
        """True if the content, as JSON, holds numbers or booleans besides its strings."""
        return _BARE_VALUE.search(_JSON_STRING.sub("", self.content)) is not None

    def visible(self, *, structured: bool) -> str:
        """Return what a reader sees, at the same places: all else is blanked with spaces.

        Args:
            structured: The client asked for JSON, so only the string values are prose. Where the
                answer is no JSON, all of it is.
        """
        return visible(self.content, structured=structured)


def visible(content: str, *, structured: bool) -> str:
    """Return what a reader sees of an answer, or of its beginning; see `Answer.visible`."""
    thinking = _THINKING.match(content)
    begin = thinking.end() if thinking else 0
    text = " " * begin + content[begin:]
    return _string_values(text) if structured and _is_json(text) else text


def with_whole_characters(text: str) -> str:
    """Join halves of characters that came in two deltas; a half without its other is broken."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class PieceJoiner:
    """Joins halves of characters that come in two pieces of one text."""

    def __init__(self) -> None:
        self._half = ""

    @property
    def holds(self) -> bool:
        """True if half a character is held back."""
        return bool(self._half)

    def feed(self, piece: str) -> str:
        """Return what can be said by now; half a character waits for its other half."""
        text = self._half + piece
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return with_whole_characters(text[: len(text) - len(self._half)])

    def close(self) -> str:
        """Return what was kept back: half of a character, which is none."""
        half, self._half = self._half, ""
        return with_whole_characters(half)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _string_values(text: str) -> str:
    """Blank everything of a JSON text but the insides of its string values."""
    pieces = []
    position = 0
    for match in _JSON_STRING.finditer(text):
        pieces.append(" " * (match.start() - position))
        is_key = match[1] is not None
        pieces.append(" " * len(match[0]) if is_key else _inside(match[0]))
        position = match.end()
    pieces.append(" " * (len(text) - position))
    return "".join(pieces)


def _inside(quoted: str) -> str:
    """Return what a JSON string says, in as much room: an escape is longer than what it means."""
    said = with_whole_characters(json.loads(quoted))
    return f" {said.ljust(len(quoted) - 2)} "


_TOKENS = ("token_ids", "routed_experts", "hidden_states", "meta_info")


def choices_of(body: JsonObject) -> list[JsonObject]:
    """Return the choices of a reply or a chunk.

    Raises:
        UpstreamBroken: nobody could say which ones a client would read in it.
    """
    given = body.get("choices") or []
    if not isinstance(given, list):
        raise UpstreamBroken("its choices are no list")
    check_number(len(given))
    return [_choice(one) for one in given]


def check_number(choices: int) -> None:
    """Refuse more choices than any request can ask for, before anything is done with each.

    Raises:
        UpstreamBroken: there are more.
    """
    if choices > MOST_CHOICES:
        raise UpstreamBroken(f"it has more than {MOST_CHOICES} choices")


def _choice(one: JsonValue) -> JsonObject:
    if not isinstance(one, dict):
        raise UpstreamBroken("a choice is no object")
    if isinstance(one.get("index"), bool | float):  # a client may take 1.0 for 1, or for none
        raise UpstreamBroken("the number of a choice is not whole")
    return one


def choice_index(choice: JsonObject, position: int) -> int:
    """Return the number of a choice; where it has none, its place among the others."""
    index = choice.get("index")
    return index if isinstance(index, int) else position


def without_tokens(choice: JsonObject) -> JsonObject:
    """Return a choice without what spells out the tokens of a text that no longer stands there."""
    kept = {key: value for key, value in choice.items() if key not in _TOKENS}
    return kept | {"logprobs": None} if "logprobs" in kept else kept
