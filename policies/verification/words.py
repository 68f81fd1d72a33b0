"""The Korean sentences of a verification."""

from collections.abc import Sequence

from guards.core.finding import Finding, Severity, Strength
from guards.text.citing.assessment import Assessment, Status
from policies.codes import all_codes, guard_labels

_QUOTED_CHARS = 60
_MOST_EXPECTED = 3

_STRENGTHS = {
    Strength.C2: "자료와 다릅니다",
    Strength.C1: "자료와 다를 수 있습니다",
    Strength.E0: "자료에서 확인되지 않습니다",
}
_UNSURE = "자료에서 분명하게 확인되지 않습니다"


def message(finding: Finding) -> str:
    """Say what a finding is about and what is wrong, in one line."""
    said = all_codes()[finding.code].message or _by_strength(finding)
    expected = ", ".join(finding.expected[:_MOST_EXPECTED])
    suffix = f" (자료: {_short(expected)})" if expected else ""
    return f'{guard_labels()[finding.guard].ko}: "{_short(finding.observed)}" - {said}{suffix}'


def _by_strength(finding: Finding) -> str:
    if finding.severity is Severity.WEAK:
        return _UNSURE
    return _STRENGTHS.get(finding.strength, _UNSURE)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED_CHARS else f"{line[:_QUOTED_CHARS]}…"


def explanation(assessment: Assessment, status: Status, objection: Finding | None = None) -> str:
    """Say why a citation is accurate, inaccurate or uncertain.

    Args:
        assessment: How far the source carries the statement.
        status: What came of it.
        objection: What a guard has against the statement itself; None for nothing.
    """
    if assessment.source_id is None:
        return "제공된 자료에 없는 출처입니다."
    if objection is not None:
        return f"문장의 내용이 {_STRENGTHS.get(objection.strength, _UNSURE)}."
    if status is Status.ACCURATE:
        return "출처에 있는 내용과 일치합니다."
    if status is Status.INACCURATE and assessment.better is not None:
        return f"이 출처보다 출처 {assessment.better}에 맞는 내용입니다."
    if status is Status.INACCURATE:
        return "표시된 출처에 없는 내용입니다."
    return "출처와 일부만 일치하여 정확한지 판단하기 어렵습니다."


def reasoning(pieces: Sequence[tuple[bool | None, str]]) -> str:
    """Join what was found out to one line; None stands for what could not be checked."""
    marks = {True: "✓", False: "✗", None: "?"}
    return " | ".join(f"{marks[good]} {said}" for good, said in pieces)
