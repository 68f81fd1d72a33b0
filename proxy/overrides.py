"""Overrides of a policy by a request: more guards, or nothing sent before the end.

A caller may ask for more, never for less.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TypeVar

from guards.core.registry import all_guards
from policies.checks import faults_in_judging
from policies.inspection import Inspector
from policies.schema.base import Mode
from policies.schema.policy import GuardRule, Policy
from policies.schema.sections import StreamMode
from policies.templates import ReplyTemplates
from proxy.errors import BadRequest
from proxy.openai_api.model_request import GuardField
from proxy.tenants import Judging

MOST_KEPT = 32
"""Inspectors that are kept for what callers asked for; making one takes a few milliseconds."""
_PARAM = "guard.guards"
JudgingT = TypeVar("JudgingT", bound=Judging)


def apply_overrides(tenant: JudgingT, requested: GuardField) -> JudgingT:
    """Return the tenant with the stricter policy that a request asks for.

    Raises:
        BadRequest: it names no guard, or one that the policy has no reply for.
    """
    wanted = frozenset(requested.guards)
    holds = requested.hold and tenant.policy.stream.mode is not StreamMode.BUFFER
    if not wanted and not holds:
        return tenant
    for name in requested.guards:
        if name not in all_guards():
            known = ", ".join(all_guards())
            raise BadRequest(f"Invalid value for '{_PARAM}': no guard '{name}'; {known}.", _PARAM)
    stricter: JudgingT = _stricter(tenant, wanted, holds)
    return stricter


@lru_cache(maxsize=MOST_KEPT)
def _stricter(tenant: JudgingT, wanted: frozenset[str], holds: bool) -> JudgingT:
    rules = dict(_enforced(tenant.policy, sorted(wanted)))
    changed = {"guards": tenant.policy.guards | rules}
    mode = StreamMode.BUFFER if holds else tenant.policy.stream.mode
    stream = tenant.policy.stream.model_copy(update={"mode": mode})
    policy = tenant.policy.model_copy(update=changed | {"stream": stream})
    for fault in faults_in_judging(policy):
        raise BadRequest(f"'{_PARAM}' cannot be had here: {fault.message}.", _PARAM)
    loaded = dataclasses.replace(tenant.loaded, policy=policy, templates=ReplyTemplates(policy))
    return dataclasses.replace(tenant, loaded=loaded, inspector=Inspector(policy))


def _enforced(policy: Policy, wanted: Iterable[str]) -> Iterator[tuple[str, GuardRule]]:
    """Yield the rules of guards that a caller adds; those in force stay as they are."""
    for name in wanted:
        rule = policy.guards.get(name, GuardRule())
        yield name, rule.model_copy(update={"mode": Mode.ENFORCE})
