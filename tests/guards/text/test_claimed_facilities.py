from guards.text.claims import statements
from guards.text.naming.claimed_facilities import claimed_facilities
from tests.tables import each_row


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
