"""The section `confidence` of a policy: its weights, its caps and its bands."""

from pydantic import Field

from policies.shape import Shape


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
