"""Golden sets written for a test, and how one is played without a socket to a model."""

from datetime import UTC, datetime

from proxy.golden.results import CaseResult, Outcome, Run, Tally, TurnResult
from proxy.golden.shape import Case, GoldenSet, read_golden


def golden_of(yaml: str) -> GoldenSet:
    return read_golden(yaml.encode(), "written.yaml")


def case_of(yaml: str) -> Case:
    """Return a case of one question; `yaml` is what else it says, a member a line."""
    lines = "".join(f"    {line}\n" for line in yaml.splitlines())
    [case] = golden_of(f"cases:\n  - id: one\n    query: 대출 기간은 며칠인가요?\n{lines}").cases
    return case


def result_of(
    name: str,
    outcome: Outcome = Outcome.PASSED,
    score: float = 1.0,
    *,
    category: str = "대출",
    turns: tuple[TurnResult, ...] = (),
) -> CaseResult:
    return CaseResult(id=name, category=category, outcome=outcome, score=score, turns=turns)


def run_of(*results: CaseResult) -> Run:
    return Run(
        golden="library",
        target="scripted",
        model="scripted-ko",
        started_at=datetime(2031, 3, 2, 12, tzinfo=UTC),
        took_s=0.5,
        tally=Tally.of(results),
        cases=results,
    )
