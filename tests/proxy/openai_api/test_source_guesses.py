"""Directions in a system message are no sources; what is only guessed silences nothing."""

import pytest

from guards.core.exchange import ContextState
from tests.proxy.openai_api.asking import (
    BOTH,
    PARKING,
    PLANTED,
    QUESTION,
    REFUND,
    RULE,
    JsonObject,
    find,
    texts,
)
from tests.tables import each_row

EXPERT = (
    "You are an expert Q&A system for the front desk.\n"
    "Always answer the query using the provided context information, and not prior knowledge.\n"
    "Some rules to follow:\n"
    "1. Never directly reference the given context in your answer.\n"
    "2. Avoid statements like 'Based on the context, ...' or anything along those lines."
)
REVISER = (
    "You are an expert Q&A system with two modes when refining existing answers:\n"
    "1. **Rewrite** an original answer using the new context.\n"
    "2. **Repeat** the original answer if the new context isn't useful.\n"
    "Never reference the original answer or context directly in your answer.\n"
    "When in doubt, just repeat the original answer."
)
REVISED = f"New Context: {BOTH}\nQuery: {QUESTION}\nOriginal Answer: 잘 모르겠습니다.\nNew Answer: "
LABELLED = f"### 참고자료\n{BOTH}\n\n### 질문\n{QUESTION}"


def _ruled(introduction: str, order: str) -> str:
    return f"{introduction}\n{RULE}\n{BOTH}\n{RULE}\n{order}\nQuery: {QUESTION}\nAnswer: "


BESIDE_DIRECTIONS = [
    pytest.param(
        EXPERT,
        _ruled(
            "Context information is below.",
            "Given the context information and not prior knowledge, answer the query.",
        ),
        id="compact",
    ),
    pytest.param(
        EXPERT,
        _ruled(
            "Context information from multiple sources is below.",
            "Given the information from multiple sources and not prior knowledge, "
            "answer the query.",
        ),
        id="tree-summarize",
    ),
    pytest.param(REVISER, REVISED, id="refine-with-a-system-message"),
    pytest.param(EXPERT, f"{REVISER}\n{REVISED}", id="refine-in-one-turn"),
    pytest.param(
        "당신은 챗봇입니다.\n답변은 반드시 제공된 참고자료만 사용하고, 추측하지 마세요.",
        LABELLED,
        id="korean-order-about-provided-material",
    ),
    pytest.param(
        "하늘호텔의 손님을 맞이하는 안내 직원입니다.\n\n"
        "답변은 반드시 제공된 참고자료만 사용하세요.",
        LABELLED,
        id="who-the-assistant-is-in-a-paragraph",
    ),
    pytest.param(
        "당신은 챗봇입니다.\n\n참고자료:\n사용자 메시지에 있습니다.",
        LABELLED,
        id="heading-that-sends-to-the-user-message",
    ),
    pytest.param(
        "You are a clerk.\n\nContext:\nIt is provided in the user message.",
        LABELLED,
        id="english-heading-that-sends-to-the-user-message",
    ),
    pytest.param("참고자료: 사용자가 제공합니다.", LABELLED, id="heading-that-sends-to-the-user"),
    pytest.param(
        "Context:\nThe user message contains the context.",
        LABELLED,
        id="heading-that-says-what-the-user-message-holds",
    ),
    pytest.param(
        "[참고자료]\n- 사용자 메시지의 자료만 사용하세요.\n- 없는 내용은 말하지 마세요.",
        LABELLED,
        id="rules-about-the-user-message",
    ),
    pytest.param(
        "아래 자료만 사용해 답하세요.\n\n존댓말을 씁니다.\n욕설은 금지.\n반말은 하지 마세요.",
        LABELLED,
        id="rules-below-an-announcement",
    ),
    pytest.param(
        "## 참고자료\n1. 자료에 없는 내용은 지어내지 마세요.\n2. 반말 금지.\n3. 짧게 쓰세요.",
        LABELLED,
        id="rules-below-a-context-heading",
    ),
]


@each_row("system, turn", BESIDE_DIRECTIONS)
def test_directions_do_not_silence_the_block_of_the_user_turn(system: str, turn: str) -> None:
    found = find(("system", system), ("user", turn))

    assert texts(found) == [REFUND, PARKING]
    assert found.question == QUESTION
    assert [place.message for place in found.found] == [1]


@each_row("system", "directions_alone_are_no_context")
def test_directions_alone_are_no_context(system: str) -> None:
    found = find(("system", system), ("user", QUESTION))

    assert found.sources == ()


SHORT = "재택근무는 주 2회까지 한다.\n\n육아휴직은 1년이다.\n\n연차는 15일이다."


@each_row("system", "unlabelled")
def test_unlabelled_text_that_an_order_points_at_is_the_context(system: str) -> None:
    found = find(("system", system), ("user", QUESTION))

    assert texts(found) == SHORT.split("\n\n")
    assert found.context is ContextState.FOUND


def test_order_that_points_at_nothing_opens_no_context() -> None:
    found = find(("system", "다음을 바탕으로 답변해 주세요."), ("user", QUESTION))

    assert found.context is ContextState.ABSENT


def test_order_in_a_user_turn_does_not_make_the_text_below_it_evidence() -> None:
    found = find(("user", f"Answer only from the following.\n\n{PLANTED}\n\n{QUESTION}"))

    assert found.context is ContextState.ABSENT


def test_guessed_block_stands_behind_a_marked_one() -> None:
    system = f"제공된 자료를 보고 답하세요.\n\n{PARKING}"
    turn = f"[참고 자료]\n{REFUND}\n\n[질문]\n{QUESTION}"

    assert texts(find(("system", system), ("user", turn))) == [REFUND, PARKING]


def test_guessed_block_counts_before_one_that_is_guessed_in_the_user_turn() -> None:
    system = f"제공된 자료를 보고 답하세요.\n\n{REFUND}"
    turn = f"- {PLANTED}\n\n위 자료를 보고 답해 주세요: {QUESTION}"

    assert texts(find(("system", system), ("user", turn))) == [REFUND]


def test_announced_context_silences_an_imitated_template() -> None:
    system = f"Use the following pieces of context to answer.\n\n{REFUND}"
    turn = f"[참고 자료]\n{PLANTED}\n\n[질문]\n{QUESTION}"

    assert texts(find(("system", system), ("user", turn))) == [REFUND]


def test_guessed_block_that_says_nothing_was_found_is_empty() -> None:
    system = "제공된 자료를 보고 답하세요.\n\n검색된 관련 문서가 없습니다."

    assert find(("system", system), ("user", QUESTION)).context is ContextState.EMPTY


def test_short_order_below_a_context_heading_is_context() -> None:
    order = "늦은 체크아웃은 전날 저녁까지 프런트에 신청하세요."

    assert texts(find(("system", f"## 참고자료\n{order}"), ("user", QUESTION))) == [order]


@each_row("last", "about_users")
def test_passage_about_users_keeps_its_last_line(last: str) -> None:
    found = find(("system", f"## 참고자료\n{REFUND}\n{last}"), ("user", QUESTION))

    assert texts(found) == [f"{REFUND}\n{last}"]


STEPS = "\n".join(f"{step}번 단추를 누르고 불이 켜지면 기다리세요." for step in range(1, 30))


def test_manual_full_of_orders_is_context() -> None:
    found = find(("system", f"아래 자료만 보고 답하세요.\n\n{STEPS}"), ("user", QUESTION))

    assert texts(found) == [STEPS]


def test_manual_below_a_heading_silences_an_imitated_template() -> None:
    turn = f"[참고 자료]\n{PLANTED}\n\n[질문]\n{QUESTION}"

    assert texts(find(("system", f"## 참고자료\n{STEPS}"), ("user", turn))) == [STEPS]


@each_row("content", "wordless")
def test_exact_source_without_a_word_is_empty(content: str) -> None:
    found = find(("user", QUESTION), beside={"guard": {"sources": [{"section_content": content}]}})

    assert found.context is ContextState.EMPTY
    assert [dropped.reason for dropped in found.dropped] == ["empty"]


def test_exact_source_with_a_number_below_its_title_counts() -> None:
    price: JsonObject = {"section_title": "조식 요금", "section_content": "19,000"}

    assert texts(find(("user", QUESTION), beside={"guard": {"sources": [price]}})) == ["19,000"]
