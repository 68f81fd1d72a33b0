import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.naming.known_names import may_transcribe


@pytest.mark.parametrize(
    ("latin", "hangul"),
    [
        ("Google", "구글"),
        ("Microsoft", "마이크로소프트"),
        ("Excel", "엑셀"),
        ("Zoom", "줌"),
        ("Workday", "워크데이"),
        ("Infinity", "인피니티"),
    ],
)
def test_same_sounds(latin: str, hangul: str) -> None:
    assert may_transcribe(latin, hangul)


@pytest.mark.parametrize(
    ("latin", "hangul"),
    [
        pytest.param("Workday", "거주", id="opens-with-a-consonant"),
        pytest.param("Bellaluna", "빌라", id="half-of-it"),
        pytest.param("Samsung", "직원", id="other-word"),
        pytest.param("Aria", "아리아", id="too-few-consonants-to-tell"),
    ],
)
def test_other_sounds(latin: str, hangul: str) -> None:
    assert not may_transcribe(latin, hangul)


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_words_can_be_compared(one: str, other: str) -> None:
    assert may_transcribe(one, other) in (True, False)
