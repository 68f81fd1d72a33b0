"""The section `tracing` of a policy: what is kept of each request, and how long."""

from enum import StrEnum

from pydantic import Field

from policies.shape import Shape


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
