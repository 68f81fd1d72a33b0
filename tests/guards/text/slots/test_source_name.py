import pytest

from guards.core.exchange import Source
from guards.text.laws.index import LawIndex
from guards.text.slots.source_name import SourceNames
from tests.tables import each_row

SOURCES = (
    Source("7", "환불 안내", "이레 안에 환불한다.", file="새봄약관.pdf", page=3),
    Source("a", "배송 안내", "사흘 안에 보낸다.", file="새봄약관.pdf", page=4),
    Source("c", "솔숲 조례", "제8조(교환) 교환할 수 있다."),
)


@pytest.fixture
def names() -> SourceNames:
    return SourceNames(SOURCES, LawIndex.of(SOURCES))


@each_row("target, ids", "names_sources")
def test_names_sources(names: SourceNames, target: str, ids: list[str]) -> None:
    assert [source.id for source in names.named(target)] == ids


@each_row("target, unknown", "tells_files_that_no_source_is")
def test_tells_files_that_no_source_is(
    names: SourceNames, target: str, unknown: tuple[str, ...]
) -> None:
    assert names.unknown_files(target) == unknown


def test_without_files_none_is_unknown() -> None:
    sources = (Source("1", "환불 안내", "이레 안에 환불한다."),)

    assert SourceNames(sources, LawIndex.of(sources)).unknown_files("유령.pdf") == ()


PAGED = (
    Source("1", "환불 안내", "이레 안에 환불한다.", file="약관.pdf", page=3),
    Source("2", "배송 안내", "사흘 안에 보낸다(12쪽 참조).", file="약관.pdf", page=7),
    Source("3", "교환 안내", "교환한다.", file="교환.pdf"),
)


@each_row("target, mended", "leaves_out_a_page_that_is_not_there")
def test_leaves_out_a_page_that_is_not_there(target: str, mended: str | None) -> None:
    names = SourceNames(PAGED, LawIndex.of(PAGED))

    assert names.without_wrong_places(target) == mended


def test_a_page_alone_is_wrong_where_no_source_can_have_it() -> None:
    names = SourceNames(PAGED[:2], LawIndex.of(PAGED[:2]))

    assert names.without_wrong_places("p.99") == ""
    assert names.without_wrong_places("p.7") is None


MANUALS = (
    Source("1", "환불 편람", "제5조(환불) 이레 안에 한다.\n제6조(배송) 제9조에 따른다."),
    Source("2", "교환 편람", "제7조(교환) 매장에서 한다."),
    Source("3", "휴관 편람", "② 월요일에 쉰다.\n제8조(설날) 쉰다."),
)


@each_row("target, mended", "leaves_out_an_article_that_the_document_does_not_have")
def test_leaves_out_an_article_that_the_document_does_not_have(
    target: str, mended: str | None
) -> None:
    names = SourceNames(MANUALS, LawIndex.of(MANUALS))

    assert names.without_wrong_places(target) == mended


@each_row("target, mended", "puts_the_heading_of_an_article_right")
def test_puts_the_heading_of_an_article_right(
    names: SourceNames, target: str, mended: str | None
) -> None:
    assert names.with_right_heading(target) == mended


@each_row("number, source_id", [(7, "7"), (1, "7"), (2, "a"), (4, None), (0, None)])
def test_numbers_are_ids_first_and_places_then(
    names: SourceNames, number: int, source_id: str | None
) -> None:
    found = names.numbered(number)

    assert (found.id if found else None) == source_id
