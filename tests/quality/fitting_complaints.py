"""``make fit``: the weights by which a message is taken for a complaint.

Fitted on the messages of all sets that were tuned on, and on the questions of their answers. The
figures that are printed, and written with the weights, are of messages whose author the fit had
not seen.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from guards.complaint import BIAS, COMPLAINS_FROM, WEIGHTS, signs
from guards.complaints.clauses import clauses
from guards.complaints.words import plainly_spelled
from tests.quality.cases import SETS, AnswerCase, Case, ComplaintCase, Role, read_sets

MOST_QUESTIONS_TAKEN = 0.03
"""Share of an unseen author's questions and small talk that may be taken for complaints.

Two of the authors wrote half of theirs as small talk about somebody else, angry or sad, on purpose:
nearly all that are taken are of that sort.
"""
ANSWERED = "answers"
"""The author of the questions of all answers: whoever wrote them, they are of one sort."""
MADE_UP = frozenset(("turns", ANSWERED))
"""The set of single odd turns, and the questions of answers: they count less and set no limit."""
LABELS = ("complaint", "question", "mixed")
_WEIGHT_OF_OTHERS = 3.0
_FEWEST_MESSAGES = 3
"""A piece that fewer messages have tells nothing."""
_LEAST_WEIGHT = 0.02
_STRENGTH = 0.2
"""Inverse of the penalty on large weights."""
_HEAD = (
    "# How much each sign of a message speaks for a question, and for a complaint with a question,",
    "# against a mere complaint (guards/complaint.py); written by `make fit`.",
)

app = typer.Typer(add_completion=False, help=__doc__)
out = Console(highlight=False)


@dataclass(frozen=True)
class Message:
    """A message, who wrote it, and its signs."""

    set_name: str
    hand: str
    label: str
    signs: Mapping[str, float]


@app.command()
def main(table: Annotated[Path, typer.Option(help="File to write.")] = WEIGHTS) -> None:
    """Fit the weights and write them."""
    messages = _told_apart(list(_messages()))
    judged = list(_judged(messages))
    limit = _limit(judged)
    report = [*_HEAD, *_report(judged, limit)]
    weights = {COMPLAINS_FROM: (limit,), **_weights(*_fit(messages))}
    rows = [
        "\t".join([*(f"{value:.3f}" for value in values), sign]) for sign, values in weights.items()
    ]
    table.write_text("\n".join([*report, *rows]) + "\n", "utf-8")
    out.print("\n".join([*report, f"{len(rows)} weights"]), markup=False)


def _messages() -> Iterator[Message]:
    for one in read_sets(SETS):
        for case in one.cases if one.entry.role is Role.DEV else ():
            yield from _message(one.name, case)


def _message(set_name: str, case: Case) -> Iterator[Message]:
    if isinstance(case, ComplaintCase):
        yield Message(set_name, case.hand or set_name, case.label, _signs(case.text))
    elif isinstance(case, AnswerCase):
        yield Message(ANSWERED, ANSWERED, "question", _signs(case.question))


def _signs(text: str) -> Mapping[str, float]:
    plain = plainly_spelled(text).text
    return signs(plain, list(clauses(plain)))


def _told_apart(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with the signs only that several of them have."""
    common = Counter(sign for one in messages for sign in one.signs)
    return [
        Message(
            one.set_name,
            one.hand,
            one.label,
            {sign: n for sign, n in one.signs.items() if common[sign] >= _FEWEST_MESSAGES},
        )
        for one in messages
    ]


def _fit(messages: Sequence[Message]) -> tuple[DictVectorizer, LogisticRegression]:
    """Return the model and the names of its columns."""
    columns = DictVectorizer()
    model = LogisticRegression(C=_STRENGTH, max_iter=3000)
    labels = [one.label for one in messages]
    weights = [1.0 if one.set_name in MADE_UP else _WEIGHT_OF_OTHERS for one in messages]
    model.fit(columns.fit_transform([one.signs for one in messages]), labels, weights)
    return columns, model


def _weights(columns: DictVectorizer, model: LogisticRegression) -> dict[str, tuple[float, ...]]:
    """Return how much each sign speaks for a question and for a mixed message, not a complaint."""
    complaint, *others = (list(model.classes_).index(label) for label in LABELS)
    bias, weights = (
        [part[other] - part[complaint] for other in others]
        for part in (model.intercept_, model.coef_)
    )
    found = zip(columns.feature_names_, zip(*weights, strict=True), strict=True)
    telling = {sign: values for sign, values in found if max(map(abs, values)) >= _LEAST_WEIGHT}
    return {BIAS: tuple(bias), **telling}


def _judged(messages: Sequence[Message]) -> Iterator[tuple[Message, float]]:
    """Yield each message with how likely it is a complaint, as all other hands teach."""
    for hand in sorted({one.hand for one in messages}):
        columns, model = _fit([one for one in messages if one.hand != hand])
        own = [one for one in messages if one.hand == hand]
        likely = model.predict_proba(columns.transform([one.signs for one in own]))
        yield from zip(own, likely[:, list(model.classes_).index(LABELS[0])].tolist(), strict=True)


def _limit(judged: Sequence[tuple[Message, float]]) -> float:
    """Return the likelihood that few enough questions reach; every author counts the same."""
    by_hand = defaultdict(list)
    for one, value in judged:
        if one.label == "question" and one.set_name not in MADE_UP:
            by_hand[one.hand].append(value)
    limits = np.arange(0.3, 1.0, 0.005)
    taken = [
        np.mean([np.mean(np.array(values) >= limit) for values in by_hand.values()])
        for limit in limits
    ]
    return float(limits[np.argmax(np.array(taken) <= MOST_QUESTIONS_TAKEN)])


def _report(judged: Sequence[tuple[Message, float]], limit: float) -> Iterator[str]:
    yield f"# Fitted on {datetime.now(UTC):%Y-%m-%d} on {len(judged)} messages; judged by what all"
    yield "# other authors teach, these are taken for complaints:"
    for hand in sorted({one.hand for one, _ in judged}):
        shares = []
        for label in LABELS:
            own = [value for one, value in judged if (one.hand, one.label) == (hand, label)]
            if own:
                taken = sum(value >= limit for value in own)
                shares.append(f"{taken} of {len(own)} {label}")
        yield f"# {hand}: {', '.join(shares)}"


if __name__ == "__main__":
    app()
