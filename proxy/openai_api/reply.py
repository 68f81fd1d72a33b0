"""A model server's whole reply: its answers, its usage, and their outcomes."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias, TypeVar

from pydantic import JsonValue

from guards.core.keeping import lazy
from proxy.errors import UpstreamBroken
from proxy.openai_api.coverage import FieldRemarks, FieldTable
from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.model_request import MOST_CHOICES, ModelRequest

# Some models write their reasoning into the content; it is not the answer. Only a closed block at
# the very start counts, so that no answer can hide behind a tag.
_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_BARE_VALUE = re.compile(r"\d|true|false")
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?')


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer in one choice.

    Attributes:
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


def tokens_before(tokens: Sequence[str], text: str, at: int) -> int:
    """Return how many tokens stand wholly before a place of a text; none if they spell another."""
    if "".join(tokens) != text:
        return 0
    return sum(end <= at for end in accumulate(map(len, tokens)))


MORE_CHOICES = "it has more choices than were asked for"


_NO_FIELDS = FieldTable(())


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A whole reply of a model server, plain or streamed.

    Attributes:
        raw: The body as it came, with the user's own identifiers in it.
        bodies: The body as JSON; of a stream, the objects of its events in order. Of one that left
            while it was read, those are left out that say a text as the one before them did.
        named: What carries words and is not looked at, beside what the table of fields names.
    """

    answers: tuple[Answer, ...]
    raw: bytes = b""
    bodies: tuple[JsonObject, ...] = ()
    fields: FieldTable = _NO_FIELDS
    is_stream: bool = False
    named: tuple[str, ...] = ()

    @property
    def usage(self) -> JsonValue | None:
        """Tokens used, in the model server's own words."""
        found = [body["usage"] for body in self.bodies if body.get("usage")]
        return found[-1] if found else None

    @property
    def unseen(self) -> tuple[str, ...]:
        """Names of fields with text that is not checked."""
        thinks = ("think",) if any(answer.thinks for answer in self.answers) else ()
        return tuple(dict.fromkeys((*self.remarks.unchecked, *self.named, *thinks)))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Its fields that no row of the coverage tells of."""
        return self.remarks.unknown

    @lazy
    def remarks(self) -> FieldRemarks:
        """Remarks on its fields."""
        return self.fields.remarks_on(self.bodies)


ReplyT = TypeVar("ReplyT", bound=Reply)


@dataclass(frozen=True, slots=True)
class Kept:
    """A choice that is sent as the model server gave it, or with another text.

    Attributes:
        edited: The other text; None for its own.
        finish_reason: Why it ends, where that is no longer the model server's own word.
    """

    index: int
    reply: Reply
    answer: Answer
    edited: str | None = None
    finish_reason: str | None = None

    @property
    def text(self) -> str:
        """What is sent of it."""
        return self.answer.content if self.edited is None else self.edited


@dataclass(frozen=True, slots=True)
class Replaced:
    """A choice with a template in its place."""

    index: int
    text: str


ChoiceOutcome: TypeAlias = Kept | Replaced


def is_as_it_came(outcome: ChoiceOutcome) -> bool:
    """Tell whether a choice is sent as the model server gave it."""
    return isinstance(outcome, Kept) and outcome.edited is None


@dataclass(frozen=True, slots=True)
class Ending:
    """Parts of a reply that accompany the choices.

    Attributes:
        id: The request's id, for a completion that we make ourselves.
        created: Its time, in Unix seconds.
        finish_reason: Of replaced answers.
        report: The `guard` object that was asked for; None if nobody did.
        changes: The short `guard` object of an answer that was changed; None if nothing was, or
            if the report says it.
        as_stream: Whether to write a stream; None goes by the request, unless the model server
            answered it plainly.
    """

    id: str
    created: int
    finish_reason: str
    report: JsonObject | None = None
    changes: JsonObject | None = None
    as_stream: bool | None = None

    @property
    def guard(self) -> JsonObject:
        """The member `guard` of a whole body; empty where there is none."""
        guard = self.changes if self.report is None else self.report
        return {} if guard is None else {"guard": guard}


def total_usage(replies: Sequence[Reply]) -> JsonObject:
    """Return the tokens of all replies, added up: zeros when the model was not asked.

    Empty if it was, and no reply says how many.
    """
    if replies and not any(reply.usage for reply in replies):
        return {}
    total: JsonObject = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    for reply in replies:
        if isinstance(reply.usage, dict):
            total = _added(total, reply.usage)
    return total


def _added(total: JsonObject, usage: JsonObject) -> JsonObject:
    added = dict(total)
    for key, value in usage.items():
        before = member(total, key)
        if isinstance(value, dict):
            added[key] = _added(before if isinstance(before, dict) else {}, value)
        else:
            added[key] = _sum(before, value)
    return added


def _sum(before: JsonValue, value: JsonValue) -> JsonValue:
    numbers = (int, float)
    if isinstance(before, numbers) and isinstance(value, numbers):
        return before + value
    return value if value is not None else before


def leaves_as_stream(request: ModelRequest, replies: Sequence[ReplyT], ending: Ending) -> bool:
    """Tell whether a stream is to be written: if asked for, unless it was answered plainly."""
    if ending.as_stream is not None:
        return ending.as_stream
    return request.stream and not (replies and not replies[-1].is_stream)


def untouched(replies: Sequence[ReplyT], outcomes: Sequence[ChoiceOutcome]) -> ReplyT | None:
    """Return the only reply, if every choice is kept from it; else None."""
    if len(replies) != 1 or not all(map(is_as_it_came, outcomes)):
        return None
    return replies[0]
