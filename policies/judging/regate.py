"""Effects of a judge's opinion on the findings and on the verdict.

A judge alone never replaces an answer. Its strongest objection counts in full only where a guard
has a doubt about the same claim; otherwise the claim may be written again or taken out, and where
neither is possible the answer goes out with a lower confidence. That it finds a claim nowhere does
something only where a guard has found the same.

In favour of a claim it can do one thing: take back a finding that rests on absence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

from guards.core.finding import Finding, Severity, Strength
from guards.core.guard import Subject
from guards.core.registry import guards_about
from guards.overlap import Overlap
from policies.schema.policy import Action

_NOT_GROUNDING = (Subject.FORM, Subject.QUESTION, Subject.CITATIONS, Subject.PERSONAL_DATA)
"""Subjects whose findings do not say that a claim is untrue."""
_OF_VALUES = (Subject.FIGURES, Subject.PROVISIONS, Subject.CONTACTS, Subject.ROUTES)
"""Subjects whose findings rest on compared values, also where the sources hold none."""
_REGENERATE, _TRIM, _REPLACE = (Action.REGENERATE, Action.TRIM, Action.REPLACE)
_MANY = 1_000_000
_FEW_WORDS = f"{Overlap.id}.low"


class Gravity(StrEnum):
    """Weight of an objection."""

    STRONG = "strong"
    """A source says the opposite."""
    MEDIUM = "medium"
    """A source says something else, or none has the figure or what was asked."""
    WEAK = "weak"
    """No source says so."""
    NOTED = "noted"
    """Whatever it says, it may only lower the confidence."""


class Agreement(IntEnum):
    """Degree to which the guards share an objection; each level includes those before it."""

    NONE = 0
    DOUBT = 1
    """One has a doubt about the same claim."""
    FINDING = 2
    """One has found something that contradicts it by itself."""


_ANY = frozenset(Gravity)


@dataclass(frozen=True, slots=True)
class Objection:
    """An opinion that counts against a claim.

    Attributes:
        finding: What it says; its severity is decided here.
        gravity: How much it weighs.
    """

    finding: Finding
    gravity: Gravity
    is_critical: bool = False


@dataclass(frozen=True, slots=True)
class Tier:
    """One row of the table. The first row that fits counts.

    Attributes:
        fewest: Fewest strong findings of guards about grounding; `most` is their largest number.
        gravities: How much the objection weighs.
        agreed: How far the guards must agree at least.
        critical: What is done about a critical claim: the first of these that is possible; PASS
            lowers the confidence only.
        minor: The same for any other claim.
    """

    name: str
    fewest: int
    most: int
    gravities: frozenset[Gravity]
    agreed: Agreement = Agreement.NONE
    critical: tuple[Action, ...] = (Action.PASS,)
    minor: tuple[Action, ...] = (Action.PASS,)


_STRONG = frozenset({Gravity.STRONG})
_FULL = (_REGENERATE, _TRIM, _REPLACE)

TIERS = (
    # What the guards say is enough; they refuse by themselves.
    Tier("guards_refuse", 2, _MANY, _ANY),
    # Two objections of different kinds: as good as two of the guards' own.
    Tier(
        "both_object",
        1,
        1,
        _STRONG,
        Agreement.DOUBT,
        critical=(_REGENERATE, _REPLACE),
        minor=(_REGENERATE, _REPLACE),
    ),
    # One claim is dealt with as the guard wants it; a second one would tip it over to a refusal.
    Tier("guards_object", 1, 1, _ANY),
    # A doubt confirmed counts like one strong finding of a guard.
    Tier("doubt_confirmed", 0, 0, _STRONG, Agreement.DOUBT, critical=_FULL, minor=_FULL),
    # Two who find it nowhere are more than one; but neither has seen anything else.
    Tier(
        "absence_confirmed",
        0,
        0,
        frozenset({Gravity.WEAK}),
        Agreement.FINDING,
        critical=(_REGENERATE, _TRIM, Action.PASS),
        minor=(_REGENERATE, _TRIM, Action.PASS),
    ),
    # Never a replacement on a judge alone.
    Tier(
        "judge_alone",
        0,
        0,
        frozenset({Gravity.STRONG, Gravity.MEDIUM}),
        critical=(_REGENERATE, _TRIM, Action.PASS),
        minor=(_TRIM, _REGENERATE, Action.PASS),
    ),
    Tier("judge_doubts", 0, 0, _ANY),
)


@dataclass(frozen=True, slots=True)
class RegateResult:
    """Result of the objections to one answer.

    Attributes:
        action: The strongest action that any of them may ask for.
        findings: The objections as findings: strong where they act, weak where they do not.
    """

    action: Action
    findings: tuple[Finding, ...]


def regate(
    objections: Sequence[Objection],
    findings: Iterable[Finding],
    *,
    may_regenerate: bool,
    may_edit: bool,
) -> RegateResult:
    """Return what follows from a judge's objections."""
    grounding = [one for one in findings if is_grounding(one)]
    possible = {Action.PASS, Action.REPLACE}
    possible |= {Action.REGENERATE} if may_regenerate else set()
    possible |= {Action.TRIM} if may_edit else set()
    decisions = [
        _acted_on(objection, tier_of(objection, grounding), possible) for objection in objections
    ]
    return RegateResult(
        action=max(
            (action for action, _ in decisions), key=lambda one: one.rank, default=Action.PASS
        ),
        findings=tuple(finding for _, finding in decisions),
    )


def tier_of(objection: Objection, grounding: Iterable[Finding]) -> Tier:
    """Return the row of the table that an objection falls under."""
    found = list(grounding)
    strong = len(strong_grounding(found))
    agreed = agreement(objection.finding, found)
    return next(
        tier
        for tier in TIERS
        if tier.fewest <= strong <= tier.most
        and objection.gravity in tier.gravities
        and agreed >= tier.agreed
    )


def agreement(objection: Finding, grounding: Iterable[Finding]) -> Agreement:
    """Return how far the guards' findings about grounding share an objection."""
    about = [one for one in grounding if objection.span.overlaps(one.span)]
    if any(map(says_untrue, about)):
        return Agreement.FINDING
    return Agreement.DOUBT if about else Agreement.NONE


def is_grounding(finding: Finding) -> bool:
    """Tell whether a guard's finding says that the answer is not what the sources say."""
    return finding.part == "answer" and finding.guard not in guards_about(*_NOT_GROUNDING)


def rests_on_absence(finding: Finding) -> bool:
    """Tell whether a finding says only that the sources lack a claim's words or a name in it.

    They may have them in another form. What a guard finds by comparing values is never one.
    """
    is_absent = finding.strength is Strength.E0 and is_grounding(finding)
    return is_absent and finding.guard not in guards_about(*_OF_VALUES)


def says_untrue(finding: Finding) -> bool:
    """Tell whether a finding contradicts a claim by itself.

    That the sources have few of its words is one sign of doubt among others, weighed with them.
    """
    return is_grounding(finding) and finding.code != _FEW_WORDS


def strong_grounding(findings: Iterable[Finding]) -> list[Finding]:
    """Return the strong findings about grounding."""
    return [one for one in findings if is_grounding(one) and one.severity is Severity.STRONG]


def _acted_on(objection: Objection, tier: Tier, possible: set[Action]) -> tuple[Action, Finding]:
    steps = tier.critical if objection.is_critical else tier.minor
    action = next(step for step in steps if step in possible)
    severity = Severity.WEAK if action is Action.PASS else Severity.STRONG
    return action, replace(objection.finding, severity=severity)
