"""The section `upstream` of a policy: the tenant's model server, and how long it may take."""

from pydantic import Field

from policies.shape import VARIABLE_NAME, HttpAddress, Shape

LONGEST_WAIT_S = 86_400


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
