"""Sources that the caller gives exactly, and what is wrong with them."""

import pytest
from pydantic import JsonValue

from proxy.openai_api.sources import SourceFormatError
from tests.proxy.openai_api.asking import (
    PARKING,
    QUESTION,
    JsonObject,
    find,
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
