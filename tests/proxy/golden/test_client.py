"""A server as a golden set is put to it: what it is asked, and how its replies are read."""

import json
from typing import Any

import httpx
import pytest
import respx

from proxy.golden.client import GuardedReply, NoReply, Target, ask
from proxy.golden.runner import EarlierTurn, body_of
from proxy.golden.shape import DEFAULT_INSTRUCTIONS
from proxy.openai_api.json_body import JsonObject
from tests.proxy.golden.sets import golden_of
from tests.tables import each_row

SET = """\
instructions: 도서관 안내원입니다.
passages:
  loan: {title: 이용 규정, text: 대출 기간은 16일이다., page: 3, score: 0.9}
cases:
  - id: one
    query: 며칠인가요?
    %s
"""


def sent(member: str = "stream: false", *before: EarlierTurn) -> JsonObject:
    golden = golden_of(SET % member)
    [case] = golden.cases
    return body_of(golden, case, case.asked[0], before, "ko")


def messages(body: JsonObject) -> list[Any]:
    found = body["messages"]
    assert isinstance(found, list)
    return found


def test_passages_are_given_exactly_and_stand_where_a_model_reads_them() -> None:
    body = sent("passages: [loan]\n    sources: [{id: 가, text: 60원이다.}]")

    assert body["guard"] == {
        "sources": [
            {
                "section_title": "이용 규정",
                "section_content": "대출 기간은 16일이다.",
                "page": 3,
                "score": 0.9,
            },
            {"section_title": "", "section_content": "60원이다.", "id": "가"},
        ]
    }
    assert messages(body)[0]["content"] == (
        "도서관 안내원입니다.\n\n<context>\n"
        '<source id="1" name="이용 규정">\n대출 기간은 16일이다.\n</source>\n'
        '<source id="가" name="">\n60원이다.\n</source>\n'
        "</context>"
    )


def test_a_context_written_out_is_left_for_the_proxy_to_find() -> None:
    body = sent("context: '[Source: a.pdf] 16일이다.'")

    assert "guard" not in body
    assert messages(body)[0]["content"].endswith("\n\n[Source: a.pdf] 16일이다.")


def test_the_turns_before_stand_before_the_question() -> None:
    body = sent("stream: true", EarlierTurn("안녕하세요?", "네, 안녕하세요."))

    assert body["stream"] is True
    assert [(one["role"], one["content"]) for one in messages(body)[1:]] == [
        ("user", "안녕하세요?"),
        ("assistant", "네, 안녕하세요."),
        ("user", "며칠인가요?"),
    ]


def test_instructions_are_the_cases_else_the_sets_else_ours() -> None:
    golden = golden_of("cases: [{id: a, query: 네?}, {id: b, query: 네?, instructions: ''}]")
    first, second = (
        body_of(golden, case, case.asked[0], (), "ko")["messages"] for case in golden.cases
    )

    assert first == [
        {"role": "system", "content": DEFAULT_INSTRUCTIONS},
        {"role": "user", "content": "네?"},
    ]
    assert second == [{"role": "user", "content": "네?"}]


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


@each_row("reply, said", FAILING)
async def test_a_failure_is_no_reply_and_says_why(reply: httpx.Response, said: str) -> None:
    with pytest.raises(NoReply) as caught:
        await asked(reply)

    assert said in str(caught.value)
    assert "SECRET" not in str(caught.value)


@each_row("status, headers, wait_s", "full")
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


@each_row("status, headers, pauses", "not_waited_for")
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
