"""`POST /v1/verify` over a socket: what it takes, what it answers, and the trace it leaves."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from pydantic import JsonValue

from policies import quick_verify, verify
from policies.verification.shape import Verification, VerificationOutcome
from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.rules import turn
from tests.policies.shop import (
    DELIVERY_SAID,
    FAITHFUL,
    FIVE_CITATIONS,
    QUESTION,
    REFUND,
    SOURCES,
    WRONG_FIGURE,
)
from tests.tables import each_row

GIVEN: list[JsonValue] = [
    {
        "section_title": source.title,
        "section_content": source.text,
        "file": source.file,
        "page": source.page,
    }
    for source in SOURCES
]
PASSING = "upstream:\n  base_url: http://127.0.0.1:9/v1\n  pass_caller_key: true\n"
WORDLESS = "tracing:\n  text: none\n"


class Door:
    def __init__(self, proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
        self.proxy = proxy
        self.upstream = upstream

    async def post(self, body: JsonObject, tenant: str = "app") -> httpx.Response:
        return await self.proxy.send(json.dumps(body).encode(), tenant=tenant, path="/v1/verify")

    async def verified(self, body: JsonObject, tenant: str = "app") -> Verification:
        reply = await self.post(body, tenant)
        assert reply.status_code == 200, reply.text
        return Verification.model_validate_json(reply.content)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_door(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Door, None]:
    folder: Path = tmp_path_factory.mktemp("verify")
    others = {"open": PASSING, "wordless": WORDLESS}
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(folder, upstream, others=others, max_body_bytes=400_000) as proxy,
    ):
        yield Door(proxy, upstream)


pytestmark = pytest.mark.asyncio(loop_scope="module")


def asked(answer: str, **more: JsonValue) -> JsonObject:
    body: JsonObject = {"question": QUESTION, "answer": answer, "sources": GIVEN}
    return body | more


async def test_the_door_says_what_the_library_says(shared_door: Door) -> None:
    for answer in (FAITHFUL, WRONG_FIGURE, FIVE_CITATIONS):
        over_http = await shared_door.verified(asked(answer))
        in_process = verify(QUESTION, answer, SOURCES)

        assert over_http.model_dump(exclude=APART) == in_process.model_dump(exclude=APART)


APART = {"id", "policy", "timings_ms", "processing_time_ms"}


@each_row("said", "conversations")
async def test_the_library_takes_a_conversation_as_the_door_does(
    shared_door: Door, said: JsonObject
) -> None:
    over_http = await shared_door.verified({**said, "sources": GIVEN})

    given: dict[str, Any] = {"answer": None, **said}
    in_process = verify("", sources=SOURCES, **given)
    quick = quick_verify(sources=SOURCES, **given)

    assert over_http.question == QUESTION
    assert over_http.model_dump(exclude=APART) == in_process.model_dump(exclude=APART)
    assert (quick.verified, quick.findings) == (over_http.verified, over_http.findings)


@each_row("answer, outcome", "results")
async def test_the_trace_keeps_the_result(
    shared_door: Door, answer: str, outcome: VerificationOutcome
) -> None:
    report = await shared_door.verified(asked(answer))
    trace = await shared_door.proxy.trace_of(report.id)

    assert trace.verification is outcome
    assert report.verified is (outcome is VerificationOutcome.VERIFIED)


async def test_no_model_is_asked(shared_door: Door) -> None:
    await shared_door.verified(asked(FAITHFUL))

    assert shared_door.upstream.requests == []


async def test_the_reply_names_its_trace_and_the_policy(shared_door: Door) -> None:
    reply = await shared_door.post(asked(WRONG_FIGURE))
    trace = await shared_door.proxy.trace(reply)

    report = reply.json()
    assert reply.headers["content-type"] == "application/json"
    assert report["id"] == reply.headers["x-guard-request-id"] == trace.id
    assert report["policy"] == reply.headers["x-guard-policy"]
    assert (trace.door, trace.route, trace.status) == ("verify", "verify", 200)
    assert trace.question == QUESTION
    assert [source.title for source in trace.sources] == [source.title for source in SOURCES]
    [attempt] = trace.attempts
    [choice] = attempt.choices
    assert choice.text == WRONG_FIGURE
    assert [finding.code for finding in choice.findings] == ["numbers.value_differs"]
    assert "numbers" in {run.guard for run in trace.guards}
    assert (trace.action, trace.reasons) == ("regenerate", ("numbers.value_differs",))
    assert trace.confidence == 0.3
    assert trace.replies == (report["corrected_answer"],)


async def test_a_tenant_that_keeps_no_words_keeps_none_of_these(shared_door: Door) -> None:
    reply = await shared_door.post(asked(WRONG_FIGURE), tenant="wordless")
    trace = await shared_door.proxy.trace(reply)

    assert reply.json()["claims"][0]["text"] in WRONG_FIGURE
    assert "환불" not in trace.model_dump_json()


async def test_a_tenant_that_is_named_by_its_path_verifies_too(shared_door: Door) -> None:
    reply = await shared_door.proxy.send(
        json.dumps(asked(FAITHFUL)).encode(),
        path="/t/open/v1/verify",
        headers={"authorization": "Bearer anybody's"},
    )

    assert reply.json()["verified"] is True


# --- messages ---

CONTEXT = "아래 자료만 보고 답하세요.\n\n<context>\n[1] {text}\n</context>"


def messages(*more: JsonObject) -> list[JsonValue]:
    return [turn("system", CONTEXT.format(text=REFUND.text)), turn("user", QUESTION), *more]


async def test_a_chat_completion_with_its_answer_is_a_request(shared_door: Door) -> None:
    result = await shared_door.verified(
        {
            "model": "qwen3",
            "stream": True,
            "temperature": 0.2,
            "tools": [],
            "messages": [turn("user", QUESTION)],
            "guard": {"sources": GIVEN, "report": True},
            "answer": FAITHFUL,
        }
    )

    assert result.verified
    assert [source.text for source in result.sources] == [source.text for source in SOURCES]


async def test_what_the_caller_says_a_question_is_about_counts(shared_door: Door) -> None:
    body: JsonObject = {
        "messages": [turn("user", "안녕하세요, 며칠인가요?")],
        "answer": "15일입니다.",
    }

    told = await shared_door.verified(body | {"guard": {"intent": "policy"}})
    untold = await shared_door.verified(body)

    assert "answerability.no_context" in {finding.code for finding in told.findings}
    assert "answerability.no_context" not in {finding.code for finding in untold.findings}


async def test_what_a_policy_demands_of_a_question_is_demanded_here(shared_door: Door) -> None:
    result = await shared_door.verified(
        {"question": "연차 규정은 며칠인가요?", "answer": "15일입니다."}
    )

    assert "answerability.no_context" in {finding.code for finding in result.findings}
    assert result.scores.answerability == 0.0


# --- options ---


async def test_options_choose_guards_judge_and_correction(shared_door: Door) -> None:
    options: JsonObject = {
        "guards": ["numbers", "overlap"],
        "judge": "force",
        "correction": "none",
    }

    result = await shared_door.verified(asked(FAITHFUL, options=options))

    assert set(result.checks.run) == {"numbers", "overlap"}
    assert result.degraded == ("judge:not_configured",)
    assert not result.verified
    assert result.corrected_answer == FAITHFUL


# --- what is refused ---

REFUSED = [
    pytest.param(b"", None, "not a JSON object", id="empty"),
    pytest.param(b"{", None, "not a JSON object", id="malformed"),
    pytest.param(b"[]", None, "expected an object", id="no-object"),
    pytest.param(b'{"answer": "a", "answer": "b"}', None, "appears twice", id="key-twice"),
    pytest.param(b'{"question": "q"}', None, "'answer' is missing", id="no-answer"),
    pytest.param(b'{"answer": 3}', "answer", "must be a string", id="answer-is-a-number"),
    pytest.param(
        b'{"answer": "a", "anwser": "b"}', "anwser", "did you mean 'answer'?", id="unknown"
    ),
    pytest.param(b'{"answer": "a", "model": "m"}', "model", "no member 'model'", id="no-chat"),
    pytest.param(b'{"answer": "a", "guard": {}}', "guard", "no member 'guard'", id="no-chat-guard"),
    pytest.param(
        b'{"messages": [{"role": "user"}], "answer": "a", "source": []}',
        "source",
        "did you mean 'sources'?",
        id="misspelt-beside-messages",
    ),
    pytest.param(
        b'{"messages": [{"role": "user"}], "answer": "a", "guard": {"sources": [{}]}}',
        "guard.sources[0].section_content",
        "must be a string",
        id="exact-source-without-text",
    ),
    pytest.param(
        b'{"messages": [{"role": "user"}], "answer": "a", "query": "q"}',
        None,
        "one or the other",
        id="question-twice",
    ),
    pytest.param(b'{"answer": "a", "sources": ["t"]}', "sources[0]", "an object", id="source"),
    pytest.param(b'{"answer": "a", "sources": {}}', "sources", "an array", id="no-array"),
    pytest.param(
        b'{"answer": "a", "options": {"guards": "numbers"}}',
        "options.guards",
        "an array",
        id="guards-are-no-list",
    ),
    pytest.param(
        b'{"answer": "a", "sources": [{"text": "a", "score": 2}]}',
        "sources[0].score",
        "at most 1",
        id="score-above-one",
    ),
    pytest.param(
        b'{"question": "q", "query": "q", "answer": "a"}', None, "the same", id="asked-twice"
    ),
    pytest.param(b'{"messages": []}', "messages", "at least 1", id="no-messages"),
    pytest.param(
        b'{"messages": [{"role": "user", "content": "q"}]}', None, "'answer'", id="unanswered"
    ),
    pytest.param(
        b'{"messages": [{"content": "q"}], "answer": "a"}', "messages[0].role", "", id="no-role"
    ),
    pytest.param(
        b'{"answer": "a", "sources": [{"title": "t"}]}',
        "sources[0].section_content",
        "required",
        id="source-without-text",
    ),
    pytest.param(
        b'{"answer": "a", "sources": [{"text": "a", "id": "2"}, {"text": "b"}]}',
        "sources[1].id",
        "names two sources",
        id="same-id",
    ),
    pytest.param(
        b'{"answer": "a", "options": {"guards": ["nubmers"]}}',
        "options.guards",
        "did you mean 'numbers'",
        id="unknown-guard",
    ),
    pytest.param(
        b'{"answer": "a", "options": {"judge": true}}', "options.judge", "'force'", id="judge"
    ),
    pytest.param(
        b'{"answer": "a", "options": {"threshold": 0}}', "options.threshold", "", id="weaker"
    ),
]


@each_row("body, param, said", REFUSED)
async def test_a_bad_request_names_what_is_wrong(
    shared_door: Door, body: bytes, param: str | None, said: str
) -> None:
    reply = await shared_door.proxy.send(body, path="/v1/verify")

    error = reply.json()["error"]
    assert (reply.status_code, error["type"]) == (400, "invalid_request_error")
    assert error["param"] == param
    assert said in error["message"]
    trace = await shared_door.proxy.trace(reply)
    assert (trace.door, trace.status) == ("verify", 400)


async def test_half_a_character_breaks_nothing(shared_door: Door) -> None:
    reply = await shared_door.proxy.send(
        b'{"question": "\\ud800", "answer": "a\\udc00b", "sources": [{"text": "\\ud8ff 7"}]}',
        path="/v1/verify",
    )

    assert reply.status_code == 200
    assert reply.json()["original_answer"] == "a\udc00b"


async def test_a_long_answer_is_judged_whole(shared_door: Door) -> None:
    long = " ".join([f"{DELIVERY_SAID}."] * 300)

    result = await shared_door.verified(asked(long, options={"correction": "none"}))

    assert len(result.claims) == 300
    assert result.original_answer == long
