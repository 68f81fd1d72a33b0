"""What counts as the same value, and what as another."""

from guards.answerability import UnknownName, unknown_name
from guards.core.exchange import Source
from guards.core.reading import SourceSet
from guards.evidence.figures import same_value
from guards.evidence.sets import Values, is_free, joined_values
from guards.evidence.swapped import Swap, swap_in
from guards.text.normal import normalise
from guards.text.slots.quantity import find_quantities
from guards.text.slots.units import Measure
from tests.tables import each_row


def covered(text: str) -> list[Values]:
    """Return what the quantities of a text cover."""
    return [found for _, found in joined_values(find_quantities(text, normalise(text)), text)]


@each_row("one, other", "the_same_limit_in_other_words_is_the_same_set")
def test_the_same_limit_in_other_words_is_the_same_set(one: str, other: str) -> None:
    assert covered(one) == covered(other)


@each_row("one, other", "other_limits_are_other_sets")
def test_other_limits_are_other_sets(one: str, other: str) -> None:
    assert covered(one) != covered(other)


def test_days_before_an_event_have_no_limit() -> None:
    (found,) = covered("출발 3일 이전")

    assert found.is_point


@each_row("text, expected", [("무료입니다", True), ("무상 수리", True), ("유료입니다", False)])
def test_free_of_charge_is_a_price(text: str, expected: bool) -> None:
    assert is_free(text) is expected


# --- equal values in other notations, as the reader of quantities gives them ---


def read(text: str) -> tuple[Measure, ...]:
    """Return the measures of a text."""
    return tuple(one.measure for one in find_quantities(text, normalise(text)))


@each_row("one, other", "one_value_in_two_notations")
def test_one_value_in_two_notations(one: str, other: str) -> None:
    (first,), (second,) = read(one), read(other)

    assert same_value(first, second)
    assert same_value(second, first)


@each_row("one, other", "other_values_stay_apart")
def test_other_values_stay_apart(one: str, other: str) -> None:
    (first,), (second,) = read(one), read(other)

    assert not same_value(first, second)


@each_row("text, values", "values_that_lean_on_what_stands_beside")
def test_values_that_lean_on_what_stands_beside(text: str, values: list[int]) -> None:
    assert [int(one.values[0]) for one in read(text) if one.dimension != "bare"] == values


# --- swapped ---


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


# --- unknown ---


Passage = tuple[str, list[str]]


def unknown(question: str, passages: list[Passage]) -> UnknownName | None:
    sources = (
        Source(str(number), title, "\n".join(sentences))
        for number, (title, sentences) in enumerate(passages)
    )
    return unknown_name(question, SourceSet(tuple(sources)))


@each_row("question, passages, name", "unknown")
def test_finds_a_name_that_no_source_knows(
    question: str, passages: list[Passage], name: str
) -> None:
    found = unknown(question, passages)

    assert found is not None
    assert found.name == name
    assert found.known
    assert name not in found.known


@each_row("question, passages", "known_or_no_name")
def test_finds_none(question: str, passages: list[Passage]) -> None:
    assert unknown(question, passages) is None
