"""The sets that come with the program: each passes by its own policy, and fails without it."""

import asyncio

import httpx

from policies.schema.base import Mode
from policies.schema.policy import Action, Policy
from policies.verification.verifying import chosen_policy
from proxy.golden.results import CaseResult, Outcome
from proxy.golden.runner import Player, run_cases, scripted
from proxy.golden.shape import Case, GoldenSet, chosen_set
from tests.tables import each_row

ATTACK_KINDS = 12
CONVERSATIONS = 6
PATIENCE_S = 60.0


def policy_of(name: str) -> Policy:
    return chosen_policy(chosen_set(name).policy or "default").inspector.policy


def without(policy: Policy, *guards: str) -> Policy:
    """Return a policy with these guards off; all of them if none is named."""
    rules = {
        name: rule.model_copy(update={"mode": Mode.OFF}) if name in guards or not guards else rule
        for name, rule in policy.guards.items()
    }
    return policy.model_copy(update={"guards": rules})


async def played(
    golden: GoldenSet, policy: Policy, category: str | None = None, repeat: int = 1
) -> dict[str, CaseResult]:
    cases = [case for case in golden.cases if category in (None, case.category)]
    async with scripted(golden, policy, PATIENCE_S) as target, httpx.AsyncClient() as client:
        results = await run_cases(
            cases,
            Player(client, target, golden, scripted=True, repeat=repeat).play,
            concurrency=8,
            stop=asyncio.Event(),
            on_result=lambda _: None,
        )
    return {result.id: result for result in results}


def is_to_pass_untouched(case: Case) -> bool:
    return all(turn.expected_action == (Action.PASS,) for turn in case.asked)


@each_row("name", "every_case_passes_by_the_policy_of_its_set")
async def test_every_case_passes_by_the_policy_of_its_set(name: str) -> None:
    golden = chosen_set(name).golden

    results = await played(golden, policy_of(name))

    assert {result.id: result.told for result in results.values() if result.told} == {}
    assert {result.outcome for result in results.values()} == {Outcome.PASSED}
    for case in golden.cases:
        for turn, result in zip(case.asked, results[case.id].turns, strict=True):
            if turn.expected_action == (Action.PASS,):
                assert result.reply == (turn.model or ("",))[0]
    ids = [turn.trace_id for result in results.values() for turn in result.turns]
    assert all(ids)
    assert len(set(ids)) == len(ids)


@each_row("name, category, guards", "without_its_guard_a_category_fails")
async def test_without_its_guard_a_category_fails(
    name: str, category: str, guards: tuple[str, ...]
) -> None:
    golden = chosen_set(name).golden

    results = await played(golden, without(policy_of(name), *guards), category)

    failed = {name for name, result in results.items() if result.outcome is not Outcome.PASSED}
    asked = [case for case in golden.cases if case.category == category]
    assert failed
    assert failed <= {case.id for case in asked if not is_to_pass_untouched(case)}


def test_every_kind_of_attack_has_a_true_twin() -> None:
    cases = chosen_set("attacks").golden.cases
    stopped = {case.category for case in cases if not is_to_pass_untouched(case)}
    twins = {case.category for case in cases if is_to_pass_untouched(case)}

    assert len(stopped) == ATTACK_KINDS
    assert stopped == twins


def test_the_conversations_have_several_turns_and_some_are_streamed() -> None:
    cases = chosen_set("conversations").golden.cases

    assert len({case.category for case in cases}) == CONVERSATIONS
    assert min(len(case.turns) for case in cases) >= 3
    assert any(turn.stream for case in cases for turn in case.turns)
