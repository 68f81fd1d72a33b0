"""A verdict is the same in every process: no order of a set decides a tie."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.guard import Stage
from policies.decision import Possible
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from policies.verdict import Verdict
from tests.bench.corpus import Case, numbered

# With some of these each of the ties below once fell differently. This process has a third one.
SEEDS = ("0", "1")
BENCH_CASES = 1
ROOT = Path(__file__).parents[2]
DEADLINE_S = 600

TIES = {
    "two-limits-are-set-aside": Exchange(
        "공방은 누가 쓸 수 있나요?",
        (Source("1", "공방 이용 안내", "공방은 회원만 평일에 19세 이상으로 쓸 수 있습니다."),),
        answer="공방은 나이와 요일에 상관없이 회원이 쓸 수 있습니다.",
    ),
    "two-names-stand-in-the-place-of-one": Exchange(
        "도예 강좌는 누가 가르치나요?",
        (
            Source(
                "1",
                "강좌 안내",
                "| 강좌 | 강사 |\n|---|---|\n| 도예 | 나은별 |\n| 서예 | 다온솔 |\n"
                "| 목공 | 마루한 |\n| 제빵 | 바른빛 |",
            ),
        ),
        answer="도예 강좌는 다온솔, 마루한, 바른빛 선생님이 가르칩니다.",
    ),
}


def _asked(case: Case) -> Exchange:
    sources = (
        Source(str(number), one.title, one.text) for number, one in enumerate(case.sources, 1)
    )
    return Exchange(case.question, tuple(sources), answer=case.answer)


def _corpus() -> list[Exchange]:
    sources = [_asked(numbered(number)) for number in range(BENCH_CASES)]
    answers = [one.answer for one in sources]
    # What another's sources do not hold is found fault with.
    others = zip(sources, [*answers[1:], answers[0]], strict=True)
    return [*TIES.values(), *sources, *(replace(one, answer=answer) for one, answer in others)]


def _told(verdict: Verdict) -> str:
    """Return all of a verdict, findings too, but how long the guards took."""
    results = [replace(one, duration_ms=0) for one in verdict.results]
    return repr(replace(verdict, results=tuple(results), reports=()))


def report() -> str:
    """Return what is found and decided, one line for each exchange."""
    inspector = Inspector(load_shipped("strict").policy)
    possible = Possible(regenerate=True, edit=True)
    verdicts = (inspector.inspect(one, Stage.OUTPUT, possible) for one in _corpus())
    return "\n".join(map(_told, verdicts))


@pytest.fixture(scope="module")
def reports() -> list[list[str]]:
    asked = f"from {__name__} import report; print(report())"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", asked],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for seed in SEEDS
    ]
    own = report().splitlines()
    return [own, *(one.communicate(timeout=DEADLINE_S)[0].splitlines() for one in running)]


def test_every_process_finds_and_decides_the_same(reports: list[list[str]]) -> None:
    first, *others = reports

    assert len(first) == len(_corpus())
    for other in others:
        assert other == first


def test_the_ties_are_found_fault_with(reports: list[list[str]]) -> None:
    for tie in reports[0][: len(TIES)]:
        assert "Finding(" in tie
