"""What may leave of questions of rules, provisions, language and complaints."""

import asyncio
from itertools import cycle, islice

import pytest
from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import assert_untouched, both_ways, said
from tests.flow.rules import (
    ASKED,
    COMPLAINT,  # noqa: F401 - the table names it
    DEFAULT,
    INVENTED,
    LEAVE,
    RULES,
    TRUE_ANSWER,
    UNFOUNDED,
    conversation,
    scored,
    turn,
    with_context_block,
)
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")


# --- a rule question needs evidence ------------------------------------------------------------

NO_EVIDENCE = [
    pytest.param(chat_body(ASKED), "no_context", id="no-block"),
    pytest.param(with_context_block(""), "empty_context", id="empty-block"),
    pytest.param(chat_body(ASKED, []), "empty_context", id="nothing-given"),
    pytest.param(
        chat_body(ASKED, scored(0.31)),
        "low_score",
        id="low-scores",
    ),
]
EVIDENCE = [
    pytest.param(
        with_context_block(
            f'<source id="1" name="{LEAVE}">결혼하는 직원에게 5일의 휴가를 준다.</source>'
        ),
        "결혼하시면 5일의 휴가를 받습니다.",
        id="block-with-a-source",
    ),
    pytest.param(chat_body(ASKED, [*RULES]), TRUE_ANSWER, id="given"),
    pytest.param(
        chat_body(ASKED, scored(0.88)),
        TRUE_ANSWER,
        id="high-scores",
    ),
    pytest.param(chat_body("안녕하세요, 반갑습니다"), "네, 반갑습니다.", id="no-rule-question"),
]


@each_row("body, lack", NO_EVIDENCE)
async def test_a_rule_question_without_evidence_is_answered_by_a_template(
    proxy: RunningProxy, upstream: ScriptedUpstream, body: JsonObject, lack: str
) -> None:
    upstream.says(UNFOUNDED)

    text = await both_ways(proxy, body, "replace", f"answerability.{lack}")

    assert upstream.requests == []
    assert DEFAULT.templates.recognise(text) == "answerability"
    what, causes, next_step = "찾지 못했습니다", "때문일 수 있습니다", "다시 질문해 주시기 바랍니다"
    assert -1 < text.find(what) < text.find(causes) < text.find(next_step)


@each_row("body, answer", EVIDENCE)
async def test_a_question_with_evidence_or_without_need_of_it_is_answered_by_the_model(
    proxy: RunningProxy, upstream: ScriptedUpstream, body: JsonObject, answer: str
) -> None:
    upstream.says(answer)

    await assert_untouched(proxy, upstream, body)


async def test_a_model_that_says_it_does_not_know_needs_no_evidence(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says("제공된 자료에서 확인되지 않습니다.")
    tools: list[JsonValue] = [{"type": "function", "function": {"name": "find_rule"}}]

    await assert_untouched(proxy, upstream, chat_body(ASKED, tools=tools))


async def test_a_model_that_could_have_searched_and_did_not_is_replaced_afterwards(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(UNFOUNDED)
    tools: list[JsonValue] = [{"type": "function", "function": {"name": "find_rule"}}]

    text = await both_ways(
        proxy, chat_body(ASKED, tools=tools), "replace", "answerability.no_context"
    )

    assert "7일" not in text
    assert len(upstream.requests) == 2


# --- invented provisions -----------------------------------------------------------------------


@each_row("answer, invented, level", "cited_but_invented")
async def test_an_answer_that_cites_an_invented_provision_is_discarded(
    proxy: RunningProxy, upstream: ScriptedUpstream, answer: str, invented: str, level: str
) -> None:
    upstream.says(answer)

    text = await both_ways(
        proxy, chat_body(ASKED, [*RULES]), "replace", f"legal_citation.{level}_absent"
    )

    assert DEFAULT.templates.recognise(text) == "legal_citation"
    assert invented not in text
    assert LEAVE in text


ROOMS: list[JsonValue] = [
    {
        "section_title": "객실 요금",
        "section_content": "| 객실 | 주중 | 주말 |\n|---|---|---|\n"
        "| 스탠다드 | 90,000원 | 120,000원 |\n| 디럭스 | 150,000원 | 180,000원 |",
    }
]


async def test_a_line_of_the_sources_answers_in_the_place_of_a_wrong_answer(
    proxy: RunningProxy, upstream: ScriptedUpstream, stream: bool
) -> None:
    upstream.says("스탠다드 객실 주말 요금은 300,000원이고 예약은 02-999-8888로 받습니다.")

    reply = await proxy.chat(chat_body("스탠다드 주말 얼마에여?", ROOMS, stream=stream))

    assert said(reply) == (
        "자료에는 다음과 같이 안내되어 있습니다.\n\n"
        "스탠다드 주말 요금은 120,000원입니다.\n(출처: 객실 요금)"
    )


@each_row("answer", "existing")
async def test_an_answer_that_cites_what_the_sources_hold_passes(
    proxy: RunningProxy, upstream: ScriptedUpstream, answer: str
) -> None:
    upstream.says(answer)

    await assert_untouched(proxy, upstream, chat_body(ASKED, [*RULES]))


# --- Korean only -------------------------------------------------------------------------------


@each_row("answer", "what_belongs_into_korean_passes")
async def test_what_belongs_into_korean_passes(
    proxy: RunningProxy, upstream: ScriptedUpstream, answer: str
) -> None:
    upstream.says(answer)

    await assert_untouched(proxy, upstream, chat_body(ASKED, [*RULES]))


# --- complaints --------------------------------------------------------------------------------


def reason(name: str) -> str:
    return DEFAULT.policy.reasons[name]


@each_row("complaint, code", "unkindness")
async def test_a_complaint_is_met_at_once_with_the_reason_that_the_caller_gives(
    proxy: RunningProxy, upstream: ScriptedUpstream, complaint: str, code: str
) -> None:
    body = chat_body(complaint) | {"guard": {"last_error_reason": "NO_RAG_EVIDENCE"}}

    text = await both_ways(proxy, body, "replace", code)

    assert upstream.requests == []
    assert DEFAULT.templates.recognise(text) == code
    apology, next_step = text.find("죄송합니다"), text.find("다시 적어 주")
    assert -1 < apology < text.find(reason("no_rag_evidence")) < next_step


@each_row("complaint, code", "unkindness")
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


@each_row("question", "who_also_asks_is_answered_by_the_model")
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
