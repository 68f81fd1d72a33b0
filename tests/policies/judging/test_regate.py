"""What a judge's objection may do, tier by tier."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Finding, Severity, Span, Strength
from policies.judging.judge import JUDGE
from policies.judging.regate import TIERS, Gravity, Objection, regate, tier_of
from policies.schema.policy import Action
from tests.tables import each_row

CLAIM = Span(0, 20)
ELSEWHERE = Span(30, 50)
OBJECTION = Objection(
    Finding(JUDGE, "judge.contradicted", "answer", CLAIM, "문장", Severity.WEAK, Strength.C1),
    Gravity.STRONG,
)


def finding(span: Span, severity: Severity, guard: str = "overlap") -> Finding:
    return Finding(guard, f"{guard}.x", "answer", span, "문장", severity)


STRONG_HERE = finding(CLAIM, Severity.STRONG)
STRONG_ELSEWHERE = finding(ELSEWHERE, Severity.STRONG)
WEAK_HERE = finding(CLAIM, Severity.WEAK)
WEAK_ELSEWHERE = finding(ELSEWHERE, Severity.WEAK)
FEW_WORDS = replace(WEAK_HERE, code="overlap.low")

TIER = [
    pytest.param(
        (STRONG_HERE, STRONG_ELSEWHERE), Gravity.STRONG, "guards_refuse", id="two-strong-findings"
    ),
    pytest.param((STRONG_HERE,), Gravity.STRONG, "both_object", id="both-about-one-claim"),
    pytest.param(
        (STRONG_ELSEWHERE, WEAK_HERE), Gravity.STRONG, "both_object", id="doubt-beside-objection"
    ),
    pytest.param((STRONG_ELSEWHERE,), Gravity.STRONG, "guards_object", id="about-two-claims"),
    pytest.param((STRONG_HERE,), Gravity.MEDIUM, "guards_object", id="medium-beside-a-guard"),
    pytest.param((STRONG_HERE,), Gravity.WEAK, "guards_object", id="weak-beside-a-guard"),
    pytest.param((WEAK_HERE,), Gravity.STRONG, "doubt_confirmed", id="doubt-confirmed"),
    pytest.param((WEAK_ELSEWHERE,), Gravity.STRONG, "judge_alone", id="doubt-about-another-claim"),
    pytest.param((), Gravity.STRONG, "judge_alone", id="nobody-else-objects"),
    pytest.param((WEAK_HERE,), Gravity.MEDIUM, "judge_alone", id="medium-with-a-doubt"),
    pytest.param((), Gravity.MEDIUM, "judge_alone", id="medium-alone"),
    pytest.param((), Gravity.WEAK, "judge_doubts", id="weak-alone"),
    pytest.param((WEAK_HERE,), Gravity.WEAK, "absence_confirmed", id="found-nowhere-by-both"),
    pytest.param((FEW_WORDS,), Gravity.WEAK, "judge_doubts", id="few-words-alone-are-no-finding"),
    pytest.param((WEAK_HERE,), Gravity.NOTED, "judge_doubts", id="one-that-may-only-doubt"),
    pytest.param(
        (finding(CLAIM, Severity.STRONG, "uncited_claims"),),
        Gravity.STRONG,
        "judge_alone",
        id="a-missing-citation-is-no-agreement",
    ),
    pytest.param(
        (replace(WEAK_HERE, part="question"),),
        Gravity.STRONG,
        "judge_alone",
        id="a-finding-about-the-question-is-none-either",
    ),
]


@each_row("found, gravity, name", TIER)
def test_tier(found: tuple[Finding, ...], gravity: Gravity, name: str) -> None:
    grounding = [one for one in found if one.part == "answer" and one.guard == "overlap"]

    assert tier_of(replace(OBJECTION, gravity=gravity), grounding).name == name


PASS, TRIM, REGENERATE, REPLACE = Action.PASS, Action.TRIM, Action.REGENERATE, Action.REPLACE

SITUATION: dict[str, tuple[tuple[Finding, ...], Gravity]] = {
    "guards_refuse": ((STRONG_HERE, STRONG_ELSEWHERE), Gravity.STRONG),
    "both_object": ((STRONG_HERE,), Gravity.STRONG),
    "guards_object": ((STRONG_ELSEWHERE,), Gravity.STRONG),
    "doubt_confirmed": ((WEAK_HERE,), Gravity.STRONG),
    "absence_confirmed": ((WEAK_HERE,), Gravity.WEAK),
    "judge_alone": ((), Gravity.MEDIUM),
    "judge_doubts": ((), Gravity.WEAK),
}


@each_row("tier, is_critical, actions", "acts")
def test_act(tier: str, is_critical: bool, actions: tuple[Action, Action, Action]) -> None:
    found, gravity = SITUATION[tier]
    objection = replace(OBJECTION, gravity=gravity, is_critical=is_critical)

    done = [
        regate([objection], found, may_regenerate=again, may_edit=edit)
        for again, edit in ((True, True), (False, True), (False, False))
    ]

    assert tuple(one.action for one in done) == actions
    for one in done:
        weak = one.action is Action.PASS
        assert [each.severity is Severity.WEAK for each in one.findings] == [weak]


def test_every_tier_has_its_tests() -> None:
    assert SITUATION.keys() == {tier.name for tier in TIERS}


def test_the_strongest_objection_decides() -> None:
    weak = replace(OBJECTION, gravity=Gravity.WEAK)
    medium = replace(OBJECTION, gravity=Gravity.MEDIUM, is_critical=True)

    done = regate([weak, medium], (), may_regenerate=True, may_edit=True)

    assert done.action is Action.REGENERATE
    assert [one.severity for one in done.findings] == [Severity.WEAK, Severity.STRONG]


OBJECTIONS = st.lists(
    st.builds(
        Objection,
        st.just(OBJECTION.finding),
        st.sampled_from(Gravity),
        st.booleans(),
    ),
    max_size=4,
)


@given(OBJECTIONS, st.booleans(), st.booleans())
def test_a_judge_alone_never_replaces(objections: list[Objection], again: bool, edit: bool) -> None:
    done = regate(objections, (WEAK_ELSEWHERE,), may_regenerate=again, may_edit=edit)

    assert done.action is not Action.REPLACE


@given(OBJECTIONS, st.booleans(), st.booleans())
def test_where_two_guards_object_a_judge_changes_nothing(
    objections: list[Objection], again: bool, edit: bool
) -> None:
    found = (STRONG_HERE, STRONG_ELSEWHERE)

    done = regate(objections, found, may_regenerate=again, may_edit=edit)

    assert done.action is Action.PASS
