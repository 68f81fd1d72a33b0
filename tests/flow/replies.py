"""What whole-request tests read from a reply, and what it has to equal where nothing changed."""

import httpx

from guards.core.guard import Stage
from policies.verdict import GuardOutcome
from proxy.openai_api.chat import read_reply
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.sse import without_comments
from proxy.traces.trace import Trace
from tests.fakes.running_proxy import RunningProxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.heard import heard


def said(reply: httpx.Response) -> str:
    """Return the text that left the proxy, from a plain reply or a stream."""
    assert reply.status_code == httpx.codes.OK, reply.text
    [answer] = read_reply(reply.content, reply.headers["content-type"]).answers
    return answer.content


def sent_to_model(request: JsonObject) -> str:
    """Return the last turn that the model server was given."""
    return str(member(objects(request["messages"])[-1], "content"))


def outcomes(trace: Trace, guard: str, stage: Stage = Stage.OUTPUT) -> list[GuardOutcome]:
    """Return how a guard's runs ended, in order."""
    return [run.outcome for run in trace.guards if (run.guard, run.stage) == (guard, stage)]


def found_by(trace: Trace, guard: str) -> list[str]:
    """Return what a guard objected to in the answers of all attempts, in order."""
    answers = [choice for attempt in trace.attempts for choice in attempt.choices]
    findings = [finding for answer in answers for finding in answer.findings]
    return [finding.observed for finding in findings if finding.guard == guard]


async def both_ways(proxy: RunningProxy, body: JsonObject, action: str, *codes: str) -> str:
    """Ask plain and as a stream; the same has to leave for the same reasons. Return its text.

    The body says what was changed, and nothing where nothing was.
    """
    texts = []
    for streamed in (False, True):
        reply = await proxy.chat(body | {"stream": streamed})
        assert reply.headers["x-guard-action"] == action
        assert reply.headers.get("x-guard-reasons", "") == ",".join(codes)
        named = {"request_id": reply.headers["x-guard-request-id"], "reasons": [*codes]}
        changed = [chunk["guard"] for chunk in heard(reply).chunks if "guard" in chunk]
        assert changed == ([] if action == "pass" else [named | {"action": action}])
        texts.append(said(reply))
    assert texts[0] == texts[1]
    return texts[0]


async def assert_untouched(
    proxy: RunningProxy, upstream: ScriptedUpstream, body: JsonObject
) -> None:
    """Ask plain and as a stream: both replies must be the model server's own bytes."""
    for streamed in (False, True):
        asked: JsonObject = body | {"stream": streamed}
        reply = await proxy.chat(asked)
        direct = await proxy.client.post(
            f"{upstream.address}/v1/chat/completions", json=without_guard(asked)
        )
        assert without_comments(reply.content) == direct.content
        assert reply.headers["x-guard-action"] == "pass"
        assert reply.headers["x-guard-attempts"] == "1"
        assert "x-guard-reasons" not in reply.headers


def without_guard(body: JsonObject) -> JsonObject:
    return {key: value for key, value in body.items() if key != "guard"}
