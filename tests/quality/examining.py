"""Each case by each policy: what became of its answers, and of its questions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeAlias

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Span
from guards.core.guard import Stage
from guards.core.reading import read
from policies.decision import Possible
from policies.direct_answer import direct_answer
from policies.inspection import Inspector
from policies.judging.claims import Skip, question_about
from policies.schema.inheritance import shipped_files
from policies.schema.loader import LoadedPolicy, load_file, load_shipped
from policies.schema.policy import Action
from policies.schema.sections import OpinionRules
from policies.verdict import Verdict
from policies.verification.shape import Options
from policies.verification.verifying import Verifier
from tests.quality.cases import (
    AnswerabilityCase,
    AnswerCase,
    Case,
    ComplaintCase,
    DirectCase,
    SourceText,
    Twin,
)

FIRST_ATTEMPT = Possible(regenerate=True, edit=True)
_CHUNK = 4


@dataclass(frozen=True)
class FaithfulOutcome:
    """What became of an answer that has to leave as it is.

    Attributes:
        action: What was decided.
        acting: Code and words of each finding that led to it.
        codes: Codes that would act in the answer if the policy noted none only.
        verified: It would be called verified.
        claims_asked: About how many of its claims a judge would be asked.
    """

    action: Action
    acting: tuple[tuple[str, str], ...]
    codes: frozenset[str]
    verified: bool
    claims_asked: int


@dataclass(frozen=True)
class TwinOutcome:
    """What became of an answer with one planted error.

    Attributes:
        kind: Kind of error.
        wrong: Its words.
        why: What is wrong with them.
        action: What was decided.
        at_place: Codes of the findings that led to it and touch the error.
        elsewhere: Those of the findings that do not.
        codes: Codes that would act at the error if the policy noted none only.
        verified: It would be called verified.
        offered: A judge would be asked about the claim that holds the error.
    """

    kind: str
    wrong: str
    why: str
    action: Action
    at_place: frozenset[str]
    elsewhere: frozenset[str]
    codes: frozenset[str]
    verified: bool
    offered: bool


@dataclass(frozen=True)
class AnswerOutcome:
    id: str
    field: str
    faithful: FaithfulOutcome
    twins: tuple[TwinOutcome, ...]


@dataclass(frozen=True)
class QuestionOutcome:
    """What became of a question before any model was asked.

    Attributes:
        text: The question.
        label: What it is: `complaint`, `question`, `mixed`, `near_miss` or `answerable`.
        acted: The guard that the set is for acted.
        codes: Codes of that guard that would act if the policy noted none only.
    """

    text: str
    label: str
    acted: bool
    codes: frozenset[str]


class Quoted(StrEnum):
    """What was quoted to a question."""

    NOTHING = "nothing"
    RIGHT = "right"
    WRONG = "wrong"


@dataclass(frozen=True)
class DirectOutcome:
    """What `replacement.direct_answer` would quote to a question.

    Attributes:
        id: The case.
        answerable: Whether a line of the sources answers the question.
        quoted: What was quoted.
        text: The words that were quoted.
    """

    id: str
    answerable: bool
    quoted: Quoted
    text: str


Outcome: TypeAlias = AnswerOutcome | QuestionOutcome | DirectOutcome


class Task(NamedTuple):
    """A case to be examined by a policy: a shipped one or a file."""

    set_name: str
    policy: str
    case: Case


def examined(tasks: Sequence[Task], processes: int) -> Iterator[tuple[Task, Outcome]]:
    """Yield what became of each task, in order.

    Args:
        tasks: The tasks.
        processes: Over how many processes; with 1 all is done in this one.
    """
    if processes == 1:
        yield from zip(tasks, map(_examine, tasks), strict=True)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from zip(tasks, pool.map(_examine, tasks, chunksize=_CHUNK), strict=True)


def policy_named(name: str) -> LoadedPolicy:
    """Return a shipped policy, or that of a file."""
    return load_shipped(name) if name in shipped_files() else load_file(Path(name))


def place_of_error(case: AnswerCase, twin: Twin) -> Span:
    """Return where the error stands: the occurrence nearest to where the answers part."""
    answer = case.answer_of(twin)
    pairs = enumerate(zip(case.faithful, answer, strict=False))
    parting = next((at for at, (one, other) in pairs if one != other), len(answer))
    starts = [at for at in range(len(answer)) if answer.startswith(twin.wrong, at)]
    start = min(starts, key=lambda at: abs(at - parting))
    return Span(start, start + len(twin.wrong))


def _examine(task: Task) -> Outcome:
    return _examiner(task.policy).outcome(task.case)


@cache
def _examiner(policy: str) -> "Examiner":
    return Examiner(policy_named(policy))


class Examiner:
    """Examines cases by one policy."""

    def __init__(self, loaded: LoadedPolicy) -> None:
        policy = loaded.policy
        all_act = {
            name: rule.model_copy(update={"weak": ()}) for name, rule in policy.guards.items()
        }
        self._intents = loaded.intents
        self.inspector = Inspector(policy)
        self._verifier = Verifier(self.inspector, loaded.name)
        self._unweighed = Inspector(policy.model_copy(update={"guards": all_act}))
        self._rules = policy.judge or OpinionRules()

    def outcome(self, case: Case) -> Outcome:
        """Return what becomes of a case."""
        match case:
            case AnswerCase():
                twins = tuple(self._twin(case, twin) for twin in case.twins)
                return AnswerOutcome(case.id, case.domain, self._faithful(case), twins)
            case ComplaintCase():
                return self._question(Exchange(case.text), "complaint", case.label)
            case AnswerabilityCase():
                label = "answerable" if case.answerable else "near_miss"
                exchange = self._asked(case.question, case.sources)
                return self._question(exchange, "answerability", label)
            case DirectCase():
                return self._direct(case)

    def _faithful(self, case: AnswerCase) -> FaithfulOutcome:
        exchange = self.exchange(case, case.faithful)
        verdict, verified = self._verdict(exchange)
        return FaithfulOutcome(
            verdict.action,
            tuple((found.code, found.observed) for found in verdict.acting),
            frozenset(found.code for found in self._would_act(exchange)),
            verified,
            len(self._places_asked(exchange, verdict)),
        )

    def _twin(self, case: AnswerCase, twin: Twin) -> TwinOutcome:
        exchange = self.exchange(case, case.answer_of(twin))
        place = place_of_error(case, twin)
        verdict, verified = self._verdict(exchange)
        at_place = _codes_at(place, verdict.acting)
        asked = self._places_asked(exchange, verdict)
        return TwinOutcome(
            twin.kind,
            twin.wrong,
            twin.why,
            verdict.action,
            at_place,
            frozenset(found.code for found in verdict.acting) - at_place,
            _codes_at(place, self._would_act(exchange)),
            verified,
            any(_meet(place, span) for span in asked),
        )

    def _verdict(self, exchange: Exchange) -> tuple[Verdict, bool]:
        done = self._verifier.verify(exchange, Options(judge="off"))
        return done.verdict, done.report.verified

    def _would_act(self, exchange: Exchange) -> list[Finding]:
        verdict = self._unweighed.inspect(exchange, Stage.OUTPUT, FIRST_ATTEMPT)
        return [found for found in verdict.acting if found.part == "answer"]

    def _places_asked(self, exchange: Exchange, verdict: Verdict) -> list[Span]:
        asked = question_about(self._rules, read(exchange), verdict)
        return [] if isinstance(asked, Skip) else [claim.span for claim in asked.claims]

    def _question(self, exchange: Exchange, guard: str, label: str) -> QuestionOutcome:
        acting, would_act = (
            [found.code for found in one.inspect(exchange, Stage.INPUT).acting]
            for one in (self.inspector, self._unweighed)
        )
        mine = f"{guard}."
        return QuestionOutcome(
            exchange.question,
            label,
            any(code.startswith(mine) for code in acting),
            frozenset(code for code in would_act if code.startswith(mine)),
        )

    def _direct(self, case: DirectCase) -> DirectOutcome:
        policy = self.inspector.policy
        asked = self._asked(case.question, case.sources)
        found = (
            direct_answer(asked.question, asked.sources, policy.tone)
            if policy.replacement.direct_answer
            else None
        )
        if found is None:
            return DirectOutcome(case.id, bool(case.right), Quoted.NOTHING, "")
        is_right = all(is_of_lines(one, case.right) for one in found.verbatim)
        quoted = Quoted.RIGHT if is_right else Quoted.WRONG
        return DirectOutcome(case.id, bool(case.right), quoted, " ".join(found.sentences))

    def exchange(self, case: AnswerCase, answer: str) -> Exchange:
        """Return an exchange as the proxy makes it of a request with earlier turns."""
        said = [turn.content for turn in case.history if turn.role == "assistant"]
        return self._asked(
            case.question,
            case.sources,
            answer=answer,
            echo="\n".join(turn.content for turn in case.history),
            previous_answer=said[-1] if said else "",
        )

    def _asked(
        self,
        question: str,
        sources: Iterable[SourceText],
        *,
        answer: str | None = None,
        echo: str = "",
        previous_answer: str = "",
    ) -> Exchange:
        intent = self._intents.intent_of(question).intent
        return Exchange(
            question=question,
            sources=tuple(
                Source(str(number), source.section_title or "", source.section_content)
                for number, source in enumerate(sources, start=1)
            ),
            answer=answer,
            echo=echo,
            previous_answer=previous_answer,
            intents=(intent,) if intent else (),
        )


def is_of_lines(quoted: str, lines: Iterable[str]) -> bool:
    """Tell whether what is quoted stands in one of some lines, or is one and its label."""
    own = _plain(quoted)
    return any(own in line or line in own for line in map(_plain, lines))


def _plain(text: str) -> str:
    return re.sub(r"[*`\s]+", "", text)


def _codes_at(place: Span, findings: Iterable[Finding]) -> frozenset[str]:
    return frozenset(
        found.code for found in findings if found.part == "answer" and _meet(found.span, place)
    )


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
