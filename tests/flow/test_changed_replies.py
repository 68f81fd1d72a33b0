import json

import httpx
import pytest
from pydantic import JsonValue

from proxy.demo import Said, completion, usage
from proxy.openai_api.json_body import JsonObject
from tests.fakes.rig import Rig
from tests.fakes.running_proxy import chat_body
from tests.fakes.scripted_upstream import is_second_attempt
from tests.flow.canteen import (
    CHINESE,
    CLEAN,
    COMPLAINT,
    COMPLAINT_TEMPLATE,
    LANGUAGE_TEMPLATE,
    OTHER,
    QUESTION,
    SOURCE,
    STILL_CHINESE,
    answers,
    ask,
    first_message,
    not_checked,
    objects_of,
    refusal_in,
    texts,
)
from tests.tables import each_row

JSON_FORMAT: JsonObject = {"type": "json_object"}

pytestmark = pytest.mark.asyncio(loop_scope="module")


def guard_headers(reply: httpx.Response) -> dict[str, str]:
    names = ("action", "attempts", "reasons")
    return {
        name: reply.headers[f"x-guard-{name}"]
        for name in names
        if f"x-guard-{name}" in reply.headers
    }


# What is said in headers.


async def test_headers_of_an_answer_that_passes(rig: Rig, stream: bool) -> None:
    rig.scripted.says(CLEAN)

    reply = await ask(rig, stream=stream)

    assert guard_headers(reply) == {"action": "pass", "attempts": "1"}
    assert texts(reply) == [CLEAN]


async def test_headers_of_an_answer_that_was_asked_for_again(rig: Rig, stream: bool) -> None:
    rig.scripted.says(CHINESE, CLEAN)

    reply = await ask(rig, stream=stream)

    assert guard_headers(reply) == {
        "action": "regenerate",
        "attempts": "2",
        "reasons": "korean_only.han",
    }
    assert texts(reply) == [CLEAN]


async def test_headers_of_an_answer_that_was_replaced(rig: Rig, stream: bool) -> None:
    rig.scripted.says(CHINESE, STILL_CHINESE)

    reply = await ask(rig, stream=stream)

    assert guard_headers(reply) == {
        "action": "replace",
        "attempts": "2",
        "reasons": "korean_only.han",
    }
    assert texts(reply) == [LANGUAGE_TEMPLATE]
    assert CHINESE not in reply.text
    assert STILL_CHINESE not in reply.text


async def test_headers_of_a_question_that_never_reached_the_model(rig: Rig, stream: bool) -> None:
    reply = await ask(rig, COMPLAINT, stream=stream)

    assert guard_headers(reply) == {
        "action": "replace",
        "attempts": "0",
        "reasons": "complaint.venting",
    }
    assert texts(reply) == [COMPLAINT_TEMPLATE]
    assert rig.scripted.requests == []


async def test_the_policy_and_the_request_are_named(rig: Rig) -> None:
    policy = rig.proxy.services.policies.snapshot.tenants["app"]

    reply = await ask(rig)

    assert reply.headers["x-guard-policy"] == f"app@{policy.version}"
    assert (await rig.proxy.trace(reply)).id == reply.headers["x-guard-request-id"]


async def test_what_was_not_checked_is_said_with_the_reason(rig: Rig) -> None:
    without = await ask(rig)
    with_sources = await ask(rig, sources=[{"section_content": SOURCE}])

    assert "numbers:no_sources" in not_checked(without)
    assert [name for name in not_checked(with_sources) if name.startswith("numbers:")] == []


# The second attempt.


async def test_the_second_request_names_the_fault_and_leaves_out_guard(
    rig: Rig, stream: bool
) -> None:
    rig.scripted.says(CHINESE, CLEAN)

    await ask(rig, sources=[{"section_content": SOURCE}], stream=stream, user="u1")

    first, second = rig.scripted.requests
    assert ["guard" in first, "guard" in second] == [False, False]
    assert CHINESE.strip("。") in str(second["messages"])
    assert (second["stream"], second["user"]) == (stream, "u1")


# Several choices.


@each_row("place", [0, 1, 2])
async def test_one_bad_choice_is_healed_and_the_others_stay(
    rig: Rig, place: int, stream: bool
) -> None:
    first = [f"{CLEAN} {number}번" for number in "가나다"]
    first[place] = CHINESE
    rig.scripted.says_choices(first, [OTHER])

    reply = await ask(rig, n=3, stream=stream)

    expected = list(first)
    expected[place] = OTHER
    assert texts(reply) == expected
    assert rig.scripted.requests[1]["n"] == 1


async def test_choices_that_stay_are_equal_to_the_last_member(rig: Rig) -> None:
    first = [CLEAN, CHINESE, OTHER]
    extra: JsonObject = {"annotations": [], "x_own": {"열": 1.5}}
    rig.scripted.script = lambda body: Said(
        (STILL_CHINESE,) if is_second_attempt(body) else first, message=extra
    )

    reply = await ask(rig, n=3)

    direct = completion(chat_body(QUESTION), Said(first, message=extra))["choices"]
    assert isinstance(direct, list)
    choices = reply.json()["choices"]
    assert [choices[0], choices[2]] == [direct[0], direct[2]]
    assert choices[1]["message"] == {"role": "assistant", "content": LANGUAGE_TEMPLATE}
    assert choices[1]["index"] == 1


async def test_a_healed_choice_keeps_the_number_that_it_had(rig: Rig, stream: bool) -> None:
    rig.scripted.says_choices([CLEAN, CHINESE, STILL_CHINESE], [OTHER, CHINESE])

    reply = await ask(rig, n=3, stream=stream)

    assert [(answer.index, answer.content) for answer in answers(reply)] == [
        (0, CLEAN),
        (1, OTHER),
        (2, LANGUAGE_TEMPLATE),
    ]
    assert reply.headers["x-guard-action"] == "replace"


async def test_a_second_attempt_with_too_few_choices_replaces_the_rest(rig: Rig) -> None:
    rig.scripted.says_choices([CHINESE, STILL_CHINESE], [OTHER])

    reply = await ask(rig, n=2)

    assert texts(reply) == [OTHER, LANGUAGE_TEMPLATE]


# How a replaced answer looks.


@each_row("tenant, reason", [("app", "stop"), ("filtering", "content_filter")])
@each_row("question", [QUESTION, COMPLAINT])
async def test_the_policy_says_how_a_replaced_answer_ends(
    rig: Rig, tenant: str, reason: str, question: str, stream: bool
) -> None:
    rig.scripted.says(CHINESE)

    reply = await ask(rig, question, tenant=tenant, stream=stream)

    assert [answer.finish_reason for answer in answers(reply)] == [reason]


async def test_an_answer_that_passes_keeps_its_own_end(rig: Rig) -> None:
    rig.scripted.script = lambda _: Said((CLEAN,), finish_reason="length")

    reply = await ask(rig, tenant="filtering", guard={"report": True})

    assert [answer.finish_reason for answer in answers(reply)] == ["length"]


@each_row("question, template", [(QUESTION, LANGUAGE_TEMPLATE), (COMPLAINT, COMPLAINT_TEMPLATE)])
async def test_where_json_was_asked_for_the_template_is_a_refusal(
    rig: Rig, question: str, template: str, stream: bool
) -> None:
    rig.scripted.says(json.dumps({"답": CHINESE}))

    reply = await ask(rig, question, stream=stream, response_format=JSON_FORMAT)

    assert refusal_in(reply) == template
    assert texts(reply) == [""]


@each_row("ascii_only", [False, True])
async def test_values_of_structured_output_are_guarded_however_they_are_escaped(
    rig: Rig, ascii_only: bool
) -> None:
    healed = json.dumps({"위치": CLEAN}, ensure_ascii=ascii_only)
    rig.scripted.says(json.dumps({"위치": CHINESE}, ensure_ascii=ascii_only), healed)

    reply = await ask(rig, response_format=JSON_FORMAT)

    assert reply.headers["x-guard-action"] == "regenerate"
    assert texts(reply) == [healed]


# Usage.


async def test_usage_of_both_attempts_is_added_up(rig: Rig) -> None:
    rig.scripted.says(CHINESE, CLEAN)

    reply = await ask(rig)

    costs = [
        usage(body, Said((text,)))
        for body, text in zip(rig.scripted.requests, (CHINESE, CLEAN), strict=True)
    ]
    expected = {name: sum(int(str(cost[name])) for cost in costs) for name in costs[0]}
    assert reply.json()["usage"] == expected
    trace = await rig.proxy.trace(reply)
    assert [one.usage and one.usage.total_tokens for one in trace.attempts] == [
        cost["total_tokens"] for cost in costs
    ]


async def test_a_stream_says_its_usage_in_one_last_chunk_if_asked(rig: Rig) -> None:
    rig.scripted.says(CHINESE, CLEAN)

    asked = await ask(rig, stream=True, stream_options={"include_usage": True})
    unasked = await ask(rig, stream=True)
    plain = await ask(rig)

    last = objects_of(asked)[-1]
    assert (last["choices"], last["usage"]) == ([], plain.json()["usage"])
    assert [body for body in objects_of(asked)[:-1] if body.get("usage")] == []
    assert [body for body in objects_of(unasked) if "usage" in body] == []


async def test_a_question_that_never_reached_the_model_cost_nothing(rig: Rig) -> None:
    nothing = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}

    plain = await ask(rig, COMPLAINT)
    streamed = await ask(rig, COMPLAINT, stream=True, stream_options={"include_usage": True})

    assert plain.json()["usage"] == nothing
    assert objects_of(streamed)[-1]["usage"] == nothing


# What is no answer.

CALLS: list[JsonObject] = [
    {
        "index": number,
        "id": f"call-{number}",
        "type": "function",
        "function": {"name": "find", "arguments": json.dumps({"질문": STILL_CHINESE})},
    }
    for number in range(2)
]
TOOLS: list[JsonValue] = [{"type": "function", "function": {"name": "find", "parameters": {}}}]


async def test_a_turn_that_calls_tools_passes(rig: Rig, stream: bool) -> None:
    rig.scripted.script = lambda _: Said(tool_calls=CALLS, finish_reason="tool_calls")

    reply = await ask(rig, stream=stream, tools=TOOLS, parallel_tool_calls=True)

    assert reply.headers["x-guard-action"] == "pass"
    assert "tool_calls" in not_checked(reply)
    [answer] = answers(reply)
    assert (answer.tool_turn, answer.finish_reason) == (True, "tool_calls")
    assert first_message(reply)["tool_calls"] == CALLS


async def test_reasoning_in_a_field_of_its_own_is_not_the_answer(rig: Rig, stream: bool) -> None:
    rig.scripted.script = lambda _: Said((CLEAN,), message={"reasoning_content": CHINESE})

    reply = await ask(rig, stream=stream)

    assert (reply.headers["x-guard-action"], texts(reply)) == ("pass", [CLEAN])
    assert "reasoning_content" in not_checked(reply)
    assert "reasoning_content" in (await rig.proxy.trace(reply)).not_checked


async def test_a_closed_block_of_thoughts_is_not_the_answer(rig: Rig, stream: bool) -> None:
    said = f"<think>\n{CHINESE}\n</think>\n\n{CLEAN}"
    rig.scripted.says(said)

    reply = await ask(rig, stream=stream)

    assert (reply.headers["x-guard-action"], texts(reply)) == ("pass", [said])
    assert "think" in not_checked(reply)


async def test_an_open_block_of_thoughts_is_guarded(rig: Rig, stream: bool) -> None:
    rig.scripted.says(f"<think>\n{CHINESE}")

    reply = await ask(rig, stream=stream)

    assert (reply.headers["x-guard-action"], texts(reply)) == ("replace", [LANGUAGE_TEMPLATE])


async def test_an_empty_answer_passes_and_says_so(rig: Rig, stream: bool) -> None:
    rig.scripted.says("")

    reply = await ask(rig, stream=stream)

    assert reply.headers["x-guard-action"] == "pass"
    assert "empty_answer" in not_checked(reply)
