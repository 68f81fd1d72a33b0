"""Where words stand, in little room."""

from hypothesis import given
from hypothesis import strategies as st

from guards.text.postings import packed


@given(st.dictionaries(st.text(max_size=2), st.lists(st.integers(0, 3), max_size=3)))
def test_every_key_keeps_its_places_in_order(places: dict[str, list[int]]) -> None:
    assert packed(places) == {key: tuple(standing) for key, standing in places.items()}


def test_keys_in_the_same_places_share_them() -> None:
    found = packed({"조식": [2, 5], "뷔페": [2, 5], "수영장": [5]})

    assert found["조식"] is found["뷔페"]
    assert found["조식"] is not found["수영장"]
