"""The one formula: 1.0, less 0.3 for bad citations, less 0.15 for each further sign."""

import pytest

from guards.core.guard import Stage
from guards.core.runner import GuardReport
from policies.decision import Possible, decide
from policies.policy import ConfidenceWeights, GuardRule, Mode, Policy
from tests.policies.test_decision import STRONG, WEAK, clean, finding, found, lacking

CASES = [
    pytest.param([clean("numbers")], 1.0, id="nothing-found"),
    pytest.param([found("citations", finding("citations", STRONG))], 0.7, id="bad-citation"),
    pytest.param([found("citations"), found("legal_citation")], 0.7, id="bad-citations-count-once"),
    pytest.param([found("estimates", finding("estimates", WEAK))], 0.85, id="one-sign"),
    pytest.param([found("estimates", *[finding("estimates", WEAK)] * 3)], 0.55, id="three-signs"),
    pytest.param([found("citations"), found("numbers")], 0.55, id="both"),
    pytest.param([found("numbers", *[finding("numbers")] * 9)], 0.0, id="never-below-zero"),
    pytest.param([lacking("numbers"), clean("estimates")], 1.0, id="one-could-check"),
    pytest.param([lacking("numbers")], None, id="nothing-was-checkable"),
    pytest.param([], None, id="no-guard-is-on"),
]


@pytest.mark.parametrize(("reports", "confidence"), CASES)
def test_confidence(reports: list[GuardReport], confidence: float | None) -> None:
    policy = Policy(guards={report.guard: GuardRule() for report in reports})

    verdict = decide(policy, Stage.OUTPUT, reports, Possible())

    assert verdict.confidence == confidence


def test_weights_are_the_policys() -> None:
    policy = Policy(
        guards={"citations": GuardRule(), "numbers": GuardRule()},
        confidence=ConfidenceWeights(bad_citation=0.5, sign=0.1),
    )

    verdict = decide(policy, Stage.OUTPUT, [found("citations"), found("numbers")], Possible())

    assert verdict.confidence == 0.4


def test_what_only_shadowed_guards_looked_at_is_not_confidence() -> None:
    policy = Policy(guards={"numbers": GuardRule(mode=Mode.SHADOW)})

    verdict = decide(policy, Stage.OUTPUT, [clean("numbers")], Possible())

    assert verdict.confidence is None
