"""A policy under which every code acts: for tests of what becomes of findings, not of which act."""

from policies.schema.policy import Policy


def every_code_acts(policy: Policy) -> Policy:
    """Return a policy that notes no code only."""
    guards = {name: rule.model_copy(update={"weak": ()}) for name, rule in policy.guards.items()}
    return policy.model_copy(update={"guards": guards})
