import pytest

from guards.text.coordinate import coordinate_clauses

SENTENCES = [
    pytest.param(
        "입장은 무료이고, 주차는 유료입니다.", ["입장은 무료이고, ", "주차는 유료입니다."], id="고"
    ),
    pytest.param(
        "점심을 드리며 음료도 있지만 술은 없습니다.",
        ["점심을 드리며 ", "음료도 있지만 ", "술은 없습니다."],
        id="three-clauses",
    ),
    pytest.param("광고 문의는 창구에서 받습니다.", ["광고 문의는 창구에서 받습니다."], id="noun"),
    pytest.param("지금 접수하고 있습니다.", ["지금 접수하고 있습니다."], id="one-predicate"),
    pytest.param("", [""], id="nothing"),
]


@pytest.mark.parametrize(("sentence", "expected"), SENTENCES)
def test_cuts_behind_each_predicate_that_goes_on(sentence: str, expected: list[str]) -> None:
    assert [sentence[start:end] for start, end in coordinate_clauses(sentence)] == expected
