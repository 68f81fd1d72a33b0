"""A completion request: what the proxy needs of it. All else travels untouched.

Echo is the proxy's own doing: the model server is not asked for it, and the prompt is put before
the answer when it leaves. So nobody has to guess where the prompt ends and the answer begins.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictBool

from proxy.errors import BadRequest
from proxy.openai_api.completions.prompt import conversation, is_begun
from proxy.openai_api.coverage import COMPLETIONS as COVERAGE
from proxy.openai_api.json_body import JsonObject, member
from proxy.openai_api.model_request import (
    MOST_CHOICES,
    NOTHING_TOLD,
    GuardField,
    ModelRequest,
    read_body,
    validated,
    wants_json,
)
from proxy.openai_api.sse import json_bytes

_PREFILL = "prefill"


class _Body(BaseModel):
    """The members whose types the proxy relies on."""

    model_config = ConfigDict(extra="allow", strict=True)

    model: str
    prompt: JsonValue
    stream: bool | None = None
    n: Annotated[int, Field(ge=1, le=MOST_CHOICES)] | None = None
    echo: StrictBool | None = None
    logprobs: JsonValue = None
    response_format: JsonObject | None = None
    stream_options: JsonObject | None = None
    guard: GuardField | None = None


class CompletionRequest(ModelRequest):
    """A completion request that can be served; the model server never sees its `echo`."""

    def for_server(self, model: str) -> bytes:
        """Return the body for the model server: the caller's own bytes where nothing differs."""
        if self.body.get("echo"):
            return json_bytes(self.plain_body(model))
        return ModelRequest.for_server(self, model)

    def plain_body(self, model: str) -> JsonObject:
        """Return the body for a model, without the members that are the proxy's."""
        kept = {key: item for key, item in self.body.items() if key not in ("guard", "echo")}
        return kept | {"model": model}


def read_request(raw: bytes) -> CompletionRequest:
    """Read a request body.

    Raises:
        BadRequest: malformed JSON, or a member of the wrong type; it names the member.
    """
    body = read_body(raw)
    remarks = COVERAGE.request.remarks(body)
    known = validated(body, _Body)
    prompt = prompt_of(body)
    if known.echo and known.logprobs is not None and known.logprobs is not False:
        raise BadRequest("'echo' cannot be served here together with 'logprobs'.", "echo")
    begun = (_PREFILL,) if is_begun(prompt) else ()
    said = {key: value for key, value in body.items() if key != "prompt"}
    return CompletionRequest(
        raw=raw,
        parsed=body,
        conversation=said | {"messages": conversation(prompt)},
        model=known.model,
        stream=bool(known.stream),
        choices=known.n or 1,
        structured=wants_json(body, known.response_format),
        include_usage=member(known.stream_options, "include_usage") is True,
        guard=known.guard or NOTHING_TOLD,
        not_checked=remarks.unchecked + begun,
        unknown=remarks.unknown,
    )


def prompt_of(body: JsonObject) -> str:
    """Return the one prompt of a request.

    Raises:
        BadRequest: it has several, or none that can be read.
    """
    prompt = body.get("prompt")
    if isinstance(prompt, str):
        return prompt
    if not isinstance(prompt, list) or not all(isinstance(one, str) for one in prompt):
        raise BadRequest("'prompt' has to be a text here: tokens could not be inspected.", "prompt")
    if len(prompt) != 1:
        problem = f"'prompt' holds {len(prompt)} texts; send one request for each."
        raise BadRequest(problem, "prompt")
    return str(prompt[0])


def echo_of(request: ModelRequest) -> str:
    """Return what stands before every answer: the prompt if that was asked for."""
    return prompt_of(request.body) if request.body.get("echo") else ""
