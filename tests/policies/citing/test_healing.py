"""What closes up where a mark stood; `@` is the place of one that went."""

from guards.text.slots.citation_mark import read_marks
from policies.edits import apply
from policies.healing import heal
from tests.tables import each_row


def healed(text: str) -> str:
    pieces = text.split("@")
    places = [len("".join(pieces[:at])) for at in range(1, len(pieces))]
    left = "".join(pieces)
    found = heal(left, places, read_marks(left))
    assert not found.lost
    return apply(left, found.edits)


@each_row("text, left", "kept")
def test_words_that_are_not_about_the_mark_stay(text: str, left: str) -> None:
    assert healed(text) == left


@each_row("text, left", "gone")
def test_words_that_only_point_at_the_mark_go(text: str, left: str) -> None:
    assert healed(text) == left


@each_row("text, left", "joined")
def test_what_joined_two_marks_goes_with_one(text: str, left: str) -> None:
    assert healed(text) == left
