"""The endpoint `/v1/chat/completions`: reading its requests and replies, and writing replies."""

from proxy.openai_api.chat.endpoint import ChatEndpoint
from proxy.openai_api.chat.reply import read_reply

__all__ = ["ChatEndpoint", "read_reply"]
