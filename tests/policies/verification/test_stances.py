"""A claim and a source sentence that share their words may say the opposite."""

import pytest

from policies.verification.stances import told_alike

SENTENCE = "포장을 뜯은 물품은 환불하지 않으며, 수리는 고객센터에서 접수한다."

ALIKE = [
    pytest.param("뜯은 물품은 환불되지 않습니다.", True, id="denied"),
    pytest.param("수리는 접수합니다.", True, id="affirmed"),
    pytest.param("뜯은 물품은 환불됩니다.", False, id="affirmed-what-is-denied"),
    pytest.param("수리는 접수할 수 없습니다.", False, id="denied-what-is-affirmed"),
    pytest.param("뜯은 물품은 교환하지 않습니다.", None, id="denied-what-is-not-told"),
    pytest.param("뜯은 물품입니다.", True, id="nothing-denied"),
    pytest.param("환불하지 않고, 뜯지 않으면 환불합니다.", None, id="both-of-one-and-another"),
    pytest.param("", True, id="empty"),
]


@pytest.mark.parametrize(("claim", "alike"), ALIKE)
def test_tells_whether_predicates_agree(claim: str, alike: bool | None) -> None:
    assert told_alike(claim, SENTENCE) is alike


def test_a_sentence_that_says_both_agrees_with_either() -> None:
    both = "평일에는 접수하고 주말에는 접수하지 않는다."

    assert told_alike("접수합니다.", both)
    assert told_alike("접수하지 않습니다.", both)
