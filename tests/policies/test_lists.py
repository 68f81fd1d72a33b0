"""Items of lists, and their numbers when an item goes."""

from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Span
from policies.edits import Edit, apply
from policies.trimming import ITEM, is_label, renumbered
from tests.tables import each_row

LETTERS = "가나다라마바사아자차카타파하"
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


def without(answer: str, gone: str) -> str:
    start = answer.index(gone)
    removal = Edit(Span(start, start + len(gone)))
    return apply(answer, [removal, *renumbered(answer, [removal])])


@each_row("answer, gone, left", "counted")
def test_numbers_close_the_gap(answer: str, gone: str, left: str) -> None:
    assert without(answer, gone) == left


@given(st.integers(2, 14), st.data(), st.sampled_from(["digits", "letters", "circles"]))
def test_whichever_items_go_the_rest_is_counted_from_the_first(
    size: int, data: st.DataObject, kind: str
) -> None:
    def written(number: int) -> str:
        signs = {"digits": f"{number}.", "letters": f"{LETTERS[number - 1]}."}
        return signs.get(kind, CIRCLED[number - 1])

    gone = data.draw(st.sets(st.integers(1, size), max_size=size - 1))
    lines = [f"{written(number)} 항목{number * 7}\n" for number in range(1, size + 1)]
    ends = [sum(map(len, lines[:at])) for at in range(size + 1)]
    removals = [Edit(Span(ends[number - 1], ends[number])) for number in sorted(gone)]
    stay = [number for number in range(1, size + 1) if number not in gone]

    left = apply("".join(lines), [*removals, *renumbered("".join(lines), removals)])

    assert left == "".join(f"{written(at)} 항목{old * 7}\n" for at, old in enumerate(stay, 1))


@each_row("item", "items")
def test_items(item: str) -> None:
    assert ITEM.match(item)


@each_row("line", "other_lines")
def test_other_lines(line: str) -> None:
    assert ITEM.match(line) is None


@each_row("item", ["- 수수료", "2. **수수료**:", "① 납부 방법"])
def test_labels(item: str) -> None:
    assert is_label(item)


@each_row("item", "items_that_tell_something")
def test_items_that_tell_something(item: str) -> None:
    assert not is_label(item)
