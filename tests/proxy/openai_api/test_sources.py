"""The question and the sources, format by format; all rules in them are invented."""

import json

from pydantic import JsonValue

from guards.core.exchange import ContextState
from tests.proxy.openai_api.asking import (
    BOTH,
    PARKING,
    QUESTION,
    REFUND,
    RULE,  # noqa: F401 - the table names it
    find,
    texts,
)
from tests.tables import each_row


@each_row("turn", "user_turns")
def test_reads_question_and_sources_out_of_a_templated_user_turn(turn: str) -> None:
    found = find(("system", "당신은 규정 도우미입니다. 간결하게 답하세요."), ("user", turn))

    assert texts(found) == [REFUND, PARKING]
    assert found.question == QUESTION
    assert found.context is ContextState.FOUND
    assert [place.message for place in found.found] == [1]


@each_row("prompt", "system_turns")
def test_reads_sources_out_of_a_system_message(prompt: str) -> None:
    found = find(("system", prompt), ("user", QUESTION))

    assert texts(found) == [REFUND, PARKING]
    assert found.question == QUESTION
    assert [place.message for place in found.found] == [0]


def test_developer_message_is_a_system_message() -> None:
    found = find(("developer", f"검색 결과:\n[1] 환불\n{REFUND}"), ("user", QUESTION))

    assert [(source.id, source.title, source.text) for source in found.sources] == [
        ("1", "환불", REFUND)
    ]


def test_content_parts_are_one_text() -> None:
    parts: list[JsonValue] = [
        {"type": "text", "text": f"<documents><document>{REFUND}</document></documents>"},
        {"type": "image_url", "image_url": {"url": "data:,"}},
        {"type": "text", "text": QUESTION},
    ]
    found = find(("user", parts))

    assert (texts(found), found.question) == ([REFUND], QUESTION)


def test_context_in_a_user_message_of_its_own_belongs_to_the_turn() -> None:
    found = find(("user", f"참고 자료:\n{BOTH}"), ("user", QUESTION))

    assert (texts(found), found.question) == ([REFUND, PARKING], QUESTION)


@each_row("role", ["tool", "function"])
@each_row("result, score", "tool_results")
def test_reads_records_of_a_tool_result(result: JsonValue, score: float | None, role: str) -> None:
    found = find(("user", QUESTION), (role, json.dumps(result, ensure_ascii=False)))

    [source] = found.sources
    assert (source.title, source.text, source.page, source.score) == ("환불", REFUND, 3, score)


def test_tool_text_is_a_source() -> None:
    assert texts(find(("user", QUESTION), ("tool", REFUND))) == [REFUND]


def test_record_without_text_is_read_as_lines() -> None:
    found = find(("user", "서울 기온은?"), ("tool", '{"city": "서울", "air": {"celsius": 21.5}}'))

    assert texts(found) == ["city: 서울\nair.celsius: 21.5"]


@each_row("documents", "document_fields")
def test_reads_the_documents_field(documents: list[JsonValue]) -> None:
    found = find(("user", QUESTION), beside={"documents": documents})

    assert [(source.title, source.text) for source in found.sources] == [("환불", REFUND)]
    assert [(place.format, place.message) for place in found.found] == [("documents", None)]


def test_strings_are_documents_too() -> None:
    assert texts(find(("user", QUESTION), beside={"documents": [REFUND, PARKING]})) == [
        REFUND,
        PARKING,
    ]


TAGGED = f"<documents>\n<document>\n{REFUND}\n</document>\n</documents>"


@each_row("prompt", "announced")
def test_sentences_that_announce_the_question_are_none_of_it(prompt: str) -> None:
    found = find(("user", prompt))

    assert found.question == QUESTION
    assert texts(found) == [REFUND]


@each_row("question", "a_question_that_speaks_of_questions_stays_whole")
def test_a_question_that_speaks_of_questions_stays_whole(question: str) -> None:
    assert find(("user", f"{question}\n\n{TAGGED}")).question == question
