"""``python -m tests.quality.oracle``: the most that a second opinion could bring, and its cost.

The same answers are judged by the guards alone and with three judges that are asked about what the
guards leave open. An oracle knows the planted error, objects to the claim that holds it and
supports every other: the upper bound of what any judge can do within the rules. One that approves
of everything, and one that finds nothing in the sources, show the harm that a bad judge can do. All
quote the nearest sentence with which their opinion counts. Only sets that were tuned on are run.
"""

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Annotated, NamedTuple

import typer
from rich.console import Console

from guards.core.finding import Span
from guards.evidence.passages import units_of
from guards.text.sentences import split_sentences
from policies.judging.judge import (
    JudgeFailure,
    JudgeLabel,
    JudgeQuestion,
    Matter,
    OpenClaim,
    Opinion,
    Opinions,
)
from policies.judging.opinions import is_verified
from policies.schema.policy import Action
from policies.verification.shape import Options
from policies.verification.verifying import Verifier
from proxy.judge.chat import ChatJudge
from proxy.openai_api.json_body import objects
from tests.bench.tables import Table
from tests.quality.cases import SETS, AnswerCase, Role, Twin, read_sets
from tests.quality.examining import Examiner, place_of_error, policy_named
from tests.quality.figures import Share
from tests.quality.page import words

app = typer.Typer(add_completion=False, help=__doc__)
out = Console(width=170, highlight=False)
err = Console(stderr=True, highlight=False)


class Judge(StrEnum):
    """Who is asked."""

    NOBODY = "guards alone"
    ORACLE = "with an oracle"
    APPROVES = "with one that approves of all"
    OBJECTS = "with one that finds nothing"


NOT_SAID = frozenset(
    "invented_procedure invented_benefit fabricated_name outside_knowledge estimate "
    "unanswerable_answered invented_contact transport nonexistent_article".split()
)
"""Kinds of errors of which the sources say nothing; all others contradict them."""
NUMERIC = frozenset(
    "number unit date_time date_deadline wrong_arithmetic estimate wrong_article".split()
)
INTENT = frozenset("subject_swap entity_swap item_swap scope other_branch merged_sources".split())


def matter_of(kind: str) -> Matter:
    """Return the matter that a judge would name for a kind of error."""
    if kind in NUMERIC:
        return Matter.NUMERIC
    if kind in INTENT:
        return Matter.INTENT
    return Matter.NEGATION if kind == "polarity" else Matter.OTHER


@dataclass
class KnowingJudge:
    """A judge that knows where the error is.

    Attributes:
        error: The place of the error in the answer; None if there is none, or it sees none.
        kind: Its kind.
        objects_to_all: It finds no claim in the sources.
        claims: How many claims it was asked about.
        chars: Characters of the request that asks a chat model the same.
    """

    error: Span | None = None
    kind: str = ""
    objects_to_all: bool = False
    claims: int = 0
    chars: int = 0

    async def opinions(self, question: JudgeQuestion, within_s: float) -> Opinions | JudgeFailure:
        """Say of each claim whether the error stands in it."""
        del within_s
        body = ChatJudge("", lambda: "0" * 16).body(question, "judge")
        self.claims = len(question.claims)
        self.chars = sum(len(str(turn["content"])) for turn in objects(body["messages"]))
        said = tuple(self._opinion(claim) for claim in question.claims)
        is_good = all(one.label is JudgeLabel.SUPPORTED for one in said)
        return Opinions(said, 1.0 if is_good else 0.0)

    def _opinion(self, claim: OpenClaim) -> Opinion:
        if self.objects_to_all:
            return _quoted(Opinion(claim.number, JudgeLabel.UNSUPPORTED, score=1.0), claim)
        if self.error is None or not _meet(claim.span, self.error):
            return _quoted(Opinion(claim.number, JudgeLabel.SUPPORTED, score=1.0), claim)
        not_said = self.kind in NOT_SAID
        label = JudgeLabel.UNSUPPORTED if not_said else JudgeLabel.CONTRADICTORY
        return _quoted(Opinion(claim.number, label, matter_of(self.kind), 1.0), claim)


def _quoted(opinion: Opinion, claim: OpenClaim) -> Opinion:
    """Return an opinion with a sentence of the passages that shares many words with the claim.

    Of all sentences it is the nearest with which the opinion counts; the nearest, if it does with
    none.
    """
    wanted = {unit.feature for unit in units_of(claim.text)}
    shown = [one.text for window in claim.windows for one in split_sentences(window.text)]
    shown.sort(key=lambda one: -len(wanted & {unit.feature for unit in units_of(one)}))
    quoting = [replace(opinion, quote=one) for one in shown]
    return next((one for one in quoting if is_verified(one, claim)), quoting[0])


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


class Answered(NamedTuple):
    """The end of one answer.

    Attributes:
        kind: Kind of its error; empty for a faithful answer.
        acted: Anything but `pass` was decided; of an answer with an error, for its sake.
        verified: It is called verified.
        claims: Claims that the judge was asked about.
        chars: Characters that it was sent.
    """

    kind: str
    acted: bool
    verified: bool
    claims: int
    chars: int


class Task(NamedTuple):
    """A case to be examined by a policy with a judge."""

    set_name: str
    policy: str
    judge: Judge
    case: AnswerCase


def examine(task: Task) -> list[Answered]:
    """Return the end of the faithful answer, and of each with an error."""
    twins: Sequence[Twin | None] = (None, *task.case.twins)
    return [_answered(task, twin) for twin in twins]


def _answered(task: Task, twin: Twin | None) -> Answered:
    examiner = _examiner(task.policy)
    error = place_of_error(task.case, twin) if twin else None
    answer = task.case.answer_of(twin) if twin else task.case.faithful
    exchange = examiner.exchange(task.case, answer)
    is_known = task.judge is Judge.ORACLE and error is not None
    judge = KnowingJudge(
        error if is_known else None, twin.kind if twin else "", task.judge is Judge.OBJECTS
    )
    options = Options(judge="off" if task.judge is Judge.NOBODY else "auto")
    verifier = Verifier(examiner.inspector, task.policy)
    done = asyncio.run(verifier.verify_with(judge, exchange, options))
    acted = done.verdict.action is not Action.PASS
    if error is not None:
        found = [one for one in done.verdict.acting if one.part == "answer"]
        acted = any(_meet(one.span, error) for one in found)
    kind = twin.kind if twin else ""
    return Answered(kind, acted, done.report.verified, judge.claims, judge.chars)


@cache
def _examiner(policy: str) -> Examiner:
    return Examiner(policy_named(policy))


@dataclass(frozen=True)
class Figures:
    """Figures of some answers with one judge.

    Attributes:
        faithful_acted_on: Of the faithful answers, those that did not leave as they came.
        found: Of the errors, those that were acted on at their place.
        verified_faithful: Of the faithful answers, those called verified.
        verified_wrong: Of the answers with an error, those called verified.
        asked: Of the faithful answers, those about which the judge was asked.
        claims: Claims in one question, on average over the answers asked about.
        chars: Characters of one question, likewise.
        by_kind: Errors found by kind.
    """

    faithful_acted_on: Share
    found: Share
    verified_faithful: Share
    verified_wrong: Share
    asked: Share
    claims: float
    chars: float
    by_kind: dict[str, Share]


def figures_of(answers: Sequence[Answered]) -> Figures:
    """Count answers."""
    faithful = [one for one in answers if not one.kind]
    wrong = [one for one in answers if one.kind]
    asked = [one for one in faithful if one.claims]
    kinds = sorted({one.kind for one in wrong})
    return Figures(
        faithful_acted_on=_share(one.acted for one in faithful),
        found=_share(one.acted for one in wrong),
        verified_faithful=_share(one.verified for one in faithful),
        verified_wrong=_share(one.verified for one in wrong),
        asked=_share(bool(one.claims) for one in faithful),
        claims=fmean(one.claims for one in asked) if asked else 0.0,
        chars=fmean(one.chars for one in asked) if asked else 0.0,
        by_kind={kind: _share(one.acted for one in wrong if one.kind == kind) for kind in kinds},
    )


def _share(told: Iterable[bool]) -> Share:
    found = list(told)
    return Share(count=sum(found), total=len(found))


def tables(figures: dict[tuple[str, Judge], Figures]) -> list[Table]:
    """Return the figures as tables: first those of each judge, then the errors by kind."""
    rows = [
        [
            policy,
            judge.value,
            words(one.faithful_acted_on),
            words(one.found),
            words(one.verified_faithful),
            words(one.verified_wrong),
            words(one.asked),
            f"{one.claims:.1f}",
            f"{one.chars:,.0f}",
        ]
        for (policy, judge), one in figures.items()
    ]
    columns = (
        "policy",
        "judge",
        "faithful answers acted on",
        "errors found at their place",
        "faithful answers verified",
        "answers with an error verified",
        "faithful answers asked about",
        "claims in a question",
        "characters in a question",
    )
    kinds = sorted({kind for one in figures.values() for kind in one.by_kind})
    by_kind = [
        [kind, *(words(one.by_kind[kind]) if kind in one.by_kind else "–" for one in each)]
        for kind in kinds
        for each in [figures.values()]
    ]
    heads = ("kind", *(f"{policy}, {judge.value}" for policy, judge in figures))
    return [
        Table("A second opinion", columns, rows),
        Table("Errors found, by kind", heads, by_kind),
    ]


@app.command()
def main(
    sets: Annotated[list[str] | None, typer.Option("--set", help="Only these sets.")] = None,
    policy: Annotated[
        list[str] | None, typer.Option(help="Shipped policies or files; by default `default`.")
    ] = None,
    every: Annotated[
        int, typer.Option(min=1, help="Only every so many cases, for a first look.")
    ] = 1,
    processes: Annotated[int, typer.Option(min=1)] = 2,
    sets_from: Annotated[Path, typer.Option(help="Folder of the sets.")] = SETS,
) -> None:
    """Count what a judge would change."""
    known = [one for one in read_sets(sets_from) if one.entry.role is Role.DEV]
    unknown = {*(sets or ())} - {one.name for one in known}
    if unknown:
        raise typer.BadParameter(f"no such set of role dev: {', '.join(sorted(unknown))}")
    chosen = [one for one in known if not sets or one.name in sets]
    tasks = [
        Task(one.name, name, judge, case)
        for one in chosen
        for name in policy or ["default"]
        for judge in Judge
        for case in one.cases[::every]
        if isinstance(case, AnswerCase)
    ]
    answers: dict[tuple[str, Judge], list[Answered]] = {}
    for task, found in zip(tasks, _examined(tasks, processes), strict=True):
        answers.setdefault((task.policy, task.judge), []).extend(found)
    for table in tables({key: figures_of(found) for key, found in answers.items()}):
        out.print(table.rich())


def _examined(tasks: Sequence[Task], processes: int) -> Iterable[list[Answered]]:
    if processes == 1:
        return map(examine, tasks)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(examine, tasks, chunksize=4))


if __name__ == "__main__":
    app()
