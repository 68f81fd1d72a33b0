"""How OpenTelemetry calls things, and how a request looks in its words.

Names and bounds follow its stable conventions for HTTP and, for generative AI, those that were
released last (1.41); these are still in development. No content of messages is among them.
"""

import contextlib
from typing import Final
from urllib.parse import urlsplit

from opentelemetry.util.types import AttributeValue

from proxy.openai_api.doors import DOORS
from proxy.telemetry.spans import ModelCall
from proxy.traces.trace import Attempt, Delivery, Trace

Attributes = dict[str, AttributeValue]

ERROR_TYPE: Final = "error.type"
STATUS_CODE: Final = "http.response.status_code"
OPERATION_BOUNDS: Final = tuple(0.01 * 2**power for power in range(14))
TOKEN_BOUNDS: Final = tuple(4**power for power in range(14))

_PROVIDER: Final = "openai"
"""The dialect that is spoken, whoever made the model server."""
_OPERATIONS = {"completions": "text_completion"}
_PATHS = {door.name: f"/v1/{door.path}" for door in DOORS}
_LONGEST_NAME_CHARS = 100
_PORTS = {"http": 80, "https": 443}


def path_of(door: str) -> str:
    """Return the path of a door, by its name."""
    return _PATHS.get(door, f"/v1/{door}")


def operation_of(door: str) -> str:
    """Return what the model is asked for at a door."""
    return _OPERATIONS.get(door, "chat")


def request_attributes(door: str) -> Attributes:
    """Return what is known of a request when it comes."""
    path = path_of(door)
    return {
        "http.request.method": "POST",
        "http.route": path,
        "url.path": path,
        "url.scheme": "http",
    }


def end_attributes(trace: Trace) -> Attributes:
    """Return what is known of a request when it has ended."""
    found: Attributes = {
        "guard.action": trace.action_name,
        "guard.attempts": len(trace.attempts) if trace.door in _PATHS else 0,
        "guard.policy": f"{trace.policy.name}@{trace.policy.version}",
        "guard.request_id": trace.id,
        "guard.tenant": trace.tenant,
    }
    if trace.reasons:
        found["guard.reasons"] = trace.reasons
    if trace.not_checked:
        found["guard.not_checked"] = trace.not_checked
    if trace.delivery is Delivery.DELIVERED:
        found[STATUS_CODE] = trace.status
    if failure := failure_of(trace):
        found[ERROR_TYPE] = failure
    return found


def failure_of(trace: Trace) -> str | None:
    """Return what kind of failure a request was for its server; None for none."""
    if trace.delivery is Delivery.CLIENT_GONE:
        return Delivery.CLIENT_GONE.value
    return (trace.error or str(trace.status)) if trace.status >= 500 else None


def call_attributes(door: str, call: ModelCall) -> Attributes:
    """Return what is known of a call of the model server when it is made."""
    server = urlsplit(call.base_url)
    found: Attributes = {
        "gen_ai.operation.name": operation_of(door),
        "gen_ai.provider.name": _PROVIDER,
        "gen_ai.request.model": model_name(call),
        "server.address": server.hostname or "",
    }
    with contextlib.suppress(ValueError):  # it is none, and the call will say so
        found["server.port"] = server.port or _PORTS[server.scheme]
    return found


def model_name(call: ModelCall) -> str:
    """Return the name of a model: callers may name models as they like."""
    return _name(call.model)


def attempt_attributes(attempt: Attempt) -> Attributes:
    """Return what is known of a call of the model server when it has ended."""
    found: Attributes = {}
    reasons = [_name(one.finish_reason) for one in attempt.choices if one.finish_reason]
    if reasons:
        found["gen_ai.response.finish_reasons"] = reasons
    if attempt.usage:
        found["gen_ai.usage.input_tokens"] = attempt.usage.prompt_tokens
        found["gen_ai.usage.output_tokens"] = attempt.usage.completion_tokens
    if attempt.error:
        found[ERROR_TYPE] = attempt.error
    return found


def _name(said: str) -> str:
    """Return a name of somebody else's, cut, and without halves of characters.

    One of these would keep the whole batch that it stands in from being sent.
    """
    return said[:_LONGEST_NAME_CHARS].encode("utf-8", "replace").decode()
