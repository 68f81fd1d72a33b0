"""The shape of a policy: what one YAML file may say. Frozen; unknown keys are refused."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from policies.gating.rules import StreamMode, StreamRules
from policies.judging.rules import JudgeRules
from policies.limits import Limits
from policies.passing import WITHOUT_ANSWERS, PassingText
from policies.responses import ResponsesRules
from policies.shape import VARIABLE_NAME, HttpAddress
from policies.shape import Mode as Mode
from policies.shape import Shape as Shape

TENANT_NAME = r"^[a-z0-9][a-z0-9-]{0,62}$"
KEY_HASH = r"^(sha256:|hmac:[0-9a-f]{32}:)[0-9a-f]{64}$"
LONGEST_TEMPLATE_CHARS = 4000
LONGEST_PATTERN_CHARS = 500
MOST_PATTERNS = 50
LONGEST_WAIT_S = 86_400


class Action(StrEnum):
    """What becomes of an answer, mildest first."""

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
    """What a guard that broke means for the answer."""

    REPORT = "report"
    """Let the answer out and say that it was not checked."""
    REPLACE = "replace"
    """No answer leaves without this check."""


class GuardRule(Shape):
    """What a tenant wants of one guard."""

    mode: Mode = Field(
        Mode.ENFORCE,
        description="enforce: findings act. shadow: they are traced as `would_act` and change "
        "nothing. off: the guard does not run.",
    )
    action: Literal[Action.PASS, Action.TRIM, Action.REGENERATE, Action.REPLACE] = Field(
        Action.REGENERATE,
        description="What a strong finding does first. `regenerate` falls to `final` when the one "
        "second attempt is used up or not possible, `trim` where too little would be left; "
        "guards on the question always `replace`.",
    )
    final: Literal[Action.PASS, Action.TRIM, Action.REPLACE] = Field(
        Action.REPLACE,
        description="What a strong finding does when no second attempt is left. `trim` takes its "
        "sentences out, or replaces the answer where too little would be left.",
    )
    fix: bool = Field(
        True, description="Mend in place what the guard can mend for sure, before anything else."
    )
    on_not_run: OnNotRun = Field(
        OnNotRun.REPORT, description="What it means for the answer when the guard itself breaks."
    )
    template: str | None = Field(
        None, description="Name of the reply template; by default the guard's own name."
    )
    options: dict[str, Any] = Field(
        default_factory=dict, description="The guard's own options; see the table of guards."
    )

    @property
    def can_replace(self) -> bool:
        """Whether it may come to a template: `trim` does too, where too little would be left."""
        if self.mode is not Mode.ENFORCE:
            return False
        if self.on_not_run is OnNotRun.REPLACE or self.action is Action.REPLACE:
            return True
        return self.action is not Action.PASS and self.final is not Action.PASS


class Timeouts(Shape):
    """How long the model server may take, in seconds."""

    connect_s: float = Field(5.0, gt=0, le=LONGEST_WAIT_S, description="To open a connection.")
    first_byte_s: float = Field(
        120.0, gt=0, le=LONGEST_WAIT_S, description="From the request to the first byte."
    )
    idle_s: float = Field(
        60.0, gt=0, le=LONGEST_WAIT_S, description="Between two pieces of a reply."
    )
    total_s: float = Field(
        300.0,
        gt=0,
        le=LONGEST_WAIT_S,
        description="For one whole reply; a second attempt gets what is left of it.",
    )

    def at_most(self, limit_s: float) -> "Timeouts":
        """Return the same with none of them above a limit, which is above 0."""
        return Timeouts(
            connect_s=min(self.connect_s, limit_s),
            first_byte_s=min(self.first_byte_s, limit_s),
            idle_s=min(self.idle_s, limit_s),
            total_s=min(self.total_s, limit_s),
        )


class Upstream(Shape):
    """The model server of a tenant."""

    base_url: HttpAddress = Field(
        description="Address up to and including the version, such as http://127.0.0.1:8000/v1."
    )
    api_key_env: str | None = Field(
        None,
        pattern=VARIABLE_NAME,
        description="Environment variable that holds the model server's key.",
    )
    pass_caller_key: bool = Field(
        False,
        description="Send the caller's own bearer key on to the model server. Such a tenant is "
        "reached at /t/<tenant>/v1 and has no keys of its own.",
    )
    models: dict[str, str] = Field(
        default_factory=dict,
        description="Name the client asks for -> name the model server knows. When not empty, "
        "other names are refused.",
    )
    timeouts: Timeouts = Field(default_factory=Timeouts)


class SourceRules(Shape):
    """How sources are found in a request, and which of them count."""

    min_relevance: float = Field(
        0.4, ge=0, le=1, description="Least relevance of a source marked [Source: …]."
    )
    max_sources: int = Field(5, ge=1, le=200, description="Most sources marked [Source: …].")
    min_excerpt_chars: int = Field(20, ge=0, description="Shortest usable excerpt.")
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
    """How much of an answer may be taken out before it is replaced instead."""

    most_claims: int = Field(
        1, ge=0, le=100, description="Most claims that may be taken out; 0 never trims."
    )
    most_share: float = Field(
        0.5, ge=0, lt=1, description="Largest share of the answer's claims that may be taken out."
    )


class Constraint(StrEnum):
    """How the model server is kept from writing what was wrong."""

    AUTO = "auto"
    """As it says itself what kind of server it is, in its list of models."""
    OFF = "off"
    VLLM = "vllm"
    SGLANG = "sglang"
    LLAMACPP = "llamacpp"


class Regeneration(Shape):
    """The one second attempt."""

    enabled: bool = True
    temperature: float | None = Field(
        0.2, ge=0, le=2, description="Ceiling for the second attempt; null leaves the client's."
    )
    max_findings: int = Field(5, ge=1, le=20, description="Findings named in the second prompt.")
    constraint: Constraint = Field(
        Constraint.AUTO,
        description="After foreign writing or invented names, leave the model server no room for "
        "them: a regular expression or grammar of Korean letters, and words that it may not use. "
        "auto: where its list of models says that it is vLLM, SGLang or llama.cpp. vllm, sglang, "
        "llamacpp: it is that. off: it is only told. Never where the request has tools or a "
        "constraint of its own; a server that refuses is asked again without. Whatever was wrong, "
        "a server that is one of the three gets a new seed as well.",
    )


class StoredText(StrEnum):
    """What text of a request is kept in its trace."""

    NONE = "none"
    MASKED = "masked"
    FULL = "full"


class Tracing(Shape):
    """What is kept of each request, and how long."""

    text: StoredText = Field(
        StoredText.MASKED,
        description="none: no words, only spans and codes. masked: with personal identifiers "
        "masked. full: as it was.",
    )
    keep_days: float = Field(
        30.0, gt=0, le=36_500, description="Age after which a trace is forgotten."
    )
    keep_last: int = Field(100_000, ge=1, description="About how many traces are kept.")


class Replacement(Shape):
    """What stands in the place of an answer that may not go out."""

    finish_reason: Literal["stop", "content_filter"] = Field(
        "stop", description="What the client is told."
    )
    direct_answer: bool = Field(
        False,
        description="Quote the sentence of the sources that plainly answers the question, if "
        "there is one, before the template.",
    )


class ConfidenceCaps(Shape):
    """What the confidence can be at most while something is open."""

    contradiction: float = Field(
        0.3, ge=0, le=1, description="With a strong finding that contradicts a source (C2)."
    )
    critical: float = Field(
        0.45,
        ge=0,
        le=1,
        description="With a strong finding about a figure, a provision, a contact or a route of "
        "which the sources hold nothing (E0).",
    )
    degraded_judge: float = Field(
        0.85, ge=0, le=1, description="With a judge that was wanted and gave nothing to go by."
    )


class ConfidenceBands(Shape):
    """Where the bands of the confidence begin; below `medium` it is low."""

    high: float = Field(0.75, ge=0, le=1, description="From here on it is high.")
    medium: float = Field(0.5, ge=0, le=1, description="From here on it is medium.")


class Renumber(StrEnum):
    """When the numbers of an answer's citations may change."""

    AUTO = "auto"
    """Where the answer has, or gets, a list that says what its numbers mean."""
    ALWAYS = "always"
    NEVER = "never"


class ReferenceList(StrEnum):
    """What becomes of the list of sources at the end of an answer."""

    OWN = "own"
    """The list that an answer has is kept true to its marks."""
    ALWAYS = "always"
    """An answer that cites and has no list also gets one."""
    NEVER = "never"


class CitationRules(Shape):
    """How citations are asked for, and what is done beside mending the wrong ones."""

    instruct: bool = Field(
        False,
        description="Add our own citation prompt, with the numbered sources, to the first system "
        "message. Not where the request asks for JSON or carries no sources.",
    )
    renumber: Renumber = Field(
        Renumber.AUTO,
        description="Close the gaps in the numbers when a citation was taken out. auto: only "
        "where the answer has a list of its sources or footnotes, or gets one by `references: "
        "always`; such an answer does not leave before its end, where `stream.mode: gate` knows it "
        "by its marks [†1], and keeps its numbers otherwise; elsewhere a number is the app's own "
        "name for a source. always: everywhere, with a list written where there is none. never: "
        "numbers stay. No number changes without a list that says what it means then.",
    )
    references: ReferenceList = Field(
        ReferenceList.OWN,
        description="The list of sources at the end. own: a list that the answer has is kept true "
        "to its marks when they change. always: an answer that cites and has none also gets one. "
        "never: it is left alone, and so are the numbers.",
    )


class ConfidenceWeights(Shape):
    """Weights of the confidence (1.0 at best)."""

    bad_citation: float = Field(0.3, ge=0, le=1, description="Taken off once for bad citations.")
    sign: float = Field(0.15, ge=0, le=1, description="Taken off for each other finding.")
    judge_share: float = Field(
        0.5, ge=0, le=1, description="Share of a judge's own confidence, where one was asked."
    )
    judge_unsaid: float = Field(
        0.5, ge=0, le=1, description="What counts for a judge that names no confidence."
    )
    threshold: float = Field(0.7, ge=0, le=1, description="Confidence below this is called low.")
    caps: ConfidenceCaps = Field(default_factory=ConfidenceCaps)
    bands: ConfidenceBands = Field(default_factory=ConfidenceBands)


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
        description="What is handed through to the model server without a guard, as `METHOD /path` "
        "below the version: `*` is one segment, `**` at the end any number; without a method, "
        "every method; several as `GET,POST /path`. What is not listed is a 404. Guarded "
        "endpoints cannot be listed.",
    )
    sources: SourceRules = Field(default_factory=SourceRules)
    intents: tuple[IntentRule, ...] = Field((), max_length=MOST_PATTERNS)
    shadow_policy: str | None = Field(
        None,
        description="Policy to try on the same requests: a file beside this one, else a shipped "
        "one. It judges each request again after the reply has left, in a process of its own, and "
        "its trace says what would have become of it. To try a change, write it into a file that "
        "`extends` this one.",
    )
    reading: Literal["light", "morph"] = Field(
        "light",
        description="Who reads Korean. light: the guards' own analysis. morph: the analyser Kiwi "
        "reads again what `overlap` would flag, and may clear it. Needs the extra `morph` and "
        "about 520 MB of memory; without the extra the policy is refused.",
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
    templates: dict[str, Annotated[str, Field(max_length=LONGEST_TEMPLATE_CHARS)]] = Field(
        default_factory=dict,
        description="Reply templates (Jinja) by name. Looked up in this order: the finding's "
        "code, the rule's `template`, the guard's id, `fallback`. `closing.cut` ends an answer of "
        "which the rest may not leave, `closing.correction` one of which something wrong has left. "
        "They know `reason`, `sources` (titles) and `codes`, a correction `wrong` (sentences) too.",
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
        """Whether answers leave whatever the guards say."""
        return self.stream.mode is StreamMode.MONITOR
