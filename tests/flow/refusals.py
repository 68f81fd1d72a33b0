"""Everything of OpenAI's API that is refused by design: the rows of docs/reference/refused.md."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from proxy.openai_api.coverage import Row, Treatment, steps
from proxy.openai_api.endpoints import ENDPOINTS as GUARDED
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.model_request import MOST_CHOICES, MOST_NAME_CHARS
from proxy.openai_api.responses.endpoint import KEPT_THERE

_QUESTION = "안녕하세요?"
BODIES: Final[dict[str, JsonObject]] = {
    "chat/completions": {"model": "m", "messages": [{"role": "user", "content": _QUESTION}]},
    "responses": {"model": "m", "input": _QUESTION},
    "completions": {"model": "m", "prompt": _QUESTION},
}
"""A body for each guarded endpoint that is served."""
_CHAT = BODIES["chat/completions"]
_JSON = ("content-type", "application/json")
_INSTEAD = {"background": "a stream", "previous_input_messages": "`input`"}


@dataclass(frozen=True)
class Refusal:
    """One thing that is refused.

    Attributes:
        what: It, in Markdown.
        why: The reason.
        instead: A way to do it all the same, or what to use in its place.
        method: Of a request for it.
        path: The request's path, behind the version.
        body: Its body.
        status: Status of the refusal.
        code: The error's code.
        param: The field that the error names.
        headers: Further headers of the request.
        tenant: Whose policy refuses it; the widest there is, unless something else is said.
    """

    what: str
    why: str
    instead: str
    method: str
    path: str
    body: JsonObject | bytes | None
    status: int
    code: str
    param: str | None = None
    headers: Sequence[tuple[str, str]] = (_JSON,)
    tenant: str = "open"

    @property
    def content(self) -> bytes | None:
        """The body's bytes."""
        return json.dumps(self.body).encode() if isinstance(self.body, dict) else self.body

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The row of the page."""
        return self.what, f"{self.status} `{self.code}`", self.why, self.instead


def fields() -> Iterator[Refusal]:
    """Yield the fields that the coverage of the guarded endpoints refuses."""
    refused = {
        door.path: [one for one in door.coverage.request.rows if one.treatment is Treatment.REFUSED]
        for door in GUARDED
    }
    everywhere = set.intersection(*({row.path for row in rows} for rows in refused.values()))
    for door in GUARDED:
        for row in refused[door.path]:
            values = " or ".join(f"`{value}`" for value in row.refused_at)
            where = "" if row.path in everywhere else f" in `/v1/{door.path}`"
            yield Refusal(
                what=f"`{row.path}`{' with ' if values else ''}{values}{where}",
                why=row.note,
                instead=_INSTEAD.get(row.path, "text"),
                method="POST",
                path=f"/{door.path}",
                body=_with(BODIES[door.path], row),
                status=400,
                code="invalid_request",
                param=row.path.replace("[]", ""),
            )


def _with(body: JsonObject, row: Row) -> JsonObject:
    """Return a body with a value that a row refuses."""
    value: JsonValue = row.refused_at[0] if row.refused_at else "x"
    first, *lists = steps(row.path)
    for _ in lists:
        value = [value]
    return body | {first: value}


REQUESTS: Final = (
    Refusal(
        "several texts as `prompt` in `/v1/completions`",
        "each would have its own question and sources",
        "a request for each",
        "POST",
        "/completions",
        {"model": "m", "prompt": ["가", "나"]},
        400,
        "invalid_request",
        "prompt",
    ),
    Refusal(
        "`echo` with `logprobs` in `/v1/completions`",
        "the proxy writes the echo itself and has no tokens of the prompt",
        "one of the two",
        "POST",
        "/completions",
        BODIES["completions"] | {"echo": True, "logprobs": 1},
        400,
        "invalid_request",
        "echo",
    ),
    Refusal(
        f"a name in `model` of more than {MOST_NAME_CHARS:,} characters",
        "it is written to the trace and the log of each request",
        "a shorter name",
        "POST",
        "/chat/completions",
        _CHAT | {"model": "m" * (MOST_NAME_CHARS + 1)},
        400,
        "invalid_request",
        "model",
    ),
    Refusal(
        f"`n` above {MOST_CHOICES}",
        "every choice is judged",
        "several requests",
        "POST",
        "/chat/completions",
        _CHAT | {"n": MOST_CHOICES + 1},
        400,
        "invalid_request",
        "n",
    ),
    Refusal(
        "a field that differs from a known one only by case (`Messages`)",
        "some servers treat it as the known one, which was judged",
        "the known name",
        "POST",
        "/chat/completions",
        _CHAT | {"Messages": []},
        400,
        "invalid_request",
        "Messages",
    ),
    Refusal(
        "a key that appears twice in one object",
        "parsers disagree on which one counts",
        "",
        "POST",
        "/chat/completions",
        b'{"model": "m", "messages": [], "messages": []}',
        400,
        "invalid_json",
    ),
    Refusal(
        "JSON nested deeper than 200 levels",
        "no real request needs it, and it is expensive to parse",
        "",
        "POST",
        "/chat/completions",
        b'{"model": "m", "messages": ' + b"[" * 300 + b"]" * 300 + b"}",
        400,
        "invalid_json",
    ),
    Refusal(
        "a form, or anything else than JSON in UTF-8, at a guarded endpoint",
        "a server could read the same bytes as another body than the one that was judged",
        "`application/json`",
        "POST",
        "/chat/completions",
        b"--x--",
        415,
        "unsupported_content",
        None,
        (("content-type", "multipart/form-data; boundary=x"),),
    ),
    Refusal(
        "a compressed body at a guarded endpoint",
        "the bytes that are judged must be those that the model server gets",
        "an uncompressed one",
        "POST",
        "/chat/completions",
        b"\x1f\x8b",
        415,
        "unsupported_content",
        None,
        (_JSON, ("content-encoding", "gzip")),
    ),
    Refusal(
        "two `Authorization` headers",
        "servers disagree on which one counts",
        "one",
        "POST",
        "/chat/completions",
        _CHAT,
        400,
        "invalid_request",
        "authorization",
        (_JSON, ("authorization", "Bearer second")),
    ),
    Refusal(
        "a model in the query, for tenants with a list of models",
        "some servers prefer it to the one in the body",
        "`model` in the body",
        "POST",
        "/chat/completions?model=other",
        _CHAT | {"model": "public"},
        400,
        "invalid_request",
        "model",
        tenant="open-listed",
    ),
    Refusal(
        "a form that names a model, for tenants with a list of models",
        "forms are forwarded unread",
        "a tenant without `upstream.models`",
        "POST",
        "/audio/transcriptions",
        b"--x--",
        400,
        "invalid_request",
        "model",
        (("content-type", "multipart/form-data; boundary=x"),),
        "open-listed",
    ),
    Refusal(
        "a WebSocket (`/v1/realtime`, `/v1/responses`)",
        "only HTTP is read; an offer of another protocol is declined",
        "a stream over HTTP",
        "GET",
        "/responses",
        None,
        405,
        "method_not_allowed",
        None,
        (("connection", "upgrade"), ("upgrade", "websocket")),
    ),
    Refusal(
        "the list of stored completions, `GET /v1/chat/completions`",
        "the model server has stored its own answers, not the guarded ones",
        "[traces](http-api.md#get-traces)",
        "GET",
        "/chat/completions",
        None,
        405,
        "method_not_allowed",
    ),
    Refusal(
        "paths that end like a guarded endpoint (`/v1/engines/m/completions`)",
        "some servers answer there, and the answer would not be judged",
        "the guarded endpoint",
        "POST",
        "/engines/m/completions",
        BODIES["completions"],
        404,
        "unknown_url",
    ),
    Refusal(
        "paths that can be read in two ways (`%2e%2e`, `;`, `\\`)",
        "what was judged must be what the model server reads",
        "",
        "POST",
        "/files/%252e%252e/chat",
        _CHAT,
        404,
        "unknown_url",
    ),
)
"""What no policy opens."""


@dataclass(frozen=True)
class Closed:
    """Endpoints of the model server that are closed until a policy lists them.

    Attributes:
        rules: They, as `passthrough` would list them.
        why: Why they are closed.
    """

    rules: Sequence[str]
    why: str

    @property
    def cells(self) -> tuple[str, str]:
        """The row of the page."""
        return ", ".join(f"`{rule}`" for rule in self.rules), self.why


ENDPOINTS: Final = (
    Closed(
        ("/responses/*/**", "/chat/completions/*/**", "/conversations/**"),
        "the model server keeps its own answers, not the guarded ones",
    ),
    Closed(
        ("/assistants/**", "/threads/**", "/agents/**", "/chatkit/**"),
        "the model server calls the model itself, and its answers would not be guarded",
    ),
    Closed(
        ("/batches/**", "/evals/**", "/fine_tuning/**"),
        "answers are written to files or fetched later, without guards",
    ),
    Closed(
        (
            "/realtime/**",
            "/live/**",
            "POST /audio/speech",
            "/audio/voices/**",
            "/audio/voice_consents/**",
            "/videos/**",
        ),
        "speech and video cannot be judged",
    ),
    Closed(
        ("/organization/**", "/projects/**"),
        "they would administer the model server's account with the operator's key",
    ),
    Closed(
        (
            "/vector_stores/**",
            "/containers/**",
            "/skills/**",
            "/vaults/**",
            "/decisions",
            "/content_provenance_checks",
            "/safety/**",
            "/webhook_endpoints/**",
            "/webhook_event_types",
        ),
        "few apps need them",
    ),
    Closed(("DELETE /models/*",), "an app could delete what others use"),
)
"""What a policy has to open, of all that OpenAI's own client asks for."""


def stored_state() -> Iterator[Refusal]:
    """Yield what points at the model server's memory, which a policy may let pass."""
    given: dict[str, JsonObject] = {name: {name: "x_1"} for name in KEPT_THERE}
    given["an `item_reference` in `input`"] = {"input": [{"type": "item_reference", "id": "x_1"}]}
    for name, members in given.items():
        yield Refusal(
            what=f"`{name}` in `/v1/responses`" if name in KEPT_THERE else name,
            why="the proxy cannot see what the answer would be based on",
            instead="`responses.server_state: pass`",
            method="POST",
            path="/responses",
            body=BODIES["responses"] | members,
            status=400,
            code="invalid_request",
            param=name if name in KEPT_THERE else None,
        )
