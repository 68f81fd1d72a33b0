"""The `guard` member of a request body: what an app tells the proxy."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictBool

MOST_GUARDS = 40
INTENT = r"^[A-Za-z0-9_.:-]{0,64}$"
"""An intent is a name, never words of the request: it stands in logs and traces."""


class GuardField(BaseModel):
    """The `guard` member of a request body: what an app tells the proxy. The model never sees it.

    It can add context, ask for more and for a report. Nothing in it makes the guards weaker.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sources: list[JsonValue] | None = Field(
        None, description="The sources, given exactly; nothing else is searched for then."
    )
    intent: str | None = Field(
        None, pattern=INTENT, description="What the question is about, such as `policy`."
    )
    last_error_reason: str | None = Field(
        None, description="Why the previous answer failed, such as `no_evidence`."
    )
    guards: Annotated[list[str], Field(max_length=MOST_GUARDS)] = Field(
        [], description="Guards to be enforced for this request beside those of the policy."
    )
    hold: StrictBool = Field(
        False, description="Let nothing leave before the whole answer was judged."
    )
    report: StrictBool = Field(False, description="Add the `guard` object to the reply.")


NOTHING_TOLD = GuardField()
"""What stands for the member where a request has none."""
