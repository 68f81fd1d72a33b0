from hypothesis import example, given
from hypothesis import strategies as st

from guards.text.broken_text import broken_places, character_loops, item_loops

ITEMS = st.lists(st.sampled_from("가나다"), max_size=30)
LOOP = "안내" * 10
PRIVATE = "\ue000"
MAY_BE_BROKEN = st.text(
    alphabet="가a é·°ì•ˆë…±ㄱㄷㅋ占쏙옙\x00\x85\ufffd\u1105\u1162\u11ab", max_size=24
)


def loops_in(items: list[str], most_period: int, times: int) -> list[tuple[int, int]]:
    """Return where loops begin, with their periods: the slow way."""
    return [
        (start, period)
        for period in range(1, most_period + 1)
        for start in range(len(items) - period * times + 1)
        if all(items[at] == items[at + period] for at in range(start, start + period * (times - 1)))
    ]


@given(ITEMS, st.integers(1, 4), st.integers(2, 5))
@example(list("가나가나가"), 2, 2)
def test_every_loop_is_found_and_nothing_else(
    items: list[str], most_period: int, times: int
) -> None:
    found = list(item_loops(items, most_period, times))

    begun = loops_in(items, most_period, times)
    for start, period in begun:
        assert any(
            one.again - one.start == period and one.start <= start < one.end for one in found
        )
    assert {(one.start, one.again - one.start) for one in found} <= set(begun)


@given(st.text(alphabet="가나 ", max_size=40), st.text(alphabet="가나 ", max_size=40))
def test_characters_in_a_loop_are_found_wherever_they_stand(before: str, behind: str) -> None:
    text = f"{before} {LOOP} {behind}"

    assert LOOP in [text[one.start : one.end] for one in character_loops(text)]


@given(MAY_BE_BROKEN)
def test_what_is_broken_is_found_whether_or_not_more_is(text: str) -> None:
    *found, last = broken_places(f"{text} {PRIVATE}")

    assert found == broken_places(text)
    assert last.start == len(text) + 1
