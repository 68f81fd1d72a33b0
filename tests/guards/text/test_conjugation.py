import pytest

from guards.text.hangul import shapes
from tests.tables import each_row


@each_row("stem, among", "stem_takes_the_shapes_before_endings")
def test_stem_takes_the_shapes_before_endings(stem: str, among: set[str]) -> None:
    assert among <= shapes(stem)


@each_row(
    "stem, stranger",
    [
        pytest.param("먹", "머", id="closed-stem-keeps-its-final"),
        pytest.param("고르", "고라", id="reu-is-not-simply-melted"),
        pytest.param("기다리", "기다러", id="i-does-not-become-eo"),
    ],
)
def test_other_syllables_are_no_shape(stem: str, stranger: str) -> None:
    assert stranger not in shapes(stem)
