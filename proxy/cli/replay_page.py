"""Output of a replay: what another policy changes in stored requests, as a page or as JSON."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from policies.explaining import explained
from policies.schema.base import Mode, PolicyError
from policies.schema.loader import LoadedPolicy, load_policies
from proxy.cli.policy import described
from proxy.cli.terminal import excerpt
from proxy.replay.comparison import By, Compared, Improvement, KeyFinding, Totals
from proxy.traces.trace import ACTION_NAMES, NotReplayed
from proxy.views.words import NOT_REPLAYED, UNKNOWN

_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,9})?|\.\d{1,9})\s?(%?)", re.ASCII)


def _share(said: str) -> float:
    read = _SHARE.fullmatch(said.strip())
    if read is None:
        raise typer.BadParameter(f"{said!r} is no share; write it as in 2% or 0.02.")
    share = float(read[1]) / (100 if read[2] else 1)
    if share > 1 or (share == 1 and not read[2]):  # ambiguous: 1 could be all or 1 %
        raise typer.BadParameter(f"{said!r} is not clear; write it as in 2% or 0.02.")
    return share


Share = Annotated[
    float | None,
    typer.Option(
        parser=_share,
        metavar="SHARE",
        help="How many of the judged requests may change, as in 2% or 0.02.",
    ),
]


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on changes, and the changes counted against it.

    Attributes:
        most: Share of the judged requests that may change; None if any may.
        totals: What does.
    """

    most: float | None
    totals: Totals

    @property
    def is_passed(self) -> bool:
        """True if more requests change than the limit allows."""
        return self.most is not None and self.totals.share > self.most

    @property
    def is_empty(self) -> bool:
        """True if there is a limit and no request to compare with it."""
        return self.most is not None and self.totals.judged == 0


def percent(share: float) -> str:
    """Return a share as people read it, never as nothing if it is something."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return f"{share:.1%}".replace("%", " %")


def notes(loaded: LoadedPolicy, totals: Totals, directory: Path) -> list[str]:
    """Return what one should know."""
    return [
        *_about_the_same(loaded, totals),
        *_about_extending(loaded, totals),
        *_about_asking(loaded, totals, directory),
        *_about_words(loaded, totals),
    ]


def _about_the_same(loaded: LoadedPolicy, totals: Totals) -> Iterator[str]:
    many = sum(n for used, n in totals.policies.items() if used.version == loaded.version)
    if many:
        yield f"This very policy judged {many} of the requests: nothing changes in them."


def _about_extending(loaded: LoadedPolicy, totals: Totals) -> Iterator[str]:
    """Point out tenants' own names, words and thresholds that a policy knows nothing of."""
    files = {PurePath(one.place.file).stem for one in explained(loaded) if one.place}
    known = files | {loaded.name, loaded.policy.extends}
    strange: Counter[str] = Counter()
    for used, many in totals.policies.items():
        if used.name not in known:
            strange[used.name] += many
    for name, many in strange.most_common():
        yield (
            f"{name} judged {many} of the requests, and {loaded.name} does not extend it: "
            f"its own names, options and templates do not count. With `extends: {name}`, in a file "
            "beside it, they do."
        )


def _about_asking(loaded: LoadedPolicy, totals: Totals, directory: Path) -> Iterator[str]:
    """Point out what only requests to come can show: what is found in them and sent on."""
    at_hand = _at_hand(directory)
    used = [at_hand[one.version] for one in totals.policies if one.version in at_hand]
    if any(one.policy.sources != loaded.policy.sources for one in used):
        yield "Sources are taken as they were found; that `sources` differs changes nothing here."
    if any(one.policy.citations.instruct != loaded.policy.citations.instruct for one in used):
        yield "Answers are taken as they came; that `citations.instruct` differs changes none."


def _about_words(loaded: LoadedPolicy, totals: Totals) -> Iterator[str]:
    judge = loaded.policy.judge
    if judge is not None and judge.mode is not Mode.OFF:
        yield "The policy's judge is not called: what it would object to passes here."
    if totals.holding_labels:
        yield (
            f"{totals.holding_labels} of the requests hold labels in place of personal "
            "identifiers, so that guards find nothing wrong with those."
        )
    for kind, first in totals.failures.items():
        yield f"Judging broke with {kind}, first of all on {first}."


def _at_hand(directory: Path) -> Mapping[str, LoadedPolicy]:
    """Return the policies of a directory by version; none if they cannot be read."""
    try:
        loaded = load_policies(directory, require_env=False)
    except PolicyError:
        return {}
    return {one.version: one for one in loaded.values()}


def listing(
    loaded: LoadedPolicy, totals: Totals, held: Limit, notes: Sequence[str], *, is_whole: bool
) -> dict[str, object]:
    """Return all that is known, with the id of every request that changes."""
    return {
        **described(loaded),
        "is_whole": is_whole,
        "read": totals.read,
        "judged": totals.judged,
        "skipped": {reason.value: many for reason, many in totals.skipped.items()},
        "failures": totals.failures,
        "changed": totals.changed,
        "changed_in_words_only": totals.only_words,
        "share": totals.share,
        "max_changed": held.most,
        "is_within": not held.is_passed and not held.is_empty,
        "actions": [
            {"before": before, "after": after, "requests": many}
            for (before, after), many in totals.actions.items()
        ],
        "unknown": {reason.value: asdict(found) for reason, found in totals.unknown.items()},
        "guards": {guard: asdict(found) for guard, found in sorted(totals.guards.items())},
        "tenants": {tenant: asdict(found) for tenant, found in sorted(totals.tenants.items())},
        "judged_before_by": [
            {"policy": used.name, "version": used.version, "requests": many}
            for used, many in totals.policies.items()
        ],
        "changes": [
            {"before": before, "after": after, "ids": ids}
            for (before, after), ids in totals.changes.items()
        ],
        "labelled": {effect.value: ids for effect, ids in totals.labelled.items()},
        "examples": [_comparison_json(one) for one in totals.examples],
        "notes": list(notes),
    }


def _comparison_json(one: Compared) -> dict[str, object]:
    about = {"id": one.id, "tenant": one.tenant, "before": one.before, "after": one.after}
    unknown = None if one.unknown is None else one.unknown.value
    return {**about, "unknown": unknown, **(asdict(one.change) if one.change else {})}


_MOST_CHARS = 100
_DETAIL = "    "
_UNKNOWN = "unknown"
_SIGNS = {By.BEFORE: "-", By.AFTER: "+", By.BOTH: "="}


def page(
    loaded: LoadedPolicy, totals: Totals, held: Limit, notes: Sequence[str], *, is_whole: bool
) -> Iterator[Text | Table]:
    """Yield the page's lines, the outcome last."""
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
    if totals.labelled:
        yield from _labelled(totals)
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
        table.add_row(
            NOT_REPLAYED[reason] if isinstance(reason, NotReplayed) else UNKNOWN[reason], str(many)
        )
    return table


def _actions(totals: Totals) -> Table:
    after = _present(totals, 1)
    if any(would_be == _UNKNOWN for _, would_be in totals.actions):
        after.append(_UNKNOWN)
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


def _unknown(totals: Totals) -> Table:
    table = _table(
        "the answer that would have been sent is unknown", "requests", "count as changed"
    )
    for reason, found in totals.unknown.items():
        table.add_row(UNKNOWN[reason], str(found.requests), str(found.changed))
    return table


def _guards(totals: Totals) -> Table:
    table = _table("guard", "acted", "would act", "no longer", "newly")
    for guard in sorted(totals.guards, key=lambda name: (-_count_changed(totals, name), name)):
        found = totals.guards[guard]
        gone, new = (
            Text(f"{sign}{many}" if many else "0", "bold" if many else "dim")
            for sign, many in (("-", found.only_before), ("+", found.only_after))
        )
        table.add_row(guard, str(found.before), str(found.after), gone, new)
    return table


def _count_changed(totals: Totals, guard: str) -> int:
    found = totals.guards[guard]
    return found.only_before + found.only_after


def _tenants(totals: Totals) -> Table:
    table = _table("tenant", "judged", "changed", "share", "unknown")
    for name, found in sorted(totals.tenants.items()):
        share = percent(found.changed / found.judged)
        table.add_row(name, str(found.judged), str(found.changed), share, str(found.unknown))
    return table


_MOST_IDS = 10
_STYLES = {Improvement.BETTER: "green", Improvement.WORSE: "red"}


def _labelled(totals: Totals) -> Iterator[Text]:
    """Yield how many labelled requests come out better or worse, and which."""
    counts = [
        f"{len(ids)} {effect.value}"
        for effect in Improvement
        if (ids := totals.labelled.get(effect))
    ]
    yield Text(f"labelled requests: {', '.join(counts)}", "bold")
    for effect, style in _STYLES.items():
        ids = totals.labelled.get(effect, [])
        for trace_id in ids[:_MOST_IDS]:
            yield Text(f"{_DETAIL}{effect.value:<7} {trace_id}", style)
        if len(ids) > _MOST_IDS:
            yield Text(f"{_DETAIL}and {len(ids) - _MOST_IDS} more {effect.value}; --json has all")


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
        yield Text(f"{_DETAIL}{_finding_text(change.seen)}", "dim")


def _finding_text(seen: KeyFinding) -> str:
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
