"""Writes the reply that leaves the proxy: the model server's own bytes where nothing changed."""

from collections.abc import Iterable, Iterator, Sequence

from proxy.openai_api.answer import choice_index, without_tokens
from proxy.openai_api.completions.reply import CompletionReply, PlainReply, StreamReply
from proxy.openai_api.completions.request import echo_of
from proxy.openai_api.coverage import COMPLETIONS as COVERAGE
from proxy.openai_api.json_body import JSON_TYPE, JsonObject, objects
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

_WRITTEN_ANEW = ("choices", "usage", "guard")


def write(
    request: ModelRequest,
    replies: Sequence[CompletionReply],
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
    same = None if echo_of(request) else untouched(replies, outcomes)
    if same and not ending.guard and same.is_stream == as_stream:
        return Written(same.raw, kind)
    if as_stream:
        return Written(b"".join(_events(request, replies, outcomes, ending)), kind)
    return Written(json_bytes(_object(request, replies, outcomes, ending)), kind)


def _object(
    request: ModelRequest,
    replies: Sequence[CompletionReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> JsonObject:
    body = _frame(request, replies, outcomes, ending)
    echo = echo_of(request)
    choices = (_choice(outcome, ending) for outcome in outcomes)
    body["choices"] = [choice | {"text": f"{echo}{choice['text']}"} for choice in choices]
    if usage := total_usage(replies):
        body["usage"] = usage
    return body | ending.guard


def _choice(outcome: ChoiceOutcome, ending: Ending) -> JsonObject:
    if isinstance(outcome, Replaced):
        return made_choice(outcome.index, outcome.template, ending.finish_reason)
    if isinstance(outcome, Kept):
        return _own_choice(outcome) | {"index": outcome.index}
    own = without_tokens(_own_choice(outcome))
    silent = COVERAGE.reply.silent("choices[]") | {"logprobs"}
    kept = {key: item for key, item in own.items() if key in silent}
    changed: JsonObject = {"index": outcome.index, "text": outcome.content}
    return kept | changed | {"finish_reason": _reason(outcome)}


def _own_choice(outcome: Kept | Edited) -> JsonObject:
    """Return the model server's own choice; from a stream, as far as its text goes."""
    if isinstance(outcome.reply, PlainReply):
        for position, choice in enumerate(objects(outcome.reply.body.get("choices"))):
            if choice_index(choice, position) == outcome.answer.index:
                return choice | {"text": outcome.answer.content}
    answer = outcome.answer
    return made_choice(outcome.index, answer.content, answer.finish_reason)


def made_choice(index: int, text: str, finish_reason: str | None) -> JsonObject:
    """Return a choice that we make ourselves, or a piece of one."""
    return {"index": index, "text": text, "logprobs": None, "finish_reason": finish_reason}


def _reason(outcome: Edited) -> str | None:
    return outcome.finish_reason or outcome.answer.finish_reason


def _events(
    request: ModelRequest,
    replies: Sequence[CompletionReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> Iterator[bytes]:
    frame = _frame(request, replies, outcomes, ending)
    echo = echo_of(request)
    choices: list[JsonObject] = []
    for outcome in outcomes:
        choices += [made_choice(outcome.index, echo, None)] if echo else []
        choices += _chunk_choices(outcome, ending)
    *others, last = choices
    for choice in others:
        yield write_event(frame | {"choices": [choice]})
    changed: JsonObject = {"guard": ending.changes} if ending.changes else {}
    yield write_event(frame | {"choices": [last]} | changed)
    if request.include_usage and (usage := total_usage(replies)):
        yield write_event(frame | {"choices": [], "usage": usage})
    if ending.report is not None:
        yield write_event(frame | {"choices": [], "guard": ending.report})
    yield DONE


def _chunk_choices(outcome: ChoiceOutcome, ending: Ending) -> Iterable[JsonObject]:
    if isinstance(outcome, Replaced) or not isinstance(outcome.reply, StreamReply):
        yield _choice(outcome, ending)
    elif isinstance(outcome, Kept):
        yield from _own_chunks(outcome, outcome.reply)
    else:
        yield from _edited_chunks(outcome, outcome.reply)


def _own_chunks(outcome: Kept | Edited, reply: StreamReply) -> Iterator[JsonObject]:
    """Yield one choice's pieces of a stream, as the model server gave them."""
    for piece in reply.pieces:
        if piece.choice == outcome.answer.index:
            for choice in objects(piece.chunk.get("choices")):
                yield choice | {"index": outcome.index}


def _edited_chunks(outcome: Edited, reply: StreamReply) -> Iterator[JsonObject]:
    """Yield the new text, and behind it how the model server ended the choice."""
    yield made_choice(outcome.index, outcome.content, None)
    for choice in _own_chunks(outcome, reply):
        if choice.get("finish_reason"):
            yield without_tokens(choice) | {"finish_reason": _reason(outcome)}


def _frame(
    request: ModelRequest,
    replies: Sequence[CompletionReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> JsonObject:
    """Return the members around the choices: the last reply's own, else ours.

    Where a text was changed, only those that are known to say nothing of it.
    """
    ours: JsonObject = {
        "id": ending.id,
        "object": "text_completion",
        "created": ending.created,
        "model": request.model,
    }
    if not replies:
        return ours
    own = _around(replies[-1])
    if not untouched(replies, outcomes):
        silent = COVERAGE.reply.silent()
        own = {key: item for key, item in own.items() if key in silent}
    return ours | {key: item for key, item in own.items() if key not in _WRITTEN_ANEW}


def _around(reply: CompletionReply) -> JsonObject:
    return reply.body if isinstance(reply, PlainReply) else reply.pieces[0].chunk
