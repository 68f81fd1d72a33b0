"""In which shape a whole reply leaves, and whether it can leave as it came."""

from collections.abc import Sequence

from proxy.openai_api.door import ReplyT
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import ChoiceOutcome, Ending, Kept


def leaves_as_stream(request: ModelRequest, replies: Sequence[ReplyT], ending: Ending) -> bool:
    """Tell whether a stream is to be written: if asked for, unless it was answered plainly."""
    if ending.as_stream is not None:
        return ending.as_stream
    return request.stream and not (replies and not replies[-1].is_stream)


def untouched(replies: Sequence[ReplyT], outcomes: Sequence[ChoiceOutcome]) -> ReplyT | None:
    """Return the only reply, if every choice is kept from it; else None."""
    if len(replies) != 1 or not all(isinstance(outcome, Kept) for outcome in outcomes):
        return None
    return replies[0]
