"""The second request: the first one plus what was wrong with its answer.

The feedback is added to the end of the last user turn, because that is the one place which every
chat template takes: several refuse a system message that is not the first one. The draft itself is
not sent back; it would anchor the model on its own mistakes.
"""

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from guards.core.finding import Finding, Strength
from guards.core.registry import all_guards
from policies.policy import Regeneration
from proxy.openai_api.json_body import JsonObject

HEADING: Final = "[검증 결과]"
_OPENING = (
    f"{HEADING} 방금 쓴 초안에 고쳐야 할 곳이 있습니다. "
    "아래 사항을 모두 지켜 처음부터 다시 답해 주세요."
)
_CLOSING = (
    "제공된 자료에 없는 내용은 쓰지 말고, 근거가 없으면 "
    "'제공된 자료에서 확인되지 않습니다'라고 답해 주세요."
)
_NOTHING = "없음"
_LONGEST_QUOTE_CHARS = 160
_LONGEST_OBSERVED_CHARS = 60
_LONGEST_FEEDBACK_CHARS = 1200
_WORST_FIRST = (Strength.C2, Strength.C1, Strength.E0, Strength.E1, Strength.E2, Strength.E3)


def with_feedback(
    body: JsonObject, findings: Sequence[Finding], rules: Regeneration, *, choices: int
) -> JsonObject:
    """Return the body of the second request. Pure: the given body is left as it is.

    Args:
        body: Body of the first request, as the model server got it.
        findings: What was wrong with its answers.
        rules: The policy's rules for the second attempt.
        choices: How many choices have to be written again.
    """
    again = dict(body)
    again["messages"] = _with_note(body["messages"], feedback(findings, rules.max_findings))
    if "n" in body or choices > 1:
        again["n"] = choices
    if rules.temperature is not None:
        asked = body.get("temperature")
        wanted = asked if isinstance(asked, (int, float)) else 1.0
        again["temperature"] = min(wanted, rules.temperature)
    seed = body.get("seed")
    if isinstance(seed, int):
        again["seed"] = seed + 1
    return again


def feedback(findings: Sequence[Finding], most: int) -> str:
    """Return what the model is told, in Korean: worst findings first, each fault once."""
    lines: list[str] = []
    for finding in sorted(findings, key=lambda found: _WORST_FIRST.index(found.strength)):
        line = _instruction(finding)
        if line and line not in lines:
            lines.append(line)
    numbered = [f"{number}) {line}" for number, line in enumerate(lines[:most], start=1)]
    room = _LONGEST_FEEDBACK_CHARS - len(_OPENING) - len(_CLOSING)
    kept: list[str] = []
    for line in numbered:
        room -= len(line) + 1
        if kept and room < 0:
            break
        kept.append(line)
    return "\n".join([_OPENING, *kept, _CLOSING])


def _instruction(finding: Finding) -> str:
    code = all_guards()[finding.guard].codes[finding.code]
    if not code.instruction:
        return ""
    said = code.instruction.format(
        observed=_short(finding.observed, _LONGEST_OBSERVED_CHARS),
        expected=", ".join(_short(value, _LONGEST_OBSERVED_CHARS) for value in finding.expected)
        or _NOTHING,
    )
    if not finding.evidence:
        return said
    quote = _short(finding.evidence[0].quote, _LONGEST_QUOTE_CHARS)
    return f'자료 {finding.evidence[0].source_id}: "{quote}" → {said}'


def _short(text: str, most_chars: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most_chars else f"{line[: most_chars - 1]}…"


def _with_note(messages: JsonValue, note: str) -> JsonValue:
    if not isinstance(messages, list):
        return messages
    last = messages[-1]
    if not isinstance(last, dict) or last.get("role") != "user":
        return [*messages, {"role": "user", "content": note}]
    content = last.get("content")
    if isinstance(content, list):
        return [*messages[:-1], last | {"content": [*content, {"type": "text", "text": note}]}]
    return [*messages[:-1], last | {"content": f"{content or ''}\n\n{note}"}]
