"""``make fit``: the weights of the signs of doubt, fitted on the sets that were tuned on.

Sentences of faithful answers are held against the sentences with a planted error. The figures that
are printed, and written with the weights, are of answers whose author the fit had not seen: each
hand's cases are judged by what the cases of all others teach.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from guards.core.finding import Span
from guards.core.guard import Stage
from guards.core.reading import read
from guards.evidence.doubt import BIAS, SIGNS, Doubts, doubt
from policies.judging.regate import says_untrue
from tests.quality.cases import SETS, AnswerCase, Role, read_sets
from tests.quality.examining import FIRST_ATTEMPT, Examiner, place_of_error, policy_named

TABLE = Path(__file__).parents[2] / "guards" / "lexicons" / "doubt.txt"
MOST_WRONG_VERIFIED = 0.21
"""Share of the answers with an error that doubt may let pass; other checks stop a third of them."""
LEAST_OFFERED = 0.95
"""Share of the errors about which a judge is to be asked."""
_HEAD = "# How much each sign of doubt counts (guards/evidence/doubt.py); written by `make fit`."
_PENALTY = 10.0
"""On large weights of scaled signs."""
_STEPS = 12

app = typer.Typer(add_completion=False, help=__doc__)
out = Console(highlight=False)


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer with its signs; `is_wrong` if it holds the planted error."""

    number: int
    signs: Mapping[str, float]
    is_noted: bool
    is_wrong: bool


@dataclass(frozen=True)
class Answer:
    """The judged sentences of a case: the faithful answer's, and the wrong one of each twin."""

    hand: str
    faithful: tuple[Sentence, ...]
    wrong: tuple[Sentence, ...]


@app.command()
def main(table: Annotated[Path, typer.Option(help="File to write.")] = TABLE) -> None:
    """Fit the weights and write them."""
    sets = [one for one in read_sets(SETS) if one.entry.role is Role.DEV]
    tasks = [(one.name, case) for one in sets for case in one.cases if isinstance(case, AnswerCase)]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        answers = list(pool.map(_read, tasks, chunksize=4))
    doubts = [_doubt(answer, weights) for answer, weights in _judged(answers)]
    limits = _thresholds(doubts)
    lines = [_HEAD, *_report(doubts, limits)]
    lines += [f"{name} {value:.3f}" for name, value in {**limits, **_fit(answers)}.items()]
    table.write_text("\n".join(lines) + "\n", "utf-8")
    out.print("\n".join(lines))


def _read(task: tuple[str, AnswerCase]) -> Answer:
    name, case = task
    hand = name + case.id.rstrip("0123456789")
    faithful = tuple(_sentences(case, case.faithful, None))
    wrong = (
        one
        for twin in case.twins
        for one in _sentences(case, case.answer_of(twin), place_of_error(case, twin))
        if one.is_wrong
    )
    return Answer(hand, faithful, tuple(wrong))


def _sentences(case: AnswerCase, answer: str, error: Span | None) -> Iterator[Sentence]:
    exchange = _examiner().exchange(case, answer)
    verdict = _examiner().inspector.inspect(exchange, Stage.OUTPUT, FIRST_ATTEMPT)
    noted = [one.span for one in verdict.findings if says_untrue(one)]
    for number, (span, signs, _) in enumerate(read(exchange).once(Doubts).sentences):
        is_wrong = error is not None and _meet(span, error)
        is_noted = any(_meet(span, one) for one in noted)
        yield Sentence(number, signs, is_noted, is_wrong)


@cache
def _examiner() -> Examiner:
    return Examiner(policy_named("default"))


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _fit(answers: Sequence[Answer]) -> dict[str, float]:
    """Return the weights of a logistic regression with a small penalty, by Newton's method."""
    sentences = [
        one for answer in answers for one in (*answer.faithful, *answer.wrong) if one.signs
    ]
    signs = np.array([[one.signs[name] for name in SIGNS] for one in sentences], float)
    scale = np.where(signs.std(axis=0) > 0, signs.std(axis=0), 1.0)
    columns = np.hstack([np.ones((len(signs), 1)), signs / scale])
    wrong = np.array([one.is_wrong for one in sentences], float)
    penalty = np.diag([0.0, *[_PENALTY] * len(SIGNS)])
    weights = np.zeros(columns.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-columns @ weights))
        slope = columns.T @ (likely - wrong) + penalty @ weights
        bend = (columns * (likely * (1 - likely))[:, None]).T @ columns + penalty
        weights -= np.linalg.solve(bend, slope)
    by_sign = zip(SIGNS, weights[1:] / scale, strict=True)
    return {BIAS: float(weights[0]), **{name: float(weight) for name, weight in by_sign}}


def _judged(answers: Sequence[Answer]) -> list[tuple[Answer, Mapping[str, float]]]:
    """Return each answer with the weights that the cases of all other hands teach."""
    hands = sorted({one.hand for one in answers})
    by_hand = {hand: _fit([one for one in answers if one.hand != hand]) for hand in hands}
    return [(one, by_hand[one.hand]) for one in answers]


@dataclass(frozen=True)
class _Doubt:
    """The doubts of a case: of its faithful answer, and of each answer with an error.

    Attributes:
        faithful: Of each sentence; 1 where a guard has noted something.
        wrong: Of the most doubtful sentence of each answer with an error.
        errors: Of each sentence with an error.
    """

    faithful: Sequence[float]
    wrong: Sequence[float]
    errors: Sequence[float]


def _doubt(answer: Answer, weights: Mapping[str, float]) -> _Doubt:
    faithful = {one.number: _of(one, weights) for one in answer.faithful}
    errors = [_of(one, weights) for one in answer.wrong]
    wrong = [
        max([own, *(value for number, value in faithful.items() if number != one.number)])
        for own, one in zip(errors, answer.wrong, strict=True)
    ]
    return _Doubt([*faithful.values()], wrong, errors)


def _of(sentence: Sentence, weights: Mapping[str, float]) -> float:
    if sentence.is_noted:
        return 1.0
    return doubt(weights, sentence.signs) if sentence.signs else 0.0


def _thresholds(doubts: Sequence[_Doubt]) -> dict[str, float]:
    """Return the limits of doubt for what is verified, and for what a judge is asked about."""
    wrong = sorted(value for one in doubts for value in one.wrong)
    errors = sorted(value for one in doubts for value in one.errors)
    return {
        "doubtful_from": wrong[int(MOST_WRONG_VERIFIED * len(wrong))],
        "asked_from": errors[int((1 - LEAST_OFFERED) * len(errors))],
    }


def _report(doubts: Sequence[_Doubt], limits: Mapping[str, float]) -> Iterator[str]:
    verified, asked = limits["doubtful_from"], limits["asked_from"]
    faithful = [max(one.faithful, default=0.0) < verified for one in doubts]
    wrong = [value < verified for one in doubts for value in one.wrong]
    offered = [value >= asked for one in doubts for value in one.errors]
    claims = fmean(sum(value >= asked for value in one.faithful) for one in doubts)
    yield f"# Fitted on {datetime.now(UTC):%Y-%m-%d}, on {len(faithful)} faithful answers and"
    yield f"# {len(wrong)} with an error; judged by what the cases of all other authors teach:"
    yield f"# below `doubtful_from` are {fmean(faithful):.0%} of the faithful answers and"
    yield f"# {fmean(wrong):.0%} of those with an error; from `asked_from` on are"
    yield f"# {fmean(offered):.0%} of the errors, and {claims:.1f} sentences of a faithful answer."


if __name__ == "__main__":
    app()
