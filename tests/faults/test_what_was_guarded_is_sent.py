"""What was guarded is what is sent.

Keys that stand twice (escaped ones, too) at any depth are refused, in every door that reads its
body, and so is what some servers take for another field. Path variants, encodings and smuggling
(CL/TE, tricks with chunks, folded lines) never reach the model server unguarded. What does reach it
is what was read here, to the byte.
"""

import json
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from proxy.openai_api.json_body import JsonObject, read_object
from proxy.openai_api.sse import json_bytes
from tests.fakes.raw_client import in_chunks, request_bytes
from tests.faults.wire import CHAT, DOORS, MODEL_DOORS, Wire, body_of, open_wire
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

TARGET = DOORS["chat"][0]
ABSOLUTE = b"http://elsewhere.test" + TARGET
LENGTH = b"Content-Length: %d" % len(CHAT)
CHUNKED = b"Transfer-Encoding: chunked"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def wire(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Wire, None]:
    async with open_wire(tmp_path_factory.mktemp("wire")) as opened:
        yield opened.tidied()


# Keys that stand twice.

LONG = '"' + "길" * 3000 + '"'


@pytest.mark.parametrize("door", DOORS)
@each_row("more", "twice")
async def test_a_key_that_stands_twice_is_refused(wire: Wire, door: str, more: str) -> None:
    answer = await wire.ask_door(door, body_of(door, more))

    assert answer.status == 400
    assert "appears twice" in answer.refusal()["message"]
    assert wire.sent == []


@pytest.mark.parametrize("door", DOORS)
async def test_what_is_read_is_no_second_telling(wire: Wire, door: str) -> None:
    names = {
        "chat": "messages",
        "responses": "input",
        "completions": "prompt",
        "guardrail": "texts",
    }
    read = names.get(door, "model")
    body = body_of(door, f', "{read[:-1]}\\u{ord(read[-1]):04x}": "다른 말"')

    answer = await wire.ask_door(door, body)

    assert answer.status == 400
    assert wire.sent == []


# Fields that some servers take for others.


@each_row("door, more", "twins")
async def test_a_field_that_only_case_parts_from_a_known_one_is_refused(
    wire: Wire, door: str, more: str
) -> None:
    answer = await wire.ask_door(door, body_of(door, more))

    assert answer.status == 400
    assert answer.refusal()["code"] == "invalid_request"
    assert wire.sent == []


async def test_a_second_content_of_a_message_in_capitals_is_refused(wire: Wire) -> None:
    answer = await wire.ask(TARGET, CHAT.replace(b'"role"', b'"Content": "a", "role"'))

    assert answer.status == 400
    assert answer.refusal()["param"] == "messages[].Content"
    assert wire.sent == []


async def test_names_that_are_nobodys_fields_may_differ_by_case(wire: Wire) -> None:
    more = ', "metadata": {"id": "1", "ID": "2"}, "X_Own": 1, "x_own": 2'

    answer = await wire.ask_door("chat", body_of("chat", more))

    assert answer.status == 200
    assert wire.sent[0].body == body_of("chat", more)


@each_row("door", [*MODEL_DOORS, "embeddings-of-listed"])
@each_row("query", [b"?model=theirs", b"?a=1;%4Dodel=theirs", b"?MODEL=theirs"])
async def test_a_query_names_no_model_beside_the_one_that_may_be_used(
    wire: Wire, door: str, query: bytes
) -> None:
    body = body_of(door).replace(b'"m"', b'"public"')

    answer = await wire.ask(DOORS[door][0] + query, body, tenant="listed")

    assert answer.status == 400
    assert answer.refusal()["param"] == "model"
    assert wire.sent == []


# Smuggling.

REFUSED = [
    pytest.param([LENGTH, LENGTH], CHAT, id="one-length-twice"),
    pytest.param(
        [b"Content-Length: %d, %d" % (len(CHAT), len(CHAT))], CHAT, id="a-list-of-lengths"
    ),
    pytest.param([LENGTH, b"Content-Length: 0"], CHAT, id="two-lengths"),
    pytest.param([b"Content-Length: -1"], CHAT, id="length-below-0"),
    pytest.param([b"Content-Length: 0x8c"], CHAT, id="length-in-hexadecimal"),
    pytest.param([b"Content-Length: 1 40"], CHAT, id="length-with-a-gap"),
    pytest.param([b"Content-Length:"], CHAT, id="no-length"),
    pytest.param(["Content-Length: ١٤٠".encode()], CHAT, id="length-in-other-digits"),
    pytest.param([b"Content-Length : %d" % len(CHAT)], CHAT, id="space-before-the-colon"),
    pytest.param([LENGTH, CHUNKED], in_chunks(CHAT), id="length-and-chunks"),
    pytest.param([CHUNKED, LENGTH], in_chunks(CHAT), id="chunks-and-length"),
    pytest.param([b"Content-Length: 0", CHUNKED], in_chunks(CHAT), id="no-length-and-chunks"),
    pytest.param([CHUNKED, CHUNKED], in_chunks(CHAT), id="chunked-twice"),
    pytest.param([CHUNKED + b", chunked"], in_chunks(CHAT), id="chunked-in-chunks"),
    pytest.param([CHUNKED + b", identity"], in_chunks(CHAT), id="chunked-and-not"),
    pytest.param([b"Transfer-Encoding: identity", LENGTH], CHAT, id="identity"),
    pytest.param([b"Transfer-Encoding:", LENGTH], CHAT, id="coding-without-a-name"),
    pytest.param([b'Transfer-Encoding: "chunked"'], in_chunks(CHAT), id="quoted"),
    pytest.param([b"Transfer-Encoding: \x0bchunked"], in_chunks(CHAT), id="odd-space"),
    pytest.param([b"Transfer-Encoding:\r\n chunked"], in_chunks(CHAT), id="folded"),
    pytest.param([b"X-Own: a\r\n\tTransfer-Encoding: chunked", LENGTH], CHAT, id="folded-behind"),
    pytest.param([CHUNKED + b";q=1"], in_chunks(CHAT), id="with-a-weight"),
    pytest.param([CHUNKED], b"%x\n%b\n0\n\n" % (len(CHAT), CHAT), id="chunks-with-bare-lf"),
    pytest.param([CHUNKED], b"%x;a\n%b\r\n0\r\n\r\n" % (len(CHAT), CHAT), id="extension-with-lf"),
    pytest.param([CHUNKED], b"%x\r%b\r\n0\r\n\r\n" % (len(CHAT), CHAT), id="chunks-with-bare-cr"),
    pytest.param([CHUNKED], b"+%x\r\n%b\r\n0\r\n\r\n" % (len(CHAT), CHAT), id="signed-chunk"),
    pytest.param([CHUNKED], b" %x\r\n%b\r\n0\r\n\r\n" % (len(CHAT), CHAT), id="space-and-chunk"),
    pytest.param([CHUNKED], b"%x \r\n%b\r\n0\r\n\r\n" % (len(CHAT), CHAT), id="chunk-and-space"),
    pytest.param([CHUNKED], b"0x%x\r\n%b\r\n0\r\n\r\n" % (len(CHAT), CHAT), id="marked-chunk"),
    pytest.param([CHUNKED], b"f" * 18 + b"\r\n" + CHAT, id="chunk-without-end"),
    pytest.param([CHUNKED], b"%x\r\n%b\r\n0\r\n\r\n" % (len(CHAT) - 1, CHAT), id="chunk-too-short"),
    pytest.param(
        [CHUNKED],
        b"%x\r\n%b\r\n0\r\nContent-Length: 5\r\n\r\n" % (len(CHAT), CHAT),
        id="length-behind-the-body",
    ),
]


@pytest.mark.parametrize(
    "target",
    [TARGET, ABSOLUTE, b"/v1/embeddings"],
    ids=["guarded", "guarded-by-its-whole-address", "handed-through"],
)
@each_row("headers, body", REFUSED)
async def test_a_body_whose_end_can_be_read_in_two_ways_is_refused(
    wire: Wire, target: bytes, headers: list[bytes], body: bytes
) -> None:
    answer = await wire.ask(target, body, *headers, length=False)

    assert answer.status == 400
    assert answer.refusal()["code"] == "invalid_http"
    if target != b"/v1/embeddings":
        assert wire.sent == []


async def test_chunks_are_no_part_of_http_1_0(wire: Wire) -> None:
    said = request_bytes(TARGET, in_chunks(CHAT), headers=[CHUNKED], length=False)

    answer = await wire.say(said.replace(b"HTTP/1.1", b"HTTP/1.0", 1))

    assert answer.status == 400
    assert answer.refusal()["code"] == "invalid_http"


SERVED = [
    pytest.param([b"Content-Length: 000%d" % len(CHAT)], CHAT, id="noughts-before-the-length"),
    pytest.param([b"Content-Length:\t%d  " % len(CHAT)], CHAT, id="space-around-the-length"),
    pytest.param([b"Transfer-Encoding:\tChunked"], in_chunks(CHAT), id="in-chunks"),
    pytest.param(
        [CHUNKED], b"%x;a=b\r\n%b\r\n0;c\r\n\r\n" % (len(CHAT), CHAT), id="with-extensions"
    ),
    pytest.param(
        [CHUNKED], b"%023x\r\n%b\r\n0\r\n\r\n" % (len(CHAT), CHAT), id="noughts-before-a-chunk"
    ),
    pytest.param(
        [CHUNKED],
        b"".join(b"1\r\n%c\r\n" % byte for byte in CHAT) + b"0\r\nX-Guard-Intent: own\r\n\r\n",
        id="each-byte-in-a-chunk-and-a-trailer",
    ),
]


@each_row("headers, body", SERVED)
async def test_however_a_body_comes_it_leaves_by_its_length(
    wire: Wire, headers: list[bytes], body: bytes
) -> None:
    answer = await wire.ask(TARGET, body, *headers, length=False)

    assert answer.status == 200
    [asked] = wire.sent
    assert asked.body == CHAT
    assert asked.values("content-length") == [str(len(CHAT))]
    assert asked.values("transfer-encoding") == []


async def test_requests_that_come_at_once_are_each_judged_by_themselves(
    wire: Wire,
) -> None:
    keys = wire.rig.proxy.keys
    first = request_bytes(TARGET, CHAT, key=keys["app"]).replace(b"Connection: close\r\n", b"")
    nobodys = request_bytes(b"/v1/models/m", method=b"GET").replace(b"Connection: close\r\n", b"")
    last = request_bytes(b"/v1/engines/m/completions", CHAT, key=keys["app"])

    answer = await wire.say(first + nobodys + last)

    codes = [int(part[:3]) for part in answer.raw.split(b"HTTP/1.1 ")[1:]]
    assert codes == [200, 401, 404]
    assert [asked.body for asked in wire.sent] == [CHAT]


async def test_what_follows_a_refused_request_is_not_read(wire: Wire) -> None:
    hidden = request_bytes(TARGET, CHAT, key=wire.rig.proxy.key)
    broken = request_bytes(TARGET, in_chunks(b"") + hidden, headers=[b"Content-Length: 5", CHUNKED])

    answer = await wire.say(broken)

    assert answer.status == 400
    assert answer.raw.count(b"HTTP/1.1 ") == 1
    assert wire.sent == []


# The law.

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('가a:{}[]"\\/\n\0\u2028😀', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
MORE = st.dictionaries(st.text(min_size=1, max_size=6).map("x-".__add__), VALUES, max_size=4)


@given(more=MORE, escaped=st.booleans(), indent=st.sampled_from([None, 1]), ours=st.booleans())
async def test_the_model_server_gets_what_the_guards_read_and_nothing_else(
    wire: Wire, more: JsonObject, escaped: bool, indent: int | None, ours: bool
) -> None:
    own: JsonObject = {"guard": {"report": True}} if ours else {}
    body = json.dumps(json.loads(CHAT) | own | more, ensure_ascii=escaped, indent=indent).encode()

    await wire.ask(TARGET, body)

    read = read_object(body)
    read.pop("guard", None)
    [asked] = wire.sent
    assert asked.body == (json_bytes(read) if ours else body)
    assert repr(json.loads(asked.body)) == repr(read)
