from hypothesis import given
from hypothesis import strategies as st

from guards.text.naming.known_names import may_transcribe
from tests.tables import each_row


@each_row("latin, hangul", "same_sounds")
def test_same_sounds(latin: str, hangul: str) -> None:
    assert may_transcribe(latin, hangul)


@each_row("latin, hangul", "other_sounds")
def test_other_sounds(latin: str, hangul: str) -> None:
    assert not may_transcribe(latin, hangul)


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_words_can_be_compared(one: str, other: str) -> None:
    assert may_transcribe(one, other) in (True, False)
