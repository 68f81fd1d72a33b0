"""A turn of a case -> the body of a chat completion, as an app would send it.

The evidence stands in the system message, where a model reads it, and in ``guard.sources``, where
the proxy takes it from exactly; a `context` written out stands in the system message alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from proxy.golden.shape import Case, GoldenSet, Passage, Turn
from proxy.openai_api.json_body import JsonObject


@dataclass(frozen=True, slots=True)
class Said:
    """A question that was asked before, and the reply."""

    query: str
    reply: str


def body_of(
    golden: GoldenSet, case: Case, turn: Turn, before: Sequence[Said], model: str
) -> JsonObject:
    """Return the body of one turn's request.

    Args:
        golden: The set, for its passages and instructions.
        case: The case.
        turn: One of its turns, as `Case.asked` has it.
        before: The turns before it.
        model: Model to ask for.
    """
    passages = _passages(golden, turn)
    body: JsonObject = {"model": model, "messages": _messages(golden, case, turn, before, passages)}
    if turn.stream:
        body["stream"] = True
    body |= turn.request
    if passages is not None:
        told = turn.request.get("guard")
        guard: JsonObject = {"sources": [_exact(passage) for passage in passages]}
        body["guard"] = guard | (told if isinstance(told, dict) else {})
    return body


def _passages(golden: GoldenSet, turn: Turn) -> list[Passage] | None:
    if turn.passages is None and turn.sources is None:
        return None
    return [*(golden.passages[name] for name in turn.passages or ()), *(turn.sources or ())]


def _messages(
    golden: GoldenSet,
    case: Case,
    turn: Turn,
    before: Sequence[Said],
    passages: list[Passage] | None,
) -> list[JsonValue]:
    context = turn.context if passages is None else _block(passages)
    instructions = golden.instructions if case.instructions is None else case.instructions
    system = "\n\n".join(filter(None, (instructions, context)))
    messages: list[JsonValue] = [_message("system", system)] if system else []
    for said in before:
        messages += [_message("user", said.query), _message("assistant", said.reply)]
    return [*messages, _message("user", turn.query)]


def _message(role: str, content: str) -> JsonObject:
    return {"role": role, "content": content}


def _block(passages: Sequence[Passage]) -> str:
    written = [
        f'<source id="{passage.id or number}" name="{passage.title}">\n{passage.text}\n</source>'
        for number, passage in enumerate(passages, 1)
    ]
    return "\n".join(["<context>", *written, "</context>"])


def _exact(passage: Passage) -> JsonObject:
    given: JsonObject = {"section_title": passage.title, "section_content": passage.text}
    more: JsonObject = passage.model_dump(include={"file", "page", "score", "id"})
    return given | {name: value for name, value in more.items() if value not in (None, "")}
