"""A trace as what it was made from: the question with its evidence, and the model's answers."""

from dataclasses import dataclass

from pydantic import JsonValue

from guards.core.exchange import Exchange
from policies.intents import Intents
from proxy.openai_api.answer import Answer
from proxy.traces.parts import Asked, Attempt, Choice
from proxy.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """A reply of a model server of which only the answers are known."""

    answers: tuple[Answer, ...]
    raw: bytes = b""
    usage: JsonValue | None = None
    unseen: tuple[str, ...] = ()
    is_stream: bool = False
    unknown: tuple[str, ...] = ()


def exchange_of(trace: Trace, asked: Asked, intents: Intents) -> Exchange:
    """Return what the guards looked at, with the intents that a policy's rules see in it."""
    by_rule = intents.intent_of(trace.question).intent
    return Exchange(
        question=trace.question,
        sources=trace.sources,
        context=trace.context,
        echo=asked.echo,
        previous_answer=asked.previous_answer,
        intents=tuple(one for one in (by_rule, asked.told_intent) if one),
        last_error_reason=asked.last_error_reason,
        may_fetch=asked.offers_tools,
    )


def reply_of(attempt: Attempt) -> RecordedReply:
    """Return the reply of the model server that an attempt was."""
    return RecordedReply(tuple(_answer(choice) for choice in attempt.choices))


def _answer(choice: Choice) -> Answer:
    return Answer(
        index=choice.index,
        content=choice.text,
        tool_turn=choice.tool_turn,
        finish_reason=choice.finish_reason,
    )
