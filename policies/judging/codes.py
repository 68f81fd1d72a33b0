"""What a judge's findings are called, beside the guards' own codes."""

from collections.abc import Mapping

from guards.core.finding import Finding
from guards.core.guard import Code
from guards.core.registry import all_guards
from policies.judging.judge import JUDGE

CONTRADICTED = f"{JUDGE}.contradicted"
UNSUPPORTED = f"{JUDGE}.unsupported"
UNVERIFIABLE = f"{JUDGE}.unverifiable"

CODES: Mapping[str, Code] = {
    CONTRADICTED: Code(
        "A source contradicts the claim, in the judge's opinion.",
        '"{observed}" 문장은 자료의 내용과 다릅니다. 자료에 적힌 대로 쓰세요.',
    ),
    UNSUPPORTED: Code(
        "No source says what the claim says, in the judge's opinion.",
        '"{observed}" 문장은 자료에서 확인되지 않습니다. 빼고, 자료에 있는 내용만 쓰세요.',
    ),
    UNVERIFIABLE: Code(
        "An opinion that was discarded: its quote stands in no source, or speaks against it."
    ),
}


def code_of(finding: Finding) -> Code:
    """Return what a finding's code means, be it a guard's or the judge's."""
    codes = CODES if finding.guard == JUDGE else all_guards()[finding.guard].codes
    return codes[finding.code]
