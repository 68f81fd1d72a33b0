"""The schema of a policy file. Frozen; unknown keys are refused."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from policies.schema.base import Mode, Shape
from policies.schema.passing import WITHOUT_ANSWERS, PassingText
from policies.schema.sections import (
    CitationRules,
    ConfidenceWeights,
    JudgeRules,
    Limits,
    Regeneration,
    ResponsesRules,
    StreamMode,
    StreamRules,
    Tone,
    Tracing,
    Upstream,
)


class Action(StrEnum):
    """Action taken on an answer, mildest first."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FIX = "fix"
    TRIM = "trim"
    REGENERATE = "regenerate"
    REPLACE = "replace"

    @property
    def rank(self) -> int:
        """0 for the mildest; a higher rank overrules a lower one."""
        return _RANKS[self]


_RANKS = {action: rank for rank, action in enumerate(Action)}


class OnNotRun(StrEnum):
    """Treatment of an answer when a guard fails."""

    REPORT = "report"
    """Let the answer out and say that it was not checked."""
    REPLACE = "replace"
    """No answer leaves without this check."""


class GuardRule(Shape):
    """Settings of one guard in a policy."""

    mode: Mode = Field(
        Mode.ENFORCE,
        description="enforce: findings act. shadow: they are traced as `would_act` and change "
        "nothing. off: the guard does not run.",
    )
    action: Literal[Action.PASS, Action.TRIM, Action.REGENERATE, Action.REPLACE] = Field(
        Action.REGENERATE,
        description="What a strong finding does first. `regenerate` falls back to `final` if the "
        "second attempt is used up or not possible, `trim` if too little would be "
        "left; guards on the question always `replace`.",
    )
    final: Literal[Action.PASS, Action.TRIM, Action.REPLACE] = Field(
        Action.REPLACE,
        description="What a strong finding does when no second attempt is left. `trim` takes its "
        "sentences out, or replaces the answer if too little would be left.",
    )
    fix: bool = Field(
        True,
        description="Correct in place what the guard can correct with certainty, before "
        "anything else.",
    )
    weak: tuple[str, ...] = Field(
        (),
        description="Codes of this guard, such as `overlap.unsupported`, whose findings never "
        "act: they are noted and lower the confidence, and no answer with one is "
        "called verified. `[]` clears an inherited list, so that all codes act.",
    )
    on_not_run: OnNotRun = Field(
        OnNotRun.REPORT, description="What happens to the answer if the guard itself fails."
    )
    template: str | None = Field(
        None, description="Name of the reply template; by default the guard's own name."
    )
    options: dict[str, Any] = Field(
        default_factory=dict, description="The guard's own options; see the table of guards."
    )

    @property
    def can_replace(self) -> bool:
        """True if it may end in a template: `trim` does too, where too little would remain."""
        if self.mode is not Mode.ENFORCE:
            return False
        if self.on_not_run is OnNotRun.REPLACE or self.action is Action.REPLACE:
            return True
        return self.action is not Action.PASS and self.final is not Action.PASS


TENANT_NAME = r"^[a-z0-9][a-z0-9-]{0,62}$"
KEY_HASH = r"^hmac:[0-9a-f]{32}:[0-9a-f]{64}$"
LONGEST_TEMPLATE_CHARS = 4000
LONGEST_PATTERN_CHARS = 500
MOST_PATTERNS = 50


class SourceRules(Shape):
    """Rules for finding sources in a request, and which of them count."""

    min_relevance: float = Field(
        0.4, ge=0, le=1, description="Minimum relevance of a source marked [Source: …]."
    )
    max_sources: int = Field(
        5, ge=1, le=200, description="Maximum number of sources marked [Source: …]."
    )
    min_excerpt_chars: int = Field(
        20, ge=0, description="Minimum length of a usable excerpt, in characters."
    )
    user_text_is_evidence: bool = Field(
        False, description="Let text that the user pasted into the question count as a source."
    )
    conversation_blocks: bool = Field(
        True,
        description="Let a context block that the app's template wrote into the user's turn (or "
        "the assistant's turn beside it) count where no other channel carries context. A user who "
        "knows the template could imitate it; off where the app uses another channel.",
    )


class IntentRule(Shape):
    """Words that tell what a question is about, when the caller does not."""

    intent: str = Field(
        min_length=1, max_length=64, description="The intent's name, such as `policy`."
    )
    patterns: tuple[Annotated[str, Field(min_length=1, max_length=LONGEST_PATTERN_CHARS)], ...] = (
        Field(
            min_length=1,
            max_length=MOST_PATTERNS,
            description="RE2 patterns, looked for anywhere in the question, in its normal form "
            "(NFKC), upper and lower case alike. The first rule with a match wins.",
        )
    )


class Trimming(Shape):
    """Limits on removing sentences, beyond which the answer is replaced instead."""

    most_claims: int = Field(
        1,
        ge=0,
        le=100,
        description="Maximum number of claims that may be taken out; 0 never trims.",
    )
    most_share: float = Field(
        0.5, ge=0, lt=1, description="Largest share of the answer's claims that may be taken out."
    )


class Replacement(Shape):
    """Replacement of an answer that may not be sent."""

    finish_reason: Literal["stop", "content_filter"] = Field(
        "stop",
        description="The `finish_reason` of a replaced answer. With `content_filter` some clients "
        "raise an error instead of returning the text; Responses end as `incomplete`.",
    )
    direct_answer: bool = Field(
        False,
        description="Send the sentence of the sources that clearly answers the question, if there "
        "is one, instead of the template.",
    )


class Policy(Shape):
    """One policy file. With a `tenant` it serves one; without, it is there to be extended.

    `extends` names a file beside this one or a shipped policy: maps are merged key by key, lists
    and plain values are replaced whole. `tenant` and `keys` are never inherited.
    """

    extends: str | None = Field(
        None,
        description="Policy to inherit from, by name without `.yaml`: a file beside this one, "
        "else a shipped one (a file's own name always means the shipped one). Maps are merged "
        "key by key, lists and plain values replaced; `tenant` and `keys` are not inherited.",
    )
    tenant: str | None = Field(
        None, pattern=TENANT_NAME, description="Tenant that this file serves."
    )
    keys: tuple[Annotated[str, Field(pattern=KEY_HASH)], ...] = Field(
        (), description="Hashes of the tenant's API keys, from `guard-proxy keys new TENANT`."
    )
    upstream: Upstream | None = None
    passthrough: tuple[PassingText, ...] = Field(
        WITHOUT_ANSWERS,
        max_length=MOST_PATTERNS,
        description="Endpoints that are forwarded to the model server without guards, as `METHOD "
        "/path` without the version prefix: `*` is one segment, `**` at the end any "
        "number; without a method, every method; several as `GET,POST /path`. Other "
        "paths are a 404. Guarded endpoints cannot be listed.",
    )
    sources: SourceRules = Field(default_factory=SourceRules)
    intents: tuple[IntentRule, ...] = Field((), max_length=MOST_PATTERNS)
    shadow_policy: str | None = Field(
        None,
        description="Policy to try on the same requests: a file beside this one, else a shipped "
        "one. It judges each request again after the reply has been sent, in a "
        "separate process, and the trace records what it would have done. To try a "
        "change, write it into a file that `extends` this one.",
    )
    guards: dict[str, GuardRule] = Field(default_factory=dict)
    regeneration: Regeneration = Field(default_factory=Regeneration)
    citations: CitationRules = Field(default_factory=CitationRules)
    trimming: Trimming = Field(default_factory=Trimming)
    stream: StreamRules = Field(default_factory=StreamRules)
    responses: ResponsesRules = Field(default_factory=ResponsesRules)
    judge: JudgeRules | None = None
    limits: Limits = Field(default_factory=Limits)
    replacement: Replacement = Field(default_factory=Replacement)
    tone: Tone = Field(
        Tone.FORMAL,
        description="Speech style of the texts for users that come with the program: replies, "
        "direct answers, closings and reasons. formal: 합쇼체 (확인하지 못했습니다). "
        "friendly: 해요체 (확인하지 못했어요). Texts in your own files stay as they "
        "are.",
    )
    templates: dict[str, Annotated[str, Field(max_length=LONGEST_TEMPLATE_CHARS)]] = Field(
        default_factory=dict,
        description="Reply templates (Jinja) by name. Looked up in this order: the finding's "
        "code, the rule's `template`, the guard's id, `fallback`. `closing.cut` ends "
        "an answer whose rest may not be sent, `closing.correction` one of which a "
        "wrong part has been sent. `direct_answer` introduces sentences of the "
        "sources that answer the question. Templates know `reason`, `sources` "
        "(titles) and `codes`; a correction also `wrong` (sentences), and a direct "
        "answer `quotes` (each with its source).",
    )
    reasons: dict[str, str] = Field(
        default_factory=dict,
        description="What `{{ reason }}` says in a reply to a complaint, by why the answer before "
        "it failed: the reason that the caller gave, the template it was replaced by, that "
        "template's guard, else `default`.",
    )
    confidence: ConfidenceWeights = Field(default_factory=ConfidenceWeights)
    tracing: Tracing = Field(default_factory=Tracing)
    report: bool = Field(
        False, description="Add the `guard` object to every reply, as if each request asked for it."
    )

    @property
    def only_watches(self) -> bool:
        """True if answers are sent whatever the guards find."""
        return self.stream.mode is StreamMode.MONITOR
