from guards.core.reading import Text
from guards.text.names.name import Name
from guards.text.naming.known_names import KnownNames, is_misspelt, is_short_for, nearest
from tests.tables import each_row

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
