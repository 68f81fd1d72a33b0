"""Writes a reply of which all is known: the model server's own bytes where nothing changed."""

from collections.abc import Sequence

from proxy.openai_api.json_body import JSON_TYPE, JsonObject
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
from proxy.openai_api.responses.conversation import as_asked
from proxy.openai_api.responses.flows import place_of
from proxy.openai_api.responses.made import (
    event_bytes,
    own_message,
    own_response,
    response_events,
)
from proxy.openai_api.responses.outgoing import StreamWriter
from proxy.openai_api.responses.output import (
    Place,
    ended_so,
    spread,
    with_texts_in_order,
    without_echoes,
)
from proxy.openai_api.responses.reply import PlainReply, ResponsesReply, StreamReply
from proxy.openai_api.responses.tokens import counted
from proxy.openai_api.sse import STREAM_TYPE, json_bytes


def write(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcomes: Sequence[ChoiceOutcome],
    ending: Ending,
) -> Written:
    """Write the reply.

    Args:
        request: What was asked.
        replies: All replies of the model server, in order; their usage is added up.
        outcomes: The one outcome there is.
        ending: What goes with it.
    """
    [outcome] = outcomes
    as_stream = leaves_as_stream(request, replies, ending)
    kind = STREAM_TYPE if as_stream else JSON_TYPE
    same = untouched(replies, outcomes)
    if same and not ending.guard and _is_as_it_came(request, same, as_stream=as_stream):
        return Written(same.raw, kind)
    if as_stream and not isinstance(outcome, Replaced) and isinstance(outcome.reply, StreamReply):
        return Written(_stream(request, replies, outcome, ending), kind)
    response = _response(request, replies, outcome, ending)
    if as_stream:
        return Written(b"".join(map(event_bytes, response_events(response))), kind)
    return Written(json_bytes(response), kind)


def _is_as_it_came(request: ModelRequest, reply: ResponsesReply, *, as_stream: bool) -> bool:
    """Tell whether the model server's own bytes can leave: nothing in them is unread, or ours."""
    if as_asked(reply.response, request.body) != reply.response:
        return False
    return as_stream and reply.is_faithful if isinstance(reply, StreamReply) else not as_stream


def _stream(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcome: Kept | Edited,
    ending: Ending,
) -> bytes:
    """Write a stream of the model server once more, with the texts that leave."""
    reply = outcome.reply
    pieces = reply.pieces if isinstance(reply, StreamReply) else ()
    before, after = _before(outcome), _texts(outcome)
    waiting = dict(after)
    writer = StreamWriter(request)
    written: list[bytes] = []
    for piece in pieces:
        place = place_of(piece.chunk) if piece.text else None
        if place is None or before[place] == after[place]:
            written.append(writer.write(piece))
        else:
            written.append(writer.write_text(waiting.pop(place, ""), [piece]))
    if isinstance(outcome, Edited) and outcome.finish_reason:
        writer.end_as(outcome.finish_reason)
    usage = counted(total_usage(replies), len(replies))
    return b"".join([*written, writer.write_end(usage, ending)])


def _response(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcome: ChoiceOutcome,
    ending: Ending,
) -> JsonObject:
    if isinstance(outcome, Replaced):
        response = _replaced(request, replies, outcome, ending)
    else:
        reply = outcome.reply
        own = reply.response if isinstance(reply, PlainReply | StreamReply) else {}
        response = with_texts_in_order(own, list(_texts(outcome).values()))
        if isinstance(outcome, Edited) and outcome.finish_reason:
            response = ended_so(response, outcome.finish_reason)
    response = as_asked(response, request.body)
    usage = counted(total_usage(replies), len(replies))
    if usage is not None:
        response = response | {"usage": usage}
    return response | ending.guard


def _replaced(
    request: ModelRequest,
    replies: Sequence[ResponsesReply],
    outcome: Replaced,
    ending: Ending,
) -> JsonObject:
    """Return a response with the template as its only item: in the last reply's frame, or ours."""
    frame = replies[-1].response if replies else {}
    message = own_message(f"msg_guard_{ending.id}", outcome.template, refuses=request.structured)
    return ended_so(
        without_echoes(frame or own_response(request, ending)) | {"output": [message]},
        ending.finish_reason,
    )


def _before(outcome: Kept | Edited) -> dict[Place, str]:
    """Return the texts of the model server, by place."""
    reply = outcome.reply
    return reply.texts if isinstance(reply, PlainReply | StreamReply) else {}


def _texts(outcome: Kept | Edited) -> dict[Place, str]:
    """Return the texts that leave, by place."""
    before = _before(outcome)
    if isinstance(outcome, Kept) or not before:
        return before
    return dict(zip(before, spread(list(before.values()), outcome.content), strict=True))
