"""What becomes of a question or an answer, as a table."""

from dataclasses import replace

import pytest

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import GuardReport, Outcome, Stage
from policies.decision import Possible, decide, preferred
from policies.schema.base import Mode
from policies.schema.policy import Action, GuardRule, OnNotRun, Policy
from policies.schema.sections import Regeneration
from policies.verdict import Band, Confidence, GuardOutcome, Verdict
from tests.tables import each_row

STRONG = Severity.STRONG
WEAK = Severity.WEAK


def finding(
    guard: str, severity: Severity = STRONG, strength: Strength = Strength.E0, what: str = "wrong"
) -> Finding:
    return Finding(
        guard=guard,
        code=f"{guard}.{what}",
        part="answer",
        span=Span(0, 1),
        observed="x",
        severity=severity,
        strength=strength,
    )


def found(guard: str, *findings: Finding) -> GuardReport:
    return GuardReport(guard, Outcome.FOUND, findings or (finding(guard),))


def clean(guard: str) -> GuardReport:
    return GuardReport(guard, Outcome.CLEAN)


def lacking(guard: str) -> GuardReport:
    return GuardReport(guard, Outcome.NOT_RUN, reason="no_sources")


def broken(guard: str) -> GuardReport:
    error = ValueError("x")
    return GuardReport(guard, Outcome.NOT_RUN, reason="failed:ValueError", error=error)


def policy(**rules: GuardRule) -> Policy:
    return Policy(guards=rules)


def judge(
    rules: Policy,
    *reports: GuardReport,
    stage: Stage = Stage.OUTPUT,
    may_regenerate: bool = True,
    may_edit: bool = False,
) -> Verdict:
    return decide(rules, stage, reports, Possible(regenerate=may_regenerate, edit=may_edit))


ENFORCED = GuardRule()
SHADOWED = GuardRule(mode=Mode.SHADOW)
STRAIGHT = GuardRule(action=Action.REPLACE)
LENIENT = GuardRule(final=Action.PASS)
NOTING = GuardRule(action=Action.PASS)
NEEDED = GuardRule(on_not_run=OnNotRun.REPLACE)

ACTIONS = [
    # rule, report, may regenerate -> action, outcome
    pytest.param(ENFORCED, clean("a"), True, "pass", "clean", id="clean"),
    pytest.param(ENFORCED, found("a"), True, "regenerate", "acted", id="strong-first"),
    pytest.param(ENFORCED, found("a"), False, "replace", "acted", id="strong-again"),
    pytest.param(LENIENT, found("a"), True, "regenerate", "acted", id="lenient-first"),
    pytest.param(LENIENT, found("a"), False, "pass", "noted", id="lenient-again"),
    pytest.param(STRAIGHT, found("a"), True, "replace", "acted", id="straight-to-template"),
    pytest.param(NOTING, found("a"), True, "pass", "noted", id="only-noted"),
    pytest.param(ENFORCED, found("a", finding("a", WEAK)), True, "pass", "noted", id="weak"),
    pytest.param(SHADOWED, found("a"), True, "pass", "would_act", id="shadow"),
    pytest.param(SHADOWED, clean("a"), True, "pass", "clean", id="shadow-clean"),
    pytest.param(SHADOWED, broken("a"), True, "pass", "not_run", id="shadow-broken"),
    pytest.param(ENFORCED, lacking("a"), True, "pass", "not_run", id="nothing-to-check"),
    pytest.param(ENFORCED, broken("a"), True, "pass", "not_run", id="broken"),
    pytest.param(NEEDED, broken("a"), True, "replace", "acted", id="broken-and-needed"),
    pytest.param(NEEDED, lacking("a"), True, "pass", "not_run", id="needed-but-nothing-to-check"),
]


@each_row("rule, report, may_regenerate, action, outcome", ACTIONS)
def test_one_guard(
    rule: GuardRule, report: GuardReport, may_regenerate: bool, action: str, outcome: str
) -> None:
    verdict = judge(policy(a=rule), report, may_regenerate=may_regenerate)

    assert verdict.action == Action(action)
    assert [result.outcome for result in verdict.results] == [GuardOutcome(outcome)]


def test_a_question_is_never_regenerated() -> None:
    verdict = judge(policy(a=ENFORCED), found("a"), stage=Stage.INPUT)

    assert verdict.action is Action.REPLACE
    assert verdict.confidence is None


def test_a_policy_without_regeneration_replaces_at_once() -> None:
    rules = Policy(guards={"a": ENFORCED}, regeneration=Regeneration(enabled=False))

    assert judge(rules, found("a")).action is Action.REPLACE


def test_the_strongest_action_wins_and_names_its_own_reasons() -> None:
    rules = policy(a=ENFORCED, b=STRAIGHT, c=SHADOWED)

    verdict = judge(rules, found("a"), found("b"), found("c"))

    assert verdict.action is Action.REPLACE
    assert verdict.reasons == ("b.wrong",)
    assert verdict.leading is not None
    assert verdict.leading.guard == "b"


def test_the_first_guard_of_the_policy_leads() -> None:
    verdict = judge(policy(b=STRAIGHT, a=STRAIGHT), found("b"), found("a"))

    assert verdict.leading is not None
    assert verdict.leading.guard == "b"
    assert verdict.reasons == ("b.wrong", "a.wrong")


def test_reasons_stand_once_and_weak_findings_are_none() -> None:
    twice = found("a", finding("a"), finding("a"), finding("a", WEAK, what="weak"))

    assert judge(policy(a=ENFORCED), twice).reasons == ("a.wrong",)


def test_a_needed_guard_that_broke_is_the_reason() -> None:
    assert judge(policy(a=NEEDED), broken("a")).reasons == ("a.not_run",)


def test_what_did_not_run_is_named_with_its_reason() -> None:
    verdict = judge(policy(a=ENFORCED, b=ENFORCED), lacking("a"), clean("b"))

    assert verdict.not_run == ("a:no_sources",)


def test_shadowed_findings_are_not_the_verdicts() -> None:
    verdict = judge(policy(a=SHADOWED, b=ENFORCED), found("a"), clean("b"))

    assert verdict.findings == ()
    assert verdict.acting == ()
    assert verdict.confidence == Confidence(1.0, Band.HIGH)


TRIMMING = GuardRule(action=Action.TRIM)
TRIMMED_AT_LAST = GuardRule(final=Action.TRIM)
MENDS_NOTHING = GuardRule(fix=False)
EDITS = [
    # rule, finding's fix, may regenerate, may edit -> action
    pytest.param(ENFORCED, "나", True, True, "fix", id="mended-before-anything-else"),
    pytest.param(ENFORCED, "", True, True, "fix", id="taken-out"),
    pytest.param(ENFORCED, "나", True, False, "regenerate", id="nothing-may-be-edited"),
    pytest.param(MENDS_NOTHING, "나", True, True, "regenerate", id="the-policy-mends-nothing"),
    pytest.param(STRAIGHT, "나", True, True, "fix", id="mended-although-it-would-be-replaced"),
    pytest.param(TRIMMING, None, True, True, "trim", id="trim-first"),
    pytest.param(TRIMMING, None, True, False, "regenerate", id="trim-not-possible"),
    pytest.param(TRIMMING, None, False, False, "replace", id="nothing-possible"),
    pytest.param(TRIMMED_AT_LAST, None, True, True, "regenerate", id="regenerate-before-trim"),
    pytest.param(TRIMMED_AT_LAST, None, False, True, "trim", id="trim-at-last"),
    pytest.param(TRIMMED_AT_LAST, None, False, False, "replace", id="trim-at-last-not-possible"),
]


@each_row("rule, fix, may_regenerate, may_edit, action", EDITS)
def test_edits(
    rule: GuardRule, fix: str | None, may_regenerate: bool, may_edit: bool, action: str
) -> None:
    report = found("a", replace(finding("a"), fix=fix))

    verdict = judge(policy(a=rule), report, may_regenerate=may_regenerate, may_edit=may_edit)

    assert verdict.action == Action(action)


def test_one_finding_that_cannot_be_mended_decides_over_one_that_can() -> None:
    report = found("a", replace(finding("a"), fix="나"), finding("a"))

    assert judge(policy(a=ENFORCED), report, may_edit=True).action is Action.REGENERATE


C2 = Strength.C2
BETTER = [
    # first, second -> which one is kept
    pytest.param((), (), 1, id="equal-keeps-the-second"),
    pytest.param((finding("a", WEAK),), (finding("a", WEAK),) * 2, 0, id="fewer-weak-signs"),
    pytest.param((finding("a"),), (finding("a", strength=C2),), 0, id="no-contradiction"),
    pytest.param((finding("a", strength=C2),), (finding("a"),) * 2, 1, id="contradiction-worse"),
    pytest.param((finding("a"),), (finding("a"),) * 2, 0, id="fewer-unsupported"),
]


@each_row("first, second, kept", BETTER)
def test_the_better_of_two_is_kept(
    first: tuple[Finding, ...], second: tuple[Finding, ...], kept: int
) -> None:
    rules = policy(a=LENIENT)

    def final(findings: tuple[Finding, ...]) -> Verdict:
        report = found("a", *findings) if findings else clean("a")
        return judge(rules, report, may_regenerate=False)

    assert preferred(final(first), final(second)) == kept


def test_an_answer_that_may_go_out_beats_one_that_may_not() -> None:
    rules = policy(a=ENFORCED, b=LENIENT)
    passes = judge(rules, clean("a"), found("b", finding("b", strength=C2)), may_regenerate=False)
    fails = judge(rules, found("a"), clean("b"), may_regenerate=False)

    assert preferred(passes, fails) == 0
    assert preferred(fails, passes) == 1
