import pytest

from guards.core.reading import Text
from guards.text.names.name import Name
from guards.text.naming.known_names import KnownNames, is_misspelt, is_short_for, nearest

HELD = Text(
    "서울특별시와 방통위가 고시한다. 물빛나래 식당은 구글 지도에 있다. "
    "정보는 Solar Energy Desk에 있다. 국민건강보험공단이 정한다."
)


def only_name(text: str) -> Name:
    [name] = Text(text).names
    return name


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("국민건강 보험공단에 낸다.", id="spacing"),
        pytest.param("서울시에 있다.", id="short-form"),
        pytest.param("방송통신위원회가 정한다.", id="written-out"),
        pytest.param("물빛나래 레스토랑은 쉽니다.", id="other-head"),
        pytest.param("Google에서 찾는다.", id="transcribed"),
        pytest.param("SED에서 찾는다.", id="initials"),
        pytest.param("나래별 호텔은 쉽니다.", id="policy"),
    ],
)
def test_known(text: str) -> None:
    assert KnownNames([HELD], ["나래별"]).has(only_name(text))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("부산시에 있다.", id="other-town"),
        pytest.param("공정거래위원회가 정한다.", id="other-committee"),
        pytest.param("Samdori에서 찾는다.", id="other-latin"),
        pytest.param("SEQ에서 찾는다.", id="other-initials"),
    ],
)
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


@pytest.mark.parametrize(
    ("one", "other", "head"),
    [
        pytest.param("해맑은동부병원", "해맑은서부병원", "병원", id="direction"),
        pytest.param("영통구청", "권선구청", "구청", id="place"),
        pytest.param("한마음제1병원", "한마음제2병원", "병원", id="number"),
        pytest.param("해맑은한마음병원", "해맑은한마음병원", "병원", id="same"),
    ],
)
def test_no_misspelling(one: str, other: str, head: str) -> None:
    assert not is_misspelt(name_of(one, head), name_of(other, head))


def test_of_two_near_names_none_is_meant() -> None:
    written = name_of("해맑은한마움병원", "병원")
    near = [name_of("해맑은한마음병원", "병원"), name_of("해맑은한마웅병원", "병원")]

    assert nearest(written, near[:1]) == near[0]
    assert nearest(written, near) is None
