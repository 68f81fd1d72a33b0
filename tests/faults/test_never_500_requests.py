"""Never a 500 of our own: whatever a request is, it is served or refused with an OpenAI error.

Broken JSON, nesting of 100,000 levels, 5,000-digit integers, lone surrogates, NaN, UTF-16 bodies,
compressed bodies, wrong content types, NUL and CRLF in any string, headers of any size, wrong
methods and paths. No trace, path or key in any reply.
"""

import gzip
import json
from collections.abc import AsyncGenerator, Callable

import pytest
import pytest_asyncio

from tests.fakes.raw_client import in_chunks
from tests.fakes.running_proxy import ADMIN_TOKEN
from tests.faults.wire import CHAT, DOORS, Wire, body_of, open_wire
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

MAX_BODY_BYTES = 1_000_000
LEVELS = 100_000


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[Wire, None]:
    folder = tmp_path_factory.mktemp("wire")
    async with open_wire(folder, max_body_bytes=MAX_BODY_BYTES, dashboard=True) as opened:
        yield opened


@pytest.fixture
def wire(shared: Wire) -> Wire:
    return shared.tidied()


# Bodies that nobody can read, or that two readers would read differently.

Spoil = Callable[[bytes], bytes]
UNREADABLE = [
    pytest.param(lambda body: b" ", id="nothing"),
    pytest.param(lambda body: body[:-1], id="cut"),
    pytest.param(lambda body: b"[" + body + b"]", id="a-list"),
    pytest.param(lambda body: b"null", id="null"),
    pytest.param(lambda body: body + body, id="twice"),
    pytest.param(lambda body: body + b"\0", id="nul-behind"),
    pytest.param(lambda body: b"\xef\xbb\xbf" + body, id="byte-order-mark"),
    pytest.param(lambda body: body.decode().encode("utf-16"), id="utf-16"),
    pytest.param(lambda body: body.decode().encode("utf-16-be"), id="utf-16-be"),
    pytest.param(lambda body: body.decode().encode("utf-32"), id="utf-32"),
    pytest.param(lambda body: body.replace(b'"', b'"\xe9', 1), id="latin-1"),
    pytest.param(lambda body: body.replace(b'"', b'"\xed\xa0\xbd', 1), id="half-a-character-raw"),
    pytest.param(lambda body: gzip.compress(body), id="compressed-without-a-word"),
    pytest.param(lambda body: body[:-1] + b',"x":' + b"9" * 5000 + b"}", id="5000-digits"),
    pytest.param(lambda body: body[:-1] + b',"x":-' + b"9" * 5000 + b"}", id="minus-5000-digits"),
    pytest.param(lambda body: body[:-1] + b',"x":NaN}', id="nan"),
    pytest.param(lambda body: body[:-1] + b',"x":-Infinity}', id="infinity"),
    pytest.param(lambda body: body[:-1] + b',"x":1e999}', id="an-exponent-without-end"),
    pytest.param(lambda body: body[:-1] + b',"x":"\n"}', id="a-line-end-in-a-string"),
    pytest.param(
        lambda body: body[:-1] + b',"x":' + b"[" * LEVELS + b"]" * LEVELS + b"}", id="lists-deep"
    ),
    pytest.param(
        lambda body: body[:-1] + b',"x":' + b'{"a":' * LEVELS + b"1" + b"}" * LEVELS + b"}",
        id="objects-deep",
    ),
    pytest.param(
        lambda body: body[:-1] + b',"x":' + b"[" * 201 + b"]" * 201 + b"}", id="just-too-deep"
    ),
    pytest.param(lambda body: b"[" * LEVELS, id="nothing-but-depth"),
]


@pytest.mark.parametrize("door", DOORS)
@each_row("spoil", UNREADABLE)
async def test_what_cannot_be_read_is_refused(wire: Wire, door: str, spoil: Spoil) -> None:
    answer = await wire.ask_door(door, spoil(body_of(door)))

    assert answer.status == 400
    assert answer.refusal()["code"] == "invalid_json"
    assert wire.sent == []


SAID = ["\ud83d", "\ude00 가", "\0", "a\r\nx-own: b", "\u2028\u0085\x7f\x1b[2J", "\ufeff가\ufffe"]
ODD_MEMBERS = [
    '"model": %s, "user": %s, "safety_identifier": %s, "metadata": {%s: %s}',
    '"%s": 1, %s: %s',
    '"guard": {"report": true, "last_error_reason": %s, "sources": [{"section_title": %s,'
    ' "section_content": %s}]}',
    '"tools": [{"type": "function", "function": {"name": %s, "description": %s}}]',
    '"documents": [{"title": %s, "text": %s}, %s]',
]


@each_row("door", ["chat", "completions", "responses", "verify", "guardrail"])
@pytest.mark.parametrize("said", SAID, ids=ascii)
async def test_odd_characters_in_any_string_are_served_or_refused(
    wire: Wire, door: str, said: str
) -> None:
    quoted = json.dumps(said)
    for members in ODD_MEMBERS:
        spelled = members.replace('"%s"', "%s").replace("%s", quoted)
        body = body_of(door, f", {spelled}", said=f"{said} 어디인가요?")
        if members.startswith('"model"'):
            body = body.replace(b'"model": "m", ', b"", 1)

        answer = await wire.ask_door(door, body, b"X-Request-Id: a\xff", b"X-Client: \xea\xb0\x80")

        if answer.status == 200:
            assert "x-own" not in dict(answer.headers)
            [traced] = answer.values("x-guard-request-id")
            assert (await wire.rig.proxy.trace_of(traced)).status == 200
        else:
            assert answer.status == 400
            assert answer.refusal()["code"] in ("invalid_json", "invalid_request")


# What a request says of its body.

OTHER_CONTENT = [
    pytest.param(b"text/html", id="page"),
    pytest.param(b"text/plain; charset=euc-kr", id="text-in-another-alphabet"),
    pytest.param(b"multipart/form-data; boundary=x", id="parts"),
    pytest.param(b"application/json; charset=utf-16", id="another-alphabet"),
    pytest.param(b'application/json; a=b; Charset = "UTF-7"', id="another-alphabet-quoted"),
    pytest.param(b"application/json, text/html", id="two-at-once"),
    pytest.param(b"\xff; \xfe=\xfd", id="garbage"),
]


@each_row("door", ["chat", "completions", "responses", "verify", "guardrail"])
@each_row("content_type", OTHER_CONTENT)
async def test_what_is_said_to_be_something_else_is_refused(
    wire: Wire, door: str, content_type: bytes
) -> None:
    answer = await wire.ask(DOORS[door][0], body_of(door), content_type=content_type)

    assert answer.status == 415
    assert answer.refusal()["code"] == "unsupported_content"
    assert wire.sent == []


COMPRESSED = [
    pytest.param(b"gzip", gzip.compress(CHAT), id="gzip"),
    pytest.param(b"gzip", gzip.compress(b" " * 50_000_000, 1), id="bomb"),
    pytest.param(b"gzip", CHAT, id="not-compressed-at-all"),
    pytest.param(b"br, gzip", CHAT, id="one-within-another"),
    pytest.param(b"x-own", CHAT, id="unknown"),
]


@pytest.mark.parametrize("door", DOORS)
@each_row("encoding, body", COMPRESSED)
async def test_a_compressed_body_is_refused(
    wire: Wire, door: str, encoding: bytes, body: bytes
) -> None:
    answer = await wire.ask_door(door, body, b"Content-Encoding: " + encoding)

    assert answer.status == 415
    assert answer.refusal()["code"] == "unsupported_content"
    assert str(answer.refusal()["message"]).startswith("The body must not be compressed; ")
    assert wire.sent == []


UNCHOSEN = [
    pytest.param(None, id="nothing"),
    pytest.param(b"", id="empty"),
    pytest.param(b"application/x-www-form-urlencoded", id="curl-urllib-and-java"),
    pytest.param(b"text/plain;charset=UTF-8", id="fetch"),
    pytest.param(b"application/octet-stream", id="bytes"),
]


@each_row("door", ["chat", "completions", "responses", "verify", "guardrail"])
@each_row("content_type", UNCHOSEN)
async def test_what_clients_say_unasked_says_nothing(
    wire: Wire, door: str, content_type: bytes | None
) -> None:
    body = body_of(door)

    answer = await wire.tidied().ask(DOORS[door][0], body, content_type=content_type)

    assert answer.status == 200
    left = [(sent.values("content-type"), sent.body) for sent in wire.sent]
    assert left == ([] if door in ("verify", "guardrail") else [(["application/json"], body)])


@each_row("content_type", [b"text/plain", b"application/octet-stream", b"text/html"])
async def test_what_travels_as_it_is_said_to_be_must_be_said_to_be_json(
    wire: Wire, content_type: bytes
) -> None:
    door = "embeddings-of-listed"

    answer = await wire.ask(
        DOORS[door][0], body_of(door), tenant="listed", content_type=content_type
    )

    assert answer.status == 415
    assert answer.refusal()["code"] == "unsupported_content"
    assert wire.sent == []


# What is quoted of a request is kept short.


def with_a_model_of(chars: int, door: str) -> bytes:
    long = b'"model": "%b"' % (b"m" * chars)
    return body_of(door).replace(b'"model": "m"', long).replace(b'"model": "public"', long)


@pytest.mark.parametrize(
    ("door", "chars"),
    [
        ("chat", 1_000),
        ("completions", 1_000),
        ("responses", 1_000),
        ("embeddings-of-listed", 100_000),
    ],
)
async def test_a_long_name_is_not_said_back(wire: Wire, door: str, chars: int) -> None:
    answer = await wire.ask(DOORS[door][0], with_a_model_of(chars, door), tenant="listed")

    assert answer.status == 404
    assert answer.refusal()["code"] == "model_not_found"


@each_row("door", ["chat", "completions", "responses"])
async def test_a_name_without_end_is_refused(wire: Wire, door: str) -> None:
    answer = await wire.ask(DOORS[door][0], with_a_model_of(100_000, door), tenant="listed")

    assert answer.status == 400
    assert answer.refusal()["param"] == "model"
    assert wire.sent == []


@each_row("door", ["chat", "completions", "responses", "verify"])
async def test_the_name_of_a_wrong_field_is_kept_short(wire: Wire, door: str) -> None:
    deep = "[" * 150 + "]" * 150

    answer = await wire.ask_door(door, body_of(door, f', "guard": {{"sources": {deep}}}'))

    assert answer.status == 400
    assert len(answer.refusal()["param"]) <= 200


# Heads.

TOO_LARGE = [
    pytest.param([b"X-Own: " + b"a" * 66_000], id="one-of-66000"),
    pytest.param([b"X-Own: " + b"a" * 200_000], id="one-of-200000"),
    pytest.param([b"X-%d: a" % number for number in range(7000)], id="seven-thousand"),
]


@each_row("headers", TOO_LARGE)
async def test_a_head_of_more_than_64_kilobytes_is_refused_however_it_comes(
    wire: Wire, headers: list[bytes]
) -> None:
    answer = await wire.ask(DOORS["chat"][0], CHAT, *headers)

    assert answer.status == 431
    assert answer.refusal()["code"] == "headers_too_large"
    assert wire.sent == []


NOT_SERVED = [
    pytest.param(b"GET /v1/models\r\n\r\n", 505, id="http-0.9"),
    pytest.param(b"GET /v1/models HTTP/2.0\r\nHost: x\r\n\r\n", 505, id="http-2-in-a-line"),
    pytest.param(b"GET /v1/models HTTP/1.1\r\n\r\n", 400, id="no-host"),
    pytest.param(b"GET /v1/models HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400, id="two-hosts"),
    pytest.param(b"GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Own\r\n\r\n", 400, id="no-colon"),
    pytest.param(b"GET /v1/models HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n", 400, id="no-name"),
    pytest.param(b"BREW /v1/models HTTP/1.1\r\nHost: x\r\n\r\n", 400, id="no-method"),
    pytest.param(b"get /v1/models HTTP/1.1\r\nHost: x\r\n\r\n", 400, id="method-in-small-letters"),
    pytest.param(b"CONNECT a.test:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405, id="tunnel"),
    pytest.param(b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404, id="star"),
    pytest.param(b"SSH-2.0-x\r\n", 400, id="ssh"),
    pytest.param(b"\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03" + b"Z" * 190, 400, id="tls"),
    pytest.param(b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n", 400, id="proxy-protocol"),
    pytest.param(b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + b"\1" * 12, 400, id="proxy-protocol-2"),
]


@each_row("said, status", NOT_SERVED)
async def test_what_is_no_request_is_refused_with_a_code(
    wire: Wire, said: bytes, status: int
) -> None:
    answer = await wire.say(said)

    assert answer.status == status
    answer.refusal()
    assert wire.sent == []


# Uploads that are refused before all of them has come.

UPLOADS = [
    pytest.param(DOORS["chat"][0], "app", 413, id="guarded"),
    pytest.param(b"/v1/embeddings", "app", 413, id="handed-through"),
    pytest.param(b"/v1/nothing", "app", 404, id="nothing-there"),
    pytest.param(b"/healthz", "app", 405, id="another-endpoint"),
    pytest.param(DOORS["chat"][0], "nobody", 401, id="no-key"),
]


@each_row("target, tenant, status", UPLOADS)
async def test_who_uploads_too_much_hears_why(
    wire: Wire, target: bytes, tenant: str, status: int
) -> None:
    body = b"a" * (5 * MAX_BODY_BYTES)
    if tenant == "nobody":
        head = b"POST %b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
        answer = await wire.say(head % (target, len(body)), body)
    else:
        answer = await wire.ask(target, body, tenant=tenant)

    assert (answer.status, answer.was_reset) == (status, False)
    answer.refusal()


async def test_who_uploads_too_much_in_chunks_hears_why(wire: Wire) -> None:
    body = in_chunks(b"a" * (5 * MAX_BODY_BYTES))

    answer = await wire.ask(DOORS["chat"][0], body, b"Transfer-Encoding: chunked", length=False)

    assert (answer.status, answer.was_reset) == (413, False)
    assert answer.refusal()["code"] == "request_too_large"


# Everything else that is served.

ODD_QUERIES = [
    b"limit=99999999999999999999999",
    b"limit=%00",
    b"since=%ff&until=%00",
    b"tenant=%ED%A0%BD",
    b"code=%0d%0aX-Own:%20a",
    b"%=&&==&a=b=c;d",
    b"since=99999999999999999-01-01",
    b"q=" + b"a" * 20_000,
]


@pytest.mark.parametrize("query", ODD_QUERIES, ids=lambda query: query[:20].decode())
@each_row("path", [b"/traces", b"/traces/%00", b"/healthz", b"/dashboard/traces"])
async def test_odd_queries_break_nothing(wire: Wire, path: bytes, query: bytes) -> None:
    said = b"GET %b?%b HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer %b\r\n\r\n"

    answer = await wire.say(said % (path, query, ADMIN_TOKEN.encode()))

    assert answer.status < 500
    assert answer.values("x-own") == []
