"""What another policy changes in stored requests, for programs."""

from collections.abc import Sequence
from dataclasses import asdict

from policies.schema.loader import LoadedPolicy
from proxy.cli.policy_names import described
from proxy.cli.replay_share import Limit
from proxy.rejudging.comparing import Compared
from proxy.rejudging.totals import Totals


def listing(
    loaded: LoadedPolicy, totals: Totals, held: Limit, notes: Sequence[str], *, is_whole: bool
) -> dict[str, object]:
    """Return all that is known, with the id of every request that changes.

    Args:
        loaded: The other policy.
        totals: What it changes.
        held: How much may change.
        notes: What else one should know.
        is_whole: Nobody interrupted it.
    """
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
        "examples": [_example(one) for one in totals.examples],
        "notes": list(notes),
    }


def _example(one: Compared) -> dict[str, object]:
    about = {"id": one.id, "tenant": one.tenant, "before": one.before, "after": one.after}
    unknown = None if one.unknown is None else one.unknown.value
    return {**about, "unknown": unknown, **(asdict(one.change) if one.change else {})}
