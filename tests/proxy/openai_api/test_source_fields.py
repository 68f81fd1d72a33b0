"""Sources that the caller gives exactly, and what is wrong with them."""

import pytest
from pydantic import JsonValue

from guards.core.exchange import ContextState
from proxy.openai_api.sources import SourceFormatError
from tests.proxy.openai_api.asking import (
    PARKING,
    QUESTION,
    REFUND,
    JsonObject,
    find,
    texts,
)


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


WRONG_EXACT = [
    pytest.param("x", "guard", id="guard-is-no-object"),
    pytest.param({"sources": "x"}, "guard.sources", id="sources-is-no-array"),
    pytest.param({"sources": [1]}, "guard.sources[0]", id="source-is-no-object"),
    pytest.param({"sources": [{}]}, "guard.sources[0].section_content", id="no-content"),
    pytest.param(
        {"sources": [{"section_content": "a", "section_title": 1}]},
        "guard.sources[0].section_title",
        id="title-is-no-string",
    ),
    pytest.param(
        {"sources": [{"section_content": "a", "page": "3"}]},
        "guard.sources[0].page",
        id="page-is-no-integer",
    ),
    pytest.param(
        {"sources": [{"section_content": "a", "score": 7}]},
        "guard.sources[0].score",
        id="score-is-out-of-range",
    ),
    pytest.param(
        {"sources": [{"section_content": "a", "score": 10**400}]},
        "guard.sources[0].score",
        id="score-is-huge",
    ),
    pytest.param(
        {"sources": [{"section_content": "a", "id": True}]},
        "guard.sources[0].id",
        id="id-is-a-boolean",
    ),
    pytest.param(
        {"sources": [{"section_content": "a"}, {"section_content": "b", "id": 1}]},
        "guard.sources[1].id",
        id="id-names-two-sources",
    ),
]


@pytest.mark.parametrize(("guard", "field"), WRONG_EXACT)
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
