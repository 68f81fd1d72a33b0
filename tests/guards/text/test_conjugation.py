from guards.text.hangul import shapes
from tests.tables import each_row


@each_row("stem, among", "stem_takes_the_shapes_before_endings")
def test_stem_takes_the_shapes_before_endings(stem: str, among: set[str]) -> None:
    assert among <= shapes(stem)


@each_row("stem, stranger", "other_syllables_are_no_shape")
def test_other_syllables_are_no_shape(stem: str, stranger: str) -> None:
    assert stranger not in shapes(stem)
