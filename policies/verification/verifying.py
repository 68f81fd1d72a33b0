"""Verifies answers: the Python interface, which all other ways to verify use.

from policies import verify

result = verify("환불 규정이 어떻게 되나요?", answer, [{"section_title": …, "section_content": …}])
result.verified, result.confidence, result.issues
"""

import asyncio
import math
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from time import perf_counter
from uuid import uuid4

from guards.core.exchange import ContextState, Exchange, Source
from guards.core.guard import Stage
from guards.core.reading import read
from guards.core.registry import all_guards
from policies.decision import Possible
from policies.inspection import Inspector
from policies.judging.judge import BoundedJudge, Judge
from policies.judging.opinions import with_second_opinion
from policies.patterns import Intents
from policies.schema.base import Place, PolicyError, Problem
from policies.schema.document import suggestion
from policies.schema.inheritance import ENDINGS, shipped_files
from policies.schema.loader import LoadedPolicy, load_file, load_shipped
from policies.schema.policy import Policy
from policies.schema.store import FileState, file_states
from policies.verdict import Verdict
from policies.verification.conversation import Conversation, GuardContext, Messages, conversation_of
from policies.verification.report import JudgedAnswer, report_on
from policies.verification.shape import ALL_GUARDS, Options, Verification, sources_of

PolicyChoice = str | Path | Policy
_FILES_KEPT = 16
_POLICIES_KEPT = 16


@dataclass(frozen=True)
class ChosenPolicy:
    """A policy, ready to verify by."""

    name: str
    inspector: Inspector
    intents: Intents


def chosen_policy(choice: PolicyChoice) -> ChosenPolicy:
    """Return the policy that a caller means.

    A file is read again only when something in its folder has changed.

    Raises:
        PolicyError: there is no such policy, or it cannot be used.
    """
    if isinstance(choice, Policy):
        return _unnamed(_Own(choice))
    if isinstance(choice, str) and choice in shipped_files():
        return _shipped(choice)
    path = Path(choice)
    if path.suffix not in ENDINGS:
        hint = suggestion(str(choice), shipped_files())
        message = f"is neither a shipped policy nor a .yaml file; {hint}"
        raise PolicyError([Problem(Place(str(choice)), "", message)])
    path = path.resolve()
    return _from_file(path, file_states(path.parent))


class _Own:
    """A caller's own policy, the same only as itself: policies cannot be hashed."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Own) and other.policy is self.policy

    def __hash__(self) -> int:
        return id(self.policy)


@lru_cache(maxsize=_POLICIES_KEPT)
def _unnamed(own: _Own) -> ChosenPolicy:
    return ChosenPolicy("unnamed", Inspector(own.policy), Intents(own.policy.intents))


@cache
def _shipped(name: str) -> ChosenPolicy:
    return ready(load_shipped(name))


@lru_cache(maxsize=_FILES_KEPT)
def _from_file(path: Path, states: frozenset[FileState]) -> ChosenPolicy:
    del states  # part of the key only
    return ready(load_file(path))


def ready(loaded: LoadedPolicy) -> ChosenPolicy:
    """Return a policy with its guards built."""
    return ChosenPolicy(f"{loaded.name}@{loaded.version}", Inspector(loaded.policy), loaded.intents)


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
    """Verifies answers by one policy. Safe to share between requests and threads."""

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
        under_way = self._begun(exchange, options, request_id)
        return _reported(under_way)

    async def verify_with(
        self,
        judge: Judge,
        exchange: Exchange,
        options: Options = _DEFAULT,
        *,
        time_left_s: float = math.inf,
        request_id: str | None = None,
    ) -> Verified:
        """Verify an exchange that holds an answer, and ask a judge about what stays open.

        Args:
            judge: Whom to ask, unless the options or the policy say not to.
            time_left_s: What is left of the request's own time.
            request_id: Id of the request; None for a new one.

        Raises:
            UnknownGuard: the options name a guard that does not exist.
        """
        under_way = await asyncio.to_thread(self._begun, exchange, options, request_id)
        if options.judge != "off":
            verdict = await with_second_opinion(
                under_way.inspector,
                judge,
                exchange,
                under_way.verdict,
                _FIRST_ATTEMPT,
                time_left_s=time_left_s,
                is_forced=options.judge == "force",
            )
            under_way = replace(under_way, verdict=verdict)
        return await asyncio.to_thread(_reported, under_way)

    def _begun(self, exchange: Exchange, options: Options, request_id: str | None) -> JudgedAnswer:
        began_s = perf_counter()
        guards = _requested_guards(options)
        inspector = self._inspector if guards is None else self._inspector.only(guards)
        return JudgedAnswer(
            id=request_id or uuid4().hex,
            policy_name=self._name,
            inspector=inspector,
            reading=read(exchange),
            options=options,
            requested_guards=guards,
            verdict=inspector.inspect(exchange, Stage.OUTPUT, _FIRST_ATTEMPT),
            began_s=began_s,
        )


def _reported(judged: JudgedAnswer) -> Verified:
    return Verified(report_on(judged), judged.verdict)


def verify(
    question: str,
    answer: str | None,
    sources: Iterable[Source | Mapping[str, object]],
    policy: PolicyChoice = "default",
    *,
    messages: Messages | None = None,
    guard: Mapping[str, object] | None = None,
    options: Options = _DEFAULT,
    judge: Judge | None = None,
) -> Verification:
    """Hold an answer against its sources.

    A judge is awaited in its own event loop, in its own thread, so that it does not matter whether
    this one has a loop; who would rather await it calls `Verifier.verify_with`.

    Args:
        question: What was asked; may be empty, and is where `messages` hold it.
        answer: The answer, with its citations; None where it is the last of `messages`.
        sources: In the order in which citations count them: `Source` objects, or dicts with
            ``section_title`` and ``section_content`` (also ``title`` and ``text``, and ``file``,
            ``page``, ``score``, ``id``). None are looked for in `messages`.
        policy: Name of a shipped policy, path of a policy file, or a policy.
        messages: The messages of a chat completion, whose last user turn is the question.
        guard: What an app tells the proxy: ``intent`` and ``last_error_reason``.
        options: Which guards run, and what is corrected.
        judge: Asked about claims that the guards leave open; None for nobody.

    Raises:
        BadSources: a source cannot be used.
        PolicyError: the policy cannot be used.
        TypeError: the question or the answer is no text, or the sources are no list.
        UnknownGuard: the options name a guard that does not exist.
        ValueError: `messages` or `guard` cannot be used, or both hold a question.
    """
    said = _conversation(question, answer, messages)
    chosen = chosen_policy(policy)
    context = GuardContext.model_validate(guard or {})
    intents = (chosen.intents.intent_of(said.question).intent, context.intent)
    exchange = Exchange(
        question=said.question,
        sources=sources_of(sources),
        context=ContextState.EMPTY,
        answer=said.answer,
        echo=said.echo,
        previous_answer=said.previous_answer,
        intents=tuple(intent for intent in intents if intent),
        last_error_reason=context.last_error_reason,
    )
    verifier = Verifier(chosen.inspector, chosen.name)
    if judge is None:
        return verifier.verify(exchange, options).report
    verification = verifier.verify_with(BoundedJudge(judge), exchange, options)
    with ThreadPoolExecutor(max_workers=1) as apart:
        return apart.submit(asyncio.run, verification).result().report


def quick_verify(
    answer: str | None,
    sources: Iterable[Source | Mapping[str, object]],
    policy: PolicyChoice = "default",
    *,
    messages: Messages | None = None,
    guard: Mapping[str, object] | None = None,
) -> Verification:
    """Hold an answer against its sources without asking any model.

    Without `messages` it has no question either; otherwise as in `verify`.
    """
    return verify(
        "", answer, sources, policy, messages=messages, guard=guard, options=_WITHOUT_MODEL
    )


def _conversation(question: str, answer: str | None, messages: Messages | None) -> Conversation:
    if not isinstance(question, str):
        raise TypeError(f"question must be a str, not {type(question).__name__}")
    if not isinstance(answer, str) and (answer is not None or messages is None):
        raise TypeError(f"answer must be a str, not {type(answer).__name__}")
    if messages is None:
        return Conversation(question.strip(), answer or "")
    if question.strip():
        raise ValueError("'messages' hold the question; give one or the other")
    return conversation_of(messages, answer)


def _requested_guards(options: Options) -> frozenset[str] | None:
    """Return the guards that were asked for by name; None for all."""
    known = [name for name, guard in all_guards().items() if Stage.OUTPUT in guard.stages]
    for name in options.guards:
        if name != ALL_GUARDS and name not in known:
            raise UnknownGuard(name, known)
    return None if ALL_GUARDS in options.guards else frozenset(options.guards)
