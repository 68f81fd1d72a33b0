"""The Korean sentences of a verification."""

from collections.abc import Mapping, Sequence

from guards.core.finding import Finding, Severity, Strength
from guards.text.citing.assessed import Assessment, Status

_QUOTED_CHARS = 60
_MOST_EXPECTED = 3

SUBJECTS: Mapping[str, str] = {
    "answerability": "질문",
    "citations": "출처 표시",
    "conflict": "자료 간 차이",
    "contact": "연락처",
    "estimates": "추정",
    "judge": "모델 의견",
    "korean_only": "언어",
    "legal_citation": "법령 인용",
    "names": "이름",
    "negation": "긍정·부정",
    "numbers": "수치",
    "overlap": "근거",
    "personal_data": "개인정보",
    "phrases": "표현",
    "places": "장소",
    "quality": "글의 완결성",
    "scope": "대상 범위",
    "transport": "교통편",
    "uncited_claims": "출처 표시",
}
"""What a guard's findings are about, by its id."""
_CODES = {
    "answerability.unknown_name": "자료는 질문하신 대상이 아닌 다른 것만 다룹니다",
    "answerability": "답할 근거가 되는 자료가 없습니다",
    "citations.unknown_source": "제공된 자료에 없는 출처입니다",
    "citations.unknown_number": "제공된 자료에 없는 출처 번호입니다",
    "citations.wrong_source": "다른 출처에 있는 내용입니다",
    "citations.unsupported": "표시된 출처에 없는 내용입니다",
    "citations.missing": "출처 표시가 빠져 있습니다",
    "conflict": "자료마다 내용이 다른데 한쪽만 답했습니다",
    "estimates.derived": "자료의 수치로 어림한 값입니다",
    "estimates.hedge": "추측하는 표현입니다",
    "estimates": "자료에 없는 추정입니다",
    "korean_only": "한국어가 아닌 글자가 섞여 있습니다",
    "negation.exception_omitted": "자료에 있는 예외를 빠뜨렸습니다",
    "personal_data": "사용자와 자료가 알려 주지 않은 개인정보입니다",
    "phrases": "쓰지 않기로 한 표현입니다",
    "quality": "글이 온전하지 않습니다",
    "scope": "질문하신 대상이 아닌 다른 곳의 내용일 수 있습니다",
    "uncited_claims": "출처를 표시하지 않았습니다",
}
_STRENGTHS = {
    Strength.C2: "자료와 다릅니다",
    Strength.C1: "자료와 다를 수 있습니다",
    Strength.E0: "자료에서 확인되지 않습니다",
}
_UNSURE = "자료에서 분명하게 확인되지 않습니다"


def message(finding: Finding) -> str:
    """Say what a finding is about and what is wrong, in one line."""
    subject = SUBJECTS.get(finding.guard, finding.guard)
    said = _CODES.get(finding.code) or _CODES.get(finding.guard) or _by_strength(finding)
    expected = ", ".join(finding.expected[:_MOST_EXPECTED])
    told = f" (자료: {_short(expected)})" if expected else ""
    return f'{subject}: "{_short(finding.observed)}" - {said}{told}'


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
