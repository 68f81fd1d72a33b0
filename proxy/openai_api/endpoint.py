"""The interface of an endpoint whose answers are guarded, whatever its wire format.

An endpoint reads its requests and the model server's replies, and writes the replies to clients.
Everything between is the same for all endpoints and knows only the types of this module and of
`model_request.py`, `reply.py` and `live_stream.py`. Unknown members are kept.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic

from guards.core.exchange import Source
from proxy.openai_api.coverage import Coverage
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.live_stream import LiveStream, Restoring
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import ChoiceOutcome, Ending, ReplyT
from proxy.server.asgi_reply import HttpReply


class Endpoint(ABC, Generic[ReplyT]):
    """An endpoint whose answers are guarded.

    Attributes:
        name: What traces and metrics call it.
        path: Its path at the model server, behind the version.
        coverage: What is done with each of its fields.
        takes_constraints: A model server can be told in the body what it may not write.
    """

    name: ClassVar[str]
    path: ClassVar[str]
    coverage: ClassVar[Coverage]
    takes_constraints: ClassVar[bool] = True

    @abstractmethod
    def read_request(self, raw: bytes) -> ModelRequest:
        """Read a request body.

        Raises:
            BadRequest: malformed JSON, or a member of the wrong type; it names the member.
        """

    @abstractmethod
    def prompted(self, body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
        """Return the body with our citation prompt; None where it has nothing to add."""

    @abstractmethod
    def noted(self, body: JsonObject, note: str, choices: int) -> JsonObject:
        """Return the body of the second request: told what was wrong. Pure.

        Args:
            body: Body of the first request, as the model server got it.
            note: What the model is told, at the end of the last user turn.
            choices: How many choices have to be written again.
        """

    @abstractmethod
    def read_reply(self, raw: bytes, content_type: str, pseudonyms: Restoring) -> ReplyT:
        """Read a whole reply by what it says it is, whatever was asked for.

        The user's own identifiers are put back; without any, the bytes stay as they came.

        Raises:
            UpstreamBroken: it cannot be read, or the stream broke off.
        """

    @abstractmethod
    def live(self, request: ModelRequest) -> LiveStream:
        """Return what reads and writes the stream of one request."""

    @abstractmethod
    def write(
        self,
        request: ModelRequest,
        replies: Sequence[ReplyT],
        outcomes: Sequence[ChoiceOutcome],
        ending: Ending,
    ) -> HttpReply:
        """Write a reply of which all is known: the model server's own bytes where nothing changed.

        Args:
            request: What was asked.
            replies: All replies of the model server, in order; their usage is added up.
            outcomes: One for each choice, by number.
            ending: What goes with them.
        """
