"""A policy with its guards built: what the proxy asks for a verdict."""

from collections.abc import Iterable
from typing import Any

from guards.core.exchange import Exchange
from guards.core.guard import Guard, Stage
from guards.core.reading import read
from guards.core.registry import all_guards
from guards.core.runner import run
from policies.decision import decide
from policies.policy import Mode, Policy
from policies.verdict import Verdict


class Inspector:
    """Judges exchanges by one policy. Safe to share between requests and threads."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        built = [_build(policy, guard_id) for guard_id in _switched_on(policy)]
        self._guards = {
            stage: tuple(guard for guard in built if stage in guard.stages) for stage in Stage
        }

    def inspect(self, exchange: Exchange, stage: Stage, *, may_regenerate: bool = False) -> Verdict:
        """Read the exchange, run the guards of a stage over it, and decide."""
        reports = run(self._guards[stage], read(exchange))
        return decide(self.policy, stage, reports, may_regenerate=may_regenerate)


def _switched_on(policy: Policy) -> Iterable[str]:
    """Return the guards that run, shadowed ones included, in the policy's own order."""
    return (guard_id for guard_id, rule in policy.guards.items() if rule.mode is not Mode.OFF)


def _build(policy: Policy, guard_id: str) -> Guard[Any]:
    guard_type = all_guards()[guard_id]
    options = policy.guards[guard_id].options
    return guard_type(guard_type.settings_type.model_validate(options))
