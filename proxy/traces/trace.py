"""One request's trace: what was asked, what the model said, what the guards saw, what was sent.

A `Trace` never changes; `proxy.traces.builder` makes one while the request goes on. How much of its
text is kept is decided in `proxy.traces.masking`, nowhere else.
"""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict

from guards.core.exchange import ContextState, Source
from guards.core.finding import Finding, Span
from guards.core.guard import Stage
from guards.text.sentences import split_sentences
from policies.edits import Edit, apply
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome
from policies.verification.shape import VerificationOutcome


class Shape(BaseModel):
    """Base of a trace and its parts: frozen, and nothing is lost on the way through JSON."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")


class Holds(StrEnum):
    """Kind of content in a field of a trace, for masking; see `proxy.traces.masking`."""

    WORDS = "words"
    """Words of the request or the answer."""
    CODE = "code"
    """A value expected to be a code, which may come from outside."""
    MODEL = "model"
    """The name of a model, as the caller wrote it."""
    PARTS = "parts"
    """Parts of the trace with fields of their own."""


Words = Annotated[str, Holds.WORDS]
Code = Annotated[str, Holds.CODE]
ModelName = Annotated[str, Holds.MODEL]


class PolicyUsed(Shape):
    """The policy that judged the request; the version is a hash of what it said."""

    name: str
    version: str


class RequestDetails(Shape):
    """Facts about a request besides its question and sources, needed to judge it again.

    Attributes:
        echo: Text that the model legitimately saw, instructions and earlier turns; see `Exchange`.
        told_intent: What the caller said that the question is about; None if it said nothing.
        last_error_reason: Why the previous answer failed, as the caller said.
        guards: Guards that it asked for beyond the policy.
    """

    echo: Words = ""
    previous_answer: Words = ""
    told_intent: Code | None = None
    last_error_reason: Code | None = None
    offers_tools: bool = False
    structured: bool = False
    guards: tuple[Code, ...] = ()
    hold: bool = False


class FoundPlace(Shape):
    """Place in a request where sources were found: format, field, and number of sources."""

    format: Code
    place: Code
    count: int


class Usage(Shape):
    """Tokens, as the model server counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


class Choice(Shape):
    """One of an attempt's answers, before anything was done to it.

    `findings` point into `text` (part ``answer``), the question and the sources; `index` is its
    number in the model server's reply.

    Attributes:
        tool_turn: It calls tools, so that it is no answer as a whole.
        stopped: Nobody read it to its end, for a bad sentence in it.
    """

    text: Words
    index: int = 0
    finish_reason: Code | None = None
    tool_turn: bool = False
    stopped: bool = False
    findings: tuple[Finding, ...] = ()


class Attempt(Shape):
    """One request to the model server, or an answer that a caller had verified.

    Attributes:
        choices: Its answers, by their index.
        usage: What it cost; None if the model server did not say.
        upstream_ms: From sending the request to the last byte, in milliseconds.
        error: Code of the failure that ended it; None if it ended well.
    """

    choices: tuple[Choice, ...] = ()
    usage: Usage | None = None
    upstream_ms: float = 0.0
    error: Code | None = None


class GuardRun(Shape):
    """One guard's run.

    Attributes:
        action: What it asked for; in shadow, what it would have asked for.
        reason: Why it did not run; empty otherwise.
        cleared: Codes of findings that the judge took back.
        duration_ms: Time taken, in milliseconds.
        attempt: Number of the attempt it looked at, from 1; 0 before the model.
        choice: Index of the choice it looked at.
    """

    guard: Code
    mode: Mode
    stage: Stage
    outcome: GuardOutcome
    action: Action = Action.PASS
    reason: Code = ""
    cleared: tuple[Code, ...] = ()
    duration_ms: float = 0.0
    attempt: int = 0
    choice: int = 0


class SecondOpinion(Shape):
    """The use of asking a judge about one answer; see `policies.judging.judge.OpinionCounts`.

    Attributes:
        attempt: Number of the attempt that the answer is of, from 1.
        duration_ms: Time that the judge took, in milliseconds.
    """

    claims: int
    supported: int = 0
    objected: int = 0
    cleared: int = 0
    confirmed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    attempt: int = 0
    choice: int = 0
    duration_ms: float = 0.0

    @property
    def is_given(self) -> bool:
        """True if there was any opinion that counts."""
        return bool(self.supported or self.objected)


class Change(Shape):
    """A place in an attempt's answer, and the text sent instead; empty if it was taken out."""

    span: Span
    text: str = ""


class ReplyOrigin(Shape):
    """Origin of one of the replies.

    Attributes:
        action: Action on the choice; None if nothing was decided about it.
        attempt: Number of the attempt that it was made from, from 1; 0 if from none.
        choice: Number of its answer in that attempt; see `Choice.index`.
        changes: Changes in that answer, in order, including parts that were never sent; none if
            the reply is a template.
        replaced_with: Replacement of the answer: the name of a template, or ``sources`` for a
            sentence of the sources.
        closed_with: Name of the template that ended an answer already begun.
    """

    action: Action | None
    attempt: int = 0
    choice: int = 0
    changes: tuple[Change, ...] = ()
    replaced_with: Code = ""
    closed_with: Code = ""


class Step(Shape):
    """A piece of the request's way; times in milliseconds, the start from the request's own."""

    name: Code
    started_ms: float
    duration_ms: float


class Unknown(StrEnum):
    """Reason why the reply under another policy is unknown."""

    MODEL_NOT_ASKED = "model_not_asked"
    """The question would have gone to the model, which was not asked."""
    NO_SECOND_ATTEMPT = "no_second_attempt"
    """The model would have been asked again, and was not."""
    REST_NOT_READ = "rest_not_read"
    """The answer was given up in the middle, and would have gone on."""
    NO_ANSWER = "no_answer"
    """The request ended in an error, or its client left, before there was a whole answer."""


class NotReplayed(StrEnum):
    """Reason why a request was not judged by another policy."""

    NO_TEXT = "no_text"
    """The trace was stored without words."""
    JUDGE_DECIDED = "judge_decided"
    """A judge had its say, and is not asked again."""
    MASKED = "masked"
    """The decision rests on identifiers that are masked in the trace."""
    REFUSED = "refused"
    """The caller asked for a guard that the other policy has no reply for."""
    VERIFICATION = "verification"
    """An answer that somebody had verified; how is not kept."""
    QUEUE_FULL = "queue_full"
    """More came than could be judged meanwhile."""
    STOPPED = "stopped"
    """The proxy stopped meanwhile."""
    FAILED = "failed"
    """Judging broke."""


class ReplayedChoice(Shape):
    """One of an attempt's answers as another policy sees it.

    Attributes:
        attempt: Number of the attempt, from 1; 0 for the question.
    """

    attempt: int
    choice: int = 0
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding of a trace.

    Attributes:
        attempt: Number of the attempt, from 1; 0 for the question.
    """

    attempt: int
    choice: int
    finding: Finding

    @property
    def key(self) -> Hashable:
        """What tells it from others: two policies find the same where this is the same."""
        found = self.finding
        return self.attempt, self.choice, found.part, found.span, found.code


class ReplayResult(Shape):
    """Result of another policy for a request.

    Attributes:
        action: What it would have done; REGENERATE also where the second attempt is not known;
            None if nobody knows.
        unknown: Reason why the reply is unknown; None if it is known.
        not_run: Why it was not judged, so that all else says nothing; None if it was.
        goes_on: An answer that was given up in the middle would have begun to leave, so that what
            left was another one for sure.
        replies: What would have been sent, a text for each choice; empty where that is not known.
        duration_ms: Time that judging took, in milliseconds.
    """

    policy: PolicyUsed
    action: Action | None = None
    reasons: tuple[Code, ...] = ()
    unknown: Unknown | None = None
    not_run: NotReplayed | None = None
    goes_on: bool = False
    choices: tuple[ReplayedChoice, ...] = ()
    guards: tuple[GuardRun, ...] = ()
    replies: tuple[Words, ...] = ()
    duration_ms: float = 0.0

    @property
    def action_name(self) -> str:
        """The action in a word, for lists, filters and counts."""
        return self.action.value if self.action else "unknown"

    @property
    def placed_findings(self) -> list[PlacedFinding]:
        """All findings in the order of the attempts, those about the question first."""
        return [
            PlacedFinding(one.attempt, one.choice, finding)
            for one in self.choices
            for finding in one.findings
        ]

    def does_otherwise(self, trace: "Trace") -> bool:
        """Tell whether the other policy would have done something else for sure.

        If the reply is unknown, that is so if the model would have been asked, or
        asked once more, or if an answer would have begun to leave that was given up.
        """
        if self.not_run is not None:
            return False
        if self.unknown is Unknown.MODEL_NOT_ASKED or self.goes_on:
            return True
        return self.action not in (None, trace.action)

    def says_otherwise(self, trace: "Trace") -> bool:
        """Tell whether other words would have been sent for sure, whatever would have been done."""
        return self.not_run is None and self.unknown is None and self.replies != trace.replies


NOTHING_DECIDED = "none"
"""Action of a request that ended before any was decided."""
ACTION_NAMES = (*(action.value for action in Action), NOTHING_DECIDED)


class Label(StrEnum):
    """A person's judgement of what was done with a request."""

    RIGHT = "right"
    """The answer was rightly left alone, or rightly changed."""
    FALSE_ALARM = "false_alarm"
    """A good answer was changed."""
    MISSED = "missed"
    """A wrong answer was sent."""


ANY_LABEL = "any"
"""Filter for all labelled traces."""
PINNED = "pinned"
"""Filter for those that are kept beyond their time."""
LABEL_FILTERS = (*(label.value for label in Label), ANY_LABEL, PINNED)


class Feedback(Shape):
    """A person's label of a request, given afterwards.

    Attributes:
        note: The reason, in the words of the person who gave it.
        choice: Number of the reply that it is about, from 0.
        span: Where in that reply the missed error stands; None if nobody marked it.
        pinned: The trace is kept until it is unpinned, whatever the policy's retention.
        at: When it was given; aware.
    """

    label: Label
    note: Words = ""
    choice: int = 0
    span: Span | None = None
    pinned: bool = False
    at: AwareDatetime


class Delivery(StrEnum):
    """Delivery of the reply to the client."""

    DELIVERED = "delivered"
    CLIENT_GONE = "client_gone"


class Trace(Shape):
    """The record of one request.

    Attributes:
        text: How much of the request's words stand in here.
        started_at: When the request came in; aware.
        asked: What else was known of the request.
        intent: What the question is about; None if nobody said.
        route: The way that the request took, and `route_reason` why.
        findings: Findings about the question, before the model.
        asked_for_citations: Our citation prompt was added to the request.
        constrained_by: Kind of model server that was told what it may write in the second attempt;
            empty if it was not.
        attempts: At most two: the first, and the regeneration. An answer to verify is one.
        kept_attempt: Number of the attempt that the reply was made from, from 1; None if neither.
        opinions: The outcome of asking a judge, for each answer that it was asked about.
        action: What became of the answers; if the request ended before all was decided, what the
            guards had decided by then, or None.
        confidence: From 0 to 1; None if nothing could be checked.
        not_checked: Guards that were wanted and did not run.
        unknown_fields: Places in request and replies that no row of the coverage tells of, each
            behind ``request`` or ``reply``; names only.
        replies: The texts sent by the proxy, one for each choice.
        made: How each of the replies was made; fewer than those if the request ended early.
        model_text_ms: From the request to the first word of the model, in milliseconds; None if the
            answer did not come as a stream.
        first_text_ms: The same to the first word that left.
        error: Code of the error that the client saw; None if it saw none.
        shadow: What the policy's shadow policy would have done; None if it has none.
        feedback: The label that somebody gave it; None if nobody did.
        verification: The result of verifying an answer; None for requests of other kinds.
    """

    id: str
    tenant: str
    policy: PolicyUsed
    door: Code
    model: ModelName = ""
    stream: bool = False
    text: StoredText = StoredText.FULL
    started_at: AwareDatetime
    duration_ms: float
    question: Words = ""
    context: ContextState = ContextState.ABSENT
    sources: tuple[Source, ...] = ()
    found: tuple[FoundPlace, ...] = ()
    asked: RequestDetails = RequestDetails()
    intent: Code | None = None
    route: Code = ""
    route_reason: Code = ""
    findings: tuple[Finding, ...] = ()
    asked_for_citations: bool = False
    constrained_by: Code = ""
    attempts: tuple[Attempt, ...] = ()
    kept_attempt: int | None = None
    guards: tuple[GuardRun, ...] = ()
    opinions: tuple[SecondOpinion, ...] = ()
    action: Action | None = None
    reasons: tuple[Code, ...] = ()
    confidence: float | None = None
    not_checked: tuple[Code, ...] = ()
    unknown_fields: tuple[Code, ...] = ()
    replies: tuple[Words, ...] = ()
    made: tuple[ReplyOrigin, ...] = ()
    steps: tuple[Step, ...] = ()
    model_text_ms: float | None = None
    first_text_ms: float | None = None
    status: int
    error: Code | None = None
    delivery: Delivery = Delivery.DELIVERED
    shadow: ReplayResult | None = None
    feedback: Feedback | None = None
    verification: VerificationOutcome | None = None

    def has_label(self, wanted: str | None) -> bool:
        """Tell whether it has the label that a filter wants; see `LABEL_FILTERS`."""
        if wanted is None:
            return True
        if self.feedback is None:
            return False
        if wanted == PINNED:
            return self.feedback.pinned
        return wanted in (ANY_LABEL, self.feedback.label)

    @property
    def missed_words(self) -> str:
        """The words of a reply that its label marks as wrong; empty if it marks none."""
        said = self.feedback
        if said is None or said.span is None or said.choice >= len(self.replies):
            return ""
        return self.replies[said.choice][said.span.start : said.span.end]

    @property
    def guards_with_findings(self) -> tuple[str, ...]:
        """Ids of the guards that found something, in shadow too, each once, in order."""
        without = (GuardOutcome.CLEAN, GuardOutcome.NOT_RUN)
        return tuple(dict.fromkeys(run.guard for run in self.guards if run.outcome not in without))

    @property
    def placed_findings(self) -> list[PlacedFinding]:
        """All findings in the order of the attempts, those about the question first."""
        return [PlacedFinding(0, 0, finding) for finding in self.findings] + [
            PlacedFinding(number, choice.index, finding)
            for number, attempt in enumerate(self.attempts, start=1)
            for choice in attempt.choices
            for finding in choice.findings
        ]

    @property
    def answers(self) -> list[str]:
        """The text of every answer, in the order of the attempts."""
        return [choice.text for attempt in self.attempts for choice in attempt.choices]

    def answer_text(self, attempt: int, choice: int) -> str:
        """Return an answer by the number of its attempt and its index; empty if there is none."""
        for one in self.attempts[max(attempt - 1, 0) : attempt]:
            for answer in one.choices:
                if answer.index == choice:
                    return answer.text
        return ""

    @property
    def chars(self) -> int:
        """Number of characters in it of what others wrote, and may have written at any length."""
        chars = len(self.question) + len(self.model)
        chars += len(self.asked.echo) + len(self.asked.previous_answer)
        for one in self.sources:
            chars += len(one.text) + len(one.id) + len(one.title) + len(one.file)
        for attempt in self.attempts:
            for choice in attempt.choices:
                chars += len(choice.text) + len(choice.finish_reason or "")
        return chars

    @property
    def action_name(self) -> str:
        """The action in a word, for lists, filters and counts."""
        return self.action.value if self.action else NOTHING_DECIDED

    @property
    def closings(self) -> tuple[str, ...]:
        """Names of the templates that ended what had begun to leave."""
        return tuple(made.closed_with for made in self.made if made.closed_with)

    @property
    def would(self) -> Action:
        """The strongest action that guards in shadow would have taken; PASS if none."""
        shadow = (run.action for run in self.guards if run.outcome is GuardOutcome.WOULD_ACT)
        return max(shadow, key=lambda action: action.rank, default=Action.PASS)


MOST_PIECES = 600
LONGEST_CHARS = 50_000
"""Beyond these, all that differs is one change: looking closer would take too long."""
_WORD = re.compile(r"\S+|\s+")


def changes(came: str, left: str) -> tuple[Change, ...]:
    """Return what makes the text sent of the one that came, in order."""
    if came == left:
        return ()
    if max(len(came), len(left)) > LONGEST_CHARS:
        return (_narrowed(came, 0, left),)
    before, after = _pieces(came), _pieces(left)
    if max(len(before), len(after)) > MOST_PIECES:
        return (_narrowed(came, 0, left),)
    starts = list(accumulate(map(len, before), initial=0))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        _narrowed("".join(before[first:last]), starts[first], "".join(after[from_:to]))
        for tag, first, last, from_, to in matcher.get_opcodes()
        if tag != "equal"
    )


def applied(came: str, made: Sequence[Change]) -> str:
    """Return what was sent of an answer, by what was changed in it."""
    return apply(came, (Edit(change.span, change.text) for change in made))


def _pieces(text: str) -> list[str]:
    """Return the sentences, and the white space between them."""
    places = [place for one in split_sentences(text) for place in (one.start, one.end)]
    cuts = [0, *places, len(text)]
    return [text[start:end] for start, end in pairwise(cuts) if start < end]


def _narrowed(was: str, start: int, text: str) -> Change:
    """Return a change without the words that stay the same at its two ends."""
    before, after = _WORD.findall(was), _WORD.findall(text)
    same = _alike(before, after)
    same_end = _alike(before[same:][::-1], after[same:][::-1])
    gone, put_in = before[same : len(before) - same_end], after[same : len(after) - same_end]
    start += len("".join(before[:same]))
    return Change(span=Span(start, start + len("".join(gone))), text="".join(put_in))


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
