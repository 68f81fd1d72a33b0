import json

import httpx
import pytest

from proxy.openai_api.json_body import JsonObject, objects
from proxy.openai_api.sse import EventReader
from tests.fakes.rig import Rig
from tests.flow.canteen import (
    CHINESE,
    CLEAN,
    COMPLAINT,  # noqa: F401 - the table names it
    OTHER,
    QUESTION,  # noqa: F401 - the table names it
    SOURCE,
    STILL_CHINESE,
    ask,
    objects_of,
    texts,
)
from tests.tables import each_row

HAN = "korean_only.han"

pytestmark = pytest.mark.asyncio(loop_scope="module")


def report_of(reply: httpx.Response) -> JsonObject:
    [report] = [body["guard"] for body in objects_of(reply) if "guard" in body]
    assert isinstance(report, dict)
    return report


@each_row("tenant, guard", [("app", {"report": True}), ("reporting", {})])
async def test_the_report_comes_if_the_caller_or_the_policy_wants_it(
    rig: Rig, tenant: str, guard: JsonObject, stream: bool
) -> None:
    rig.scripted.says(CLEAN)
    given: JsonObject = guard | {"sources": [{"section_content": SOURCE, "id": "s1", "page": 3}]}

    reply = await ask(rig, tenant=tenant, stream=stream, guard=given)

    report = report_of(reply)
    assert (report["action"], report["attempts"], report["context"]) == ("pass", 1, "found")
    assert report["request_id"] == reply.headers["x-guard-request-id"]
    assert report["policy"] == reply.headers["x-guard-policy"]
    sources = report["sources"]
    assert isinstance(sources, list)
    assert [(one["id"], one["page"]) for one in sources if isinstance(one, dict)] == [("s1", 3)]
    assert texts(reply) == [CLEAN]


# Without the wish a body says in short what was changed.


@each_row("texts_said, question, tenant, action, reason", "a_body_says_what_was_changed")
async def test_a_body_says_what_was_changed(
    rig: Rig,
    texts_said: tuple[str, ...],
    question: str,
    tenant: str,
    action: str,
    reason: str,
    stream: bool,
) -> None:
    rig.scripted.says(*texts_said)

    reply = await ask(rig, question, tenant=tenant, stream=stream, guard={"report": False})

    request_id = reply.headers["x-guard-request-id"]
    changed: JsonObject = {"request_id": request_id, "action": action, "reasons": [reason]}
    assert report_of(reply) == changed
    assert reply.headers["x-guard-action"] == action


async def test_of_several_choices_it_says_which_ones_were_changed(rig: Rig, stream: bool) -> None:
    rig.scripted.says_choices([CHINESE, CLEAN, STILL_CHINESE], [OTHER, STILL_CHINESE])

    reply = await ask(rig, n=3, stream=stream)

    assert report_of(reply) == {
        "request_id": reply.headers["x-guard-request-id"],
        "action": "replace",
        "reasons": [HAN],
        "choices": [
            {"index": 0, "action": "regenerate", "reasons": [HAN]},
            {"index": 1, "action": "pass", "reasons": []},
            {"index": 2, "action": "replace", "reasons": [HAN]},
        ],
    }


@pytest.mark.parametrize("tenant", ["app", "whole"], ids=["gate", "buffer"])
@pytest.mark.parametrize("usage", [False, True], ids=["no-usage", "usage"])
async def test_in_a_stream_the_event_that_ends_the_last_choice_says_it(
    rig: Rig, tenant: str, usage: bool
) -> None:
    """So a client that takes the first choice of every chunk finds one."""
    rig.scripted.says_choices([CHINESE, CLEAN], [STILL_CHINESE])

    reply = await ask(rig, tenant=tenant, n=2, stream=True, stream_options={"include_usage": usage})

    chunks = objects_of(reply)
    if usage:
        assert chunks.pop()["usage"]
    assert [chunk for chunk in chunks if not chunk["choices"]] == []
    [choice] = objects(chunks[-1]["choices"])
    assert (choice["index"], choice["finish_reason"]) == (1, "stop")
    assert "guard" in chunks[-1]


async def test_the_report_shows_each_choice_with_its_findings(rig: Rig, stream: bool) -> None:
    rig.scripted.says_choices([CLEAN, CHINESE], [f"네, {STILL_CHINESE}"])

    reply = await ask(rig, n=2, stream=stream, guard={"report": True})

    report = report_of(reply)
    choices = report["choices"]
    assert isinstance(choices, list)
    passed, replaced = [choice for choice in choices if isinstance(choice, dict)]
    assert (passed["index"], passed["action"], passed["reasons"]) == (0, "pass", [])
    assert (replaced["index"], replaced["action"]) == (1, "replace")
    assert replaced["reasons"] == ["korean_only.han"]
    found = replaced["findings"]
    assert isinstance(found, list)
    assert isinstance(found[0], dict)
    assert (found[0]["code"], found[0]["part"]) == ("korean_only.han", "answer")
    assert report["action"] == "replace"


async def test_the_report_stands_right_before_the_end_of_a_stream(rig: Rig) -> None:
    rig.scripted.says(CLEAN)

    reply = await ask(rig, stream=True, guard={"report": True})

    *_, report, done = EventReader().feed(reply.content)
    assert done.data == "[DONE]"
    assert json.loads(report.data or "")["choices"] == []
    assert "guard" in json.loads(report.data or "")
