"""What traces are made of."""

from pydantic import BaseModel, ConfigDict

from guards.core.finding import Finding, Span
from guards.core.guard import Stage
from policies.policy import Action, Mode
from policies.verdict import GuardOutcome


class Shape(BaseModel):
    """Base of a trace and its parts: frozen, and nothing is lost on the way through JSON."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")


class PolicyUsed(Shape):
    """The policy that judged the request; the version is a hash of what it said."""

    name: str
    version: str


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
    """

    text: str
    index: int = 0
    finish_reason: str | None = None
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
        cleared: Codes of findings that a second reader took back.
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
