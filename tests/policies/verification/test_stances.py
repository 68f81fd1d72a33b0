"""A claim and a source sentence that share their words may say the opposite."""

from policies.coverage import agrees_with_source
from tests.tables import each_row

SENTENCE = "포장을 뜯은 물품은 환불하지 않으며, 수리는 고객센터에서 접수한다."


@each_row("claim, alike", "alike")
def test_tells_whether_predicates_agree(claim: str, alike: bool | None) -> None:
    assert agrees_with_source(claim, SENTENCE) is alike


def test_a_sentence_that_says_both_agrees_with_either() -> None:
    both = "평일에는 접수하고 주말에는 접수하지 않는다."

    assert agrees_with_source("접수합니다.", both)
    assert agrees_with_source("접수하지 않습니다.", both)
