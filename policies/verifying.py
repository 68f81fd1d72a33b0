"""Verifies answers: the door for programs, and what stands behind every other door.

from policies import verify

result = verify("환불 규정이 어떻게 되나요?", answer, [{"section_title": …, "section_content": …}])
result.verified, result.confidence, result.issues
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter
from uuid import uuid4

from guards.core.exchange import ContextState, Exchange, Source
from guards.core.guard import Stage
from guards.core.reading import read
from guards.core.registry import all_guards
from policies.decision import Possible
from policies.inspection import Inspector
from policies.schema import suggestion
from policies.verdict import Verdict
from policies.verification import Verification
from policies.verification_options import ALL_GUARDS, Options, sources_of
from policies.verification_policies import PolicyChoice, chosen_policy
from policies.verification_report import Judged, report_on

_DEFAULT = Options()
_WITHOUT_MODEL = Options(judge="off")
_FIRST_ATTEMPT = Possible(regenerate=True, edit=True)


class UnknownGuard(ValueError):
    """A guard was asked for that does not exist, or that judges no answers."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"there is no guard {name!r} for answers; {suggestion(name, known)}")
        self.name = name


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer's verification, and the verdict behind it."""

    report: Verification
    verdict: Verdict


class Verifier:
    """Verifies answers by one policy. Safe to share between requests and threads.

    Args:
        inspector: The policy with its guards.
        name: The policy's name and version, for the report.
    """

    def __init__(self, inspector: Inspector, name: str) -> None:
        self._inspector = inspector
        self._name = name

    def verify(
        self, exchange: Exchange, options: Options = _DEFAULT, *, request_id: str | None = None
    ) -> Verified:
        """Verify an exchange that holds an answer.

        Raises:
            UnknownGuard: the options name a guard that does not exist.
        """
        began_s = perf_counter()
        asked = _asked(options)
        inspector = self._inspector if asked is None else self._inspector.only(asked)
        verdict = inspector.inspect(exchange, Stage.OUTPUT, _FIRST_ATTEMPT)
        judged = Judged(
            id=request_id or uuid4().hex,
            policy_name=self._name,
            inspector=inspector,
            reading=read(exchange),
            options=options,
            asked=asked,
            verdict=verdict,
            began_s=began_s,
        )
        return Verified(report_on(judged), verdict)


def verify(
    question: str,
    answer: str,
    sources: Iterable[Source | Mapping[str, object]],
    policy: PolicyChoice = "default",
    *,
    options: Options = _DEFAULT,
) -> Verification:
    """Hold an answer against its sources.

    Args:
        question: What was asked; may be empty.
        answer: The answer, with its citations.
        sources: In the order in which citations count them: `Source` objects, or dicts with
            ``section_title`` and ``section_content`` (also ``title`` and ``text``, and ``file``,
            ``page``, ``score``, ``id``).
        policy: Name of a shipped policy, path of a policy file, or a policy.
        options: Which guards run, and what is corrected.

    Raises:
        BadSources: a source cannot be used.
        PolicyError: the policy cannot be used.
        UnknownGuard: the options name a guard that does not exist.
    """
    chosen = chosen_policy(policy)
    intent = chosen.intents.intent_of(question).intent
    exchange = Exchange(
        question=question,
        sources=sources_of(sources),
        context=ContextState.EMPTY,
        answer=answer,
        intents=(intent,) if intent else (),
    )
    return Verifier(chosen.inspector, chosen.name).verify(exchange, options).report


def quick_verify(
    answer: str,
    sources: Iterable[Source | Mapping[str, object]],
    policy: PolicyChoice = "default",
) -> Verification:
    """Hold an answer against its sources without its question and without asking any model."""
    return verify("", answer, sources, policy, options=_WITHOUT_MODEL)


def _asked(options: Options) -> frozenset[str] | None:
    """Return the guards that were asked for by name; None for all."""
    known = [name for name, guard in all_guards().items() if Stage.OUTPUT in guard.stages]
    for name in options.guards:
        if name != ALL_GUARDS and name not in known:
            raise UnknownGuard(name, known)
    return None if ALL_GUARDS in options.guards else frozenset(options.guards)
