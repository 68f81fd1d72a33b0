"""The door `/v1/responses`."""

from collections.abc import Sequence

from guards.core.exchange import Source
from proxy.openai_api.door import Door
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.live_stream import LiveStream
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import ChoiceOutcome, Ending, Written
from proxy.openai_api.responses.coverage import COVERAGE
from proxy.openai_api.responses.live import LiveResponse
from proxy.openai_api.responses.prompting import noted, prompted
from proxy.openai_api.responses.reply import ResponsesReply, read_reply
from proxy.openai_api.responses.request import read_request
from proxy.openai_api.responses.writing import write
from proxy.openai_api.restoring import Restoring


class ResponsesDoor(Door[ResponsesReply]):
    """Responses."""

    name = "responses"
    path = "responses"
    coverage = COVERAGE
    takes_constraints = False

    def read_request(self, raw: bytes) -> ModelRequest:
        """Read a request body."""
        return read_request(raw)

    def prompted(self, body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
        """Return the body with our citation prompt in its instructions."""
        return prompted(body, sources)

    def noted(self, body: JsonObject, note: str, choices: int) -> JsonObject:
        """Return the body with the note at the end of the last user turn."""
        return noted(body, note)

    def read_reply(self, raw: bytes, content_type: str, stand_ins: Restoring) -> ResponsesReply:
        """Read a whole reply by what it says it is."""
        return read_reply(raw, content_type, stand_ins)

    def live(self, request: ModelRequest) -> LiveStream:
        """Return what reads and writes the stream of one request."""
        return LiveResponse(request)

    def write(
        self,
        request: ModelRequest,
        replies: Sequence[ResponsesReply],
        outcomes: Sequence[ChoiceOutcome],
        ending: Ending,
    ) -> Written:
        """Write a reply of which all is known."""
        return write(request, replies, outcomes, ending)
