"""The section `regeneration` of a policy: the one second attempt."""

from enum import StrEnum

from pydantic import Field

from policies.shape import Shape


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
