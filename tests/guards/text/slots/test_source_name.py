import pytest

from guards.core.exchange import Source
from guards.text.slots.law_index import LawIndex
from guards.text.slots.source_name import SourceNames

SOURCES = (
    Source("7", "환불 안내", "이레 안에 환불한다.", file="새봄약관.pdf", page=3),
    Source("a", "배송 안내", "사흘 안에 보낸다.", file="새봄약관.pdf", page=4),
    Source("c", "솔숲 조례", "제8조(교환) 교환할 수 있다."),
)


@pytest.fixture
def names() -> SourceNames:
    return SourceNames(SOURCES, LawIndex.of(SOURCES))


@pytest.mark.parametrize(
    ("target", "ids"),
    [
        ("환불 안내", ["7"]),
        ("환불안내, p.3", ["7"]),
        ("새봄약관.pdf", ["7", "a"]),
        ("새봄약관.pdf, p.4", ["a"]),
        ("새봄약관 4쪽", ["a"]),
        ("[배송 안내](https://example.com)", ["a"]),
        ("솔숲 조례 별지", ["c"]),
        ("제8조", ["c"]),
        ("제공된 문서 7", ["7"]),
        ("출처 2", ["a"]),
        ("유령 문서", []),
        ("제공된 자료", []),
    ],
    ids=[
        "title", "title-and-page", "file-of-two", "file-and-page", "stem-and-page", "link",
        "title-and-more", "article", "number", "place", "nobody", "no-name",
    ],
)  # fmt: skip
def test_names_sources(names: SourceNames, target: str, ids: list[str]) -> None:
    assert [source.id for source in names.named(target)] == ids


@pytest.mark.parametrize(
    ("number", "source_id"), [(7, "7"), (1, "7"), (2, "a"), (4, None), (0, None)]
)
def test_numbers_are_ids_first_and_places_then(
    names: SourceNames, number: int, source_id: str | None
) -> None:
    found = names.numbered(number)

    assert (found.id if found else None) == source_id
