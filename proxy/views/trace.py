"""The view of one trace: what was sent and why, what was found, and how long it took."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from guards.core.exchange import Source
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.schema.store import Snapshot
from policies.verdict import GuardOutcome
from policies.verification.shape import VerificationOutcome
from proxy.candidates import SOURCES
from proxy.replay.judging import GUARDRAIL, VERIFY, why_not
from proxy.traces.trace import (
    Attempt,
    Choice,
    Delivery,
    FoundPlace,
    GuardRun,
    ReplyOrigin,
    Trace,
    Usage,
    applied,
)
from proxy.views import msgid
from proxy.views.findings import (
    ANSWER,
    QUESTION,
    Mark,
    NumberedFinding,
    NumberedFindings,
    Piece,
    Stretch,
    changed,
    cut,
    numbered,
)
from proxy.views.words import NOT_REPLAYED, VERIFICATIONS, action_word


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it came.

    Attributes:
        pieces: Its text, cut where findings are about it.
        left: It is what the reply was made from.
    """

    choice: Choice
    pieces: list[Piece]
    findings: tuple[NumberedFinding, ...]
    left: bool


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One attempt."""

    number: int
    attempt: Attempt
    answers: list[Answer]


@dataclass(frozen=True, slots=True)
class SentReply:
    """The reply sent for one choice.

    Attributes:
        number: From 1.
        made: How it was made; None if the trace does not say.
        text: All that left.
        stretches: The answer that it was made from, with what was changed in it; empty where it
            was made from none.
    """

    number: int
    made: ReplyOrigin | None
    text: str
    stretches: list[Stretch]
    closing: str

    @property
    def changes(self) -> int:
        """In how many places it was changed."""
        return len(self.made.changes) if self.made else 0


def attempts_of(trace: Trace, found: NumberedFindings) -> list[AttemptView]:
    """Return the attempts of a trace."""
    sent = {
        (made.attempt, made.choice)
        for made in trace.made
        if made.attempt and not made.replaced_with
    }
    return [
        AttemptView(
            number,
            attempt,
            [
                Answer(
                    choice,
                    found.pieces(choice.text, found.answers[number, choice.index], ANSWER),
                    found.answers[number, choice.index],
                    (number, choice.index) in sent,
                )
                for choice in attempt.choices
            ],
        )
        for number, attempt in enumerate(trace.attempts, start=1)
    ]


def sent_replies(trace: Trace) -> list[SentReply]:
    """Return what was sent, a text for each choice."""
    return [
        _left_for(trace, number)
        for number in range(1, 1 + max(len(trace.made), len(trace.replies)))
    ]


def _left_for(trace: Trace, number: int) -> SentReply:
    text = trace.replies[number - 1] if number <= len(trace.replies) else ""
    made = trace.made[number - 1] if number <= len(trace.made) else None
    if made is None or made.replaced_with or trace.text is StoredText.NONE:
        return SentReply(number, made, text, [], "")
    came = trace.answer_text(made.attempt, made.choice)
    closing = text.removeprefix(applied(came, made.changes)).strip() if made.closed_with else ""
    return SentReply(number, made, text, changed(came, made.changes), closing)


OPEN_AT_MOST = 3
"""Up to so many sources all are open; beyond, only those that findings quote."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One source.

    Attributes:
        number: From 1.
        found: Where it was found; None if that is not clear.
        pieces: Its text, cut where findings quote it.
        quoted_by: Numbers of those findings.
        is_open: Its text is shown at once.
    """

    number: int
    source: Source
    found: FoundPlace | None
    pieces: list[Piece]
    quoted_by: tuple[int, ...]
    is_open: bool


def passages_of(trace: Trace, found: NumberedFindings) -> list[Passage]:
    """Return the sources of a trace."""
    places = _places(trace)
    few = len(trace.sources) <= OPEN_AT_MOST
    passages = []
    for number, source in enumerate(trace.sources, start=1):
        marks = list(_marks(number, found))
        quoted_by = tuple(sorted({mark.number for mark in marks}))
        passages.append(
            Passage(
                number=number,
                source=source,
                found=places[number - 1] if places else None,
                pieces=cut(source.text, marks) if source.text else [],
                quoted_by=quoted_by,
                is_open=found.has_words and (few or bool(quoted_by)),
            )
        )
    return passages


def _places(trace: Trace) -> list[FoundPlace]:
    """Return where each source was found; nothing if the counts do not tell."""
    places = [place for place in trace.found for _ in range(place.count)]
    return places if len(places) == len(trace.sources) else []


def _marks(number: int, found: NumberedFindings) -> Iterator[Mark]:
    for seen in found:
        if seen.in_source == number:
            yield seen.mark
        for quote in seen.quotes:
            if quote.source == number and quote.place is not None:
                yield Mark(quote.place, seen.number)


WIDTH = 1000.0
"""Of the whole line, in the units of the picture."""
_THINNEST = 3.0
STEP_WORDS = {
    "read": msgid("Read the request"),
    "inspect_question": msgid("Check the question"),
    "model": msgid("Model answers"),
    "inspect_answer": msgid("Check the answer"),
    "judge": msgid("Judge"),
    "write": msgid("Write the reply"),
}
_MODEL_TEXT = msgid("First word of the model")
_FIRST_TEXT = msgid("First word to the client")


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of the picture.

    Attributes:
        name: What happened, to be translated; a step without a word of its own stands for itself.
        duration_ms: None for what is a moment.
        left: Where the bar begins, in units of the picture.
        width: Its width; at least one that can be seen.
        kind: ``model``, ``guards``, ``moment`` or ``own``.
    """

    name: str
    attempt: str
    started_ms: float
    duration_ms: float | None
    left: float
    width: float
    kind: str


def waterfall(trace: Trace) -> list[Bar]:
    """Return the lines of a trace in the order of their beginning."""
    return sorted(_bars(trace), key=lambda bar: bar.started_ms)


def _bars(trace: Trace) -> Iterator[Bar]:
    ends = [step.started_ms + step.duration_ms for step in trace.steps]
    whole_ms = max([trace.duration_ms, *ends]) or 1.0
    scale = WIDTH / whole_ms
    for step in trace.steps:
        name, attempt = split_step(step.name)
        width = max(step.duration_ms * scale, _THINNEST)
        left = min(step.started_ms * scale, WIDTH - width)
        yield Bar(
            name=STEP_WORDS.get(name, step.name),
            attempt=attempt,
            started_ms=step.started_ms,
            duration_ms=step.duration_ms,
            left=round(max(left, 0.0), 1),
            width=round(width, 1),
            kind=_kind(name),
        )
    for name, at_ms in ((_MODEL_TEXT, trace.model_text_ms), (_FIRST_TEXT, trace.first_text_ms)):
        if at_ms is not None:
            left = min(max(at_ms * scale, 0.0), WIDTH - _THINNEST)
            yield Bar(name, "", at_ms, None, round(left, 1), _THINNEST, "moment")


def split_step(name: str) -> tuple[str, str]:
    """Return the name of a step without its attempt's number, and the number; empty for none."""
    stem, _, number = name.rpartition("_")
    return (stem, number) if number.isdecimal() else (name, "")


def _kind(step: str) -> str:
    if step.startswith("inspect"):
        return "guards"
    return "model" if step in ("model", "judge") else "own"


_ENDED = msgid("Ended early")
_UNDECIDED = msgid("The request ended before anything was decided.")
_CLIENT_LEFT = msgid("The client disconnected before the reply was complete.")
_FAILED = msgid("The request ended with an error.")
_NOT_ASKED = msgid("The model was not called: a prepared text answered the question.")
_MAY_ASK = msgid("A gateway asked about a question; nothing was found that forbids an answer.")
_CLOSED = msgid("Part of the answer had been sent; a notice ended it.")
_FROM_SOURCES = msgid(
    "The model's answer was held back; a sentence from the sources was sent instead."
)
_ONE_REPLACED = msgid("The model's answer was held back; a prepared text was sent instead.")
_MIXED = msgid("The choices had different outcomes; the answer sent for each is shown below.")
_BOTH_REPLACED = msgid(
    "Both of the model's answers were held back; a prepared text was sent instead."
)
_SECOND = msgid("The first answer was held back; the model's second answer was sent.")
_SECOND_CHANGED = msgid(
    "The first answer was held back; the second was sent with the changes marked below."
)
_TRIMMED = msgid("What the sources do not support was removed; the rest of the answer was sent.")
_MENDED = msgid("The answer was sent with corrections.")
_PASSED = msgid("The answer was sent as the model wrote it.")
_ASKS_MODEL = msgid("Model called")
_GOES_ON = msgid("Not stopped")
_VERIFIED = msgid("The answer was verified: the sources support it.")
_PARTLY_VERIFIED = msgid(
    "Only a part of the answer was verified: the sources do not confirm the rest."
)
_NOT_VERIFIED = msgid("The answer was not verified: the findings below say why.")
_NOTHING_CONFIRMED = msgid(
    "The answer was not verified: no error was found, but the sources clearly confirm none of it."
)


def outcome_of(trace: Trace) -> str:
    """Return the result of a request in a word: its action, or that its answer was ended."""
    if trace.verification is not None:
        return VERIFICATIONS[trace.verification][0]
    return _ENDED if trace.closings else action_word(trace.action_name)


def badge_of(trace: Trace) -> str:
    """Return the style of the badge that `outcome_of` is shown in."""
    if trace.verification is not None:
        return f"tone-{VERIFICATIONS[trace.verification][1]}"
    return f"action-{trace.action_name}"


def story_of(trace: Trace) -> str:
    """Return what became of a request in a sentence."""
    if trace.delivery is Delivery.CLIENT_GONE:
        return _CLIENT_LEFT
    if trace.error is not None:
        return _FAILED
    if trace.door == VERIFY:
        return _verification_story(trace)
    if trace.door == GUARDRAIL and not trace.made:
        return _MAY_ASK
    if len({made.action for made in trace.made}) > 1:
        return _MIXED
    return _CLOSED if trace.closings else _answered(trace)


def _verification_story(trace: Trace) -> str:
    if trace.verification is VerificationOutcome.VERIFIED:
        return _VERIFIED
    if trace.verification is VerificationOutcome.PARTLY:
        return _PARTLY_VERIFIED
    return _NOTHING_CONFIRMED if trace.action is Action.PASS else _NOT_VERIFIED


def shadow_word(trace: Trace) -> str:
    """Return what the shadow policy would have done, in a word; empty if the same, or unknown."""
    shadow = trace.shadow
    if shadow is None or not shadow.does_otherwise(trace):
        return ""
    if shadow.action is not None:
        return action_word(shadow.action_name)
    return _GOES_ON if shadow.goes_on else _ASKS_MODEL


def _answered(trace: Trace) -> str:
    match trace.action:
        case None:
            return _UNDECIDED
        case Action.PASS:
            return _PASSED
        case Action.FIX:
            return _MENDED
        case Action.TRIM:
            return _TRIMMED
        case Action.REGENERATE:
            return _SECOND_CHANGED if any(one.changes for one in trace.made) else _SECOND
        case Action.REPLACE:
            return _template_name(trace)


def _template_name(trace: Trace) -> str:
    if not trace.attempts:
        return _NOT_ASKED
    if any(made.replaced_with == SOURCES for made in trace.made):
        return _FROM_SOURCES
    return _ONE_REPLACED if len(trace.attempts) == 1 else _BOTH_REPLACED


_WEIGHT = tuple(GuardOutcome)


class Standing(StrEnum):
    """State of the policy that judged: in force, changed, or gone."""

    IN_FORCE = "in_force"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class ShadowFinding:
    """Findings of the shadow policy.

    Attributes:
        seen: The finding; its number is that of the list.
        attempt: Number of the attempt; 0 for the question.
        is_new: The policy in force did not find it.
    """

    seen: NumberedFinding
    attempt: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class TracePage:
    """Everything on the page of a trace.

    Attributes:
        question: The question, cut where findings are about it.
        noticed: Guards' runs with findings or edits, then those that did not happen.
        silent: Those that found nothing.
        foreseen: What the shadow policy found.
        standing: Whether the policy that judged is still in force.
    """

    trace: Trace
    findings: NumberedFindings
    question: list[Piece]
    left: list[SentReply]
    tries: list[AttemptView]
    passages: list[Passage]
    bars: list[Bar]
    noticed: list[GuardRun]
    silent: list[GuardRun]
    foreseen: list[ShadowFinding]
    standing: Standing

    @classmethod
    def of(cls, trace: Trace, policies: Snapshot) -> "TracePage":
        """Return the page of a trace, before the policies of this moment."""
        found = numbered(trace)
        return cls(
            trace=trace,
            findings=found,
            question=found.pieces(trace.question, found, QUESTION),
            left=sent_replies(trace),
            tries=attempts_of(trace, found),
            passages=passages_of(trace, found),
            bars=waterfall(trace),
            noticed=sorted(
                (run for run in trace.guards if run.outcome is not GuardOutcome.CLEAN),
                key=lambda run: _WEIGHT.index(run.outcome),
            ),
            silent=[run for run in trace.guards if run.outcome is GuardOutcome.CLEAN],
            foreseen=_foreseen(trace),
            standing=_standing(trace, policies),
        )

    @property
    def has_words(self) -> bool:
        """True if the tenant's policy keeps any text."""
        return self.findings.has_words

    @property
    def is_verification(self) -> bool:
        """True if an answer was verified without a model."""
        return self.trace.door == VERIFY

    @property
    def has_choices(self) -> bool:
        """True if the model gave more than one answer at a time."""
        return any(len(one.answers) > 1 for one in self.tries)

    @property
    def usages(self) -> list[tuple[int, Usage]]:
        """Usage of each attempt, by its number, where the model server reported it."""
        return [(one.number, one.attempt.usage) for one in self.tries if one.attempt.usage]

    @property
    def not_replayable(self) -> str:
        """Reason why the request cannot be judged by another policy, to be translated; or empty."""
        reason = why_not(self.trace)
        return "" if reason is None else NOT_REPLAYED[reason]


def _standing(trace: Trace, policies: Snapshot) -> Standing:
    loaded = policies.policies.get(trace.policy.name)
    if loaded is None:
        return Standing.GONE
    return Standing.IN_FORCE if loaded.version == trace.policy.version else Standing.CHANGED


def _foreseen(trace: Trace) -> list[ShadowFinding]:
    known = {one.key for one in trace.placed_findings}
    placed = trace.shadow.placed_findings if trace.shadow else ()
    return [
        ShadowFinding(NumberedFinding(number, one.finding), one.attempt, one.key not in known)
        for number, one in enumerate(placed, start=1)
    ]
