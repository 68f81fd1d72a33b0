import pytest

from guards.core.reading import Text
from guards.text.bonds import Bond, Bonds

NEAR = [
    pytest.param("어른 6,000원, 어린이 3,000원", "3,000원", {"어린이"}, id="after-a-comma"),
    pytest.param("어른 6,000원 어린이 3,000원", "3,000원", {"어린이"}, id="after-one-of-its-kind"),
    pytest.param("입장료는 어른 6,000원, 어린이 3,000원", "6,000원", {"어른"}, id="without-topic"),
    pytest.param("요금: 어른 6,000원", "6,000원", {"어른"}, id="without-name-of-line"),
    pytest.param("- 강당: 70,000원", "70,000원", {"강당"}, id="name-of-line-if-nothing-else"),
    pytest.param("침대(2인용) 8,000원", "8,000원", {"침대", "2인용"}, id="bracket-before-it"),
    pytest.param("5일의 휴가와 3일의 병가", "3일", {"병가"}, id="noun-behind-it"),
    pytest.param("강습 10회권은 5만 원", "5만 원", {"강습"}, id="without-ending-of-a-figure"),
    pytest.param(
        "| 구분 | 평일 |\n|---|---|\n| 어른 5 | 900원 |", "900원", {"평일", "어른"}, id="cell"
    ),
]


def bond(text: str, figure: str) -> Bond:
    bonds = Text(text).once(Bonds)
    [found] = [one for one in bonds.figures if one.quantity.text == figure]
    return bonds.of(found)


@pytest.mark.parametrize(("text", "figure", "words"), NEAR)
def test_binds_a_figure_to_the_words_of_its_piece(text: str, figure: str, words: set[str]) -> None:
    near = bond(text, figure).near

    assert all(any(word in form for form in near) for word in words)
    assert len([form for form in near if any(len(word) > 1 for word in form)]) == len(words)


def test_binds_a_figure_to_the_other_kinds_beside_it() -> None:
    text = "60분 이상 120분 미만은 25%, 120분 이상은 50%"

    assert [one.shown for one in bond(text, "25%").figures] == ["60분 이상", "120분 미만"]
    assert [one.shown for one in bond(text, "50%").figures] == ["120분 이상"]


def test_a_row_is_bound_to_the_figure_of_its_first_cell() -> None:
    text = "| 지연 | 환불 |\n|---|---|\n| 40분 | 15% |\n| 90분 | 30% |"

    assert [one.shown for one in bond(text, "30%").figures] == ["90분"]


def test_a_bracket_belongs_to_what_stands_before_it() -> None:
    found = bond("강습 10회 5만 원(유효기간 2개월), 30회 12만 원", "2개월")

    assert [one.shown for one in found.figures] == ["10회", "5만 원"]
    assert any("강습" in form for form in found.far)


def test_bonds_are_the_same_whichever_sentence_is_asked_for_first() -> None:
    text = (
        "어른 6,000원, 어린이 3,000원. 강당은 2시간에 70,000원.\n| 구분 | 요금 |\n| 어른 | 900원 |"
    )
    forwards, backwards = Bonds(Text(text)), Bonds(Text(text))

    assert [forwards.of(one) for one in forwards.figures] == [
        backwards.of(one) for one in reversed(backwards.figures)
    ][::-1]
