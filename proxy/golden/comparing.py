"""What got better and what worse since a saved run."""

from collections.abc import Collection

from proxy.golden.results import CaseResult, Change, Comparison, Outcome, Run

_SAME = 1e-9


def compared(now: Run, before: Run, known: Collection[str]) -> Comparison:
    """Compare two runs of a set; cases that one of them did not run are left out.

    Args:
        now: This run.
        before: The earlier one.
        known: Ids of all cases of the set, also of those that this run was not to ask.
    """
    earlier = {case.id: case for case in before.cases}
    ran = [case for case in now.cases if case.outcome is not Outcome.NOT_RUN]
    pairs = [(earlier[case.id], case) for case in ran if case.id in earlier]
    pairs = [pair for pair in pairs if pair[0].outcome is not Outcome.NOT_RUN]
    return Comparison(
        better=tuple(_change(old, new) for old, new in pairs if _is_better(new, old)),
        worse=tuple(_change(old, new) for old, new in pairs if _is_better(old, new)),
        new=tuple(case.id for case in ran if case.id not in earlier),
        gone=tuple(name for name in earlier if name not in known),
    )


def _is_better(one: CaseResult, other: CaseResult) -> bool:
    if one.outcome is not other.outcome:
        return one.outcome.rank > other.outcome.rank
    return one.score > other.score + _SAME


def _change(old: CaseResult, new: CaseResult) -> Change:
    return Change(
        id=new.id,
        before=old.outcome,
        after=new.outcome,
        score_before=old.score,
        score_after=new.score,
    )
