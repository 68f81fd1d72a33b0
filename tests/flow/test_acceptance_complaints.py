"""Complaints are met at once, and nothing of one request stands in another."""

import asyncio
from itertools import cycle, islice

import pytest

from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import assert_untouched, both_ways, said
from tests.flow.rules import (
    ASKED,
    COMPLAINT,
    DEFAULT,
    INVENTED,
    LEAVE,
    RULES,
    TRUE_ANSWER,
    conversation,
    turn,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

UNKINDNESS = [
    pytest.param(COMPLAINT, "complaint.venting", id="complaint"),
    pytest.param("ㅅㅂ 꺼져", "complaint.abuse", id="abuse"),
]


def reason(name: str) -> str:
    return DEFAULT.policy.reasons[name]


@pytest.mark.parametrize(("complaint", "code"), UNKINDNESS)
async def test_a_complaint_is_met_at_once_with_the_reason_that_the_caller_gives(
    proxy: RunningProxy, upstream: ScriptedUpstream, complaint: str, code: str
) -> None:
    body = chat_body(complaint) | {"guard": {"last_error_reason": "NO_RAG_EVIDENCE"}}

    text = await both_ways(proxy, body, "replace", code)

    assert upstream.requests == []
    assert DEFAULT.templates.recognise(text) == code
    apology, next_step = text.find("죄송합니다"), text.find("다시 적어 주")
    assert -1 < apology < text.find(reason("no_rag_evidence")) < next_step


@pytest.mark.parametrize(("complaint", "code"), UNKINDNESS)
async def test_the_reason_is_known_from_our_own_reply_in_the_turn_before(
    proxy: RunningProxy, upstream: ScriptedUpstream, complaint: str, code: str
) -> None:
    before = said(await proxy.chat(chat_body(ASKED)))
    turns = (turn("user", ASKED), turn("assistant", before), turn("user", complaint))

    text = await both_ways(proxy, conversation(*turns), "replace", code)

    assert reason("answerability") in text
    assert upstream.requests == []


async def test_a_second_complaint_in_a_row_is_given_the_same_reason(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    complaint = conversation(turn("user", "정말 답답하네")) | {
        "guard": {"last_error_reason": "no_evidence"}
    }
    first = said(await proxy.chat(complaint))
    turns = (
        turn("user", "정말 답답하네"),
        turn("assistant", first),
        turn("user", "아 짜증나"),
    )

    text = await both_ways(proxy, conversation(*turns), "replace", "complaint.venting")

    assert reason("no_evidence") in text
    assert upstream.requests == []


async def test_no_reason_is_made_up(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    text = await both_ways(proxy, chat_body("정말 답답하네"), "replace", "complaint.venting")

    assert [known for known in DEFAULT.policy.reasons.values() if known in text] == []
    assert upstream.requests == []


@pytest.mark.parametrize(
    "question",
    [
        pytest.param(f"답답하네. {ASKED}", id="complaint-and-question"),
        pytest.param("고객 불만은 어느 부서에 접수하나요?", id="complaint-as-topic"),
    ],
)
async def test_who_also_asks_is_answered_by_the_model(
    proxy: RunningProxy, upstream: ScriptedUpstream, question: str
) -> None:
    upstream.says("신청서는 소속 부서장에게 냅니다.")

    await assert_untouched(proxy, upstream, chat_body(question, [*RULES]))


async def test_a_complaint_template_in_the_history_does_not_trigger_itself(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(TRUE_ANSWER)
    apology = said(await proxy.chat(chat_body("정말 답답하네")))
    turns = (
        turn("user", "정말 답답하네"),
        turn("assistant", apology),
        turn("user", ASKED),
    )

    await assert_untouched(proxy, upstream, conversation(*turns, guard={"sources": [*RULES]}))


async def test_requests_at_once_get_their_own_templates_with_their_own_sources(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(INVENTED)
    kinds = list(islice(cycle(["legal_citation", "answerability", "complaint.venting"]), 30))
    titles = [f"제{number}부서 {LEAVE}" for number in range(100, 130)]

    def body(kind: str, title: str) -> JsonObject:
        source: JsonObject = {
            "section_title": title,
            "section_content": "5일을 준다.",
            "score": 0.9,
        }
        if kind == "answerability":
            source["score"] = 0.2
        return chat_body("정말 답답하네" if kind.startswith("complaint") else ASKED, [source])

    replies = await asyncio.gather(
        *(proxy.chat(body(kind, title)) for kind, title in zip(kinds, titles, strict=True))
    )

    texts = [said(reply) for reply in replies]
    assert [DEFAULT.templates.recognise(text) for text in texts] == kinds
    listed = [[title for title in titles if title in text] for text in texts]
    own = [
        [] if kind == "complaint.venting" else [title]
        for kind, title in zip(kinds, titles, strict=True)
    ]
    assert listed == own
    assert len({reply.headers["x-guard-request-id"] for reply in replies}) == len(replies)
