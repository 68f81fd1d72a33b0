import pytest

from guards.text.comparisons import compared_sides, names_side


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("정규직과 계약직의 차이가 뭔가요?", ("정규직", "계약직")),
        ("A형이랑 B형 비교해 주세요.", ("A형", "B형")),
        ("연차와 병가는 무엇이 다른가요?", ("연차", "병가")),
        ("버스와 지하철 중 어느 것이 빠른가요?", ("버스", "지하철")),
        ("신청서와 영수증을 내나요?", None),
    ],
)
def test_finds_what_is_compared(question: str, sides: tuple[str, str] | None) -> None:
    assert compared_sides(question) == sides


@pytest.mark.parametrize(
    ("answer", "side", "named"),
    [
        ("계약직은 정한 기간만 일합니다.", "계약직", True),
        ("계약 직원은 정한 기간만 일합니다.", "계약직", True),
        ("둘 다 같은 급여를 받습니다.", "계약직", True),
        ("정규직은 정년까지 일합니다.", "계약직", False),
    ],
)
def test_tells_whether_a_side_is_named(answer: str, side: str, named: bool) -> None:
    assert names_side(answer, side) is named
