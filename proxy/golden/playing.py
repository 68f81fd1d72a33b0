"""Plays one case: asks its turns in order, and holds each reply against what was expected."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import fmean

import httpx

from proxy.golden.asking import Said, body_of
from proxy.golden.client import Heard, NoReply, Target, ask
from proxy.golden.results import CaseResult, Outcome, TurnResult, worst_of
from proxy.golden.scoring import judged
from proxy.golden.scripted import tagged
from proxy.golden.shape import Case, GoldenSet, Turn

Play = Callable[[Case], Awaitable[CaseResult]]
UNSCRIPTED = "the model was asked, and the case does not say what it answers (`model`)"


@dataclass(frozen=True, slots=True)
class Player:
    """Asks one target the cases of one set.

    Attributes:
        client: Whose connections are used.
        target: Who is asked.
        golden: The set.
        scripted: The model says what the cases say that it says.
        repeat: How often each case runs.
    """

    client: httpx.AsyncClient
    target: Target
    golden: GoldenSet
    scripted: bool = False
    repeat: int = 1

    async def play(self, case: Case) -> CaseResult:
        """Return what came of a case, in all of its runs."""
        return worst_of([await self._run(case) for _ in range(self.repeat)])

    async def _run(self, case: Case) -> CaseResult:
        before: list[Said] = []
        results: list[TurnResult] = []
        for number, turn in enumerate(case.asked):
            body = body_of(self.golden, case, turn, before, self.target.model)
            if self.scripted:
                body = tagged(body, case.id, number)
            try:
                heard = await ask(self.client, self.target, body)
            except NoReply as error:
                # Without its reply the conversation cannot go on.
                results.append(
                    TurnResult(query=turn.query, error=str(error), trace_id=error.trace_id)
                )
                break
            results.append(self._judged(turn, heard))
            before.append(Said(turn.query, heard.text))
        return _case_result(case, results)

    def _judged(self, turn: Turn, heard: Heard) -> TurnResult:
        result = judged(turn, heard)
        if self.scripted and turn.model is None and heard.attempts:
            return result.model_copy(update={"error": UNSCRIPTED})
        return result


def not_run(case: Case) -> CaseResult:
    """Return the result of a case that was not asked."""
    return CaseResult(
        id=case.id, category=case.category, scope=case.scope, outcome=Outcome.NOT_RUN, runs=0
    )


def _case_result(case: Case, turns: list[TurnResult]) -> CaseResult:
    outcome = min((turn.outcome for turn in turns), key=lambda one: one.rank)
    # Turns that an error kept from being asked count as nothing.
    asked = len(case.asked)
    scores = [turn.score for turn in turns] + [0.0] * (asked - len(turns))
    return CaseResult(
        id=case.id,
        category=case.category,
        scope=case.scope,
        outcome=outcome,
        score=fmean(scores),
        turns=tuple(turns),
    )
