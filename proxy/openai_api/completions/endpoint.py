"""The endpoint `/v1/completions`."""

from collections.abc import Sequence

from guards.core.exchange import Source
from proxy.openai_api.completions.live import LiveCompletion
from proxy.openai_api.completions.prompt import noted
from proxy.openai_api.completions.reply import CompletionReply, read_plain, read_stream
from proxy.openai_api.completions.request import prompt_of, read_request
from proxy.openai_api.completions.writing import write
from proxy.openai_api.coverage import COMPLETIONS as COVERAGE
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.live_stream import LiveStream, Restoring
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import ChoiceOutcome, Ending, Written
from proxy.openai_api.sse import STREAM_TYPE


class CompletionsEndpoint(Endpoint[CompletionReply]):
    """Completions of a prompt."""

    name = "completions"
    path = "completions"
    coverage = COVERAGE

    def read_request(self, raw: bytes) -> ModelRequest:
        """Read a request body."""
        return read_request(raw)

    def prompted(self, body: JsonObject, sources: Sequence[Source]) -> JsonObject | None:
        """Return nothing: a prompt has no place for instructions that its template does not know.

        The sources are numbered in the prompt or not at all, so that nothing is put into an app's
        own wording.
        """
        return None

    def noted(self, body: JsonObject, note: str, choices: int) -> JsonObject:
        """Return the body with the note at the end of what is asked."""
        again = body | {"prompt": noted(prompt_of(body), note)}
        best_of = body.get("best_of")
        if isinstance(best_of, int):
            again["best_of"] = max(best_of, choices)
        return again | {"n": choices} if "n" in body or choices > 1 else again

    def read_reply(self, raw: bytes, content_type: str, pseudonyms: Restoring) -> CompletionReply:
        """Read a whole reply by what it says it is."""
        if content_type.partition(";")[0].strip().lower() == STREAM_TYPE:
            return read_stream(raw, pseudonyms)
        return read_plain(raw, pseudonyms)

    def live(self, request: ModelRequest) -> LiveStream:
        """Return what reads and writes the stream of one request."""
        return LiveCompletion(request)

    def write(
        self,
        request: ModelRequest,
        replies: Sequence[CompletionReply],
        outcomes: Sequence[ChoiceOutcome],
        ending: Ending,
    ) -> Written:
        """Write a reply of which all is known."""
        return write(request, replies, outcomes, ending)
