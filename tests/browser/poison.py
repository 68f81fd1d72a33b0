"""Traces with a script in every text that comes from outside."""

import json
from datetime import UTC, datetime

from pydantic import JsonValue

from proxy.traces.trace import Trace

TENANT = "poisoned"
PAYLOAD = '"><script>alert(1)</script><img src=x onerror=alert(1)><b id=pwn>100%(x)s {{7*7}}</b>'
_KEPT = frozenset(
    {"id", "tenant", "started_at", "context", "part", "mode", "stage", "outcome", "severity"}
    | {"strength", "action", "delivery", "unknown", "not_run"}
)


def poisoned(trace: Trace) -> Trace:
    """Return a copy of a trace, under another tenant and long after now."""
    record = _poisoned(json.loads(trace.model_dump_json()))
    assert isinstance(record, dict)
    named = {"id": f"poisoned{trace.id}", "tenant": TENANT, "text": "full"}
    later = {"started_at": datetime(2099, 1, 1, tzinfo=UTC).isoformat()}
    return Trace.model_validate_json(json.dumps(record | named | later))


def _poisoned(value: JsonValue, name: str = "") -> JsonValue:
    match value:
        case str() if name not in _KEPT:
            return PAYLOAD + value
        case list():
            return [_poisoned(each, name) for each in value]
        case dict():
            return {key: _poisoned(each, key) for key, each in value.items()}
        case _:
            return value
