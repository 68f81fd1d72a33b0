"""How each kind of model server is told to constrain its answer, and how it says that it cannot."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeAlias

from proxy.constraints.wanted import Wanted
from proxy.errors import UpstreamRefused
from proxy.openai_api.json_body import JsonObject, objects

MOST_BAD_WORDS = 64
"""vLLM takes 128 token sequences, and a word is one with and one without a space before it."""


class ServerKind(StrEnum):
    """Model servers that can constrain what they write."""

    VLLM = "vllm"
    SGLANG = "sglang"
    LLAMACPP = "llamacpp"


def kind_of(models: JsonObject) -> ServerKind | None:
    """Return what kind of server lists its models like that; None for any other."""
    owners = [model.get("owned_by") for model in objects(models.get("data"))]
    return next((kind for kind in ServerKind if kind.value in owners), None)


def fields_for(kind: ServerKind, body: JsonObject, wanted: Wanted) -> JsonObject:
    """Return what is added to a request to constrain its answer; nothing if there is no way to."""
    return _FIELDS[kind](body, wanted)


def may_be_refusal(error: UpstreamRefused) -> bool:
    """Tell whether a server may have refused a request because of what was added to it.

    What it says is of no help: some give no reason, and others break over it. One that is not
    there or has too much to do is not to be asked again.
    """
    return error.status in (400, 422, 500, 501)


def _vllm(body: JsonObject, wanted: Wanted) -> JsonObject:
    fields: JsonObject = {}
    if wanted.text:
        fields["structured_outputs"] = {"regex": wanted.text.regex}
    if wanted.barred:
        own = body.get("bad_words")
        words = [*(own if isinstance(own, list) else []), *wanted.barred]
        fields["bad_words"] = words[:MOST_BAD_WORDS]
    return fields


def _sglang(_: JsonObject, wanted: Wanted) -> JsonObject:
    return {"regex": wanted.text.regex} if wanted.text else {}


def _llamacpp(_: JsonObject, wanted: Wanted) -> JsonObject:
    return {"grammar": wanted.text.gbnf} if wanted.text else {}


_Fields: TypeAlias = Callable[[JsonObject, Wanted], JsonObject]
_FIELDS: Mapping[ServerKind, _Fields] = {
    ServerKind.VLLM: _vllm,
    ServerKind.SGLANG: _sglang,
    ServerKind.LLAMACPP: _llamacpp,
}
