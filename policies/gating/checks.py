"""What a policy may not say because its answers leave sentence by sentence."""

from collections.abc import Iterator

from guards.core.guard import Scope, Stage
from guards.core.registry import all_guards
from policies.errors import Remark
from policies.gating.rules import StreamMode
from policies.policy import Mode, OnNotRun, Policy, Renumber
from policies.templates import CORRECTION, CUT, FALLBACK

_INSTEAD = "use `stream.mode: buffer`, or leave this out"


def about_streams(policy: Policy) -> Iterator[Remark]:
    """Yield what a policy asks of its answers that they cannot keep once they began to leave."""
    if policy.stream.mode is StreamMode.MONITOR and policy.tenant:
        yield Remark(("stream", "mode"), "lets every answer out, whatever the guards say", False)
    if policy.stream.mode is not StreamMode.GATE:
        return
    yield from _about_guards(policy)
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
    for guard_id, rule in policy.guards.items():
        guard = all_guards()[guard_id]
        is_needed = rule.mode is Mode.ENFORCE and rule.on_not_run is OnNotRun.REPLACE
        if is_needed and Stage.OUTPUT in guard.stages and guard.scope is Scope.ANSWER:
            yield Remark(
                ("guards", guard_id, "on_not_run"),
                f"`replace` lets nothing out before the guard ran, and `{guard_id}` needs the "
                f"whole answer, of which `stream.mode: gate` lets sentences out before; {_INSTEAD}",
            )
