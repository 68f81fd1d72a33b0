"""What the debug switch shows of a request, and what the trace says of it."""

import json
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from structlog.testing import capture_logs
from structlog.typing import EventDict

from guards.core.guard import Stage
from policies.schema.base import Mode
from policies.verdict import GuardOutcome
from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import found_by, outcomes, said
from tests.flow.rules import (
    ASKED,
    COMPLAINT,
    DEFAULT,
    INVENTED,
    LEAKED,
    RULES,
    TRUE_ANSWER,
    scored,
    with_context_block,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_watched(
    tmp_path_factory: pytest.TempPathFactory, shared_upstream: ScriptedUpstream
) -> AsyncGenerator[RunningProxy, None]:
    folder = tmp_path_factory.mktemp("watched")
    async with running_proxy(folder, shared_upstream, debug=True) as running:
        yield running


@pytest.fixture
def watched(shared_watched: RunningProxy, upstream: ScriptedUpstream) -> RunningProxy:
    return shared_watched


async def record_of(watched: RunningProxy, body: JsonObject) -> EventDict:
    """Return the one debug record that a request leaves."""
    with capture_logs() as logs:
        reply = await watched.chat(body)
    [record] = [entry for entry in logs if entry["event"] == "request.decided"]
    assert record["request_id"] == reply.headers["x-guard-request-id"]
    return record


async def test_the_record_of_a_question_without_evidence_says_why(
    watched: RunningProxy, upstream: ScriptedUpstream
) -> None:
    record = await record_of(watched, with_context_block(""))

    assert record["intent"] == "policy"
    assert record["route"] == "template"
    assert record["route_reason"] == "answerability.empty_context"
    assert (record["context"], record["results"], record["scores"]) == ("empty", 0, [])
    assert record["top_k"] == 5
    assert record["answerable"] is False
    assert record["why"] == ["answerability.empty_context"]
    assert record["guards"] == {"input.complaint.0": "clean", "input.answerability.0": "acted"}
    assert (record["action"], record["attempts"]) == ("replace", 0)
    assert upstream.requests == []


async def test_the_record_of_a_healed_answer_shows_both_attempts(
    watched: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(LEAKED, TRUE_ANSWER)

    record = await record_of(watched, chat_body(ASKED, scored(0.88)))

    assert record["intent"] == "policy"
    assert record["route"] == "model"
    assert "조항" in record["route_reason"]
    assert (record["context"], record["results"]) == ("found", 3)
    assert record["scores"] == [0.88, 0.88, 0.88]
    assert record["answerable"] is True
    assert record["why"] == []
    seen = record["guards"]
    assert seen["input.answerability.0"] == "clean"
    assert (seen["output.korean_only.1"], seen["output.korean_only.2"]) == ("acted", "clean")
    assert (seen["output.numbers.1"], seen["output.numbers.2"]) == ("clean", "clean")
    assert record["action"] == "regenerate"
    assert "korean_only.han" in record["reasons"]
    assert (record["attempts"], record["status"]) == (2, 200)


async def test_every_guard_of_the_policy_stands_in_the_record(
    watched: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(TRUE_ANSWER)

    record = await record_of(watched, chat_body(ASKED, [*RULES]))

    assert {name.split(".")[1] for name in record["guards"]} == {
        name for name, rule in DEFAULT.policy.guards.items() if rule.mode is not Mode.OFF
    }
    assert "acted" not in record["guards"].values()
    assert (record["action"], record["reasons"]) == ("pass", [])


async def test_no_words_of_a_request_stand_in_any_log_line(
    watched: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(INVENTED, LEAKED)

    with capture_logs() as logs:
        await watched.chat(chat_body(ASKED, [*RULES]))
        await watched.chat(chat_body(COMPLAINT, [*RULES]))

    written = json.dumps(logs, ensure_ascii=False, default=str)
    contents = [str(value) for rule in RULES for value in rule.values()]
    assert [entry["event"] for entry in logs].count("request.decided") == 2
    for words in (ASKED, COMPLAINT, INVENTED, LEAKED, *contents):
        pieces = {words[at : at + 6] for at in range(len(words) - 5)}
        assert [piece for piece in pieces if piece in written] == []


async def test_without_the_switch_nothing_is_written(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(TRUE_ANSWER)

    with capture_logs() as logs:
        reply = await proxy.chat(chat_body(ASKED, [*RULES]))

    assert said(reply) == TRUE_ANSWER
    assert logs == []


async def test_the_trace_names_the_guard_and_what_it_found(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(INVENTED)

    trace = await proxy.trace(await proxy.chat(chat_body(ASKED, [*RULES])))

    assert outcomes(trace, "legal_citation") == [GuardOutcome.ACTED, GuardOutcome.ACTED]
    assert outcomes(trace, "answerability", Stage.INPUT) == [GuardOutcome.CLEAN]
    assert outcomes(trace, "complaint", Stage.INPUT) == [GuardOutcome.CLEAN]
    assert found_by(trace, "legal_citation") == ["복무규정 제77조", "복무규정 제77조"]
    assert trace.kept_attempt is None


async def test_nothing_is_called_answerable_that_nobody_judged(
    watched: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says("안녕하세요.")

    record = await record_of(watched, chat_body("안녕하세요"))

    assert record["guards"]["input.answerability.0"] == "no_evidence_demanded"
    assert record["answerable"] is None
