"""Judges a served request again, by another policy and without a model.

The question is judged, then the first attempt's answers go through their gates, then the second
attempt's if the policy wants one and there was one. Under the policy that judged the request at
first, the action is the same.

Where the other policy would have asked the model something else, the reply is unknown; see
`Unknown`. Sources are taken as they were found: another policy's rules for
finding them change nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from guards.core.exchange import Exchange
from guards.core.finding import Finding, Span
from guards.core.guard import Stage
from guards.text.personal_data.rules import PersonalKind
from policies.gating.gate import Gate
from policies.inspection import NOTHING
from policies.judging.claims import Skip
from policies.judging.judge import JUDGE
from policies.patterns import Intents
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome, Verdict
from proxy.candidates import Candidate, Gatekeeper, Selection, inspected, replace_choice, select
from proxy.errors import BadRequest
from proxy.openai_api.model_request import GuardField
from proxy.openai_api.reply import Answer, Reply
from proxy.tenants import Judging, apply_overrides
from proxy.traces.builder import findings_of, guard_runs
from proxy.traces.trace import (
    Attempt,
    Choice,
    GuardRun,
    NotReplayed,
    PlacedFinding,
    PolicyUsed,
    ReplayedChoice,
    ReplayResult,
    RequestDetails,
    Trace,
    Unknown,
)

_LABEL = re.compile("|".join(re.escape(kind.label) for kind in PersonalKind))


def exchange_of(trace: Trace, details: RequestDetails, intents: Intents) -> Exchange:
    """Return what the guards looked at, with the intents that a policy's rules see in it."""
    by_rule = intents.intent_of(trace.question).intent
    return Exchange(
        question=trace.question,
        sources=trace.sources,
        context=trace.context,
        echo=details.echo,
        previous_answer=details.previous_answer,
        intents=tuple(one for one in (by_rule, details.told_intent) if one),
        last_error_reason=details.last_error_reason,
        may_fetch=details.offers_tools,
    )


def holds_labels(trace: Trace) -> bool:
    """Tell whether labels stand in the trace where the request had personal identifiers."""
    texts = (trace.question, *(source.text for source in trace.sources), *trace.answers)
    return any(_LABEL.search(text) for text in texts)


def rests_on_labels(trace: Trace) -> bool:
    """Tell whether a guard acted on a place where only a label stands now."""
    acted = {run.guard for run in trace.guards if run.outcome is GuardOutcome.ACTED}
    return any(
        placed.finding.guard in acted and _is_on_label(placed.finding, _text_of(placed, trace))
        for placed in trace.placed_findings
    )


def _text_of(placed: PlacedFinding, trace: Trace) -> str:
    part = placed.finding.part
    if part == "answer":
        return trace.answer_text(placed.attempt, placed.choice)
    texts = {f"source:{source.id}": source.text for source in trace.sources}
    return texts.get(part, trace.question)


def _is_on_label(finding: Finding, text: str) -> bool:
    return any(finding.span.overlaps(Span(*label.span())) for label in _LABEL.finditer(text))


def _answer(choice: Choice) -> Answer:
    return Answer(
        index=choice.index,
        content=choice.text,
        tool_turn=choice.tool_turn,
        finish_reason=choice.finish_reason,
    )


VERIFY = "verify"
GUARDRAIL = "guardrail"
WITHOUT_MODEL = frozenset({VERIFY, GUARDRAIL})
"""Endpoints that judge an answer which is already there: no model is asked."""


def why_not(trace: Trace) -> NotReplayed | None:
    """Return why a trace cannot be judged again; None if it can."""
    if trace.door in WITHOUT_MODEL:
        return NotReplayed.VERIFICATION
    if trace.text is StoredText.NONE:
        return NotReplayed.NO_TEXT
    if any(_had_its_say(run, trace) for run in trace.guards):
        return NotReplayed.JUDGE_DECIDED
    if trace.text is StoredText.MASKED and rests_on_labels(trace):
        return NotReplayed.MASKED
    return None


def _had_its_say(run: GuardRun, trace: Trace) -> bool:
    """Tell whether a run is that of a judge whose word counted."""
    if run.guard != JUDGE or run.mode is not Mode.ENFORCE or run.reason in set(Skip):
        return False
    # Which of two attempts is better also depends on how far it trusted them.
    return run.outcome is GuardOutcome.ACTED or len(trace.attempts) > 1


def replay(trace: Trace, judging: Judging) -> ReplayResult:
    """Judge a request again."""
    used = PolicyUsed(name=judging.loaded.name, version=judging.loaded.version)
    reason = why_not(trace)
    if reason is not None:
        return ReplayResult(policy=used, not_run=reason)
    guard_field = GuardField(guards=list(trace.asked.guards), hold=trace.asked.hold)
    try:
        stricter = apply_overrides(judging, guard_field)
    except BadRequest:
        return ReplayResult(policy=used, not_run=NotReplayed.REFUSED)
    return _Again(trace, trace.asked, stricter).result(used)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Result for each choice, or the reason why it is unknown."""

    settled: Sequence[Selection] = ()
    unknown: Unknown | None = None
    wanting: Sequence[Candidate] = ()

    @property
    def action(self) -> Action | None:
        if self.unknown is not None:
            return Action.REGENERATE if self.wanting else None
        return max((one.action for one in self.settled), key=lambda action: action.rank)

    @property
    def reasons(self) -> tuple[str, ...]:
        wanting = (one.verdict.reasons for one in self.wanting if one.verdict)
        codes = [*wanting, *(one.reasons for one in self.settled)]
        return tuple(dict.fromkeys(code for reasons in codes for code in reasons))


class _Again:
    """One request, judged again."""

    def __init__(self, trace: Trace, details: RequestDetails, judging: Judging) -> None:
        self._trace = trace
        self._judging = judging
        self._exchange = exchange_of(trace, details, judging.loaded.intents)
        self._keeper = Gatekeeper(judging.policy, details.structured, details.offers_tools)
        self._choices: list[ReplayedChoice] = []
        self._runs: list[GuardRun] = []
        self._goes_on = False

    def result(self, used: PolicyUsed) -> ReplayResult:
        """Return the result."""
        question = self._judging.inspector.inspect(self._exchange, Stage.INPUT, NOTHING)
        self._note(question, attempt=0, choice=0)
        if question.action is Action.REPLACE:
            outcome = _Outcome(self._replaced(question))
        else:
            outcome = self._answered()
        return ReplayResult(
            policy=used,
            action=outcome.action,
            reasons=outcome.reasons,
            unknown=outcome.unknown,
            goes_on=self._goes_on,
            choices=tuple(self._choices),
            guards=tuple(self._runs),
            replies=tuple(one.outcome.text for one in outcome.settled),
        )

    def _replaced(self, question: Verdict) -> list[Selection]:
        """Answer every choice from a template, as the question deserves."""
        many = max(1, len(self._trace.replies), *(len(one.choices) for one in self._attempts))
        return [
            replace_choice(self._judging, self._exchange, index, question, attempt=0)
            for index in range(many)
        ]

    def _answered(self) -> _Outcome:
        if not (self._attempts or self._trace.error):
            return _Outcome(unknown=Unknown.MODEL_NOT_ASKED)
        if self._trace.error is not None or self._attempts[0].error is not None:
            return _Outcome(unknown=Unknown.NO_ANSWER)
        first = self._judged(1)
        if first is None:
            return _Outcome(unknown=Unknown.REST_NOT_READ)
        failed = [one for one in first if one.wants_second]
        again: dict[int, Candidate] = {}
        if failed:
            second = self._second(failed)
            if second is None:
                return _Outcome(unknown=Unknown.NO_SECOND_ATTEMPT, wanting=failed)
            again = second
        return _Outcome(
            [
                select(self._judging, one.answer.index, one, again.get(one.answer.index))
                for one in first
            ]
        )

    def _second(self, failed: Sequence[Candidate]) -> dict[int, Candidate] | None:
        """Return the second attempt at each choice, by number; None if nobody made one.

        None of them is there if the model server failed then.
        """
        if len(self._attempts) < 2:
            return None
        if self._attempts[1].error is not None:
            return {}
        numbers = [one.answer.index for one in failed]
        if len(self._attempts[0].choices) > 1 and numbers != self._asked_again():
            return None  # it was made for other choices
        judged = self._judged(2) or []
        return {numbers[one.answer.index]: one for one in judged}

    def _asked_again(self) -> list[int]:
        """Return the choices that the recorded second attempt was made for."""
        strongest: dict[int, Action] = {}
        for run in self._trace.guards:
            if run.attempt == 1 and run.outcome is GuardOutcome.ACTED:
                so_far = strongest.get(run.choice, Action.PASS)
                strongest[run.choice] = max(so_far, run.action, key=lambda action: action.rank)
        return sorted(one for one, action in strongest.items() if action is Action.REGENERATE)

    def _judged(self, number: int) -> list[Candidate] | None:
        """Let an attempt's answers through their gates; None if one would have gone on."""
        attempt = self._attempts[number - 1]
        reply = Reply(answers=tuple(map(_answer, attempt.choices)))
        judged = []
        for choice, answer in zip(attempt.choices, reply.answers, strict=True):
            gate = self._keeper.open(self._exchange, may_regenerate=number == 1)
            self._pass(gate, choice, answer)
            if choice.stopped and not gate.stopped:
                self._goes_on = bool(gate.shown)
                return None
            one = self._keeper.judged(self._exchange, reply, answer, gate)
            if one.recorded:
                self._note(one.recorded, attempt=number, choice=answer.index)
            judged.append(one)
        return judged

    def _pass(self, gate: Gate, choice: Choice, answer: Answer) -> None:
        if choice.stopped:
            gate.feed(answer.content)
            gate.break_off()
        else:
            self._keeper.take_whole(gate, answer)
        while check := gate.next_check():
            gate.apply(check, inspected(self._judging, check))

    def _note(self, verdict: Verdict, *, attempt: int, choice: int) -> None:
        self._runs += guard_runs(verdict, attempt=attempt, choice=choice)
        found = findings_of(verdict)
        if found:
            noted = ReplayedChoice(attempt=attempt, choice=choice, findings=found)
            self._choices.append(noted)

    @property
    def _attempts(self) -> Sequence[Attempt]:
        return self._trace.attempts
