"""The conversation around an answer: its question and the turns before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from policies.verification.problems import problem
from policies.verification.turns import PART_SEPARATOR, Turns, content_text, read_turns

ASSISTANT = "assistant"
Messages = Sequence[Mapping[str, object]]
_MESSAGES: TypeAdapter[list[dict[str, JsonValue]]] = TypeAdapter(
    list[dict[str, JsonValue]], config=ConfigDict(strict=True)
)


class Told(BaseModel):
    """What an app tells beside the messages, as in the `guard` member of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    intent: str | None = Field(None, description="What the question is about, such as `policy`.")
    last_error_reason: str | None = Field(
        None, description="Why the previous answer failed, such as `no_evidence`."
    )


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said.

    Attributes:
        question: The last user turn.
        answer: The answer to it.
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
        messages: The messages.
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
    asked = (message.text.strip() for message in turns.asked)
    return Conversation(
        question=PART_SEPARATOR.join(words for words in asked if words),
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
