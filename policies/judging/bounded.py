"""A judge that nobody has to trust: held to its time, and to the shape of what it may say."""

import asyncio
from dataclasses import asdict
from typing import Final

from pydantic import TypeAdapter, ValidationError

from policies.judging.judge import Judge, JudgeFailure, JudgeQuestion, Opinions

_OPINIONS: Final = TypeAdapter(Opinions)


class BoundedJudge:
    """A judge that is held to its time, and whose errors are failures like any other."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    async def opinions(self, question: JudgeQuestion, within_s: float) -> Opinions | JudgeFailure:
        """Ask; what takes too long, breaks or says something else gave no opinion."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        try:
            async with asyncio.timeout(within_s):
                said = _understood(await self._judge.opinions(question, within_s))
        except TimeoutError:
            return JudgeFailure("timeout")
        except Exception as error:  # noqa: BLE001 - a judge may break in any way, and none may do harm
            return JudgeFailure(f"failed:{type(error).__name__}")
        # One that never awaits cannot be interrupted, and is too late all the same.
        return said if loop.time() - began_s <= within_s else JudgeFailure("timeout")


def _understood(said: object) -> Opinions | JudgeFailure:
    """Return what a judge said as the types have it: not every judge's author reads them."""
    if isinstance(said, JudgeFailure):
        return said
    if not isinstance(said, Opinions):
        return JudgeFailure("garbage")
    try:
        return _OPINIONS.validate_python(asdict(said))
    except ValidationError:
        return JudgeFailure("garbage")
