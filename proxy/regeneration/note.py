"""What the model is told about its first answer, in Korean.

Evidence comes first and the wrong value once and short, because a repeated mistake is made again.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from guards.core.finding import Finding, Strength
from policies.judging.codes import code_of
from proxy.regeneration.closed_lists import ClosedList

HEADING: Final = "[검증 결과]"
_OPENING = (
    f"{HEADING} 방금 쓴 초안에 고쳐야 할 곳이 있습니다. "
    "아래 사항을 모두 지켜 처음부터 다시 답해 주세요."
)
_CLOSING = (
    "제공된 자료에 없는 내용은 쓰지 말고, 근거가 없으면 "
    "'제공된 자료에서 확인되지 않습니다'라고 답해 주세요."
)
_KEEP = "다음 문장은 유지하세요:"
_NOTHING = "없음"
# Who is told to choose another contact must not be told to give none.
_BANNED = "personal_data"
_CHOSEN = "contact"
_LONGEST_QUOTE_CHARS = 160
_LONGEST_OBSERVED_CHARS = 60
_LONGEST_EXPECTED_CHARS = 200
_LONGEST_NOTE_CHARS = 1200
_WORST_FIRST = (Strength.C2, Strength.C1, Strength.E0, Strength.E1, Strength.E2, Strength.E3)


def note(
    findings: Sequence[Finding],
    most: int,
    lists: Sequence[ClosedList] = (),
    standing: Sequence[str] = (),
) -> str:
    """Return the note: worst findings first, each fault once, as much as there is room for.

    Args:
        findings: What was wrong.
        most: Most findings to be named.
        lists: What may be chosen from, for the kinds of values that were wrong.
        standing: Sentences of the draft that may stay.
    """
    room = _LONGEST_NOTE_CHARS - len(_OPENING) - len(_CLOSING) - 1
    faults = _faults(findings, most)
    worst = faults[:1]
    allowed = _fitting(map(_allowed, lists), room - _size(worst))
    others = _fitting(faults[1:], room - _size(worst + allowed))
    told = [*worst, *others, *allowed]
    return "\n".join([_OPENING, *told, *_kept(standing, room - _size(told)), _CLOSING])


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _fitting(lines: Iterable[str], room: int) -> list[str]:
    """Return as many of the lines, from the first one, as there is room for."""
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def _kept(sentences: Iterable[str], room: int) -> list[str]:
    quoted = _fitting((f'"{sentence}"' for sentence in sentences), room - len(_KEEP) - 1)
    return [" ".join([_KEEP, *quoted])] if quoted else []


def _allowed(closed: ClosedList) -> str:
    values = ", ".join(closed.values) or _NOTHING
    return f"허용 {closed.kind}: {values} (이 밖의 것은 쓰지 마세요)"


def _faults(findings: Sequence[Finding], most: int) -> list[str]:
    chosen = [finding.observed for finding in findings if finding.guard == _CHOSEN]
    told = [one for one in findings if one.guard != _BANNED or not _is_among(one, chosen)]
    lines: list[str] = []
    for finding in sorted(told, key=lambda found: _WORST_FIRST.index(found.strength)):
        line = _instruction(finding)
        if line and line not in lines:
            lines.append(line)
    return [f"{number}) {line}" for number, line in enumerate(lines[:most], start=1)]


def _is_among(finding: Finding, texts: Iterable[str]) -> bool:
    return any(text in finding.observed or finding.observed in text for text in texts)


def _instruction(finding: Finding) -> str:
    code = code_of(finding)
    if not code.instruction:
        return ""
    said = code.instruction.format(
        observed=_short(finding.observed, _LONGEST_OBSERVED_CHARS),
        expected=_short(", ".join(finding.expected), _LONGEST_EXPECTED_CHARS) or _NOTHING,
    )
    if finding.fix in finding.expected and "{expected}" not in code.instruction:
        said += f" 바르게 쓰면: {_short(finding.fix, _LONGEST_EXPECTED_CHARS)}"
    if not finding.evidence:
        return said
    quote = _short(finding.evidence[0].quote, _LONGEST_QUOTE_CHARS)
    return f'자료 {finding.evidence[0].source_id}: "{quote}" → {said}'


def _short(text: str, most_chars: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most_chars else f"{line[: most_chars - 1]}…"
