"""The Korean sentences of a verification."""

import re

import pytest

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Stage
from guards.core.registry import all_guards
from policies.codes import message, reasoning
from tests.tables import each_row


def finding(code: str, observed: str = "45일", **more: object) -> Finding:
    known: dict[str, object] = {"severity": Severity.STRONG, "strength": Strength.E0}
    return Finding(
        guard=code.partition(".")[0],
        code=code,
        part="answer",
        span=Span(0, 1),
        observed=observed,
        **(known | more),  # type: ignore[arg-type]
    )


SAID = [
    pytest.param(
        finding("numbers.value_differs", strength=Strength.C2, expected=("20일",)),
        '수치: "45일" - 자료와 다릅니다 (자료: 20일)',
        id="contradiction-with-the-right-value",
    ),
    pytest.param(
        finding("contact.invented", "070-0000-1234"),
        '연락처: "070-0000-1234" - 자료에서 확인되지 않습니다',
        id="invented",
    ),
    pytest.param(
        finding("names.differs", "해솔관", severity=Severity.WEAK, strength=Strength.C2),
        '이름: "해솔관" - 자료에서 분명하게 확인되지 않습니다',
        id="a-weak-finding-accuses-nobody",
    ),
    pytest.param(
        finding("citations.unknown_number", "[9]", expected=("[1]", "[2]", "[3]", "[4]")),
        '출처 표시: "[9]" - 제공된 자료에 없는 출처 번호입니다 (자료: [1], [2], [3])',
        id="a-code-of-its-own",
    ),
    pytest.param(
        finding("quality.cut_off", "가" * 90),
        f'글의 완결성: "{"가" * 60}…" - 글이 온전하지 않습니다',
        id="long-texts-are-cut",
    ),
]


@each_row("one, line", SAID)
def test_a_finding_in_one_line(one: Finding, line: str) -> None:
    assert message(one) == line


@each_row("guard", [name for name, guard in all_guards().items() if Stage.OUTPUT in guard.stages])
def test_every_guard_of_answers_has_korean_words(guard: str) -> None:
    for code in all_guards()[guard].codes:
        said = message(finding(code, ""))

        assert not re.search("[A-Za-z]", said)


def test_pieces_are_joined_with_their_marks() -> None:
    pieces = [(True, "맞습니다"), (False, "아닙니다"), (None, "모릅니다")]

    assert reasoning(pieces) == "✓ 맞습니다 | ✗ 아닙니다 | ? 모릅니다"
