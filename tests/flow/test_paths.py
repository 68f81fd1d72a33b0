import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from proxy.app import create_app
from proxy.demo import Said, completion
from proxy.server.request_head import ends_guarded, model_path, normal_path, spelled_path
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import DEADLINE_S, chat_body
from tests.tables import each_row

BODY = chat_body("구내식당은 어디에 있나요?")
CONTENT = json.dumps(BODY).encode()
REPLY = json.dumps(completion(BODY, Said(("본관 지하에 있습니다.",)))).encode()
WIDE_OPEN = "passthrough: [/**]\n"


RIG = partial(
    open_rig,
    policy=f"{upstream_yaml(RAW)}\n{WIDE_OPEN}",
    others={"own-key": f"{upstream_yaml(RAW, 'pass_caller_key: true')}\n{WIDE_OPEN}"},
)
"""Its tenants open whatever can be opened."""


pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True)
class Reply:
    status: int
    head: str
    body: bytes

    @property
    def is_guarded(self) -> bool:
        return "\r\nx-guard-action: " in self.head


async def ask(rig: Rig, target: str, *, method: str = "POST") -> Reply:
    """Ask with a target as it is, which no client library would leave so."""
    rig.tidied().raw.says(REPLY)
    address = urlsplit(rig.proxy.address)
    async with asyncio.timeout(DEADLINE_S):
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(
            f"{method} {target} HTTP/1.1\r\nhost: {address.netloc}\r\nconnection: close\r\n"
            f"authorization: Bearer {rig.proxy.key}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(CONTENT)}\r\n\r\n".encode("latin-1")
        )
        writer.write(CONTENT)
        raw = await reader.read()
        writer.close()
    head, _, body = raw.partition(b"\r\n\r\n")
    return Reply(int(head.split()[1]), head.decode("latin-1").lower(), body)


# A path that is spelled oddly.


ORIGINS = each_row(
    "origin",
    [
        pytest.param("", id="path"),
        pytest.param("http://elsewhere.test", id="address"),
    ],
)


@ORIGINS
@each_row("target", "guarded")
async def test_another_spelling_of_a_guarded_path_is_guarded(
    rig: Rig, target: str, origin: str
) -> None:
    reply = await ask(rig, origin + target)

    _, mark, query = target.partition("?")
    assert (reply.status, reply.is_guarded) == (200, True)
    assert [asked.line for asked in rig.raw.requests] == [
        f"POST /v1/chat/completions{mark}{query} HTTP/1.1"
    ]


@ORIGINS
@each_row("method", ["POST", "GET", "PUT"])
@each_row("target", "refused")
async def test_a_path_that_some_server_may_take_for_a_guarded_one_is_not_found(
    rig: Rig, target: str, method: str, origin: str
) -> None:
    reply = await ask(rig, origin + target, method=method)

    assert reply.status == 404
    assert json.loads(reply.body)["error"]["code"] == "unknown_url"
    assert rig.raw.requests == []


@each_row("method", ["POST", "GET"])
@each_row("path", ["/chat/completions", "/completions", "/responses", "/embeddings", "/models"])
async def test_who_left_out_the_version_is_told_of_it(rig: Rig, path: str, method: str) -> None:
    reply = await ask(rig, f"{path}?key=secret", method=method)

    assert reply.status == 404
    said = json.loads(reply.body)["error"]["message"]
    assert said == f"Unknown request URL: {path}. Did you mean /v1{path}?"


@each_row("path", ["/models/m", "/chat", "/v2/models"])
async def test_nothing_is_guessed_about_other_paths(rig: Rig, path: str) -> None:
    reply = await ask(rig, path, method="GET")

    said = json.loads(reply.body)["error"]["message"]
    assert (reply.status, said) == (404, f"Unknown request URL: {path}.")


@each_row("target", "odd_addresses")
async def test_an_address_that_can_be_read_in_two_ways_leads_nowhere(rig: Rig, target: str) -> None:
    reply = await ask(rig, target)

    assert reply.status in (400, 404)
    assert json.loads(reply.body)["error"]["code"] in ("invalid_http", "unknown_url")
    assert rig.raw.requests == []


@ORIGINS
@each_row("target", "odd_elsewhere")
async def test_no_path_that_can_be_read_in_two_ways_leads_anywhere(
    rig: Rig, target: str, origin: str
) -> None:
    reply = await ask(rig, origin + target, method="GET")

    assert json.loads(reply.body)["error"]["code"] == "unknown_url"
    assert (reply.status, rig.raw.requests) == (404, [])


async def test_no_web_socket_leads_past_the_guards(rig: Rig) -> None:
    said: list[str] = []
    scope = {
        "type": "websocket",
        "path": "/v1",
        "raw_path": b"/v1",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {rig.proxy.key}".encode())],
    }

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: Mapping[str, object]) -> None:
        said.append(str(message["type"]))

    # A bare scope, as any ASGI server may send it.
    await create_app(rig.proxy.services)(scope, receive, send)  # type: ignore[arg-type]

    assert said == ["websocket.close"]


NEVER_OPENED = ["/chat/completions", "/completions", "/responses", "/verify"]


@ORIGINS
@each_row("method", ["GET", "PUT", "PATCH", "DELETE", "HEAD"])
@each_row("door", NEVER_OPENED)
async def test_no_other_method_opens_a_guarded_path(
    rig: Rig, door: str, method: str, origin: str
) -> None:
    reply = await ask(rig, f"{origin}/v1{door}", method=method)

    assert reply.status in {404, 405}
    assert rig.raw.requests == []


@each_row("target, spelled", "passed")
async def test_an_ordinary_path_is_handed_on_in_its_plain_spelling(
    rig: Rig, target: str, spelled: str
) -> None:
    reply = await ask(rig, target, method="GET")

    assert (reply.status, reply.is_guarded) == (200, False)
    assert [asked.line for asked in rig.raw.requests] == [f"GET {spelled} HTTP/1.1"]


# The law.


def laxest(path: str) -> str:
    """Read a path as the most forgiving server would: everything that any of them does, at once."""
    before = ""
    while path != before:
        before, path = path, unquote(path, errors="replace")
    path = normalize("NFKC", path).lower().replace("\\", "/")
    path = re.split(r"[?#\0]", path)[0]
    segments: list[str] = []
    for segment in path.split("/"):
        plain = segment.partition(";")[0].strip()
        if plain == "..":
            segments = segments[:-1]
        elif plain not in {"", "."}:
            segments.append(plain)
    return "/" + "/".join(segments)


PLAIN = "/ / chat completions responses verify models files embeddings v1 x".split()
ODD = (
    "// %2f %2F %252F %25 . .. %2e %2E%2e %252e ; ;a=1 %3B %3f %3Fa %23 # \\ %5c %255C "
    "%00 %0a %09 %20 %2520 + : , .json Chat CHAT %63hat %2563hat COMPLETIONS completion%73 "
    "Responses resp onses V1 %761 openai t own-key 1 %EF%BC%8F %EF%BC%8E %EF%BC%85 %EF%BD%83 "
    "%C5%BF %E2%84%AA %C4%B0 %C0%AF %E2%80%8B %EF%BC%9F %CD%BE %ff %zz %"
).split()
PARTS = st.one_of(*[st.sampled_from(PLAIN)] * 3, st.sampled_from(ODD))
PATHS = st.lists(PARTS, max_size=9).map("".join)
BEGINNINGS = st.sampled_from(["/v1/", "/v1", "/", "//v1/", "/openai/v1/", "/t/own-key/v1/"])
TARGETS = st.builds(str.__add__, BEGINNINGS, PATHS)
FORBIDDEN = tuple(NEVER_OPENED)


@given(TARGETS)
@settings(max_examples=settings().max_examples * 8)
@example("/v1/chat%2Fcompletions")
@example("/v1/chat/completions/%3F/x")
async def test_nothing_that_is_handed_on_reads_like_a_guarded_path(target: str) -> None:
    path = normal_path(target.encode())
    asked = model_path(path) if path else None

    if asked and not ends_guarded(asked.below):
        assert not laxest(spelled_path(asked.below)).endswith(FORBIDDEN)


@given(st.binary(max_size=40).map(b"/v1/".__add__))
async def test_a_plain_path_reads_the_same_however_often_it_is_read(raw: bytes) -> None:
    path = normal_path(raw)

    if path is not None:
        assert normal_path(spelled_path(path).encode()) == path


@given(TARGETS, st.sampled_from(["GET", "POST", "DELETE"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_request_whatever_reaches_a_guarded_path_unguarded(
    rig: Rig, target: str, method: str
) -> None:
    rig.raw.requests.clear()

    reply = await ask(rig, target, method=method)

    for asked in rig.raw.requests:
        sent = asked.line.split()[1].partition("?")[0]
        if laxest(sent).endswith(FORBIDDEN):
            assert (asked.line, reply.is_guarded) == ("POST /v1/chat/completions HTTP/1.1", True)
