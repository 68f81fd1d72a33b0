from hypothesis import example, given
from hypothesis import strategies as st

from guards.core.exchange import Source
from guards.core.reading import SourceSet, Text
from guards.text.conflict_statements import openings_of, statements_of
from guards.text.contradictions import Contradictions

_LINE = st.lists(
    st.sampled_from(
        "연차휴가는 휴가 15일 10일 30,000원 - | # 다만, 요금: 주며 이다. 쓴다.".split()
    ),
    min_size=1,
    max_size=7,
).map(" ".join)


@given(st.lists(_LINE, max_size=8).map("\n".join))
@example(
    "# 휴가\n연차휴가는 15일이다.\n- 대표: 02-120-3456\n| 요금 | 30,000원 |\n| 회비 | 10,000원 |"
)
def test_the_opening_of_a_sentence_begins_its_key(raw: str) -> None:
    text = Text(raw)

    openings = {text.sentences[one.at].start: one for one in openings_of(text)}

    for statement in statements_of(text):
        opening = openings[statement.start]
        _, _, own = statement.key.partition(">")
        assert own[: len(opening.words)] == opening.words
        assert len(opening.words) == min(8, len(own))
        assert opening.figures == statement.figures


def sides_of(*texts: str) -> list[tuple[str, str, str]]:
    sources = tuple(Source(str(at), "규정", text) for at, text in enumerate(texts))
    return [
        (side.told.source_id, side.figure.text, side.other_figure.text)
        for side in Contradictions(SourceSet(sources)).sides
    ]


def test_the_same_said_with_the_same_figure_is_no_contradiction() -> None:
    assert not sides_of("연차휴가는 회사가 15일을 준다.", "연차휴가는 회사가 15일을 준다.")


def test_both_sides_of_a_contradiction_are_told() -> None:
    said = (
        "문서번호 31\n연차휴가는 회사가 15일을 준다.",
        "문서번호 31\n연차휴가는 회사가 10일을 준다.",
    )

    assert sides_of(*said) == [("1", "10일", "15일"), ("0", "15일", "10일")]


def test_sentences_that_only_begin_alike_contradict_nothing() -> None:
    said = "연차휴가는 회사가 15일을 준다.", "연차휴가는 회사가 10일 안에 바꾼다."

    assert not sides_of(*said)
