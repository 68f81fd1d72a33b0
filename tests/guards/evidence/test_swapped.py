from guards.core.exchange import Source
from guards.core.reading import SourceSet
from guards.evidence.swapped import Swap, swap_in
from tests.tables import each_row

SOURCE = "지난 여름에 강릉시 청소년들이 바닷가 둘레길을 모두 청소했다."


def swap_of(sentence: str, *texts: str) -> Swap | None:
    return swap_in(sentence, SourceSet(tuple(Source("7", "", text) for text in texts)))


@each_row("sentence, new, old, after", "one_place_differs")
def test_one_place_differs(sentence: str, new: str, old: str, after: str) -> None:
    swap = swap_of(sentence, SOURCE)

    assert swap is not None
    assert (swap.new.strip("'"), swap.old, swap.after) == (new, old, after)
    assert sentence[swap.start : swap.end] == swap.new
    assert (swap.source_id, swap.sentence) == ("7", SOURCE)


@each_row("sentence", "no_place_or_several")
def test_no_place_or_several(sentence: str) -> None:
    assert swap_of(sentence, SOURCE) is None


def test_a_sentence_that_stands_somewhere_is_never_compared_with_its_kin() -> None:
    towns = [
        f"{town}시 도서관은 매주 월요일에 모두 문을 닫는다." for town in "가나다라마바사아자차"
    ]

    assert [swap_of(sentence, *towns) for sentence in towns] == [None] * len(towns)
