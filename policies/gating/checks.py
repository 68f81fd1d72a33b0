"""What a policy may not say because its answers leave sentence by sentence."""

from collections.abc import Iterator

from guards.core.guard import Scope, Stage
from guards.core.registry import all_guards
from policies.schema.base import Mode
from policies.schema.errors import Remark
from policies.schema.guard_rule import GuardRule, OnNotRun
from policies.schema.policy import Policy
from policies.schema.sections import Renumber, StreamMode
from policies.templates import CORRECTION, CUT, FALLBACK

_MOST_NAMED = 3
_INSTEAD = "use `stream.mode: buffer`, or leave this out"


def about_streams(policy: Policy) -> Iterator[Remark]:
    """Yield what a policy asks of its answers that they cannot keep once they began to leave."""
    if policy.stream.mode is StreamMode.MONITOR and policy.tenant:
        yield Remark(("stream", "mode"), "lets every answer out, whatever the guards say", False)
    if policy.stream.mode is not StreamMode.GATE:
        return
    yield from _about_guards(policy)
    yield from _about_the_end(policy)
    if policy.citations.instruct and policy.citations.renumber is Renumber.AUTO:
        yield Remark(
            ("citations", "instruct"),
            "asks for marks such as [†1] and a list, whose numbers may change: such answers are "
            "held to their end; `renumber: never` lets them out sentence by sentence",
            False,
        )
    if policy.citations.renumber is Renumber.ALWAYS:
        yield Remark(
            ("citations", "renumber"),
            "`always` needs the whole answer: numbers that have left cannot change, and "
            f"`stream.mode: gate` lets sentences out before `citations` knows them all; {_INSTEAD}",
        )
    if policy.tenant and _may_end(policy) and not _has_closings(policy):
        yield Remark(
            ("stream", "mode"),
            f"`gate` may have to end an answer and has no template: add `{CUT}` and "
            f"`{CORRECTION}`, or `{FALLBACK}`, to `templates`",
        )


def _about_the_end(policy: Policy) -> Iterator[Remark]:
    """Point out what can only close an answer where the policy would rather not have begun it."""
    strict = [name for name, rule in _of_answers(policy) if rule.on_not_run is OnNotRun.REPLACE]
    late = [name for name, _ in _of_answers(policy) if all_guards()[name].scope is Scope.ANSWER]
    if policy.tenant and strict and late:
        yield Remark(
            ("stream", "mode"),
            f"`gate` lets sentences out before the end is judged, though {_named(strict)} may let "
            f"nothing out unchecked; what {_named(late)} and the last look at the whole answer "
            "find can then only close it; `buffer` judges first",
            refused=False,
        )


def _of_answers(policy: Policy) -> Iterator[tuple[str, GuardRule]]:
    for name, rule in policy.guards.items():
        if rule.mode is Mode.ENFORCE and Stage.OUTPUT in all_guards()[name].stages:
            yield name, rule


def _named(guards: list[str]) -> str:
    """Return the first few guards, and how many more there are."""
    more = len(guards) - _MOST_NAMED
    named = ", ".join(f"`{name}`" for name in guards[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named


def _may_end(policy: Policy) -> bool:
    """Tell whether an answer that has begun to leave may have to end before its end."""
    replaces = any(
        rule.can_replace and Stage.OUTPUT in all_guards()[guard_id].stages
        for guard_id, rule in policy.guards.items()
    )
    return replaces or (policy.judge is not None and policy.judge.mode is Mode.ENFORCE)


def _has_closings(policy: Policy) -> bool:
    names = policy.templates.keys()
    return FALLBACK in names or names >= {CUT, CORRECTION}


def _about_guards(policy: Policy) -> Iterator[Remark]:
    for guard_id, rule in _of_answers(policy):
        is_needed = rule.on_not_run is OnNotRun.REPLACE
        if is_needed and all_guards()[guard_id].scope is Scope.ANSWER:
            yield Remark(
                ("guards", guard_id, "on_not_run"),
                f"`replace` lets nothing out before the guard ran, and `{guard_id}` needs the "
                f"whole answer, of which `stream.mode: gate` lets sentences out before; {_INSTEAD}",
            )
