"""``make fit``: the weights of the signs that a line answers a question, fitted on the dev sets.

Of the lines of its sources and the possibility that none answers, each question has one that is
right. The weights make the right ones as likely as they can. The figures that are printed and
written with them are of questions that the fit had not seen: each tenth is judged by the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console

from guards.core.exchange import Source
from guards.core.reading import source_set
from policies.answering import BIAS, SIGNS, Answering
from policies.asked import read_asked
from policies.direct_answer import LEAST_LIKELY, LEAST_LIKELY_LACKING
from tests.quality.cases import SETS, AnswerabilityCase, DirectCase, Role, read_sets
from tests.quality.examining import is_of_lines

TABLE = Path(__file__).parents[2] / "guards" / "lexicons" / "direct_answer_weights.txt"
_HEAD = "# How much each sign counts that a line answers (policies/answering.py); by `make fit`."
_WEIGHTS = {"direct_answers": 2.0, "answerability": 0.7}
"""How much a question of a set counts: most of one that is put as users put it."""
_WEIGHT = 0.3
_PENALTY = 1.0
"""On large weights of scaled signs."""
_STEPS, _RATE, _TENTHS = 800, 0.05, 10

Floats: TypeAlias = NDArray[np.float64]

app = typer.Typer(add_completion=False, help=__doc__)
out = Console(highlight=False)


@dataclass(frozen=True)
class Question:
    """The signs of every line of its sources, which lines are right, and how much it counts."""

    set: str
    signs: Floats
    right: NDArray[np.bool_]
    weight: float


@app.command()
def main(table: Annotated[Path, typer.Option(help="File to write.")] = TABLE) -> None:
    """Fit the weights and write them."""
    found = [
        _read(one.name, case)
        for one in read_sets(SETS)
        if one.entry.role is Role.DEV
        for case in one.cases
        if isinstance(case, DirectCase)
        or (isinstance(case, AnswerabilityCase) and not case.answerable)
    ]
    questions = [one for one in found if len(one.signs)]
    bias, *weights = _fit(questions)
    lines = [_HEAD, *_report(questions), f"{BIAS} {bias:.3f}"]
    lines += [f"{name} {value:.3f}" for name, value in zip(SIGNS, weights, strict=True)]
    table.write_text("\n".join(lines) + "\n", "utf-8")
    out.print("\n".join(lines))


def _read(name: str, case: DirectCase | AnswerabilityCase) -> Question:
    sources = tuple(
        Source(str(number), one.section_title or "", one.section_content)
        for number, one in enumerate(case.sources, start=1)
    )
    found = Answering(read_asked(case.question), source_set(sources)).signs()
    right = case.right if isinstance(case, DirectCase) else ()
    return Question(
        name,
        np.array([[signs[sign] for sign in SIGNS] for _, signs in found], float),
        np.array([is_of_lines(line.raw, right) for line, _ in found], bool),
        _WEIGHTS.get(name, _WEIGHT),
    )


def _fit(questions: Sequence[Question]) -> Floats:
    """Return the bias and the weights of a conditional logit with a small penalty, by Adam."""
    signs = np.vstack([one.signs for one in questions])
    scale = np.where(signs.std(axis=0) > 0, signs.std(axis=0), 1.0)
    columns = np.hstack([np.ones((len(signs), 1)), signs / scale])
    counts = [len(one.signs) for one in questions]
    owner = np.repeat(np.arange(len(questions)), counts)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    right = np.concatenate([one.right for one in questions])
    has_right = np.array([one.right.any() for one in questions])[owner]
    weight = np.array([one.weight for one in questions])
    penalty = np.array([0.0, *[_PENALTY] * len(SIGNS)])
    weights, mean, square = np.zeros((3, columns.shape[1]))
    weights[0] = -2.0
    for step in range(1, _STEPS + 1):
        odds = np.exp(np.clip(columns @ weights, -30, 30))
        likely = odds / (1 + np.add.reduceat(odds, starts))[owner]
        among = np.add.reduceat(odds * right, starts)[owner]
        meant = np.where(has_right, odds * right / np.maximum(among, 1e-12), 0.0)
        slope = columns.T @ ((meant - likely) * weight[owner]) - penalty * weights
        slope /= weight.sum()
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights += _RATE * move
    return np.concatenate([weights[:1], weights[1:] / scale])


def _report(questions: Sequence[Question]) -> Sequence[str]:
    counts: dict[str, list[int]] = {}
    for tenth in range(_TENTHS):
        weights = _fit([one for at, one in enumerate(questions) if at % _TENTHS != tenth])
        for one in questions[tenth::_TENTHS]:
            odds = np.exp(weights[0] + one.signs @ weights[1:])
            best = int(odds.argmax())
            lacks = one.signs[best][SIGNS.index("any_missing")] > 0
            least = LEAST_LIKELY_LACKING if lacks else LEAST_LIKELY
            is_quoted = bool(odds[best] / (1 + odds.sum()) >= least)
            right, wrong, none, silent = counts.setdefault(one.set, [0, 0, 0, 0])
            if not one.right.any():
                counts[one.set] = [right, wrong, none + is_quoted, silent + (not is_quoted)]
            else:
                is_right = is_quoted and bool(one.right[best])
                counts[one.set][0] += is_right
                counts[one.set][1] += is_quoted and not is_right
    totals = {
        name: sum(one.set == name and bool(one.right.any()) for one in questions) for name in counts
    }
    return [
        f"# Fitted on {datetime.now(UTC):%Y-%m-%d}; each tenth judged by what the others teach:",
        *(
            f"# {name}: {right} right and {wrong} wrong of {totals[name]};"
            f" {none} of {none + silent} without an answer quoted"
            for name, (right, wrong, none, silent) in counts.items()
        ),
    ]


if __name__ == "__main__":
    app()
