"""Items of lists, and their numbers when an item goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Span
from policies.edits import Edit, apply
from policies.schema.lists import ITEM, is_label, renumbered

LETTERS = "가나다라마바사아자차카타파하"
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


def without(answer: str, gone: str) -> str:
    start = answer.index(gone)
    removal = Edit(Span(start, start + len(gone)))
    return apply(answer, [removal, *renumbered(answer, [removal])])


COUNTED = [
    pytest.param("1. 쌀\n2. 콩\n3. 팥", "2. 콩\n", "1. 쌀\n2. 팥", id="full-stop"),
    pytest.param("1) 쌀\n2) 콩\n3) 팥", "1) 쌀\n", "1) 콩\n2) 팥", id="first-item"),
    pytest.param("(1) 쌀\n(2) 콩\n(3) 팥", "(2) 콩\n", "(1) 쌀\n(2) 팥", id="brackets"),
    pytest.param("① 쌀\n② 콩\n③ 팥", "② 콩\n", "① 쌀\n② 팥", id="circles"),
    pytest.param("① 쌀. ② 콩. ③ 팥.", "② 콩. ", "① 쌀. ② 팥.", id="circles-on-one-line"),
    pytest.param("가. 쌀\n나. 콩\n다. 팥", "나. 콩\n", "가. 쌀\n나. 팥", id="letters"),
    pytest.param(
        "(가) 쌀\n(나) 콩\n(다) 팥", "(가) 쌀\n", "(가) 콩\n(나) 팥", id="bracketed-letters"
    ),
    pytest.param(
        "**1.** 쌀\n**2.** 콩\n**3.** 팥", "**2.** 콩\n", "**1.** 쌀\n**2.** 팥", id="bold"
    ),
    pytest.param(
        "## 1. 쌀\n1) 햅\n2) 묵\n## 2. 콩\n1) 검\n## 3. 팥",
        "## 2. 콩\n1) 검\n",
        "## 1. 쌀\n1) 햅\n2) 묵\n## 2. 팥",
        id="headings-and-the-lists-below-them",
    ),
    pytest.param(
        "1. 쌀\n  1. 햅\n  2. 묵\n2. 콩",
        "  1. 햅\n",
        "1. 쌀\n  1. 묵\n2. 콩",
        id="inner-list-alone",
    ),
    pytest.param(
        "1. 쌀\n2. 콩\n\n1. 팥\n2. 깨",
        "2. 콩\n",
        "1. 쌀\n\n1. 팥\n2. 깨",
        id="next-list-begins-anew",
    ),
    pytest.param("3. 쌀을 씻고\n콩을 삶는다", "콩을 삶는다", "3. 쌀을 씻고\n", id="no-item-goes"),
    pytest.param("규칙 제15조 ①항\n② 콩", "규칙", " 제15조 ①항\n② 콩", id="number-in-a-sentence"),
]


@pytest.mark.parametrize(("answer", "gone", "left"), COUNTED)
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


@pytest.mark.parametrize(
    "item", ["- 쌀", "3) 쌀", "(3) 쌀", "다. 쌀", "③쌀", "✔️ 쌀", "2️⃣ 쌀", "**1.** 쌀"]
)
def test_items(item: str) -> None:
    assert ITEM.match(item)


@pytest.mark.parametrize("line", ["쌀입니다.", "네. 맞습니다.", "(3개월) 쌀", "2026. 쌀", "**쌀**"])
def test_other_lines(line: str) -> None:
    assert ITEM.match(line) is None


@pytest.mark.parametrize("item", ["- 수수료", "2. **수수료**:", "① 납부 방법"])
def test_labels(item: str) -> None:
    assert is_label(item)


@pytest.mark.parametrize(
    "item", ["수수료", "- 수수료: 무료", "- 방문해 냅니다", "- 10일", "- 냅니다."]
)
def test_items_that_tell_something(item: str) -> None:
    assert not is_label(item)
