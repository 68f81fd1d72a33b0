"""Every code of finding and its words: the guards' own, and those of the judge beside them.

All displays of findings read their wording here; it is written in the guard's module.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from guards.core.guard import Code, Label
from guards.core.registry import all_guards
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
