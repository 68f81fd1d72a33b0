"""What a model behind a chat endpoint wrote.

A completion that is none is the server's fault. What a model writes into one hangs on the texts
that it read: whoever can write a question or a source can make it decline, ramble or never end. So
a reply without an opinion says nothing about the health of its server.
"""

from dataclasses import dataclass

from pydantic import JsonValue

from proxy.judge.server import JudgeCallFailed
from proxy.openai_api.json_body import JsonObject, member, objects


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion.

    Attributes:
        choice: Its first choice.
        content: What was written; empty if nothing was.
        is_cut: It ended because there was no room for more.
    """

    choice: JsonObject
    content: str
    is_cut: bool

    def without_opinion(self) -> JudgeCallFailed:
        """Return the failure that a completion is in which no opinion is found."""
        return JudgeCallFailed("cut_short" if self.is_cut else "garbage", by_input=True)


def completion_in(reply: JsonValue) -> Completion:
    """Return the completion that a reply is.

    Raises:
        JudgeCallFailed: it is none.
    """
    choices = objects(member(reply, "choices"))
    message = choices[0].get("message") if choices else None
    if not isinstance(message, dict):
        raise JudgeCallFailed("garbage")
    content = message.get("content")
    is_cut = choices[0].get("finish_reason") == "length"
    return Completion(choices[0], content if isinstance(content, str) else "", is_cut)
