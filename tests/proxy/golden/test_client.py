"""What comes of a request: a reply with its verdict, or the reason why there is none."""

import json

import httpx
import pytest
import respx

from proxy.golden.client import MOST_WAITED_S, GuardedReply, NoReply, Target, ask
from proxy.openai_api.json_body import JsonObject

BASE = "http://proxy.test/v1"
TARGET = Target(BASE, "ko", "gp-library-SECRET", timeout_s=5)
BODY: JsonObject = {"model": "ko", "messages": [{"role": "user", "content": "네?"}]}
JSON = {"content-type": "application/json"}
STREAM = {"content-type": "text/event-stream"}


def completion(message: JsonObject) -> JsonObject:
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


async def asked(reply: httpx.Response) -> GuardedReply:
    with respx.mock:
        respx.post(f"{BASE}/chat/completions").mock(return_value=reply)
        async with httpx.AsyncClient() as client:
            return await ask(client, TARGET, BODY)


async def test_a_reply_is_read_with_its_verdict() -> None:
    headers = {
        "x-guard-action": "replace",
        "x-guard-reasons": "numbers.value_differs,names.x",
        "x-guard-attempts": "2",
        "x-guard-request-id": "0a1b",
    }

    body = json.dumps(completion({"content": "네. \ud83d\ude00 \udc00"}))  # in escapes
    heard = await asked(httpx.Response(200, headers=JSON | headers, text=body))

    assert heard.text == "네. 😀 \ufffd"
    assert (heard.action, heard.attempts, heard.trace_id) == ("replace", 2, "0a1b")
    assert heard.reasons == ("numbers.value_differs", "names.x")
    assert heard.took_ms > 0


async def test_the_comments_of_a_stream_overrule_its_early_headers() -> None:
    events = (
        b'data: {"choices": [{"index": 0, "delta": {"content": "\xeb\x84\xa4"}}]}\n\n'
        b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
        b": x-guard-action: trim\n: x-guard-reasons: numbers.x\n\n"
        b"data: [DONE]\n\n"
    )
    headers = STREAM | {"x-guard-action": "pending", "x-guard-request-id": "0a1b"}

    heard = await asked(httpx.Response(200, headers=headers, content=events))

    assert (heard.text, heard.action, heard.reasons) == ("네", "trim", ("numbers.x",))
    assert heard.trace_id == "0a1b"


async def test_a_refusal_is_what_the_user_reads() -> None:
    heard = await asked(
        httpx.Response(200, json=completion({"content": None, "refusal": "아니요"}))
    )

    assert heard.text == "아니요"


async def test_a_server_that_is_no_proxy_tells_no_verdict() -> None:
    heard = await asked(httpx.Response(200, json=completion({"content": "네."})))

    assert (heard.action, heard.reasons, heard.attempts, heard.trace_id) == ("", (), None, "")


FAILING = [
    pytest.param(
        httpx.Response(401, json={"error": {"message": "No key gp-library-SECRET here."}}),
        "status 401: No key <key> here.",
        id="key-refused",
    ),
    pytest.param(
        httpx.Response(429, json={"error": {"message": "Too many."}}),
        "status 429: Too many.",
        id="too-many",
    ),
    pytest.param(
        httpx.Response(502, text="<h1>Bad\n gateway</h1>"),
        "status 502: <h1>Bad gateway</h1>",
        id="no-error-object",
    ),
    pytest.param(httpx.Response(503), "status 503: Service Unavailable", id="no-body"),
    pytest.param(httpx.Response(200, headers=JSON, text="{"), "cannot be used", id="no-json"),
    pytest.param(httpx.Response(200, json={"choices": []}), "it has no choices", id="no-choices"),
    pytest.param(
        httpx.Response(
            200,
            headers=STREAM,
            text='data: {"choices": [{"index": 0, "delta": {"content": "a"}}]}\n\n',
        ),
        "broke off",
        id="stream-broke-off",
    ),
]


@pytest.mark.parametrize(("reply", "said"), FAILING)
async def test_a_failure_is_no_reply_and_says_why(reply: httpx.Response, said: str) -> None:
    with pytest.raises(NoReply) as caught:
        await asked(reply)

    assert said in str(caught.value)
    assert "SECRET" not in str(caught.value)


DATED = {"date": "Tue, 01 Apr 2031 10:00:00 GMT", "retry-after": "Tue, 01 Apr 2031 10:00:40 GMT"}
FULL = [
    pytest.param(429, {"retry-after": "7"}, 7.0, id="seconds"),
    pytest.param(503, {"retry-after": "7"}, 7.0, id="no-room"),
    pytest.param(429, DATED, 40.0, id="a-date"),
    pytest.param(429, {"retry-after": "0"}, 1.0, id="never-at-once"),
]


@pytest.mark.parametrize(("status", "headers", "wait_s"), FULL)
async def test_a_server_without_room_is_asked_again_when_it_says(
    status: int, headers: dict[str, str], wait_s: float
) -> None:
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    with respx.mock:
        full = httpx.Response(status, headers=headers)
        ready = httpx.Response(200, json=completion({"content": "네."}))
        respx.post(f"{BASE}/chat/completions").mock(side_effect=[full, full, ready])
        async with httpx.AsyncClient() as client:
            heard = await ask(client, TARGET, BODY, pause=pause)

    assert (heard.text, waits) == ("네.", [wait_s, wait_s])


NOT_WAITED_FOR = [
    pytest.param(429, {}, 0, id="says-nothing"),
    pytest.param(429, {"retry-after": "soon"}, 0, id="says-nothing-that-is-known"),
    pytest.param(429, {"retry-after": "Tue, 01 Apr 2031 10:00:40 GMT"}, 0, id="by-no-clock"),
    pytest.param(
        429,
        {
            "retry-after": "Tue, 01 Apr 2031 10:00:40 -0000",
            "date": "Tue, 01 Apr 2031 10:00:00 GMT",
        },
        0,
        id="by-a-clock-of-no-zone",
    ),
    pytest.param(500, {"retry-after": "7"}, 0, id="another-failure"),
    pytest.param(429, {"retry-after": str(int(MOST_WAITED_S) + 1)}, 0, id="too-long-at-once"),
    pytest.param(429, {"retry-after": str(int(MOST_WAITED_S) // 4)}, 4, id="too-long-in-all"),
]


@pytest.mark.parametrize(("status", "headers", "pauses"), NOT_WAITED_FOR)
async def test_waiting_for_room_has_an_end(
    status: int, headers: dict[str, str], pauses: int
) -> None:
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    with respx.mock:
        respx.post(f"{BASE}/chat/completions").respond(status, headers=headers)
        async with httpx.AsyncClient() as client:
            with pytest.raises(NoReply, match=f"^status {status}: "):
                await ask(client, TARGET, BODY, pause=pause)

    assert len(waits) == pauses


async def test_the_key_is_sent_and_not_shown() -> None:
    with respx.mock:
        route = respx.post(f"{BASE}/chat/completions").respond(json=completion({"content": "네."}))
        async with httpx.AsyncClient() as client:
            await ask(client, TARGET, BODY)

    assert route.calls.last.request.headers["authorization"] == "Bearer gp-library-SECRET"
    assert "SECRET" not in repr(TARGET)
