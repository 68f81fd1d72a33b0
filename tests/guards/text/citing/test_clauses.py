import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.citing.statements import cited_clauses, parts_of, read_statements
from tests.tables import each_row

Pieces = list[tuple[str, list[str]]]

CUT: list[tuple[str, str, Pieces]] = [
    ("comma", "환불됩니다[1], 교환됩니다[2].", [("환불됩니다", ["[1]"]), ("교환됩니다.", ["[2]"])]),
    (
        "connective",
        "환불은 되고[1] 교환은 안 됩니다[2].",
        [("환불은 되고", ["[1]"]), ("교환은 안 됩니다.", ["[2]"])],
    ),
    (
        "copula-behind",
        "요금은 만 원[1]이고 기간은 이레[2]입니다.",
        [("요금은 만 원이고", ["[1]"]), ("기간은 이레입니다.", ["[2]"])],
    ),
    (
        "words-that-open",
        "[1]에 따르면 환불은 되고, [2]에 따르면 교환은 안 됩니다.",
        [("환불은 되고", ["[1]"]), ("교환은 안 됩니다.", ["[2]"])],
    ),
    (
        "behind-the-stop",
        "환불은 되고[1] 교환은 안 됩니다.[2][3]",
        [("환불은 되고", ["[1]"]), ("교환은 안 됩니다.", ["[2]", "[3]"])],
    ),
    (
        "uncited-end",
        "환불됩니다[1], 교환됩니다.",
        [("환불됩니다", ["[1]"]), ("교환됩니다.", [])],
    ),
    ("one-group", "환불은 되고 교환은 안 됩니다[1]·[2].", []),
    ("inside-a-clause", "환불은 이레[1] 안에 됩니다[2].", []),
    ("word-of-its-clause", "환불 규정[1]은 있고 교환 규정[2]은 없습니다.", []),
    ("table-row", "| 환불 [1] | 교환 [2] |", []),
    ("no-marks", "환불됩니다, 교환됩니다.", []),
]


@pytest.mark.parametrize(
    ("text", "pieces"), [case[1:] for case in CUT], ids=[case[0] for case in CUT]
)
def test_gives_each_mark_to_its_clause(text: str, pieces: Pieces) -> None:
    [statement] = read_statements(text)
    found = cited_clauses(text, statement)

    if not pieces:
        assert found == (statement,)
    else:
        assert [
            (one.text, [text[mark.start : mark.end] for mark in one.marks]) for one in found
        ] == pieces


@given(st.text(alphabet="가고다니 .,[]12에따르면|\n", max_size=40))
def test_every_mark_is_in_one_piece(text: str) -> None:
    for statement in read_statements(text):
        pieces = cited_clauses(text, statement)

        assert tuple(mark for piece in pieces for mark in piece.marks) == statement.marks


@each_row("text, parts", "says_which_parts_may_rest_on_one_source")
def test_says_which_parts_may_rest_on_one_source(text: str, parts: list[str]) -> None:
    [statement] = read_statements(text)

    assert [part.text for part in parts_of(text, statement)] == parts
