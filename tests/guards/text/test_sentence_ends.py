from hypothesis import given
from hypothesis import strategies as st

from guards.text.sentences import SentenceEnds, sentence_ends
from tests.tables import each_row

WORDS = '가 다. 요? … 1 3. 2024. A. [1] [2,3] 【표】 ² ( ) [ “ ” " 에따르면 이 , · 번문서 (출처:가)'
SPACED = [
    " ",
    "\n",
    "\t",
    "\u3000",
    "1. ",
    "나. ",
    "- ",
    "[출처: 규정]",
    " 에 따라",
    "은 ",
    "가" * 130,
]
PIECES = st.sampled_from([*WORDS.split(), *SPACED])
TEXTS = st.lists(PIECES, max_size=25).map("".join)


def ends_of(pieces: list[str]) -> list[int]:
    ends = SentenceEnds()
    return [end for piece in pieces for end in ends.grow(piece)] + ends.close()


@given(TEXTS, st.integers(0, 60))
def test_do_not_depend_on_where_the_text_was_cut(text: str, cut: int) -> None:
    assert ends_of(list(text)) == ends_of([text[:cut], text[cut:]]) == sentence_ends(text)


@each_row("before, piece, end", "as_soon_as")
def test_are_told_as_soon_as_they_are_certain(before: str, piece: str, end: int) -> None:
    ends = SentenceEnds()

    assert ends.grow(before) == []
    assert ends.grow(piece)[0] == end


def test_a_bracket_that_never_closes_holds_no_more_than_its_length() -> None:
    ends = SentenceEnds()

    assert ends.grow("(가나다. 라마다. " + "가" * 180) == []
    assert ends.grow("가" * 20) == [5, 10]
