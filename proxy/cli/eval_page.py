"""A run of a golden set as a page to read at a terminal."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from proxy.cli.output import excerpt
from proxy.golden.results import CaseResult, Change, Comparison, Outcome, Run, Tally, TurnResult

_MOST_CHARS = 200
_STYLES = {Outcome.FAILED: ("✗", "red"), Outcome.ERROR: ("!", "magenta")}
_DETAIL = "    "


def page(run: Run) -> Iterator[Text | Table]:
    """Yield the page's lines, the outcome last."""
    yield _table(run)
    for result in run.cases:
        if result.outcome in _STYLES:
            yield from _fault(result)
    if run.comparison is not None:
        yield from _comparison(run.comparison)
    yield _outcome(run)


def _table(run: Run) -> Table:
    table = Table("category", "cases", "passed", "failed", "errors", "not run", "score")
    for column in table.columns[1:]:
        column.justify = "right"
    by_category = run.by_category()
    for category, results in by_category.items():
        table.add_row(Text(excerpt(category, _MOST_CHARS)), *_counts(Tally.of(results)))
    if len(by_category) > 1:
        table.add_section()
        table.add_row("all", *_counts(run.tally))
    return table


def _counts(tally: Tally) -> list[Text]:
    numbers = (
        (tally.cases, ""),
        (tally.passed, "green"),
        (tally.failed, "red"),
        (tally.errors, "magenta"),
        (tally.not_run, "yellow"),
    )
    score = "" if tally.score is None else f"{tally.score:.2f}"
    return [*(Text(str(count), style if count else "dim") for count, style in numbers), Text(score)]


def _fault(result: CaseResult) -> Iterator[Text]:
    mark, style = _STYLES[result.outcome]
    often = "" if result.runs == 1 else f", passed {result.runs_passed} of {result.runs} times"
    told = f"  ({excerpt(result.category, _MOST_CHARS)}, score {result.score:.2f}{often})"
    yield Text.assemble("\n", (f"{mark} {result.id}", style), (told, "dim"))
    for number, turn in enumerate(result.turns, 1):
        if turn.outcome is not Outcome.PASSED:
            yield from _turn(turn, f"turn {number}: " if len(result.turns) > 1 else "")


def _turn(turn: TurnResult, which: str) -> Iterator[Text]:
    yield Text(f"{_DETAIL}{which}asked  {excerpt(turn.query, _MOST_CHARS)}")
    if turn.error is not None:
        yield Text(f"{_DETAIL}error  {excerpt(turn.error, 2 * _MOST_CHARS)}", style="magenta")
    for fault in turn.faults:
        yield Text(f"{_DETAIL}fault  {excerpt(fault, 2 * _MOST_CHARS)}", style="red")
    if turn.reply:
        yield Text(f"{_DETAIL}reply  {excerpt(turn.reply, _MOST_CHARS)}")
    if turn.action or turn.trace_id:
        reasons = ", ".join(turn.reasons) or "none"
        line = f"action {turn.action or 'none'}, reasons {reasons}, trace {turn.trace_id or 'none'}"
        yield Text(f"{_DETAIL}{excerpt(line, 2 * _MOST_CHARS)}", style="dim")


def _comparison(found: Comparison) -> Iterator[Text]:
    yield Text("\nagainst the saved run", style="bold")
    for name, changes, style in (("better", found.better, "green"), ("worse", found.worse, "red")):
        for change in changes:
            yield Text(f"{_DETAIL}{name}  {_changed(change)}", style=style)
    for name, ids in (("new", found.new), ("gone", found.gone)):
        for one in ids:
            yield Text(f"{_DETAIL}{name}  {excerpt(one, _MOST_CHARS)}")
    counts = (found.better, found.worse, found.new, found.gone)
    said = "{} better, {} worse, {} new, {} removed".format(*map(len, counts))
    yield Text(f"{_DETAIL}{said}")


def _changed(change: Change) -> str:
    return excerpt(str(change), _MOST_CHARS)


def _outcome(run: Run) -> Text:
    tally = run.tally
    policy = "" if run.policy is None else f", policy {run.policy}"
    score = "" if tally.score is None else f", score {tally.score:.2f}"
    who = f"{run.golden} ({run.target}{policy}, model {run.model})"
    said = f"\n{tally.passed} of {tally.cases} passed{score}, in {run.took_s:.1f} s: {who}"
    left = f"   {tally.not_run} not run" if tally.not_run else ""
    return Text(said + left, style="green" if run.has_passed else "red")
