"""Names of people, offices and facilities."""

from hypothesis import given
from hypothesis import strategies as st

from guards.core.reading import Text
from guards.names import claimed_facilities
from guards.text.claims import statements
from guards.text.known_names import KnownNames, is_misspelt, is_short_for, nearest
from guards.text.names import Name
from tests.tables import each_row


def names(text: str) -> list[tuple[str, str]]:
    return [(name.text, name.specific) for name in Text(text).names]


@each_row("text, expected", "reads")
def test_reads(text: str, expected: list[tuple[str, str]]) -> None:
    assert names(text) == expected


@given(st.text(alphabet="영통구청 '레스토랑「」『Ab①ㄱ\u200b.시과팀에", max_size=60))
def test_names_stand_where_they_say(text: str) -> None:
    for name in Text(text).names:
        assert text[name.start : name.end] == name.text


# --- known ---


HELD = Text(
    "서울특별시와 방통위가 고시한다. 물빛나래 식당은 구글 지도에 있다. "
    "정보는 Solar Energy Desk에 있다. 국민건강보험공단이 정한다."
)


def only_name(text: str) -> Name:
    [name] = Text(text).names
    return name


@each_row("text", "known")
def test_known(text: str) -> None:
    assert KnownNames([HELD], ["나래별"]).has(only_name(text))


@each_row("text", "unknown")
def test_unknown(text: str) -> None:
    assert not KnownNames([HELD]).has(only_name(text))


def test_short_for_keeps_order_and_beginning() -> None:
    assert is_short_for("서울시", "서울특별시")
    assert not is_short_for("울서시", "서울특별시")
    assert not is_short_for("별시", "서울특별시")


def name_of(key: str, head: str) -> Name:
    return Name(key, 0, len(key), head, key.removesuffix(head))


def test_one_letter_is_a_misspelling() -> None:
    assert is_misspelt(name_of("해맑은한마움병원", "병원"), name_of("해맑은한마음병원", "병원"))


@each_row("one, other, head", "no_misspelling")
def test_no_misspelling(one: str, other: str, head: str) -> None:
    assert not is_misspelt(name_of(one, head), name_of(other, head))


def test_of_two_near_names_none_is_meant() -> None:
    written = name_of("해맑은한마움병원", "병원")
    near = [name_of("해맑은한마음병원", "병원"), name_of("해맑은한마웅병원", "병원")]

    assert nearest(written, near[:1]) == near[0]
    assert nearest(written, near) is None


# --- facilities ---


@each_row("sentence, expected", "claims")
def test_claims(sentence: str, expected: list[str]) -> None:
    assert [facility.text for facility in claimed_facilities(sentence)] == expected


def test_synonyms_of_a_line_excuse_one_another() -> None:
    [facility] = claimed_facilities("헬스장이 있습니다.")

    assert {"헬스장", "피트니스", "체력단련실"} <= set(facility.synonyms)


def test_a_claim_behind_a_yes_is_one() -> None:
    answer = "네, 수영장이 있습니다."

    [claim] = statements(answer)

    assert answer[claim.start : claim.end] == claim.text == "수영장이 있습니다."


@each_row("answer", ["네, 안내해 드리겠습니다.", "네."])
def test_a_mere_yes_is_no_claim(answer: str) -> None:
    assert statements(answer) == ()
