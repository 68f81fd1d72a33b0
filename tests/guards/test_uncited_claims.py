import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.uncited_claims import UncitedClaims, UncitedClaimsSettings
from tests.tables import each_row

SOURCES = (Source("1", "제8조 (환불)", "환불은 영수증을 첨부하여 창구에 신청한다."),)
CITED = "환불은 영수증을 첨부하여 창구에 신청해야 합니다.[1]"
UNCITED = "신청이 늦은 경우에는 수수료를 제하고 환불합니다."


@pytest.fixture
def guard() -> UncitedClaims:
    return UncitedClaims(UncitedClaimsSettings(citations_required=True))


def findings(guard: UncitedClaims, answer: str) -> list[Finding]:
    return guard.check(read(Exchange("환불 방법은?", SOURCES, answer=answer)))


FLAGGED = [
    pytest.param(f"{CITED}\n{UNCITED}", ["sentence"], id="one-of-two-lines"),
    pytest.param(f"{CITED} {UNCITED}", ["sentence"], id="after-the-last-mark-of-a-line"),
    pytest.param(UNCITED, ["answer"], id="nothing-cited"),
    pytest.param(f"{UNCITED}\n" * 5, ["answer"], id="one-finding-for-an-uncited-answer"),
    pytest.param(f"{UNCITED}\n" * 30, ["long_answer"], id="long-answer"),
    pytest.param(f"{CITED}\n- {UNCITED}\n- {UNCITED}", ["sentence"] * 2, id="list-items"),
]


@each_row("answer, kinds", FLAGGED)
def test_flags(guard: UncitedClaims, answer: str, kinds: list[str]) -> None:
    found = findings(guard, answer)

    assert [finding.code for finding in found] == [f"uncited_claims.{kind}" for kind in kinds]
    assert all(finding.severity is Severity.WEAK for finding in found)
    assert all(answer[each.span.start : each.span.end] == each.observed for each in found)


@each_row("answer", "clean")
def test_passes(guard: UncitedClaims, answer: str) -> None:
    assert findings(guard, answer) == []


def test_where_citations_are_not_required_only_a_long_answer_has_to_cite() -> None:
    lenient = UncitedClaims(UncitedClaimsSettings())

    assert findings(lenient, UNCITED) == []
    assert [found.code for found in findings(lenient, f"{UNCITED}\n" * 30)] == [
        "uncited_claims.long_answer"
    ]
    assert len(findings(lenient, f"{CITED}\n{UNCITED}")) == 1


def test_lengths_are_settings() -> None:
    lenient = UncitedClaims(UncitedClaimsSettings(citations_required=True, min_chars=100))
    strict = UncitedClaims(UncitedClaimsSettings(long_answer_chars=10))

    assert findings(lenient, UNCITED) == []
    assert [found.code for found in findings(strict, UNCITED)] == ["uncited_claims.long_answer"]
