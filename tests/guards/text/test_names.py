from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text
from tests.tables import each_row


def names(text: str) -> list[tuple[str, str]]:
    return [(name.text, name.specific) for name in Text(text).names]


@each_row("text, expected", "reads")
def test_reads(text: str, expected: list[tuple[str, str]]) -> None:
    assert names(text) == expected


@given(st.text(alphabet="영통구청 '레스토랑「」『Ab①ㄱ\u200b.시과팀에", max_size=60))
def test_names_stand_where_they_say(text: str) -> None:
    for name in Text(text).names:
        assert text[name.start : name.end] == name.text
