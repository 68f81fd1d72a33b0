import json

import httpx
import pytest
from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject, objects
from proxy.openai_api.sse import EventReader
from tests.fakes.house import House
from tests.flow.canteen import CHINESE, CLEAN, SOURCE, STILL_CHINESE, ask, objects_of, texts

pytestmark = pytest.mark.asyncio(loop_scope="module")


def report_of(reply: httpx.Response) -> JsonObject:
    [report] = [body["guard"] for body in objects_of(reply) if "guard" in body]
    assert isinstance(report, dict)
    return report


@pytest.mark.parametrize(("tenant", "guard"), [("app", {"report": True}), ("reporting", {})])
async def test_the_report_comes_if_the_caller_or_the_policy_wants_it(
    house: House, tenant: str, guard: JsonObject, stream: bool
) -> None:
    house.scripted.says(CLEAN)
    given: JsonObject = guard | {"sources": [{"section_content": SOURCE, "id": "s1", "page": 3}]}

    reply = await ask(house, tenant=tenant, stream=stream, guard=given)

    report = report_of(reply)
    assert (report["action"], report["attempts"], report["context"]) == ("pass", 1, "found")
    assert report["request_id"] == reply.headers["x-guard-request-id"]
    assert report["policy"] == reply.headers["x-guard-policy"]
    sources = report["sources"]
    assert isinstance(sources, list)
    assert [(one["id"], one["page"]) for one in sources if isinstance(one, dict)] == [("s1", 3)]
    assert texts(reply) == [CLEAN]


async def test_without_the_wish_there_is_no_report(house: House, stream: bool) -> None:
    house.scripted.says(CHINESE, CLEAN)

    reply = await ask(house, stream=stream, guard={"report": False})

    assert [body for body in objects_of(reply) if "guard" in body] == []


async def test_the_report_shows_each_choice_with_its_findings(house: House, stream: bool) -> None:
    house.scripted.says_choices([CLEAN, CHINESE], [f"네, {STILL_CHINESE}"])

    reply = await ask(house, n=2, stream=stream, guard={"report": True})

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


async def test_the_report_stands_right_before_the_end_of_a_stream(house: House) -> None:
    house.scripted.says(CLEAN)

    reply = await ask(house, stream=True, guard={"report": True})

    *_, report, done = EventReader().feed(reply.content)
    assert done.data == "[DONE]"
    assert json.loads(report.data or "")["choices"] == []
    assert "guard" in json.loads(report.data or "")


@pytest.mark.parametrize(
    ("given", "confidence", "band"),
    [
        pytest.param([{"section_content": SOURCE}], 1.0, "high", id="held-against-a-source"),
        pytest.param([], None, None, id="nothing-to-hold-it-against"),
    ],
)
async def test_the_report_tells_the_confidence_only_where_something_was_compared(
    house: House, given: list[JsonValue], confidence: float | None, band: str | None
) -> None:
    house.scripted.says("구내식당은 본관 지하에 있습니다.")

    reply = await ask(house, guard={"report": True, "sources": given})

    [choice] = objects(report_of(reply)["choices"])
    assert (choice["confidence"], choice["confidence_band"]) == (confidence, band)
    assert choice["confidence_caps"] == []
