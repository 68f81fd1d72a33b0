"""The places of an answer's words in the choices of chat completions."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.coverage import CHAT, Coverage
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import tokens_before

MESSAGE, DELTA = "message", "delta"
"""The members of a choice that hold its words: of a whole reply, and of a stream's chunk."""


class ChatFormat:
    """The format of choices whose words are chat messages.

    Completions have choices of another format (`proxy.openai_api.completions`): a bare text instead
    of a message. All else about the two endpoints' replies is the same.

    Attributes:
        coverage: What is done with each field.
        object_names: Names of a whole reply and of a chunk.
        text_member: Member that holds the text.
        ends_apart: A choice that is written as a stream at once ends in a chunk of its own.
        telling: Members around the choices that can repeat the answer.
        silent: Members around the choices that cannot.
        silent_in_choices: Members of a reply's choice that cannot, once its tokens are out of it.
        silent_in_chunks: The same of a chunk's choice.
        silent_in_words: Members beside the words, by the member that holds those, that cannot.
    """

    coverage: ClassVar[Coverage] = CHAT
    object_names: ClassVar[tuple[str, str]] = ("chat.completion", "chat.completion.chunk")
    text_member: ClassVar[str] = "content"
    ends_apart: ClassVar[bool] = True

    def __init__(self) -> None:
        reply, chunk = self.coverage.reply, self.coverage.chunk
        self.telling = reply.telling() | chunk.telling()
        self.silent = reply.silent() | chunk.silent()
        self.silent_in_choices = reply.silent("choices[]") | {"logprobs"}
        self.silent_in_chunks = chunk.silent("choices[]")
        self.silent_in_words = {
            MESSAGE: reply.silent("choices[].message"),
            DELTA: chunk.silent("choices[].delta"),
        }

    def check(self, choice: JsonObject, name: str) -> None:
        """Make sure that a choice's words can be read.

        Raises:
            UpstreamBroken: nobody could say what a client would read in it.
        """
        words = choice.get(name)
        if words is not None and not isinstance(words, dict):
            raise UpstreamBroken("what a choice says is no object")

    def words(self, choice: JsonObject, name: str) -> JsonObject:
        """Return what a choice says, as a chat's message or delta."""
        words = choice.get(name)
        return words if isinstance(words, dict) else {}

    def with_words(self, choice: JsonObject, name: str, words: JsonObject) -> JsonObject:
        """Return a choice that says something else."""
        return choice | {name: words}

    def made(
        self, index: int, name: str, words: JsonObject, finish_reason: JsonValue = None
    ) -> JsonObject:
        """Return a choice of our own."""
        return {"index": index, name: words, "finish_reason": finish_reason}

    def with_text_alone(self, choice: JsonObject) -> JsonObject:
        """Return a choice without what its last chunk says of its end."""
        return choice

    def has_unknown_words(self, words: JsonObject) -> bool:
        """Tell whether a delta may hold words of the answer where nobody looks for them."""
        return bool(self.coverage.chunk.worded_unknown(words, "choices[].delta"))

    def split_tokens(self, choice: JsonObject, text: str, at: int) -> tuple[JsonObject, JsonObject]:
        """Return the members of a chunk's choice that spell its tokens, for each half of its text.

        A cut token goes with the second half. Where the tokens do not spell the text, all do: what
        cannot be told apart leaves last.

        Args:
            choice: The choice.
            text: Its text.
            at: Where that is cut, in code points.
        """
        if "logprobs" not in choice:
            return {}, {}
        logprobs = choice["logprobs"]
        tokens = objects(member(logprobs, "content"))
        if not isinstance(logprobs, dict) or not tokens:
            return {"logprobs": logprobs}, {"logprobs": None}
        kept = tokens_before([str(token.get("token", "")) for token in tokens], text, at)

        def some(part: Sequence[JsonObject]) -> JsonObject:
            return {"logprobs": logprobs | {"content": [*part]} if part else None}

        return some(tokens[:kept]), some(tokens[kept:])

    def echo(self, request: ModelRequest) -> str:
        """Return what stands before every answer."""
        return ""

    def frame(self, request: ModelRequest, request_id: str, created: int) -> JsonObject:
        """Return the members around the choices of a reply that is all ours."""
        return {"id": f"chatcmpl-guard-{request_id}", "created": created, "model": request.model}

    def stream_frame(self, request: ModelRequest) -> JsonObject:
        """Return the same of a chunk that leaves before anything was read."""
        return {"object": self.object_names[1], "model": request.model}


CHAT_FORMAT = ChatFormat()
