"""Identifiers that are known are found again, however they are written there."""

from hypothesis import given
from hypothesis import strategies as st

from guards.text.personal_data.kinds import PersonalKind
from guards.text.personal_data.mask import Known, KnownPlace
from tests.fakes.growth import assert_grows_with_its_input

ACCOUNT, PHONE, MAIL = "110-000-123456", "02-000-1234", "a.b@gaon.invalid"
KNOWN = Known({ACCOUNT: PersonalKind.ACCOUNT, PHONE: PersonalKind.PHONE, MAIL: PersonalKind.EMAIL})
SEPARATORS = st.lists(st.sampled_from("-. /·_\t\n\u200b\u2011"), max_size=2).map("".join)


@given(st.lists(SEPARATORS, min_size=11, max_size=11))
def test_whatever_separates_the_digits(between: list[str]) -> None:
    written = "1" + "".join(map("".join, zip(between, "10000123456", strict=True)))

    [place] = KNOWN.all_in(f"아래 {written} 참고")

    assert place == KnownPlace(ACCOUNT, 3, 3 + len(written))


def test_places_that_overlap_are_taken_from_the_left_and_the_longest_first() -> None:
    known = Known(
        {"010-1": PersonalKind.PHONE, "1-2": PersonalKind.PHONE, "010": PersonalKind.CARD}
    )

    found = list(known.apart_in("010-1-2 010"))

    assert found == [KnownPlace("010-1", 0, 5), KnownPlace("010", 8, 11)]


def test_the_first_notation_is_the_one_that_counts() -> None:
    known = Known({PHONE: PersonalKind.PHONE, "+82 2-000-1234": PersonalKind.PHONE})

    assert known.values == (PHONE,)
    assert [place.value for place in known.all_in("02 000 1234, +82 2-000-1234")] == [PHONE, PHONE]


def test_upper_case_changes_nothing() -> None:
    assert [place.value for place in KNOWN.all_in("A.B@GAON.invalid로")] == [MAIL]


def test_what_belongs_to_a_longer_word_or_number_is_something_else() -> None:
    assert KNOWN.all_in("9110000123456, 1100001234569, xa.b@gaon.invalidated") == [
        KnownPlace(MAIL, 31, 47)
    ]


def test_many_identifiers_in_a_long_text_take_little_time() -> None:
    def look(count: int) -> None:
        known = Known({f"110-000-{number:06}": PersonalKind.ACCOUNT for number in range(count)})
        text = "계좌는 110000000000 또는 220000000000입니다. " * count
        assert len(known.all_in(text)) == count

    assert_grows_with_its_input(look, 5_000)
