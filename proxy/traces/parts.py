"""What traces are made of."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from guards.core.finding import Finding, Span
from guards.core.guard import Stage
from policies.guard_rule import Action
from policies.shape import Mode
from policies.verdict import GuardOutcome


class Shape(BaseModel):
    """Base of a trace and its parts: frozen, and nothing is lost on the way through JSON."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")


class PolicyUsed(Shape):
    """The policy that judged the request; the version is a hash of what it said."""

    name: str
    version: str


class Asked(Shape):
    """What was known of a request beside its question and its sources: what judging it again takes.

    Attributes:
        echo: Text that the model legitimately saw, instructions and earlier turns; see `Exchange`.
        previous_answer: The assistant's turn before the question.
        told_intent: What the caller said that the question is about; None if it said nothing.
        last_error_reason: Why the previous answer failed, as the caller said.
        offers_tools: The request offered tools.
        structured: It asked for JSON.
        guards: Guards that it asked for beyond the policy.
        hold: It asked for nothing to leave before the end.
    """

    echo: str = ""
    previous_answer: str = ""
    told_intent: str | None = None
    last_error_reason: str | None = None
    offers_tools: bool = False
    structured: bool = False
    guards: tuple[str, ...] = ()
    hold: bool = False


class FoundPlace(Shape):
    """Where in the request sources were found: by which format, where, and how many."""

    format: str
    place: str
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

    text: str
    index: int = 0
    finish_reason: str | None = None
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
    error: str | None = None


class GuardRun(Shape):
    """One guard's run.

    Attributes:
        guard: Id of the guard.
        mode: What the policy lets it do.
        stage: Before or after the model.
        outcome: What it came to.
        action: What it asked for; in shadow, what it would have asked for.
        reason: Why it did not run; empty otherwise.
        cleared: Codes of findings that the judge took back.
        duration_ms: Time taken, in milliseconds.
        attempt: Number of the attempt it looked at, from 1; 0 before the model.
        choice: Index of the choice it looked at.
    """

    guard: str
    mode: Mode
    stage: Stage
    outcome: GuardOutcome
    action: Action = Action.PASS
    reason: str = ""
    cleared: tuple[str, ...] = ()
    duration_ms: float = 0.0
    attempt: int = 0
    choice: int = 0


class Change(Shape):
    """A place in an attempt's answer, and what left instead of it; empty if it was taken out."""

    span: Span
    text: str = ""


class Made(Shape):
    """How one of the replies was made.

    Attributes:
        action: What became of the choice; None if nothing was decided about it.
        attempt: Number of the attempt that it was made from, from 1; 0 if from none.
        choice: Number of its answer in that attempt; see `Choice.index`.
        changes: What was changed in that answer, in order, and what of it never left; none where
            the reply is a template.
        replaced_with: What left in the place of the answer: the name of a template, or ``sources``
            for a sentence of theirs.
        closed_with: Name of the template that ended what had begun to leave.
    """

    action: Action | None
    attempt: int = 0
    choice: int = 0
    changes: tuple[Change, ...] = ()
    replaced_with: str = ""
    closed_with: str = ""


class Step(Shape):
    """A piece of the request's way; times in milliseconds, the start from the request's own."""

    name: str
    started_ms: float
    duration_ms: float


class Unknown(StrEnum):
    """Why nobody knows what would have left under another policy."""

    MODEL_NOT_ASKED = "model_not_asked"
    """The question would have gone to the model, which was not asked."""
    NO_SECOND_ATTEMPT = "no_second_attempt"
    """The model would have been asked again, and was not."""
    REST_NOT_READ = "rest_not_read"
    """The answer was given up in the middle, and would have gone on."""
    NO_ANSWER = "no_answer"
    """The request ended in an error, or its client left, before there was a whole answer."""


class NotRejudged(StrEnum):
    """Why a request was not judged by another policy at all."""

    NO_TEXT = "no_text"
    """The trace was stored without words."""
    NOT_STORED = "not_stored"
    """The trace is of an older version, which did not keep what judging again takes."""
    JUDGE_DECIDED = "judge_decided"
    """A judge had its say, and is not asked again."""
    MASKED = "masked"
    """What was decided rests on identifiers that the trace holds labels for."""
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


class RejudgedChoice(Shape):
    """One of an attempt's answers as another policy sees it.

    Attributes:
        attempt: Number of the attempt, from 1; 0 for the question.
        choice: Index of the choice.
        findings: What that policy's guards found, shadowed ones included.
    """

    attempt: int
    choice: int = 0
    findings: tuple[Finding, ...] = ()


class Rejudged(Shape):
    """What another policy would have made of a request that was served.

    Attributes:
        policy: The other policy.
        action: What it would have done; REGENERATE also where the second attempt is not known;
            None if nobody knows.
        reasons: Codes of the findings that led to it.
        unknown: Why nobody knows what would have left; None if it is known.
        not_run: Why it was not judged, so that all else says nothing; None if it was.
        goes_on: An answer that was given up in the middle would have begun to leave, so that what
            left was another one for sure.
        choices: What was found.
        guards: Every guard's run.
        replies: What would have left, a text for each choice; empty where that is not known.
        duration_ms: Time that judging took, in milliseconds.
    """

    policy: PolicyUsed
    action: Action | None = None
    reasons: tuple[str, ...] = ()
    unknown: Unknown | None = None
    not_run: NotRejudged | None = None
    goes_on: bool = False
    choices: tuple[RejudgedChoice, ...] = ()
    guards: tuple[GuardRun, ...] = ()
    replies: tuple[str, ...] = ()
    duration_ms: float = 0.0

    @property
    def action_name(self) -> str:
        """The action in a word, for lists, filters and counts."""
        return self.action.value if self.action else "unknown"
