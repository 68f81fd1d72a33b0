import pytest

from guards.text.claims import statements
from guards.text.naming.claimed_facilities import claimed_facilities


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        pytest.param("5층에 수영장이 있습니다.", ["수영장"], id="is-there"),
        pytest.param("키즈 카페를 이용하실 수 있습니다.", ["키즈 카페"], id="spaced"),
        pytest.param("사우나와 골프장을 운영합니다.", ["사우나", "골프장"], id="two"),
        pytest.param("수영장은 없습니다.", [], id="denied"),
        pytest.param("수영장이 있나요?", [], id="asked"),
        pytest.param("수영장 요금표입니다.", [], id="only-mentioned"),
        pytest.param("카페인과 스파게티가 있습니다.", [], id="other-words"),
    ],
)
def test_claims(sentence: str, expected: list[str]) -> None:
    assert [facility.text for facility in claimed_facilities(sentence)] == expected


def test_synonyms_of_a_line_excuse_one_another() -> None:
    [facility] = claimed_facilities("헬스장이 있습니다.")

    assert {"헬스장", "피트니스", "체력단련실"} <= set(facility.synonyms)


def test_a_claim_behind_a_yes_is_one() -> None:
    answer = "네, 수영장이 있습니다."

    [claim] = statements(answer)

    assert answer[claim.start : claim.end] == claim.text == "수영장이 있습니다."


@pytest.mark.parametrize("answer", ["네, 안내해 드리겠습니다.", "네."])
def test_a_mere_yes_is_no_claim(answer: str) -> None:
    assert statements(answer) == ()
