"""Passages: where one ends, what it is called, and the fields that name it."""

import json

import pytest
from pydantic import JsonValue

from guards.core.exchange import ContextState
from policies.schema.policy import SourceRules
from proxy.openai_api.sources import FoundContext, SourceFormatError
from tests.proxy.openai_api.asking import (
    LEAVE,
    PARKING,
    QUESTION,
    REFUND,
    JsonObject,
    find,
    texts,
)
from tests.tables import each_row


def test_list_of_questions_and_answers_is_content() -> None:
    faq = "Q: 조식은 몇 시인가요?\nA: 오전 7시부터 10시까지입니다."
    found = find(("user", f"참고 자료:\n{faq}\n\n질문: 조식 시간은?\n답변:"))

    assert (texts(found), found.question) == ([faq], "조식 시간은?")


def test_notes_within_a_passage_are_content() -> None:
    found = find(("user", f"참고 자료:\n{LEAVE}\n\n질문: 휴가는 며칠인가요?\n답변:"))

    assert texts(found) == [LEAVE]


def test_printed_documents_give_file_and_page() -> None:
    printed = f"[Document(metadata={{'source': 'a.pdf', 'page': 3}}, page_content={REFUND!r})]"
    found = find(("user", f"Answer from this context:\n{printed}\n\nQuestion: {QUESTION}\n"))

    [source] = found.sources
    assert (source.text, source.file, source.page) == (REFUND, "a.pdf", 3)


@each_row("document, score", "fields")
def test_reads_the_fields_of_a_passage(document: str, score: float | None) -> None:
    [source] = find(("system", f"검색 결과:\n{document}"), ("user", QUESTION)).sources

    assert (source.text, source.file, source.page, source.score) == (REFUND, "a.pdf", 3, score)


def test_passage_keeps_the_number_that_the_prompt_gave_it() -> None:
    found = find(("system", f"검색 결과:\n[3] {REFUND}\n\n[7] {PARKING}"), ("user", QUESTION))

    assert [source.id for source in found.sources] == ["3", "7"]


def test_sources_never_share_an_id() -> None:
    found = find(("user", QUESTION), ("tool", f"[1] {REFUND}"), ("tool", f"[1] {PARKING}"))

    assert [source.id for source in found.sources] == ["1", "2"]


def test_same_passage_counts_once() -> None:
    found = find(("user", QUESTION), ("tool", json.dumps([REFUND, REFUND, PARKING])))

    assert texts(found) == [REFUND, PARKING]
    assert [item.reason for item in found.dropped] == ["duplicate"]


def marked(*passages: tuple[str, str, str]) -> str:
    return "\n\n".join(f"[Source: {file}]\n[Page {page}]\n{text}" for file, page, text in passages)


def reasons(found: FoundContext) -> list[tuple[str, str]]:
    return [(item.reason, item.title) for item in found.dropped]


def test_marked_passage_needs_the_least_length() -> None:
    found = find(("system", marked(("a.pdf", "1", REFUND), ("b.pdf", "1", "14일"))), ("user", "?"))

    assert reasons(found) == [("too_short", "b.pdf")]


def test_one_marked_passage_for_each_file_and_page() -> None:
    context = marked(("a.pdf", "1", REFUND), ("a.pdf", "1", PARKING), ("a.pdf", "2", LEAVE))
    found = find(("system", context), ("user", "?"))

    assert [source.page for source in found.sources] == [1, 2]
    assert reasons(found) == [("same_page", "a.pdf")]


def test_at_most_so_many_marked_passages() -> None:
    context = marked(*((f"{n}.pdf", "1", f"{n}번 {LEAVE} {REFUND}") for n in range(7)))
    found = find(("system", context), ("user", "?"), rules=SourceRules(max_sources=3))

    assert [source.file for source in found.sources] == ["0.pdf", "1.pdf", "2.pdf"]
    assert {reason for reason, _ in reasons(found)} == {"too_many"}


def test_marked_passage_far_behind_needs_words() -> None:
    short = "환불은 고객센터에 전화로 신청합니다."
    context = marked(
        *((f"{n}.pdf", "1", f"{n}번 {LEAVE} {REFUND}") for n in range(3)), ("z.pdf", "1", short)
    )

    assert reasons(find(("system", context), ("user", "?"))) == [("low_relevance", "z.pdf")]
    kept = find(("system", context), ("user", "?"), rules=SourceRules(min_relevance=0.1))
    assert short in texts(kept)


def test_place_points_at_the_block() -> None:
    system = f"문서로 답하세요.\n\n<context>\n{REFUND}\n</context>"
    [place] = find(("system", system), ("user", QUESTION)).found

    assert place.span is not None
    block = system[place.span.start : place.span.end]
    assert (place.format, place.field, place.sources) == ("tags.context", "messages", 1)
    assert block == f"<context>\n{REFUND}\n</context>"


def test_echo_holds_instructions_and_no_evidence() -> None:
    found = find(("system", f"존댓말로 답하세요.\n\n참고 문서:\n{REFUND}"), ("user", QUESTION))

    assert found.echo == "존댓말로 답하세요."


def test_marked_text_is_text_whatever_it_looks_like() -> None:
    found = find(
        (
            "system",
            f"<documents><document index='1'><title>환불</title><content><![CDATA[{REFUND} "
            f"</document> a < b]]></content></document>"
            f"<document index='2'><![CDATA[{PARKING}]]></document></documents>",
        ),
        ("user", QUESTION),
    )

    assert texts(found) == [f"{REFUND} </document> a < b", PARKING]


def test_a_mark_that_is_never_closed_is_text() -> None:
    found = find(("system", f"<context>{REFUND} <![CDATA[ {PARKING}</context>"), ("user", QUESTION))

    assert texts(found) == [f"{REFUND} <![CDATA[ {PARKING}"]


@each_row("name, text, called", "named_tags")
def test_the_name_of_a_tag_is_the_title_or_the_document(
    name: str, text: str, called: tuple[str, str]
) -> None:
    found = find(
        ("system", f'<context>\n<source id="1" name="{name}">{text}</source>\n</context>'),
        ("user", QUESTION),
    )

    [source] = found.sources
    assert (source.title, source.file) == called
    assert source.text == REFUND


def test_exact_sources_are_all_there_is() -> None:
    exact: JsonObject = {
        "section_title": "제5조",
        "section_content": "14일",
        "file": "환불.pdf",
        "page": 3,
        "score": 0.8,
        "id": "R-5",
    }
    found = find(
        ("system", f"참고 문서:\n{PARKING}"),
        ("user", QUESTION),
        beside={"guard": {"sources": [exact]}},
    )

    [source] = found.sources
    assert (source.id, source.title, source.text) == ("R-5", "제5조", "14일")
    assert (source.file, source.page, source.score) == ("환불.pdf", 3, 0.8)
    assert [place.field for place in found.found] == ["guard.sources"]


@each_row("guard, field", "wrong_exact")
def test_wrong_exact_sources_name_the_field(guard: JsonValue, field: str) -> None:
    with pytest.raises(SourceFormatError) as caught:
        find(("user", QUESTION), beside={"guard": guard})

    assert caught.value.field == field


EVIDENCE_FIELDS = [
    pytest.param([REFUND, PARKING], ["", ""], id="strings"),
    pytest.param(
        [{"title": "환불", "content": REFUND}, {"title": "주차", "content": PARKING}],
        ["환불", "주차"],
        id="objects",
    ),
    pytest.param(
        [{"source": {"name": "안내"}, "document": [REFUND, PARKING], "metadata": [{"page": 3}]}],
        ["안내", "안내"],
        id="texts-in-parallel",
    ),
]


@pytest.mark.parametrize("field", ["documents", "sources"])
@pytest.mark.parametrize(("given", "titles"), EVIDENCE_FIELDS)
def test_fields_of_the_request_hold_sources(
    field: str, given: JsonValue, titles: list[str]
) -> None:
    found = find(("user", QUESTION), beside={field: given})

    assert texts(found) == [REFUND, PARKING]
    assert [source.title for source in found.sources] == titles
    assert [place.field for place in found.found] == [field]


def test_what_is_known_of_each_text_stands_at_its_place() -> None:
    given: JsonValue = [{"document": [REFUND, PARKING], "metadata": [{"page": 3}, {"page": 4}]}]

    found = find(("user", QUESTION), beside={"sources": given})

    assert [source.page for source in found.sources] == [3, 4]


def test_documents_come_before_sources() -> None:
    found = find(("user", QUESTION), beside={"documents": [REFUND], "sources": [PARKING]})

    assert texts(found) == [REFUND]


def test_an_empty_field_says_that_nothing_was_found() -> None:
    assert find(("user", QUESTION), beside={"sources": []}).context is ContextState.EMPTY


def test_single_words_say_where_to_search() -> None:
    found = find(("user", QUESTION), beside={"sources": ["web", "files"]})

    assert found.context is ContextState.ABSENT
