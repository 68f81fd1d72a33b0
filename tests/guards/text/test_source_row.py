import pytest

from guards.core.exchange import Exchange, Source
from guards.core.reading import Asked
from guards.text.features import features
from guards.text.held import INDEXED_FROM_SENTENCES, Wanted
from guards.text.sentences import LONGEST_SENTENCE_CHARS
from guards.text.source_row import NOWHERE, SourceRow

GARDEN = Source("1", "온실 안내", "온실은 화요일에 닫는다. 매점은 연다.")
PARKING = Source("2", "주차 안내", "주차장은 광장에 있다.", "지도.pdf")
LONG = Source("3", "긴 문서", "분수대는 넓다.\n" * (INDEXED_FROM_SENTENCES + 1))


def row_of(*sources: Source) -> SourceRow:
    return SourceRow(Asked(Exchange("", sources)).told)


@pytest.mark.parametrize(
    ("word", "has"),
    [
        pytest.param("온실", True, id="in-a-sentence"),
        pytest.param("분수대", True, id="in-a-long-source"),
        pytest.param("안내", False, id="in-titles-only"),
        pytest.param("지도", False, id="in-the-name-of-a-file"),
        pytest.param("수영장", False, id="nowhere"),
    ],
)
def test_only_what_sentences_say_counts_as_said(word: str, has: bool) -> None:
    assert row_of(GARDEN, PARKING, LONG).has({word}) is has


def test_neighbours_in_the_row_are_neighbours_in_a_source() -> None:
    held = row_of(LONG, GARDEN, PARKING).held(Wanted(features("온실 매점 주차장 분수대")))

    starts = [held.spans[source][0] for source in range(3)]
    assert [held.places[start] for start in starts] == [NOWHERE] * 3
    for source, (start, end) in enumerate(held.spans):
        assert {place[0] for place in held.places[start:end] if place != NOWHERE} == {source}
        assert held.places[end - 2 : end] == [NOWHERE] * 2


def test_a_place_holds_what_its_sentence_holds() -> None:
    wanted = Wanted(features("온실은 화요일에 닫습니다"))

    held = row_of(GARDEN, PARKING).held(wanted)

    at = held.places.index((0, 0))
    assert wanted.share(held.held[at], wanted.words) == 1
    assert held.titles == [wanted.held_in(features(one.title)) for one in (GARDEN, PARKING)]
    assert held.headings[1] == wanted.held_in(features("주차 안내 지도.pdf"))


def test_what_never_ends_is_told_apart() -> None:
    endless = Source("4", "", "주차 " * LONGEST_SENTENCE_CHARS)

    assert row_of(GARDEN, endless).endless == {(1, 0)}
