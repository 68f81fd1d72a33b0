"""What another policy changes in stored requests, as a page to read at a terminal."""

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from policies.schema.loader import LoadedPolicy
from proxy.cli.output import excerpt
from proxy.cli.replay_share import Limit, percent
from proxy.cli.replay_words import SKIPPED, UNKNOWN
from proxy.rejudging.comparing import By, Compared, Seen
from proxy.rejudging.totals import Totals
from proxy.traces.trace import ACTION_NAMES

_MOST_CHARS = 100
_DETAIL = "    "
_UNKNOWN = "unknown"
_SIGNS = {By.BEFORE: "-", By.AFTER: "+", By.BOTH: "="}


def page(
    loaded: LoadedPolicy, totals: Totals, held: Limit, notes: Sequence[str], *, is_whole: bool
) -> Iterator[Text | Table]:
    """Yield the page's lines, the outcome last.

    Args:
        loaded: The other policy.
        totals: What it changes.
        held: How much may change.
        notes: What else one should know.
        is_whole: Nobody interrupted it.
    """
    yield Text(f"{loaded.name}@{loaded.version}  ({loaded.path})", "bold")
    yield Text(f"{totals.read} requests read, {totals.judged} of them judged again")
    if totals.skipped:
        yield _skipped(totals)
    if totals.judged:
        yield _actions(totals)
    if totals.unknown:
        yield _unknown(totals)
    if totals.guards:
        yield _guards(totals)
    if len(totals.tenants) > 1:
        yield _tenants(totals)
    for example in totals.examples:
        yield from _example(example)
    for note in notes:
        yield Text(f"note: {note}", "yellow")
    yield from _outcome(totals, held, is_whole=is_whole)


def _table(*columns: str) -> Table:
    table = Table(*columns)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _skipped(totals: Totals) -> Table:
    table = _table("not judged again", "requests")
    for reason, many in totals.skipped.most_common():
        table.add_row(SKIPPED.get(reason, reason.value), str(many))
    return table


def _actions(totals: Totals) -> Table:
    after = [*_present(totals, 1), *([_UNKNOWN] if _has_unknown(totals) else [])]
    table = _table("was / would be", *after, "all")
    for before in _present(totals, 0):
        numbers = [totals.actions[before, one] for one in after]
        cells = [
            Text(str(number), "dim" if before == one or not number else "bold")
            for one, number in zip(after, numbers, strict=True)
        ]
        table.add_row(before, *cells, str(sum(numbers)))
    return table


def _present(totals: Totals, place: int) -> list[str]:
    present = {kind[place] for kind, many in totals.actions.items() if many}
    return [name for name in ACTION_NAMES if name in present]


def _has_unknown(totals: Totals) -> bool:
    return any(after == _UNKNOWN for _, after in totals.actions)


def _unknown(totals: Totals) -> Table:
    table = _table("nobody knows what would have left", "requests", "count as changed")
    for reason, found in totals.unknown.items():
        table.add_row(UNKNOWN[reason], str(found.requests), str(found.changed))
    return table


def _guards(totals: Totals) -> Table:
    table = _table("guard", "acted", "would act", "no longer", "newly")
    for guard in sorted(totals.guards, key=lambda name: (-_moved(totals, name), name)):
        found = totals.guards[guard]
        gone, new = (
            Text(f"{sign}{many}" if many else "0", "bold" if many else "dim")
            for sign, many in (("-", found.only_before), ("+", found.only_after))
        )
        table.add_row(guard, str(found.before), str(found.after), gone, new)
    return table


def _moved(totals: Totals, guard: str) -> int:
    found = totals.guards[guard]
    return found.only_before + found.only_after


def _tenants(totals: Totals) -> Table:
    table = _table("tenant", "judged", "changed", "share", "unknown")
    for name, found in sorted(totals.tenants.items()):
        share = percent(found.changed / found.judged)
        table.add_row(name, str(found.judged), str(found.changed), share, str(found.unknown))
    return table


def _example(one: Compared) -> Iterator[Text]:
    change = one.change
    if change is None:
        return
    words = "  (other words)" if change.only_words else ""
    yield Text.assemble(
        "\n", (f"{one.before} -> {one.after}", "bold"), words, (f"  {one.tenant} {one.id}", "dim")
    )
    if change.question:
        yield Text(f"{_DETAIL}asked   {excerpt(change.question, _MOST_CHARS)}")
    for name, reasons in (("was", change.reasons_before), ("would", change.reasons_after)):
        if reasons:
            yield Text(f"{_DETAIL}{name:<7} {', '.join(reasons)}")
    if one.unknown is not None:
        yield Text(f"{_DETAIL}unknown {UNKNOWN[one.unknown]}")
    if change.seen is not None:
        yield Text(f"{_DETAIL}{_seen(change.seen)}", "dim")


def _seen(seen: Seen) -> str:
    expected = f" (expected {', '.join(seen.expected)})" if seen.expected else ""
    said = excerpt(f"“{seen.observed}”{expected}", _MOST_CHARS)
    return f"{_SIGNS[seen.by]} {seen.code}: {said}"


def _outcome(totals: Totals, held: Limit, *, is_whole: bool) -> Iterator[Text]:
    if not is_whole:
        yield Text("\nInterrupted: this is what was known by then.", "yellow")
    elif not totals.read:
        yield Text("\nNo stored request matches.")
        return
    words = f", {totals.only_words} of them in words only" if totals.only_words else ""
    share = f"{percent(totals.share)} of the judged requests change"
    said = f"\n{share} ({totals.changed} of {totals.judged}{words})"
    if held.most is None:
        yield Text(said, "bold")
        return
    verdict = "more than" if held.is_passed else "within"
    style = "bold red" if held.is_passed else "bold green"
    yield Text(f"{said}: {verdict} the {percent(held.most)} of --max-changed", style)
