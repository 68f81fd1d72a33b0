"""Rule questions, provisions and language: what may leave, and what a template stands for."""

import pytest
from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream, is_second_attempt
from tests.flow.replies import assert_untouched, both_ways, sent_to_model
from tests.flow.rules import (
    ASKED,
    DEFAULT,
    LEAKED,
    LEAVE,
    RULES,
    TRUE_ANSWER,
    UNFOUNDED,
    scored,
    with_context_block,
)

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


@pytest.mark.parametrize(("body", "lack"), NO_EVIDENCE)
async def test_a_rule_question_without_evidence_is_answered_by_a_template(
    proxy: RunningProxy, upstream: ScriptedUpstream, body: JsonObject, lack: str
) -> None:
    upstream.says(UNFOUNDED)

    text = await both_ways(proxy, body, "replace", f"answerability.{lack}")

    assert upstream.requests == []
    assert DEFAULT.templates.recognise(text) == "answerability"
    what, causes, next_step = "찾지 못했습니다", "때문일 수 있습니다", "다시 질문해 주시기 바랍니다"
    assert -1 < text.find(what) < text.find(causes) < text.find(next_step)


@pytest.mark.parametrize(("body", "answer"), EVIDENCE)
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

CITED_BUT_INVENTED = [
    pytest.param("복무규정 제77조에 나옵니다.", "제77조", "article", id="article"),
    pytest.param("복무규정 제21조의6에 나옵니다.", "제21조의6", "article", id="branch"),
    pytest.param("복무규정 제21조 제8항에 나옵니다.", "제8항", "paragraph", id="paragraph"),
    pytest.param("21조 8항에 나옵니다.", "8항", "paragraph", id="paragraph-in-short"),
    pytest.param("제21조 제2항 제9호에 나옵니다.", "제9호", "item", id="item"),
    pytest.param("일수는 별표 9에 나옵니다.", "별표 9", "annex", id="table"),
    pytest.param("복무규정 부칙 제6조에 나옵니다.", "제6조", "addendum", id="addendum"),
    pytest.param("시행령 제3조에 나옵니다.", "시행령", "decree", id="decree"),
    pytest.param("복무규정 시행규칙 제4조에 나옵니다.", "시행규칙", "law", id="rule"),
]
EXISTING = [
    pytest.param("복무규정 제21조에 따라 5일을 받습니다.", id="article"),
    pytest.param("복무규정 제21조의2에 따라 신청서를 부서장에게 냅니다.", id="branch"),
    pytest.param("복무규정 제21조 제2항에 나옵니다.", id="paragraph"),
    pytest.param("21조 2항에 나옵니다.", id="paragraph-in-short"),
    pytest.param("제21조 제2항 제1호에 따라 3일을 받습니다.", id="item"),
    pytest.param("그 밖의 일수는 별표 2에 나옵니다.", id="table"),
    pytest.param("복무규정 부칙 제1조에 따라 2031년 3월 2일부터 시행합니다.", id="addendum"),
]


@pytest.mark.parametrize(("answer", "invented", "level"), CITED_BUT_INVENTED)
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


@pytest.mark.parametrize("answer", EXISTING)
async def test_an_answer_that_cites_what_the_sources_hold_passes(
    proxy: RunningProxy, upstream: ScriptedUpstream, answer: str
) -> None:
    upstream.says(answer)

    await assert_untouched(proxy, upstream, chat_body(ASKED, [*RULES]))


# --- Korean only -------------------------------------------------------------------------------

LEAKED_AGAIN = "结婚时可以休5天婚假。"


async def test_chinese_is_healed_by_one_second_attempt_that_asks_for_korean(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(LEAKED, TRUE_ANSWER)

    text = await both_ways(proxy, chat_body(ASKED, [*RULES]), "regenerate", "korean_only.han")

    assert text == TRUE_ANSWER
    asked = [sent_to_model(request) for request in upstream.requests]
    assert [is_second_attempt(request) for request in upstream.requests] == [False, True] * 2
    for first, second in (asked[:2], asked[2:]):
        assert first == ASKED
        assert second.startswith(ASKED)
        assert "한국어" in second.removeprefix(ASKED)


async def test_chinese_that_persists_ends_in_the_language_template(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(LEAKED, LEAKED_AGAIN)

    text = await both_ways(proxy, chat_body(ASKED, [*RULES]), "replace", "korean_only.han")

    assert DEFAULT.templates.recognise(text) == "korean_only"
    assert "한국어로 온전하게 드리지 못했습니다" in text
    assert len(upstream.requests) == 4


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("경조(慶弔)휴가는 5일입니다.", id="hanja-after-its-hangul"),
        pytest.param("신청서(PDF)를 소속 부서장에게 냅니다.", id="abbreviation"),
    ],
)
async def test_what_belongs_into_korean_passes(
    proxy: RunningProxy, upstream: ScriptedUpstream, answer: str
) -> None:
    upstream.says(answer)

    await assert_untouched(proxy, upstream, chat_body(ASKED, [*RULES]))
