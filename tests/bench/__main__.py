"""``python -m tests.bench``: what being guarded costs, beside what one would pick else."""

import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tests.bench import chart, lineup, micro, replicas, soak, tables
from tests.bench.crew import TooLate
from tests.bench.loads import LOADS
from tests.bench.processes import allow_many_files
from tests.bench.results import Results
from tests.bench.running import Plan, run
from tests.bench.stage import Failed
from tests.bench.subjects import Absent, Subject

QUICK_DEADLINE_S = 170
FULL_DEADLINE_S = 5400
FULL_MINUTES = 11.0
REPLICAS_DEADLINE_S = 900
WIDTH = 150
app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)
err = Console(stderr=True)


class OutOfTime(Exception):
    """The bench was to end long ago."""


@app.command("run")
def run_bench(
    quick: Annotated[bool, typer.Option(help="Under three minutes, without peers.")] = False,
    rounds: Annotated[int | None, typer.Option(min=1)] = None,
    seconds: Annotated[float | None, typer.Option(min=0.2, help="Of each load.")] = None,
    minutes: Annotated[
        float, typer.Option(min=1, help="No further round of a load is begun after that.")
    ] = FULL_MINUTES,
    subject: Annotated[
        list[str] | None, typer.Option(help="Only subjects with this in their name.")
    ] = None,
    load: Annotated[
        list[str] | None, typer.Option(help="Only loads with this in their name.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Another checkout of this proxy, to compare with.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the figures.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Write the chart.")] = None,
) -> None:
    """Measure every subject under every load."""
    subjects = lineup.own() if quick else lineup.everyone()
    if against:
        subjects += lineup.of_another(against.resolve())
    chosen = [one for one in subjects if _wanted(one.name, subject)]
    plan = Plan(
        loads=[one for one in LOADS if (one.in_quick or not quick) and _wanted(one.name, load)],
        rounds=rounds or (2 if quick else 3),
        seconds=seconds or (1.0 if quick else 0.8),
        extras=not quick and load is None,
        until_s=time.monotonic() + minutes * 60,
    )
    results = Results.begin(plan.seconds)
    trouble = _measured(chosen, plan, results, QUICK_DEADLINE_S if quick else FULL_DEADLINE_S)
    tables.show(results, Console(width=WIDTH, highlight=False))
    if json:
        _write(json, results.model_dump_json(indent=1, exclude_defaults=True))
    if svg:
        _write(svg, chart.svg(results))
    _say(trouble + results.problems)
    # A peer that cannot carry a load is a result; this proxy must.
    ours = [one for one in results.problems if one.startswith(lineup.OURS)]
    raise typer.Exit(1 if trouble or ours else 0)


@app.command()
def report(
    file: Path,
    brief: Annotated[bool, typer.Option(help="Only the summary and the goals.")] = False,
) -> None:
    """Print the tables of a run as Markdown."""
    results = Results.model_validate_json(file.read_bytes())
    sys.stdout.write(tables.markdown(results, brief=brief) + "\n")


@app.command("soak")
def soak_bench(
    seconds: Annotated[float, typer.Option(min=1)] = 600.0,
    workers: Annotated[int, typer.Option(min=1)] = 1,
) -> None:
    """Load this proxy for ten minutes and tell what grew."""
    allow_many_files()
    _end_at(seconds + 300)
    try:
        samples = soak.soak(seconds, workers, err.print)
    except (Failed, TooLate, OutOfTime) as error:
        _end([str(error)])
        return
    soak.show(samples, Console(width=WIDTH, highlight=False))
    _end(soak.growth(samples))


@app.command("micro")
def micro_bench(
    quick: Annotated[bool, typer.Option(help="Fewer rounds and smaller texts.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write the figures.")] = None,
) -> None:
    """Measure the guards alone, and how they grow."""
    micro.main(quick=quick, file=json)


@app.command("replicas")
def replicas_bench(
    quick: Annotated[bool, typer.Option(help="Fewer and shorter rounds.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write the figures.")] = None,
) -> None:
    """Measure 1, 2 and 4 replicas behind nginx."""
    _end_at(REPLICAS_DEADLINE_S)
    try:
        replicas.main(quick=quick, file=json)
    except (Absent, Failed, TooLate, OutOfTime) as error:
        _end([str(error)])


def _measured(
    subjects: Sequence[Subject], plan: Plan, results: Results, deadline_s: float
) -> list[str]:
    """Measure; return what went wrong. What was found until then is in the results."""
    allow_many_files()
    _end_at(deadline_s)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=err) as progress:
            run(subjects, plan, results, progress)
    except (TooLate, OutOfTime) as error:
        return [str(error)]
    except KeyboardInterrupt:
        return ["interrupted"]
    finally:
        signal.alarm(0)
    return []


def _end_at(deadline_s: float) -> None:
    """Let the bench end in order when it takes too long, or is told to terminate."""

    def out_of_time(number: int, frame: FrameType | None) -> None:
        raise OutOfTime(f"not done after {deadline_s:g} s")

    def terminated(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, out_of_time)
    signal.signal(signal.SIGTERM, terminated)
    signal.alarm(int(deadline_s))


def _wanted(name: str, parts: Sequence[str] | None) -> bool:
    return not parts or any(part in name for part in parts)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", "utf-8")


def _say(problems: Sequence[str]) -> None:
    for problem in problems:
        err.print(problem, style="red", markup=False)


def _end(problems: Sequence[str]) -> None:
    _say(problems)
    raise typer.Exit(1 if problems else 0)


if __name__ == "__main__":
    app()
