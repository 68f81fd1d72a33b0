"""Writes the reply that leaves the proxy: the model server's own bytes where nothing changed."""

from collections.abc import Iterable, Iterator, Sequence

from pydantic import JsonValue

from proxy.openai_api.answer import Answer, choice_index, without_tokens
from proxy.openai_api.chat.reply import (
    ChatReply,
    PlainReply,
    StreamReply,
)
from proxy.openai_api.coverage import CHAT as COVERAGE
from proxy.openai_api.json_body import JSON_TYPE, JsonObject, objects, texts
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import (
    ChoiceOutcome,
    Edited,
    Ending,
    Kept,
    Replaced,
    Written,
    leaves_as_stream,
    total_usage,
    untouched,
)
from proxy.openai_api.sse import DONE, STREAM_TYPE, json_bytes, write_event

_TELLING = COVERAGE.reply.telling() | COVERAGE.chunk.telling()
# Whatever else there is may hold the text that was there before.
_SILENT = COVERAGE.reply.silent() | COVERAGE.chunk.silent()
_SILENT_IN_CHOICES = COVERAGE.reply.silent("choices[]") | {"logprobs"}
_SILENT_IN_MESSAGES = COVERAGE.reply.silent("choices[].message")
_SILENT_IN_DELTAS = COVERAGE.chunk.silent("choices[].delta")


def write(
    request: ModelRequest,
    replies: Sequence[ChatReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> Written:
    """Write the reply.

    Args:
        request: What was asked.
        replies: All replies of the model server, in order; their usage is added up.
        outcomes: One for each choice, by number.
        ending: What goes with them.
    """
    as_stream = leaves_as_stream(request, replies, ending)
    kind = STREAM_TYPE if as_stream else JSON_TYPE
    same = untouched(replies, outcomes)
    if same and not ending.guard and isinstance(same, StreamReply) == as_stream:
        return Written(same.raw, kind)
    if as_stream:
        return Written(b"".join(_events(request, replies, outcomes, ending)), kind)
    return Written(json_bytes(_object(request, replies, outcomes, ending)), kind)


def _object(
    request: ModelRequest,
    replies: Sequence[ChatReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> JsonObject:
    body = _frame(request, replies, outcomes, ending) | {"object": "chat.completion"}
    body["choices"] = [_choice(request, outcome, ending) for outcome in outcomes]
    if usage := total_usage(replies):
        body["usage"] = usage
    return body | ending.guard


def _choice(request: ModelRequest, outcome: ChoiceOutcome, ending: Ending) -> JsonObject:
    if isinstance(outcome, Replaced):
        return {
            "index": outcome.index,
            "message": _template_message(request, outcome.template),
            "logprobs": None,
            "finish_reason": ending.finish_reason,
        }
    choice = _own_choice(outcome) | {"index": outcome.index}
    if isinstance(outcome, Edited):
        message = _silent(choice.get("message"), _SILENT_IN_MESSAGES)
        edited = _silent(without_tokens(choice), _SILENT_IN_CHOICES)
        edited["message"] = message | {"content": outcome.content}
        reason = outcome.finish_reason
        return edited | {"finish_reason": reason} if reason else edited
    return choice


def _silent(value: JsonValue | None, names: frozenset[str]) -> JsonObject:
    """Return an object without what may hold the text that was there before."""
    own = value if isinstance(value, dict) else {}
    return {key: item for key, item in own.items() if key in names}


def _own_choice(outcome: Kept | Edited) -> JsonObject:
    """Return the model server's own choice; from a stream, as far as its text goes."""
    if isinstance(outcome.reply, PlainReply):
        for position, choice in enumerate(objects(outcome.reply.body.get("choices"))):
            if choice_index(choice, position) == outcome.answer.index:
                return choice
    return {
        "message": {"role": "assistant", "content": outcome.answer.content},
        "finish_reason": outcome.answer.finish_reason,
    }


def _events(
    request: ModelRequest,
    replies: Sequence[ChatReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> Iterator[bytes]:
    frame = _frame(request, replies, outcomes, ending) | {"object": "chat.completion.chunk"}
    *others, last = [
        choice for outcome in outcomes for choice in _chunk_choices(request, outcome, ending)
    ]
    for choice in others:
        yield write_event(frame | {"choices": [choice]})
    changed: JsonObject = {"guard": ending.changes} if ending.changes else {}
    yield write_event(frame | {"choices": [last]} | changed)
    if request.include_usage and (usage := total_usage(replies)):
        yield write_event(frame | {"choices": [], "usage": usage})
    if ending.report is not None:
        yield write_event(frame | {"choices": [], "guard": ending.report})
    yield DONE


def _chunk_choices(
    request: ModelRequest, outcome: ChoiceOutcome, ending: Ending
) -> Iterable[JsonObject]:
    if isinstance(outcome, Kept) and isinstance(outcome.reply, StreamReply):
        yield from _own_chunks(outcome.index, outcome.reply, outcome.answer)
        return
    if isinstance(outcome, Edited) and isinstance(outcome.reply, StreamReply):
        yield from _edited_chunks(outcome, outcome.reply)
        return
    whole = _choice(request, outcome, ending)
    delta = _delta(whole.get("message"))
    yield {"index": outcome.index, "delta": delta, "finish_reason": None}
    yield {"index": outcome.index, "delta": {}, "finish_reason": whole.get("finish_reason")}


def _own_chunks(index: int, reply: StreamReply, answer: Answer) -> Iterable[JsonObject]:
    """Return one choice's pieces of a stream, as the model server gave them."""
    for chunk in reply.chunks:
        for position, choice in enumerate(objects(chunk.get("choices"))):
            if choice_index(choice, position) == answer.index:
                yield choice | {"index": index}


def _edited_chunks(outcome: Edited, reply: StreamReply) -> Iterable[JsonObject]:
    """Return the pieces with the new text in the place of the first one that had some."""
    written = False
    for choice in _own_chunks(outcome.index, reply, outcome.answer):
        delta = _silent(choice.get("delta"), _SILENT_IN_DELTAS)
        own = _silent(without_tokens(choice), _SILENT_IN_CHOICES)
        if outcome.finish_reason and own.get("finish_reason"):
            own["finish_reason"] = outcome.finish_reason
        if not delta.get("content"):
            yield own | {"delta": delta}
            continue
        yield own | {"delta": delta | {"content": "" if written else outcome.content}}
        written = True


def _delta(message: JsonValue) -> JsonObject:
    """Return a whole message as one delta, in which each call of a tool has its number."""
    if not isinstance(message, dict):
        return {}
    calls = objects(message.get("tool_calls"))
    if not calls:
        return message
    return message | {"tool_calls": [call | {"index": at} for at, call in enumerate(calls)]}


def _template_message(request: ModelRequest, template: str) -> JsonObject:
    """Return the message of a replaced answer: JSON was promised? Then it is a refusal."""
    if request.structured:
        return {"role": "assistant", "content": None, "refusal": template}
    return {"role": "assistant", "content": template}


def _frame(
    request: ModelRequest,
    replies: Sequence[ChatReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> JsonObject:
    """Return the members around the choices: the last reply's own, else ours.

    Where a text was changed, only those that are known to say nothing of it, or have no words.
    """
    if not replies:
        return {
            "id": f"chatcmpl-guard-{ending.id}",
            "created": ending.created,
            "model": request.model,
        }
    last = replies[-1]
    own = last.body if isinstance(last, PlainReply) else last.chunks[0]
    if not untouched(replies, outcomes):
        own = {key: value for key, value in own.items() if key in _SILENT or not any(texts(value))}
    dropped = _TELLING | {"choices", "usage", "guard"}
    return {key: value for key, value in own.items() if key not in dropped}
