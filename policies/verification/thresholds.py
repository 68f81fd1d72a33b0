"""The thresholds by which an answer is verified, each read from its one place in the policy."""

from typing import TypeVar

from guards.answerability import Answerability, AnswerabilitySettings
from guards.citations import Citations, CitationsSettings
from guards.core.guard import GuardSettings
from guards.evidence.thresholds import CLAIM_SUPPORTED_FROM
from guards.overlap import Overlap, OverlapSettings
from policies.schema.base import Mode
from policies.schema.policy import Policy
from policies.verification.parts import Thresholds

SettingsT = TypeVar("SettingsT", bound=GuardSettings)


def options_of(policy: Policy, guard: str, settings: type[SettingsT]) -> SettingsT:
    """Return a guard's options in a policy; the defaults where it does not speak of the guard."""
    rule = policy.guards.get(guard)
    return settings.model_validate(rule.options if rule else {})


def thresholds_of(policy: Policy) -> Thresholds:
    """Return the thresholds in force."""
    retrieval = options_of(policy, Answerability.id, AnswerabilitySettings).min_score
    overlap = options_of(policy, Overlap.id, OverlapSettings)
    citation = options_of(policy, Citations.id, CitationsSettings).threshold
    return Thresholds(
        retrieval=retrieval if _is_on(policy, Answerability.id) else None,
        support=overlap.min_support if _is_on(policy, Overlap.id) else None,
        unsupported=CLAIM_SUPPORTED_FROM if _is_on(policy, Overlap.id) else None,
        relevance=policy.sources.min_relevance,
        citation=citation if _is_on(policy, Citations.id) else None,
        confidence=policy.confidence.threshold,
    )


def _is_on(policy: Policy, guard: str) -> bool:
    rule = policy.guards.get(guard)
    return rule is not None and rule.mode is not Mode.OFF
