from guards.core.exchange import Source
from guards.text.citing.numbering import Numbering
from guards.text.citing.references import marks_in_body, read_references
from guards.text.laws.index import LawIndex
from guards.text.slots.source_name import SourceNames
from tests.tables import each_row


def source(id_: str, file: str = "", page: int | None = None) -> Source:
    return Source(id_, "", "온실은 화요일에 닫습니다.", file=file, page=page)


def numbering(*sources: Source, answer: str = "") -> Numbering:
    names = SourceNames(sources, LawIndex.of(sources))
    return Numbering(sources, read_references(answer), names)


def meant(numbers: Numbering, number: int) -> str | None:
    found = numbers.source_of(number)
    return found.id if found else None


@each_row("ids, number, expected", "a_number_is_an_id_or_the_place_of_a_source_without_one")
def test_a_number_is_an_id_or_the_place_of_a_source_without_one(
    ids: tuple[str, ...], number: int, expected: str | None
) -> None:
    assert meant(numbering(*map(source, ids)), number) == expected


def test_the_answers_own_list_says_what_its_numbers_mean() -> None:
    sources = (source("1", "a.pdf"), source("2", "b.pdf"))
    own = numbering(*sources, answer="닫습니다[1].\n\n참고 문헌\n- [1] b.pdf")

    assert meant(own, 1) == "2"
    assert own.number_of(sources[1]) == 1


def test_a_line_that_could_mean_several_sources_means_that_of_its_number() -> None:
    pieces = (source("1", "a.pdf", 1), source("2", "a.pdf", 2))
    own = numbering(*pieces, answer="닫습니다[2].\n\n참고 문헌\n- [2] a.pdf")

    assert meant(own, 2) == "2"


@each_row("ids, text, cited", "zero_cites_where_a_source_is_called_so_or_a_sentence_ends")
def test_zero_cites_where_a_source_is_called_so_or_a_sentence_ends(
    ids: tuple[str, ...], text: str, cited: tuple[int, ...]
) -> None:
    [mark] = marks_in_body(text, None)

    assert numbering(*map(source, ids)).cited_by(mark) == cited
