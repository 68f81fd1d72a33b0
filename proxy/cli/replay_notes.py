"""What one should know of a replay beside its figures: where they may mislead."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from policies.explaining import explained
from policies.schema.base import Mode
from policies.schema.errors import PolicyError
from policies.schema.loader import LoadedPolicy, load_policies
from proxy.rejudging.totals import Totals


def notes(loaded: LoadedPolicy, totals: Totals, directory: Path) -> list[str]:
    """Return what one should know.

    Args:
        loaded: The policy that requests were judged by again.
        totals: What it changes.
        directory: Where the policies may be found that judged them at first.
    """
    return [
        *_about_the_same(loaded, totals),
        *_about_extending(loaded, totals),
        *_about_asking(loaded, totals, directory),
        *_about_words(loaded, totals),
    ]


def _about_the_same(loaded: LoadedPolicy, totals: Totals) -> Iterator[str]:
    many = sum(n for used, n in totals.policies.items() if used.version == loaded.version)
    if many:
        yield f"{many} of the requests were judged by this very policy: nothing changes in them."


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
            f"{many} of the requests were judged by {name}, which {loaded.name} does not extend: "
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
        yield "The policy's judge is not asked: what it would object to passes here."
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
