"""What verifying an answer comes to: one report, for programs, the wire and the terminal."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from guards.core.exchange import ContextState
from policies.confidence import Band, Cap
from policies.schema.guard_rule import Action
from policies.verification.parts import (
    Checks,
    CitationCheck,
    CitationCount,
    ClaimReport,
    FindingReport,
    Label,
    NotCheckable,
    Renumbered,
    ReportPart,
    Scores,
    SourceReport,
    Thresholds,
)


class VerificationOutcome(StrEnum):
    """The result of a verification in a word."""

    VERIFIED = "verified"
    PARTLY = "partly_verified"
    """The policy would let the answer pass, and only some of its claims rest on a source."""
    NOT_VERIFIED = "not_verified"


class Verification(ReportPart):
    """An answer held against its sources. What was not checked is never called verified.

    As a truth value it is `verified`: ``if quick_verify(answer, sources): …``.
    """

    id: str = Field(description="Id of this verification; over HTTP that of its trace.")
    policy: str = Field(description="Name and version of the policy that judged.")
    question: str = Field(description="The question, as it was understood; may be empty.")
    context: ContextState = Field(
        description="found: there are sources. empty: there was a place for sources and nothing "
        "usable in it. absent: no sources were given."
    )
    verdict: Action = Field(
        description="What the policy would do with this answer in the path of a chat completion."
    )
    verified: bool = Field(
        description="The verdict is `pass`, at least one claim was compared with a source and none "
        "that could be was left out, every demanded check ran, and the confidence reaches its "
        "threshold."
    )
    confidence: float | None = Field(
        description="From 0 to 1; null if nothing could be checked.", ge=0, le=1
    )
    confidence_band: Band | None = Field(description="The confidence in one word.")
    confidence_caps: tuple[Cap, ...] = Field(description="What holds the confidence down.")
    issues: tuple[str, ...] = Field(description="What is wrong, a Korean line for each.")
    reasoning: str = Field(
        description="The judgement in one Korean line: pieces that begin with ✓, ✗ or ?, joined "
        "by ` | `. A ? stands before what could not be checked."
    )
    citations_valid: bool | None = Field(
        description="Whether every citation names a source that says what it is cited for, as far "
        "as that is known: false exactly if `verification_log` calls one inaccurate or one "
        "names no source; null if the answer cites nothing, was not checked, or there is a doubt."
    )
    scores: Scores
    thresholds: Thresholds
    claims: tuple[ClaimReport, ...] = Field(description="Every sentence of the answer, in order.")
    findings: tuple[FindingReport, ...] = Field(
        description="What the guards in force found. Those in shadow are left out."
    )
    citations: CitationCount
    original_answer: str = Field(description="The answer as it was given.")
    corrected_answer: str | None = Field(
        description="The answer after `options.correction`: the same where nothing was to be "
        "mended, or correction was `none`; null if too little of the answer would be left."
    )
    removed_citations: tuple[int, ...] = Field(
        description="Numbers that the answer cites and the corrected answer no longer does."
    )
    renumbered: tuple[Renumbered, ...] = Field(
        description="Numbers that stand for the same source under another number afterwards."
    )
    sources: tuple[SourceReport, ...] = Field(
        description="The sources that counted, in the order in which citations count them."
    )
    accuracy_rate: float | None = Field(
        description="Accurate citations among those that are accurate or inaccurate; null if none "
        "is known.",
        ge=0,
        le=1,
    )
    verification_log: tuple[CitationCheck, ...] = Field(
        description="Every pair of a statement and a source that it cites, each once."
    )
    checks: Checks
    not_checkable: tuple[NotCheckable, ...] = Field(
        description="What could not be checked, and why: the whole answer or single claims."
    )
    degraded: tuple[str, ...] = Field(
        description="Checks that were wanted and failed, as `name:reason`. Never verified with one."
    )
    timings_ms: Mapping[str, float] = Field(
        description="Time of each guard that ran and of each further step, in milliseconds."
    )
    processing_time_ms: float = Field(description="Time of it all, in milliseconds.", ge=0)

    @property
    def outcome(self) -> VerificationOutcome:
        """The result in a word."""
        if self.verified:
            return VerificationOutcome.VERIFIED
        if self.verdict is Action.PASS and any(one.label is Label.SUPPORTED for one in self.claims):
            return VerificationOutcome.PARTLY
        return VerificationOutcome.NOT_VERIFIED

    def __bool__(self) -> bool:
        """Tell whether the answer is verified."""
        return self.verified
