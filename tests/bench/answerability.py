"""Measure `answerability`, and fit what it weighs, on tables of questions with their sources.

``python -m tests.bench.answerability FILE.jsonl ... [--fit]``. A line holds ``question``,
``sources`` (``section_title``, ``section_content``) and one of ``answerable`` (true or false),
``label`` (1 for unanswerable) and ``faithful`` (an answer that the sources bear out). Printed are,
for each policy's thresholds, how many answerable questions are stopped and how many others found,
and how well doubt tells them apart (AUROC). ``--fit`` prints that for other weights, too: of those
that do as well, the ones in use are in the middle.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from guards.answerability import Answerability, AnswerabilitySettings, doubt
from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.evidence.coverage import Weights, question_coverage
from policies.schema.loader import load_shipped

OTHER_WEIGHTS: dict[str, Sequence[float]] = {
    "window": (1, 2, 3, 4, 5),
    "minor": (0.1, 0.2, 0.3, 0.4, 0.5),
    "even": (0.1, 0.2, 0.3, 0.5, 1.0),
    "prior": (0.3, 0.5, 0.7, 1.0),
}


class Case(NamedTuple):
    """A question with its sources, and whether they answer it."""

    exchange: Exchange
    is_answerable: bool


def cases_of(path: Path) -> Iterator[Case]:
    """Yield the cases of a file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        sources = tuple(
            Source(str(number), source["section_title"] or "", source["section_content"])
            for number, source in enumerate(row["sources"], start=1)
        )
        answerable = row.get("answerable", "faithful" in row or not row.get("label", 0))
        yield Case(Exchange(row["question"], sources), answerable)


def told_apart(cases: Sequence[Case], doubts: Sequence[float]) -> float | None:
    """Return how often an unanswerable question is the more doubtful one of two (AUROC)."""
    right = [value for case, value in zip(cases, doubts, strict=True) if case.is_answerable]
    wrong = [value for case, value in zip(cases, doubts, strict=True) if not case.is_answerable]
    pairs = [(bad > good) + (bad == good) / 2 for bad in wrong for good in right]
    return sum(pairs) / len(pairs) if pairs else None


def stopped(cases: Sequence[Case], policy: str) -> str:
    """Return how many answerable and other questions a policy stops."""
    options = load_shipped(policy).policy.guards["answerability"].options
    guard = Answerability(AnswerabilitySettings.model_validate(options))
    told = [(case.is_answerable, bool(guard.check(read(case.exchange)))) for case in cases]
    good = [flag for is_answerable, flag in told if is_answerable]
    bad = [flag for is_answerable, flag in told if not is_answerable]
    return f"{policy}: stops {sum(good)} of {len(good)}, finds {sum(bad)} of {len(bad)}"


def doubts_by(cases: Sequence[Case], weights: Weights) -> list[float]:
    """Return the doubt about each question by the coverage of its words alone."""
    shares = (
        question_coverage(case.exchange.question, read(case.exchange).source_set, weights)
        for case in cases
    )
    return [0.0 if share is None else 1 - share for share in shares]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    every: list[Case] = []
    for path in options.files:
        cases = list(cases_of(path))
        every += cases
        apart = told_apart(cases, [doubt(read(case.exchange)) for case in cases])
        told = (
            path.name,
            *(stopped(cases, name) for name in ("default", "strict")),
            f"AUROC {apart}",
        )
        sys.stdout.write("  ".join(told) + "\n")
    if not options.fit:
        return
    for name, values in OTHER_WEIGHTS.items():
        for value in values:
            weights = replace(Weights(), **{name: value})  # type: ignore[arg-type]
            sys.stdout.write(f"{name} {value} {told_apart(every, doubts_by(every, weights))}\n")


if __name__ == "__main__":
    main()
