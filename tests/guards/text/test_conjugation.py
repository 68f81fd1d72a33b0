import pytest

from guards.text.hangul import shapes


@pytest.mark.parametrize(
    ("stem", "among"),
    [
        pytest.param("가", {"가", "간", "갈", "감", "갑", "갔"}, id="open"),
        pytest.param("기다리", {"기다린", "기다려", "기다렸"}, id="i-becomes-yeo"),
        pytest.param("배우", {"배울", "배워", "배웠"}, id="u-becomes-wo"),
        pytest.param("되", {"된", "돼", "됐"}, id="oe-becomes-wae"),
        pytest.param("공부하", {"공부한", "공부해", "공부했"}, id="hada"),
        pytest.param("고르", {"고른", "골라", "골랐"}, id="doubled-rieul"),
        pytest.param("쓰", {"쓴", "써", "썼"}, id="eu-falls-out"),
        pytest.param("무겁", {"무겁", "무거운", "무거워", "무거웠"}, id="pieup"),
        pytest.param("걷", {"걷", "걸"}, id="digeut"),
        pytest.param("짓", {"짓", "지어", "지은"}, id="siot"),
        pytest.param("만들", {"만들", "만드", "만든", "만듭"}, id="rieul-falls-out"),
        pytest.param("하얗", {"하얗", "하얀", "하얘"}, id="hieut"),
        pytest.param("먹", {"먹"}, id="never-changes"),
    ],
)
def test_stem_takes_the_shapes_before_endings(stem: str, among: set[str]) -> None:
    assert among <= shapes(stem)


@pytest.mark.parametrize(
    ("stem", "stranger"),
    [
        pytest.param("먹", "머", id="closed-stem-keeps-its-final"),
        pytest.param("고르", "고라", id="reu-is-not-simply-melted"),
        pytest.param("기다리", "기다러", id="i-does-not-become-eo"),
    ],
)
def test_other_syllables_are_no_shape(stem: str, stranger: str) -> None:
    assert stranger not in shapes(stem)
