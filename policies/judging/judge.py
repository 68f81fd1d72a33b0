"""The interface of a judge: questions about claims that the guards left open, and opinions.

A judge is a model that may err, lie, hang or be talked round by the texts it reads. So it is asked
only about open claims, and what it says counts only as `policies.judging.opinions` and
`policies.judging.regate` let it.
"""

import asyncio
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final, Protocol

from pydantic import TypeAdapter, ValidationError

from guards.core.finding import Span

JUDGE = "judge"
"""Name of the judge among the guards."""


class JudgeLabel(StrEnum):
    """Label that a judge gives a claim."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    CONTRADICTORY = "contradictory"
    NO_RAD = "no_rad"
    """There is nothing in it that a source could say: no retrieval-augmented data needed.

    Nothing can show that it is so, and so it counts as no opinion.
    """


class Matter(StrEnum):
    """The part of a claim that a source contradicts or does not state."""

    NEGATION = "negation"
    NUMERIC = "numeric"
    INTENT = "intent"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Window:
    """A piece of a source that a judge is shown.

    Attributes:
        text: The piece, personal identifiers masked.
    """

    source_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class OpenClaim:
    """A claim of an answer that the guards could neither find in the sources nor refute.

    Attributes:
        number: From 1.
        text: The claim without citation marks, personal identifiers masked.
        windows: The nearest pieces of the sources, the nearest first; never empty.
        is_critical: It states a figure, a provision, a contact or a route.
    """

    number: int
    text: str
    windows: tuple[Window, ...]
    span: Span
    is_critical: bool = False


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """Everything that a judge is asked about one answer.

    Attributes:
        question: The user's question, personal identifiers masked.
        claims: The open claims, numbered from 1; never empty.
        left_out: How many more claims are open, about which nobody is asked.
    """

    question: str
    claims: tuple[OpenClaim, ...]
    left_out: int = 0

    @property
    def windows(self) -> tuple[Window, ...]:
        """All pieces of the sources that are shown, each once."""
        return tuple(dict.fromkeys(one for claim in self.claims for one in claim.windows))


@dataclass(frozen=True, slots=True)
class Opinion:
    """Opinion of a judge on one claim; all of it is checked before use.

    Attributes:
        score: Its certainty; clamped to 0 to 1 when opinions are weighed.
    """

    claim: int
    label: JudgeLabel
    matter: Matter = Matter.OTHER
    score: float = 0.5
    quote: str = ""


@dataclass(frozen=True, slots=True)
class TokenUse:
    """Tokens that a judge's server counted."""

    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class Opinions:
    """A judge's answer.

    Attributes:
        opinions: In any order; claims may be missing.
        confidence: How far the judge trusts the answer as a whole, 0 to 1; None if it says nothing.
        tokens: Its cost; None if its server did not count.
    """

    opinions: tuple[Opinion, ...]
    confidence: float | None = None
    tokens: TokenUse | None = None


@dataclass(frozen=True, slots=True)
class JudgeFailure:
    """A judge that gave no opinion.

    Attributes:
        reason: Such as ``timeout`` or ``garbage``; a snake_case word, perhaps with a detail behind
            a colon.
        by_input: It was the question's fault (too long, refused), not the judge's.
        tokens: Its cost all the same; None if its server did not count.
    """

    reason: str
    by_input: bool = False
    tokens: TokenUse | None = None


@dataclass(frozen=True, slots=True)
class OpinionCounts:
    """The use of asking a judge about one answer.

    Attributes:
        cleared: How many findings it takes back, or would in shadow.
        tokens: Its cost; None if its server did not count.
    """

    claims: int
    supported: int = 0
    objected: int = 0
    cleared: int = 0
    confirmed: int = 0
    tokens: TokenUse | None = None


class Judge(Protocol):
    """Something that can be asked for a second opinion."""

    async def opinions(self, question: JudgeQuestion, within_s: float) -> Opinions | JudgeFailure:
        """Return an opinion within some seconds, or why there is none."""
        ...


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
