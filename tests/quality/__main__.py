"""``make quality``: how good the shipped policies are on answers as models write them."""

import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from policies.schema.policy import Action
from tests.bench.measuring import machine
from tests.quality.cases import SETS, CaseSet, Role, read_sets
from tests.quality.examining import AnswerOutcome, Outcome, Task, examined, policy_named
from tests.quality.figures import FLOORS, Results, SetEntry, code_figures, set_figures
from tests.quality.page import chart, page, show

WIDTH = 170
Outcomes: TypeAlias = dict[tuple[str, str], list[Outcome]]
"""By set and policy."""

app = typer.Typer(add_completion=False, help=__doc__)
out = Console(width=WIDTH, highlight=False)
err = Console(stderr=True, highlight=False)


@app.command()
def main(
    sets: Annotated[list[str] | None, typer.Option("--set", help="Only these sets.")] = None,
    policy: Annotated[
        list[str] | None, typer.Option(help="Shipped policies or files instead of those shipped.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the figures.")] = None,
    docs: Annotated[
        Path | None,
        typer.Option(help="Write page, figures and chart into this folder, if all was run."),
    ] = None,
    unseen: Annotated[
        bool, typer.Option(help="Also the sets nobody has read; --docs includes them.")
    ] = False,
    list_missed: Annotated[
        bool, typer.Option(help="Print errors that were not found; never those of unseen sets.")
    ] = False,
    list_false_alarms: Annotated[
        bool,
        typer.Option(help="Print faithful answers that were acted on; never those of unseen sets."),
    ] = False,
    processes: Annotated[int, typer.Option(min=1)] = 2,
    sets_from: Annotated[Path, typer.Option(help="Folder of the sets.")] = SETS,
) -> None:
    """Count what the policies do to every case."""
    chosen = _chosen(read_sets(sets_from), sets, unseen=unseen or docs is not None)
    policies = policy or [*FLOORS]
    outcomes, seconds = _run(chosen, policies, processes)
    results = _results(chosen, policies, outcomes, seconds)
    show(results, out)
    listed = {key: found for key, found in outcomes.items() if key[0] not in _unseen(chosen)}
    if (list_missed or list_false_alarms) and len(listed) < len(outcomes):
        err.print("Cases of unseen sets are not printed: who has read them cannot test by them.")
    if list_missed:
        _say(line for key, found in listed.items() for line in _missed(*key, found))
    if list_false_alarms:
        _say(line for key, found in listed.items() for line in _false_alarms(*key, found))
    if json:
        _write(json, results.model_dump_json(indent=1) + "\n")
    if docs and (sets or policy):
        err.print("The page is of all sets and both policies: nothing was written to it.")
    elif docs:
        _write(docs / "quality" / "quality.json", results.model_dump_json(indent=1) + "\n")
        _write(docs / "quality" / "quality.svg", chart(results) + "\n")
        _write(docs / "quality.md", page(results))


def _chosen(
    known: Sequence[CaseSet], names: Sequence[str] | None, *, unseen: bool
) -> Sequence[CaseSet]:
    """Return the sets that are named, or all of them; an unseen one only where it is asked for."""
    unknown = {*(names or ())} - {one.name for one in known}
    if unknown:
        raise typer.BadParameter(f"no such set: {', '.join(sorted(unknown))}")
    if names:
        return [one for one in known if one.name in names]
    left_out = frozenset() if unseen else _unseen(known)
    if left_out:
        err.print(f"Unseen sets are not run without --unseen: {', '.join(sorted(left_out))}.")
    return [one for one in known if one.name not in left_out]


def _unseen(sets: Iterable[CaseSet]) -> frozenset[str]:
    return frozenset(one.name for one in sets if one.entry.role is Role.UNSEEN)


def _run(
    sets: Sequence[CaseSet], policies: Sequence[str], processes: int
) -> tuple[Outcomes, float]:
    tasks = [
        Task(one.name, policy, case) for one in sets for policy in policies for case in one.cases
    ]
    outcomes: Outcomes = {}
    began_s = time.perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True) as progress:
        bar = progress.add_task("cases", total=len(tasks))
        for task, outcome in examined(tasks, processes):
            outcomes.setdefault((task.set_name, task.policy), []).append(outcome)
            progress.update(bar, advance=1, description=f"{task.set_name}, {task.policy}")
    return outcomes, time.perf_counter() - began_s


def _results(
    sets: Sequence[CaseSet], policies: Sequence[str], outcomes: Outcomes, seconds: float
) -> Results:
    judging = [one.name for one in sets if one.entry.first_run is not None]
    return Results(
        machine=machine(),
        date=datetime.now(UTC).date(),
        seconds=round(seconds, 1),
        sets=[
            SetEntry(name=one.name, cases=len(one.cases), **one.entry.model_dump()) for one in sets
        ],
        figures=[set_figures(*key, found) for key, found in outcomes.items()],
        codes={
            policy: code_figures(
                [outcome for name in judging for outcome in outcomes[name, policy]], _noted(policy)
            )
            for policy in policies
        },
    )


def _noted(policy: str) -> frozenset[str]:
    rules = policy_named(policy).policy.guards.values()
    return frozenset(code for rule in rules for code in rule.weak)


def _missed(set_name: str, policy: str, outcomes: Iterable[Outcome]) -> Iterable[str]:
    for case in outcomes:
        if not isinstance(case, AnswerOutcome):
            continue
        for twin in case.twins:
            if not twin.at_place:
                elsewhere = f"; elsewhere {', '.join(sorted(twin.elsewhere))}"
                yield (
                    f"missed: {set_name} {policy} {case.id} {twin.kind}: {twin.wrong!r} "
                    f"({twin.why}){elsewhere if twin.elsewhere else ''}"
                )


def _false_alarms(set_name: str, policy: str, outcomes: Iterable[Outcome]) -> Iterable[str]:
    for case in outcomes:
        if isinstance(case, AnswerOutcome) and case.faithful.action is not Action.PASS:
            found = ", ".join(f"{code} {words!r}" for code, words in case.faithful.acting)
            yield (
                f"false alarm: {set_name} {policy} {case.id} ({case.field}): "
                f"{case.faithful.action}: {found}"
            )


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        out.print(line, markup=False, soft_wrap=True)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    app()
