"""The messages of a request, divided into the question and the turns around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from policies.verification.shape import problem

_INSTRUCTING = frozenset({"system", "developer"})
_TOOL = frozenset({"tool", "function"})
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
PART_SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class Message:
    """A message.

    Attributes:
        text: Its text; text parts are joined by a blank line.
        name: ``name`` of the message, which for a function's result is the function.
    """

    index: int
    role: str
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Turns:
    """The messages of a request by what they can carry.

    Attributes:
        instructing: System and developer messages, wherever they stand.
        tools: Results of tools and functions after the last user turn.
        asked: The last user turn: the last user message, and those before it without any other
            message between.
        prefill: The assistant's text next to the last user turn: what ends the request, else what
            stands before the question.
        earlier: All other user and assistant messages.
        previous_answer: The assistant's text before the question.
    """

    instructing: tuple[Message, ...]
    tools: tuple[Message, ...]
    earlier_tools: tuple[Message, ...]
    last_user: tuple[Message, ...]
    prefill: Message | None
    earlier: tuple[Message, ...]
    previous_answer: str


def read_turns(body: Mapping[str, JsonValue]) -> Turns:
    """Sort the messages of a request; whatever has no text is passed over."""
    messages = [
        Message(
            index,
            _string(item.get("role")),
            content_text(item.get("content")),
            _string(item.get("name")),
        )
        for index, item in enumerate(_list(body.get("messages")))
        if isinstance(item, dict)
    ]
    last_user = _last_user_turn(messages)
    begin = last_user[0].index if last_user else 0
    end = last_user[-1].index if last_user else -1
    spoken = [
        m for m in messages if m.role in ("user", "assistant") and not begin <= m.index <= end
    ]
    before = [m for m in spoken if m.role == "assistant" and m.index < begin and m.text.strip()]
    after = [m for m in spoken if m.role == "assistant" and m.index > end and m.text.strip()]
    ending = after[-1:] if messages and after and after[-1] is messages[-1] else []
    prefill = next(iter(ending or before[-1:]), None)
    return Turns(
        instructing=tuple(m for m in messages if m.role in _INSTRUCTING),
        tools=tuple(m for m in messages if m.role in _TOOL and m.index > end),
        earlier_tools=tuple(m for m in messages if m.role in _TOOL and m.index < begin),
        last_user=last_user,
        prefill=prefill,
        earlier=tuple(spoken),
        previous_answer=before[-1].text if before else "",
    )


def _last_user_turn(messages: list[Message]) -> tuple[Message, ...]:
    last = next((at for at in reversed(range(len(messages))) if messages[at].role == "user"), None)
    if last is None:
        return ()
    first = last
    while first and messages[first - 1].role == "user":
        first -= 1
    return tuple(messages[first : last + 1])


def content_text(content: JsonValue | None) -> str:
    """Return the text of a message's content; text parts are joined by a blank line."""
    if isinstance(content, str):
        return content
    texts = (
        _string(part.get("text"))
        for part in _list(content)
        if isinstance(part, dict) and _string(part.get("type", "text")) in _TEXT_PARTS
    )
    return PART_SEPARATOR.join(text for text in texts if text)


def _list(value: JsonValue | None) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _string(value: JsonValue | None) -> str:
    return value if isinstance(value, str) else ""


ASSISTANT = "assistant"
Messages = Sequence[Mapping[str, object]]
_MESSAGES: TypeAdapter[list[dict[str, JsonValue]]] = TypeAdapter(
    list[dict[str, JsonValue]], config=ConfigDict(strict=True)
)


class GuardContext(BaseModel):
    """Context that an app gives besides the messages, as in the `guard` member of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    intent: str | None = Field(None, description="The topic of the question, such as `policy`.")
    last_error_reason: str | None = Field(
        None, description="Why the previous answer failed, such as `no_evidence`."
    )


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as a question, its answer, and the other turns.

    Attributes:
        echo: Instructions and all other turns, which an answer may repeat.
        previous_answer: The assistant's turn before the question; empty if there is none.
    """

    question: str
    answer: str
    echo: str = ""
    previous_answer: str = ""


def conversation_of(messages: Messages, answer: str | None) -> Conversation:
    """Return what was said in the messages of a chat completion.

    Args:
        answer: The answer; None where the last message is the assistant's and is it.

    Raises:
        ValueError: a message is none, or there is no answer.
    """
    try:
        said: list[JsonValue] = [*_MESSAGES.validate_python(list(messages))]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"messages{_place(first['loc'])}: {problem(first)}") from None
    said, answered = without_answer(said, answer)
    turns = read_turns({"messages": said})
    texts = (message.text.strip() for message in turns.last_user)
    return Conversation(
        question=PART_SEPARATOR.join(words for words in texts if words),
        answer=answered,
        echo=_echo(turns),
        previous_answer=turns.previous_answer,
    )


def without_answer(
    messages: Sequence[JsonValue], answer: str | None
) -> tuple[list[JsonValue], str]:
    """Return messages without the answer, and the answer: the one given, else the last message.

    Raises:
        ValueError: none is given, and the last message is not the assistant's.
    """
    said = [*messages]
    if answer is not None:
        return said, answer
    last = said.pop() if said else None
    if not isinstance(last, dict) or last.get("role") != ASSISTANT:
        raise ValueError("'answer' is missing, and no assistant's message ends 'messages'")
    return said, content_text(last.get("content"))


def _echo(turns: Turns) -> str:
    texts = (message.text.strip() for message in (*turns.instructing, *turns.earlier))
    return PART_SEPARATOR.join(text for text in texts if text)


def _place(loc: tuple[int | str, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc)
