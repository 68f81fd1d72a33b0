"""The verdict over an answer once a judge was heard."""

import asyncio
from time import perf_counter

from guards.core.exchange import Exchange
from guards.core.reading import read
from policies.decision import Possible
from policies.inspection import Inspector
from policies.judging.claims import Skip, question_about
from policies.judging.judge import Judge, JudgeFailure
from policies.judging.opinions import weighed
from policies.judging.report import not_asked
from policies.schema.base import Mode
from policies.schema.sections import OpinionRules
from policies.verdict import Verdict

NO_TIME = JudgeFailure("no_time", by_input=True)


async def with_second_opinion(
    inspector: Inspector,
    judge: Judge,
    exchange: Exchange,
    verdict: Verdict,
    possible: Possible,
    *,
    time_left_s: float,
    is_forced: bool = False,
) -> Verdict:
    """Return the verdict over an answer with what a judge has to say about it.

    Args:
        inspector: What gave the verdict.
        judge: Whom to ask.
        exchange: The exchange with the answer.
        verdict: What the guards decided.
        possible: What can still be done about the answer.
        time_left_s: What is left of the request's own time.
        is_forced: Ask about every claim, whatever the guards say.
    """
    rules = inspector.policy.judge or OpinionRules()
    if rules.mode is Mode.OFF:
        return verdict
    # Reading and weighing take their time over long texts; other requests go on meanwhile.
    asked = await asyncio.to_thread(
        question_about, rules, read(exchange), verdict, is_forced=is_forced
    )
    if isinstance(asked, Skip):
        report = not_asked(rules, asked)
    else:
        began_s = perf_counter()
        within_s = min(rules.timeout_s, time_left_s)
        said = await judge.opinions(asked, within_s) if within_s > 0 else NO_TIME
        spent_ms = (perf_counter() - began_s) * 1000
        report = weighed(rules, asked, said, exchange.answer or "", spent_ms)
    return await asyncio.to_thread(inspector.heard, exchange, verdict, report, possible)
