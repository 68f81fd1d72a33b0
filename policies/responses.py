"""The section `responses` of a policy: what the door `/v1/responses` lets pass."""

from enum import StrEnum

from pydantic import Field

from policies.shape import Shape


class ServerState(StrEnum):
    """What becomes of a request that points at what only the model server keeps."""

    REFUSE = "refuse"
    PASS = "pass"  # noqa: S105 - a choice, not a password


class ResponsesRules(Shape):
    """What the door `/v1/responses` lets pass."""

    server_state: ServerState = Field(
        ServerState.REFUSE,
        description="Requests with `previous_response_id`, `conversation`, `prompt` or references "
        "to items, whose evidence only the model server knows. refuse: 400. pass: they are served, "
        "and what they point at is named as not checked.",
    )
