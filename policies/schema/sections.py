"""The sections of a policy: one model each, whose field names are the keys."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from policies.schema.base import VARIABLE_NAME, HttpAddress, Mode, Shape


class Limits(Shape):
    """Limits on a tenant's use of the service; a limit without a number does not apply."""

    requests_per_minute: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="Maximum requests of the tenant within any 60 seconds, over all its keys and "
        "all proxies with the same Redis. `/v1/verify` and forwarded requests count "
        "as well; requests refused because of a limit do not.",
    )
    concurrent_requests: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="Maximum requests of the tenant at the same time; a stream counts until its "
        "end.",
    )

    @property
    def are_set(self) -> bool:
        """True if there is any limit."""
        return self.requests_per_minute is not None or self.concurrent_requests is not None


class Constraint(StrEnum):
    """Way to keep the model server from repeating what was wrong."""

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
        0.2,
        ge=0,
        le=2,
        description="Maximum temperature of the second attempt; null keeps the client's.",
    )
    max_findings: int = Field(
        5,
        ge=1,
        le=20,
        description="Maximum number of findings named in the prompt of the second attempt.",
    )
    constraint: Constraint = Field(
        Constraint.AUTO,
        description="After foreign words or invented names, constrain the second attempt: a "
        "regular expression or grammar of Korean letters, and words that the model "
        "may not use. auto: if the server's list of models says that it is vLLM, "
        "SGLang or llama.cpp. vllm, sglang, llamacpp: it is that server. off: the "
        "note to the model is all. Never if the request has tools or a constraint of "
        "its own; a server that refuses the constraint is asked again without it. On "
        "these three servers every second attempt also gets a new seed.",
    )


class ServerState(StrEnum):
    """Treatment of requests that refer to state kept only by the model server."""

    REFUSE = "refuse"
    PASS = "pass"  # noqa: S105 - a choice, not a password


class ResponsesRules(Shape):
    """Requests that `/v1/responses` lets pass."""

    server_state: ServerState = Field(
        ServerState.REFUSE,
        description="Requests with `previous_response_id`, `conversation`, `prompt` or references "
        "to items, whose content only the model server has. refuse: 400. pass: they "
        "are served, and that content is reported as not checked.",
    )


class StoredText(StrEnum):
    """Text of a request that its trace keeps."""

    NONE = "none"
    MASKED = "masked"
    FULL = "full"


class Tracing(Shape):
    """Content and retention of traces."""

    text: StoredText = Field(
        StoredText.MASKED,
        description="none: no text, only spans and codes. masked: personal identifiers and "
        "callers' keys are masked. full: unchanged.",
    )
    keep_days: float = Field(
        30.0, gt=0, le=36_500, description="Days after which a trace is deleted."
    )
    keep_last: int = Field(100_000, ge=1, description="Approximate number of traces that are kept.")

    @property
    def keep_ms(self) -> int:
        """The age in milliseconds, counted from a request's start."""
        return int(self.keep_days * 86_400_000)


LONGEST_WAIT_S = 86_400


class Timeouts(Shape):
    """Timeouts for the model server, in seconds."""

    connect_s: float = Field(5.0, gt=0, le=LONGEST_WAIT_S, description="To open a connection.")
    first_byte_s: float = Field(
        120.0,
        gt=0,
        le=LONGEST_WAIT_S,
        description="From sending the request to the first byte of the reply.",
    )
    idle_s: float = Field(
        60.0, gt=0, le=LONGEST_WAIT_S, description="Between two pieces of a reply."
    )
    total_s: float = Field(
        300.0,
        gt=0,
        le=LONGEST_WAIT_S,
        description="For one whole reply; a second attempt gets the rest of this time.",
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
        description="Forward the caller's own bearer key to the model server. Such a tenant is "
        "reached at /t/<tenant>/v1 and has no keys of its own.",
    )
    models: dict[str, str] = Field(
        default_factory=dict,
        description="Name the client asks for -> name the model server knows. When not empty, "
        "other names are refused.",
    )
    timeouts: Timeouts = Field(default_factory=Timeouts)


class ConfidenceCaps(Shape):
    """Upper limits of the confidence while something is unchecked."""

    contradiction: float = Field(
        0.3, ge=0, le=1, description="With a strong finding of a contradiction to a source (C2)."
    )
    critical: float = Field(
        0.45,
        ge=0,
        le=1,
        description="With a strong finding about a figure, a provision, a contact or a route that "
        "is not in the sources (E0).",
    )
    objection: float = Field(
        0.6, ge=0, le=1, description="With a judge's opinion that a source contradicts the answer."
    )
    degraded_judge: float = Field(
        0.85, ge=0, le=1, description="With a judge that was asked and gave no usable opinion."
    )


class ConfidenceBands(Shape):
    """Lower bounds of the confidence bands; below `medium` it is low."""

    high: float = Field(0.75, ge=0, le=1, description="From this value on the confidence is high.")
    medium: float = Field(
        0.5, ge=0, le=1, description="From this value on the confidence is medium."
    )


class ConfidenceWeights(Shape):
    """Weights of the confidence (1.0 at best)."""

    bad_citation: float = Field(0.3, ge=0, le=1, description="Subtracted once for wrong citations.")
    sign: float = Field(0.15, ge=0, le=1, description="Subtracted for each other finding.")
    judge_share: float = Field(
        0.5, ge=0, le=1, description="Weight of the judge's own confidence, if one was asked."
    )
    judge_unsaid: float = Field(
        0.5, ge=0, le=1, description="Confidence assumed for a judge that gives none."
    )
    threshold: float = Field(0.7, ge=0, le=1, description="Confidence below this is called low.")
    caps: ConfidenceCaps = Field(default_factory=ConfidenceCaps)
    bands: ConfidenceBands = Field(default_factory=ConfidenceBands)


class Tone(StrEnum):
    """Speech style of the texts for users."""

    FORMAL = "formal"
    """합쇼체: 확인하지 못했습니다."""
    FRIENDLY = "friendly"
    """해요체: 확인하지 못했어요."""


class StreamMode(StrEnum):
    """Part of an answer that must be complete before any of it is sent."""

    GATE = "gate"
    """A sentence that was judged."""
    BUFFER = "buffer"
    """All of it."""
    MONITOR = "monitor"
    """Nothing: it is sent as it comes, and is judged afterwards, for the trace."""


class StreamRules(Shape):
    """Rules for sending text of an answer; plain replies follow them too, for the same outcome."""

    mode: StreamMode = Field(
        StreamMode.GATE,
        description="gate: sentence by sentence, each as soon as it has been judged; a second "
        "attempt only while nothing has been sent; later, wrong sentences are taken "
        "out, or the answer ends with a correction. buffer: after the whole answer "
        "has been judged. monitor: at once; guards on the answer only record what "
        "they would have done. Plain replies are treated alike, so that the answer "
        "does not depend on the mode of the request.",
    )


class Renumber(StrEnum):
    """Condition for renumbering the citations of an answer."""

    AUTO = "auto"
    """Only where the answer has or gets a list that explains its numbers."""
    ALWAYS = "always"
    NEVER = "never"


class ReferenceList(StrEnum):
    """Treatment of the list of sources at the end of an answer."""

    OWN = "own"
    """The list that an answer has is kept true to its marks."""
    ALWAYS = "always"
    """An answer that cites and has no list also gets one."""
    NEVER = "never"


class CitationRules(Shape):
    """Rules for requesting citations, and for their treatment besides fixing wrong ones."""

    instruct: bool = Field(
        False,
        description="Add a citation prompt, with the numbered sources, to the first system "
        "message. Not if the request asks for JSON or has no sources.",
    )
    renumber: Renumber = Field(
        Renumber.AUTO,
        description="Renumber the citations without gaps after one was taken out. auto: only if "
        "the answer has a list of its sources or footnotes, or gets one through "
        "`references: always`. With `stream.mode: gate` such an answer is held until "
        "its end if it uses marks like [†1], and keeps its numbers otherwise. Without "
        "a list, a number may be the app's own index of a source, and stays. always: "
        "in every answer; a list is added if there is none. never: all numbers stay.",
    )
    references: ReferenceList = Field(
        ReferenceList.OWN,
        description="The list of sources at the end. own: a list that the answer has is updated "
        "when its marks change. always: an answer that cites without a list also gets "
        "one. never: the list stays as it is, and so do the numbers.",
    )


class JudgeKind(StrEnum):
    """Kind of judge, which decides the protocol."""

    CHAT = "chat"
    """A chat model told what to look for."""
    MINICHECK = "minicheck"
    """MiniCheck behind a chat endpoint: yes or no to a document and a claim."""
    GRANITE_GUARDIAN = "granite_guardian"
    """Granite Guardian behind a chat endpoint: yes or no to the risk of groundedness."""
    TEI_NLI = "tei_nli"
    """A classifier of pairs behind Text Embeddings Inference's `/predict`."""
    VLLM_CLASSIFY = "vllm_classify"
    """A classifier behind vLLM's `/classify`."""


class BreakerRules(Shape):
    """Circuit breaker of a judge that fails."""

    failures: int = Field(5, ge=1, description="Failures in a row after which the breaker opens.")
    share: float = Field(
        0.5, gt=0, le=1, description="Share of failed calls above which the breaker opens."
    )
    least_calls: int = Field(10, ge=1, description="Minimum number of calls for that share.")
    window_s: float = Field(
        30.0, gt=0, description="Seconds for which a call counts towards that share."
    )
    open_s: float = Field(
        15.0,
        gt=0,
        description="Seconds for which it is open at first; doubled each time a probe fails.",
    )
    longest_open_s: float = Field(240.0, gt=0, description="Maximum seconds for which it is open.")
    jitter: float = Field(
        0.2, ge=0, le=1, description="Random addition to that time, as its maximum share."
    )


class Objections(StrEnum):
    """Effect of a judge's objections."""

    ACT = "act"
    NOTE = "note"


class OpinionRules(Shape):
    """Selection of claims for the judge, and the effect of its opinions."""

    mode: Mode = Field(
        Mode.ENFORCE,
        description="enforce: opinions count. shadow: they are traced and change nothing. off: "
        "no judge is called.",
    )
    timeout_s: float | None = Field(
        None,
        gt=0,
        le=60,
        description="Time for the opinions on all choices and attempts together, in seconds, "
        "within the request's own; absent, 10 on the tenant's own model server, which "
        "has other work, and 3 elsewhere.",
    )
    objections: Objections = Field(
        Objections.ACT,
        description="act: a claim that a source contradicts, in the judge's opinion and with a "
        "quote, is written again or taken out. note: objections only lower the "
        "confidence.",
    )
    trained_on_korean: bool = Field(
        True,
        description="False for a model that was not trained on Korean: it may only lower "
        "the confidence.",
    )
    window_chars: int = Field(
        600,
        ge=100,
        le=4000,
        description="Maximum length of a source passage that the judge is shown, in characters.",
    )
    most_claims: int = Field(
        8, ge=1, le=40, description="Maximum number of claims that the judge is asked about."
    )

    @property
    def limit_s(self) -> float:
        """Seconds that the opinions on one request may take."""
        return _LIMIT_S if self.timeout_s is None else self.timeout_s

    @property
    def is_advisory(self) -> bool:
        """True if its opinions may only lower the confidence."""
        return not self.trained_on_korean


_LIMIT_S = 3.0
_OWN_SERVER_LIMIT_S = 10.0
_CLASSIFIERS = frozenset({JudgeKind.TEI_NLI, JudgeKind.VLLM_CLASSIFY})


class JudgeRules(OpinionRules):
    """A model that is asked about claims which the guards left open.

    `judge: {}` asks the tenant's own model server, as the request did, for the same model.
    """

    kind: JudgeKind = Field(
        JudgeKind.CHAT,
        description="chat: an OpenAI-compatible model that gets instructions. minicheck, "
        "granite_guardian: checkers that say yes or no. tei_nli, vllm_classify: "
        "classifiers with the labels entailment, neutral and contradiction. Only a "
        "chat model says what is wrong with a claim and quotes the evidence; all "
        "others can only lower the confidence.",
    )
    base_url: HttpAddress | None = Field(
        None,
        description="Address of the server: up to and including the version for chat kinds, such "
        "as http://127.0.0.1:8000/v1; without it for tei_nli and vllm_classify. "
        "Absent: the tenant's own model server, with the key and headers of the "
        "request.",
    )
    model: str = Field(
        "",
        max_length=200,
        description="Name of the model. If absent and a chat judge has no `base_url`: the model "
        "of the request; for `/v1/verify`, which may name none, the first of "
        "`upstream.models`. tei_nli needs none.",
    )
    api_key_env: str | None = Field(
        None,
        pattern=VARIABLE_NAME,
        description="Environment variable that holds the key of the server at `base_url`.",
    )
    pair_separator: str = Field(
        "</s></s>",
        min_length=1,
        max_length=40,
        description="Only for vllm_classify: what the model's tokenizer puts between the two texts "
        "of a pair, such as `[SEP]`.",
    )
    max_tokens: int | None = Field(
        None,
        ge=100,
        le=100_000,
        description="Only for chat: maximum tokens of its reply; absent, 300 and 400 more for "
        "each claim. A reasoning model needs more, and more time.",
    )
    breaker: BreakerRules = Field(default_factory=BreakerRules)

    @property
    def is_advisory(self) -> bool:
        """True if its opinions may only lower the confidence.

        A checker or classifier quotes nothing: its label is about the whole passage that it was
        shown, which stands as the quote, so that nothing shows whether it is right.
        """
        return not self.trained_on_korean or self.kind is not JudgeKind.CHAT

    @property
    def limit_s(self) -> float:
        """Seconds that the opinions on one request may take."""
        if self.timeout_s is None and self.base_url is None:
            return _OWN_SERVER_LIMIT_S
        return super().limit_s

    @model_validator(mode="after")
    def _names_its_server(self) -> Self:
        if self.base_url is not None:
            return self
        if self.kind in _CLASSIFIERS:
            raise ValueError(f"a judge of kind {self.kind.value} needs a `base_url`")
        if self.api_key_env:
            raise ValueError(
                "`api_key_env` goes with a `base_url`: without one the tenant's model server is "
                "asked, with the key of `upstream`"
            )
        return self

    @model_validator(mode="after")
    def _names_its_model(self) -> Self:
        takes_requests_model = self.kind is JudgeKind.CHAT and self.base_url is None
        if not (self.model or takes_requests_model or self.kind is JudgeKind.TEI_NLI):
            raise ValueError(
                f"a judge of kind {self.kind.value} needs a `model`; only one without a "
                "`base_url` can take that of the request"
                if self.kind is JudgeKind.CHAT
                else f"a judge of kind {self.kind.value} needs a `model`"
            )
        return self
