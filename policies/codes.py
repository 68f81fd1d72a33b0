"""Every code of finding and its words: the guards' own, and those of the judge beside them.

All displays of findings read their wording here; it is written in the guard's module. The Korean
sentences of a verification stand here, too.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

from guards.core.finding import Finding, Severity, Strength
from guards.core.guard import Code, Label
from guards.core.registry import all_guards
from guards.text.citing.assessment import Assessment, Status
from policies.judging.judge import JUDGE

CONTRADICTED = f"{JUDGE}.contradicted"
UNSUPPORTED = f"{JUDGE}.unsupported"
UNVERIFIABLE = f"{JUDGE}.unverifiable"

JUDGE_CODES: Mapping[str, Code] = {
    CONTRADICTED: Code(
        label=Label("A source says otherwise", "출처와 다름"),
        meaning="A source contradicts the claim, in the judge's opinion.",
        instruction='"{observed}" 문장은 자료의 내용과 다릅니다. 자료에 적힌 대로 쓰세요.',
    ),
    UNSUPPORTED: Code(
        label=Label("No source says so", "출처에서 확인되지 않음"),
        meaning="No source says what the claim says, in the judge's opinion.",
        instruction=(
            '"{observed}" 문장은 자료에서 확인되지 않습니다. 빼고, 자료에 있는 내용만 쓰세요.'
        ),
    ),
    UNVERIFIABLE: Code(
        label=Label("An opinion without a valid quote", "인용이 맞지 않는 의견"),
        meaning=("An opinion that was discarded: its quote is in no source, or says the opposite."),
    ),
}


@cache
def all_codes() -> Mapping[str, Code]:
    """Return every code, in the order of the guards; the judge's come last."""
    guards = all_guards().values()
    known = {name: code for guard in guards for name, code in guard.codes.items()}
    return MappingProxyType({**known, **JUDGE_CODES})


@cache
def guard_labels() -> Mapping[str, Label]:
    """Return the label of every guard by its id, and the judge's."""
    labels = {name: guard.label for name, guard in all_guards().items()}
    return MappingProxyType({**labels, JUDGE: Label("Second reader", "판정 모델")})


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
    """Say why a citation is accurate, inaccurate or uncertain."""
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
