"""What a reply is worth, and what makes it fail."""

import pytest

from proxy.golden.client import GuardedReply
from proxy.golden.results import Outcome, TurnResult
from proxy.golden.runner import judged
from tests.proxy.golden.sets import case_of

REPLY = "대출 기간은 16일이고 한 번에 7권까지 빌릴 수 있습니다."


def came(yaml: str, text: str = REPLY, action: str = "pass", *reasons: str) -> TurnResult:
    [turn] = case_of(yaml).asked
    return judged(turn, GuardedReply(text, action, reasons, 1, "trace", 12.5))


SCORES = [
    pytest.param("", 1.0, id="nothing-expected"),
    pytest.param("expected_keywords: [16일, 7권]", 1.0, id="all"),
    pytest.param("expected_keywords: [16일, 8권]", 0.5, id="half"),
    pytest.param("expected_keywords: [[열엿새, 16일]]", 1.0, id="one-of-the-ways-to-say-it"),
    pytest.param("expected_keywords: [6일]", 0.0, id="none"),
    pytest.param("expected_keywords: [16일]\nforbidden_keywords: [7권]", 0.0, id="forbidden"),
]
FAULTS = [
    pytest.param("expected_keywords: [16일]\nexpected_action: pass", [], id="as-expected"),
    pytest.param("min_score: 0.5\nexpected_keywords: [16일, 8권]", [], id="enough"),
    pytest.param("min_score: 0\nexpected_keywords: [30일]", [], id="any-reply-will-do"),
    pytest.param(
        "min_score: 0.6\nexpected_keywords: [16일, [8권, 여덟 권]]",
        ["score 0.50, expected 0.60 or more; unsaid: 8권|여덟 권"],
        id="too-little",
    ),
    pytest.param(
        "min_score: 0\nforbidden_keywords: [7권, 9권]",
        ["contains forbidden text: 7권"],
        id="forbidden-whatever-the-least-score",
    ),
    pytest.param("expected_action: [fix, pass]", [], id="one-of-the-actions"),
    pytest.param(
        "expected_action: [fix, replace]", ["action pass, expected fix or replace"], id="action"
    ),
    pytest.param("expected_reason: numbers.", ["reasons none, expected numbers."], id="reason"),
]


@pytest.mark.parametrize(("expected", "score"), SCORES)
def test_the_score_is_the_share_of_what_was_expected(expected: str, score: float) -> None:
    assert came(expected).score == score


@pytest.mark.parametrize(("expected", "faults"), FAULTS)
def test_what_is_not_as_expected_is_named(expected: str, faults: list[str]) -> None:
    result = came(expected)

    assert list(result.faults) == faults
    assert result.outcome is (Outcome.FAILED if faults else Outcome.PASSED)


def test_one_reason_that_begins_as_expected_is_enough() -> None:
    expected = "expected_reason: [estimates., numbers.]"

    assert came(expected, REPLY, "replace", "names.x", "numbers.value_differs").faults == ()
    assert came(expected, REPLY, "replace", "names.x", "phrases.numbers.").faults == (
        "reasons names.x, phrases.numbers., expected estimates. or numbers.",
    )


def test_a_server_that_names_no_action_is_not_as_expected() -> None:
    assert came("expected_action: pass", REPLY, "").faults == ("action none, expected pass",)
