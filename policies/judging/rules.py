"""The section `judge` of a policy: which model is asked for a second opinion, and how."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from policies.shape import VARIABLE_NAME, HttpAddress, Mode, Shape


class JudgeKind(StrEnum):
    """What a judge is, and so how it is spoken to."""

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
    """When a judge that fails is left alone for a while."""

    failures: int = Field(5, ge=1, description="Failures in a row after which it is.")
    share: float = Field(0.5, gt=0, le=1, description="Share of failed calls above which it is.")
    least_calls: int = Field(10, ge=1, description="Fewest calls of which that share is taken.")
    window_s: float = Field(30.0, gt=0, description="Age up to which those calls count.")
    open_s: float = Field(
        15.0, gt=0, description="For how long at first; doubled each time that the probe fails."
    )
    longest_open_s: float = Field(240.0, gt=0, description="For how long at most.")
    jitter: float = Field(
        0.2, ge=0, le=1, description="Largest share of that time that chance adds to it."
    )


class OpinionRules(Shape):
    """What of an answer a judge is asked, and what its opinion counts for."""

    mode: Mode = Field(
        Mode.ENFORCE,
        description="enforce: opinions count. shadow: they are traced and change nothing. off: "
        "nobody is asked.",
    )
    timeout_s: float = Field(
        3.0,
        gt=0,
        le=60,
        description="Time for the opinions on all choices and attempts together, within that of "
        "the whole request.",
    )
    trained_on_korean: bool = Field(
        True, description="False for a model that was not: it may lower the confidence only."
    )
    window_chars: int = Field(
        600, ge=100, le=4000, description="Longest passage of a source that it is shown."
    )
    most_claims: int = Field(8, ge=1, le=40, description="Most claims that it is asked about.")

    @property
    def is_advisory(self) -> bool:
        """Whether its opinions may lower the confidence and do nothing else."""
        return not self.trained_on_korean


class JudgeRules(OpinionRules):
    """A model that is asked about claims which the guards left open."""

    kind: JudgeKind = Field(
        JudgeKind.CHAT,
        description="chat: an OpenAI-compatible model that is told what to look for. minicheck, "
        "granite_guardian: checkers that say yes or no. tei_nli, vllm_classify: classifiers with "
        "the labels entailment, neutral and contradiction. Only a chat model says what is wrong "
        "with a claim and quotes what shows it; all others can but lower the confidence.",
    )
    base_url: HttpAddress = Field(
        description="Address of the server: up to and including the version for chat kinds, such "
        "as http://127.0.0.1:8000/v1; without it for tei_nli and vllm_classify."
    )
    model: str = Field(
        "", max_length=200, description="Model to ask for; tei_nli needs none, every other one."
    )
    api_key_env: str | None = Field(
        None, pattern=VARIABLE_NAME, description="Environment variable that holds its key."
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
        description="Only for chat: most tokens of its reply; absent, 300 and 400 for each claim. "
        "A model that thinks before it answers needs more, and more time.",
    )
    breaker: BreakerRules = Field(default_factory=BreakerRules)

    @property
    def is_advisory(self) -> bool:
        """Whether its opinions may lower the confidence and do nothing else.

        A checker or classifier quotes nothing: its label is about the whole passage that it was
        shown, which stands as the quote, so that nothing shows whether it is right.
        """
        return not self.trained_on_korean or self.kind is not JudgeKind.CHAT

    @model_validator(mode="after")
    def _names_its_model(self) -> Self:
        if not self.model and self.kind is not JudgeKind.TEI_NLI:
            raise ValueError(f"a judge of kind {self.kind.value} needs a `model`")
        return self
