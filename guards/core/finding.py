"""Findings of guards: their place, the text observed, the evidence, and their strength."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a text: half-open, in code points."""

    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Tell whether the two have a character in common."""
        return self.start < other.end and other.start < self.end


class Severity(StrEnum):
    """Weight of a finding: a strong one acts, a weak one only lowers the confidence."""

    STRONG = "strong"
    WEAK = "weak"


class Strength(StrEnum):
    """Evidence strength of the claim that a finding is about."""

    E3 = "E3"
    """Exact typed match or quote."""
    E2 = "E2"
    """Aligned with a source sentence, slots agree."""
    E1 = "E1"
    """Partial, derived, or supported by a model only."""
    E0 = "E0"
    """Nothing found in the sources."""
    C1 = "C1"
    """Possible contradiction."""
    C2 = "C2"
    """Same slot, different value, polarity or entity."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verbatim quote from a source as evidence for a finding."""

    source_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a guard saw.

    Attributes:
        guard: Id of the guard.
        code: ``<guard>.<what>``, one of the guard's `codes`.
        part: Name of the part of the reading: ``question``, ``answer`` or ``source:<id>``.
        span: Where in that part's own text.
        severity: Strong findings act, weak ones lower the confidence.
        strength: Evidence strength of the claim.
        observed: What stands at the span, as it stands.
        expected: What the sources say instead; empty if they say nothing.
        evidence: Quotes that show it.
        score: Certainty of the guard, 0 to 1.
        fix: What has to stand at the span instead, where the guard knows it for sure; empty to take
            the span out; None where it cannot be corrected in place.
        provisional: Words that may still follow behind the answer as it stands could take it back:
            a total whose items come next, a value whose rival is named later. Of no account once
            the answer is complete.
    """

    guard: str
    code: str
    part: str
    span: Span
    observed: str
    severity: Severity = Severity.STRONG
    strength: Strength = Strength.E0
    expected: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    score: float = 1.0
    fix: str | None = None
    provisional: bool = False
