import json
import socket
from collections.abc import AsyncGenerator, Iterator

import httpx
import openai
import pytest
import pytest_asyncio
import respx
from openai.types.chat import ChatCompletion

from proxy.demo import Said, completion
from proxy.http_client import StaleConnection
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import write_event
from tests.fakes.log_lines import json_logs
from tests.fakes.mocked_wire import WIRE
from tests.fakes.raw_upstream import Act, Talk, http_head, http_reply
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body
from tests.tables import each_row

SERVER_KEY = "sk-operator-5e0c7d1b9a"
SERVER_KEY_VARIABLE = "TEST_MODEL_SERVER_KEY"
MOCKED = "http://model.test"
INTERNALS = "Traceback: /srv/engine.py line 7 at 10.1.2.3"
TEMPLATE = "언어 오류로 답변을 멈추었습니다."
CHINESE = "食堂在本馆地下。"
SHORT_S = 0.1
MAX_REPLY_BYTES = 100_000

BODY = chat_body("구내식당은 어디에 있나요?")
REPLY = json.dumps(completion(BODY, Said(("본관 지하에 있습니다.",)))).encode()
# Spread over several lines, as some model servers write it.
RATE_LIMITED = json.dumps(
    {
        "error": {
            "message": "Rate limit reached. 기다려 주세요.",
            "type": "tokens",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    },
    ensure_ascii=False,
    indent=2,
).encode()


@pytest.fixture(scope="module")
def nobody() -> Iterator[str]:
    """Address at which nobody listens, kept so while the tests run."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_rig(
    tmp_path_factory: pytest.TempPathFactory, nobody: str
) -> AsyncGenerator[Rig, None]:
    others = {
        "bring-your-own": upstream_yaml(RAW, "pass_caller_key: true"),
        "unreachable": upstream_yaml(nobody),
        "mocked": upstream_yaml(MOCKED)
        + f"\nregeneration: {{constraint: off}}\ntemplates:\n  korean_only: {TEMPLATE}",
        "first-byte": upstream_yaml(RAW, f"timeouts: {{first_byte_s: {SHORT_S}}}"),
        "idle": upstream_yaml(RAW, f"timeouts: {{idle_s: {SHORT_S}}}"),
        "total": upstream_yaml(RAW, f"timeouts: {{total_s: {SHORT_S}}}"),
    }
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(SERVER_KEY_VARIABLE, SERVER_KEY)
        async with open_rig(
            tmp_path_factory.mktemp("rig"),
            upstream_yaml(RAW, f"api_key_env: {SERVER_KEY_VARIABLE}"),
            others=others,
            debug=True,
            max_reply_bytes=MAX_REPLY_BYTES,
        ) as rig:
            yield rig


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def ask(rig: Rig, tenant: str = "app") -> httpx.Response:
    return await rig.proxy.chat(BODY, key=rig.proxy.keys[tenant])


async def ask_by_sdk(rig: Rig, tenant: str = "app") -> ChatCompletion:
    async with rig.proxy.sdk(tenant) as client:
        return await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "구내식당은 어디에 있나요?"}]
        )


def error_of(reply: httpx.Response) -> JsonObject:
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert isinstance(error, dict)
    return error


def error_body(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "x", "code": None}}).encode()


# Errors that the model server answers with.

PASSED_ON = [
    pytest.param("400 Bad Request", openai.BadRequestError, id="bad-request"),
    pytest.param("404 Not Found", openai.NotFoundError, id="not-found"),
    pytest.param("409 Conflict", openai.ConflictError, id="conflict"),
    pytest.param("422 Unprocessable", openai.UnprocessableEntityError, id="unprocessable"),
    pytest.param("429 Too Many Requests", openai.RateLimitError, id="rate-limited"),
]


@each_row("status, expected", PASSED_ON)
async def test_a_refusal_is_passed_on_with_its_own_body_and_headers(
    rig: Rig, status: str, expected: type[openai.APIStatusError]
) -> None:
    headers = {"retry-after": "7", "x-request-id": "req-1", "x-ratelimit-limit-requests": "60"}
    rig.raw.says(RATE_LIMITED, status=status, headers=headers)

    reply = await ask(rig)
    with pytest.raises(expected) as caught:
        await ask_by_sdk(rig)

    assert (reply.status_code, reply.content) == (int(status[:3]), RATE_LIMITED)
    assert {name: reply.headers[name] for name in headers} == headers
    assert caught.value.code == "rate_limit_exceeded"
    assert caught.value.request_id == "req-1"
    assert caught.value.response.headers["retry-after"] == "7"
    assert (await rig.proxy.trace(reply)).error == "upstream_refused"


@each_row("body", [b"<html>nginx 404</html>", b"", b'{"detail": "Not Found"}'])
async def test_a_refusal_in_another_shape_becomes_an_openai_error(rig: Rig, body: bytes) -> None:
    rig.raw.says(body, status="404 Not Found")

    reply = await ask(rig)

    assert reply.status_code == 404
    assert error_of(reply)["code"] == "upstream_refused"
    assert "nginx" not in reply.text


@each_row("status", ["500 Internal Server Error", "503 Unavailable", "529 Full"])
async def test_a_failure_keeps_its_status_but_not_its_words(rig: Rig, status: str) -> None:
    rig.raw.says(error_body(INTERNALS), status=status, headers={"retry-after": "3"})

    reply = await ask(rig)
    with pytest.raises(openai.InternalServerError) as caught:
        await ask_by_sdk(rig)

    assert reply.status_code == caught.value.status_code == int(status[:3])
    assert error_of(reply)["type"] == "upstream_error"
    assert "engine.py" not in reply.text
    assert reply.headers["retry-after"] == "3"


@each_row("status", ["401 Unauthorized", "403 Forbidden"])
async def test_a_rejected_operators_key_is_not_the_callers_fault(rig: Rig, status: str) -> None:
    rig.raw.says(error_body(f"Incorrect API key provided: {SERVER_KEY}"), status=status)

    reply = await ask(rig)
    with pytest.raises(openai.InternalServerError):
        await ask_by_sdk(rig)

    assert reply.status_code == 502
    assert error_of(reply)["code"] == "upstream_rejected_key"


async def test_a_rejected_key_of_the_callers_own_is_passed_on(rig: Rig) -> None:
    body = error_body("Incorrect API key provided.")
    rig.raw.says(body, status="401 Unauthorized")

    reply = await rig.proxy.client.post(
        f"{rig.proxy.address}/t/bring-your-own/v1/chat/completions",
        json=dict(BODY),
        headers={"authorization": "Bearer sk-callers-own"},
    )

    assert (reply.status_code, reply.content) == (401, body)


# Replies that break off, and servers that are not there.


def cut_off(*pieces: bytes, head: bytes = b"") -> Act:
    """Send a reply that announces more than it sends."""

    async def act(talk: Talk) -> None:
        await talk.send(head or http_head(content_length="5000"))
        for piece in pieces:
            await talk.send(piece)

    return act


def replying(body: bytes, status: str = "200 OK", **headers: str) -> Act:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda talk: talk.send(http_reply(body, status=status, headers=named))


EVENTS_TO_THE_END = http_head(content_type="text/event-stream")


async def test_a_server_that_is_not_there_is_a_bad_gateway(rig: Rig, nobody: str) -> None:
    reply = await ask(rig, "unreachable")
    with pytest.raises(openai.InternalServerError) as caught:
        await ask_by_sdk(rig, "unreachable")

    assert reply.status_code == caught.value.status_code == 502
    assert error_of(reply)["code"] == "upstream_unreachable"
    assert nobody.rpartition(":")[2] not in reply.text


async def begin_and_hang(talk: Talk) -> None:
    await talk.send(http_head(content_length="5000") + REPLY[:40])
    await talk.hang()


async def drip_for_ever(talk: Talk) -> None:
    await talk.send(http_head(content_type="text/event-stream"))
    await talk.drip(b": thinking\n\n", every_s=SHORT_S / 5)


TIMEOUTS = [
    pytest.param("first-byte", lambda talk: talk.hang(), "first byte", id="first-byte"),
    pytest.param("idle", begin_and_hang, "idle", id="idle"),
    pytest.param("total", drip_for_ever, "total", id="total"),
]


@each_row("tenant, act, phase", TIMEOUTS)
async def test_a_slow_server_is_a_gateway_timeout_that_names_the_phase(
    rig: Rig, tenant: str, act: Act, phase: str
) -> None:
    rig.raw.act = act

    reply = await ask(rig, tenant)
    with pytest.raises(openai.InternalServerError) as caught:
        await ask_by_sdk(rig, tenant)

    assert reply.status_code == caught.value.status_code == 504
    error = error_of(reply)
    assert error["code"] == "upstream_timeout"
    assert f"({phase}, {SHORT_S:g} s)" in str(error["message"])
    trace = await rig.proxy.trace(reply)
    assert (trace.status, trace.error) == (504, "upstream_timeout")
    assert trace.attempts[0].upstream_ms > SHORT_S * 1000 - 1  # an event loop counts milliseconds


# Failures of the HTTP library.

FAILURES = [
    pytest.param(httpx.ConnectError, 502, "upstream_unreachable", id="connect"),
    pytest.param(httpx.ConnectTimeout, 504, "upstream_timeout", id="connect-timeout"),
    pytest.param(httpx.ReadError, 502, "upstream_unreachable", id="read"),
    pytest.param(StaleConnection, 502, "upstream_unreachable", id="stale-twice"),
    pytest.param(httpx.PoolTimeout, 503, "upstream_pool_full", id="no-connection-free"),
    pytest.param(httpx.WriteError, 502, "upstream_unreachable", id="write"),
    pytest.param(httpx.CloseError, 502, "upstream_unreachable", id="close"),
    pytest.param(httpx.RemoteProtocolError, 502, "upstream_unreachable", id="protocol"),
    pytest.param(httpx.ProxyError, 502, "upstream_unreachable", id="proxy"),
    pytest.param(httpx.UnsupportedProtocol, 502, "upstream_unreachable", id="no-such-scheme"),
    pytest.param(httpx.DecodingError, 502, "upstream_broken", id="content-encoding"),
]


@pytest.mark.parametrize(("failure", "status", "code"), FAILURES)
@respx.mock(base_url=f"{MOCKED}/v1", using=WIRE)
async def test_every_failure_of_the_connection_has_a_status(
    respx_mock: respx.MockRouter,
    rig: Rig,
    failure: type[httpx.TransportError],
    status: int,
    code: str,
) -> None:
    respx_mock.post("/chat/completions").mock(side_effect=failure(INTERNALS))

    with pytest.raises(openai.InternalServerError) as caught:
        await ask_by_sdk(rig, "mocked")

    assert (caught.value.status_code, caught.value.code) == (status, code)
    assert "engine.py" not in caught.value.response.text
    assert respx_mock.calls.call_count == (2 if failure is StaleConnection else 1)


SECOND = [
    pytest.param(httpx.Response(500), "upstream_refused", id="failed"),
    pytest.param(httpx.Response(429), "upstream_refused", id="rate-limited"),
    pytest.param(httpx.Response(200, json={}), "upstream_broken", id="broken"),
    pytest.param(httpx.ConnectTimeout("late"), "upstream_timeout", id="timed-out"),
]


@pytest.mark.parametrize(("failure", "code"), SECOND)
@respx.mock(base_url=f"{MOCKED}/v1", using=WIRE)
async def test_a_failing_second_attempt_leaves_the_first_ones_verdict(
    respx_mock: respx.MockRouter, rig: Rig, failure: httpx.Response | Exception, code: str
) -> None:
    first = httpx.Response(200, json=completion(BODY, Said((CHINESE,))))
    respx_mock.post("/chat/completions").mock(side_effect=[first, failure])

    async with rig.proxy.sdk("mocked") as client:
        raw = await client.chat.completions.with_raw_response.create(
            model="m", messages=[{"role": "user", "content": "구내식당은 어디에 있나요?"}]
        )

    assert raw.parse().choices[0].message.content == TEMPLATE
    assert raw.headers["x-guard-action"] == "replace"
    assert raw.headers["x-guard-attempts"] == "2"
    trace = await rig.proxy.trace_of(raw.headers["x-guard-request-id"])
    assert [attempt.error for attempt in trace.attempts] == [None, code]


# What must never be seen.

TALKATIVE = [
    pytest.param(replying(error_body(f"key {SERVER_KEY}"), "400 Bad"), id="bad-request"),
    pytest.param(replying(error_body(f"key {SERVER_KEY}"), "401 No"), id="unauthorized"),
    pytest.param(replying(error_body(f"key {SERVER_KEY}"), "429 Wait"), id="rate-limited"),
    pytest.param(replying(error_body(f"key {SERVER_KEY}"), "500 Oh"), id="failed"),
    pytest.param(replying(f"{INTERNALS} {SERVER_KEY}".encode()), id="garbage"),
    pytest.param(
        cut_off(write_event({"error": {"message": SERVER_KEY}}), head=EVENTS_TO_THE_END),
        id="stream-with-an-error",
    ),
    pytest.param(cut_off(head=SERVER_KEY.encode() + b"\r\n\r\n"), id="no-http"),
]


@pytest.mark.parametrize("act", TALKATIVE)
async def test_no_key_and_no_stack_trace_is_ever_seen(
    rig: Rig, act: Act, capsys: pytest.CaptureFixture[str]
) -> None:
    rig.raw.act = act
    with json_logs():
        reply = await ask(rig)
        trace = await rig.proxy.trace(reply)

    [asked] = rig.raw.requests
    assert asked.values("authorization") == [f"Bearer {SERVER_KEY}"]
    lines = capsys.readouterr().err
    assert "request.decided" in lines
    for seen in (reply.text, str(reply.headers), lines, trace.model_dump_json()):
        assert SERVER_KEY not in seen
        assert "Traceback" not in seen
        assert rig.proxy.key not in seen
