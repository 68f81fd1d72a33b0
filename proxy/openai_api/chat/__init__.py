"""The door `/v1/chat/completions`: reading its requests and replies, and writing replies."""

from proxy.openai_api.chat.reply import Answer, ChatReply, PlainReply, StreamReply, read_reply
from proxy.openai_api.chat.request import INTENT, ChatRequest, GuardField, read_request
from proxy.openai_api.chat.writing import (
    ChoiceOutcome,
    Edited,
    Ending,
    Kept,
    Replaced,
    Written,
    write,
)

__all__ = [
    "INTENT",
    "Answer",
    "ChatReply",
    "ChatRequest",
    "ChoiceOutcome",
    "Edited",
    "Ending",
    "GuardField",
    "Kept",
    "PlainReply",
    "Replaced",
    "StreamReply",
    "Written",
    "read_reply",
    "read_request",
    "write",
]
