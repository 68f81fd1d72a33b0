"""The section `limits` of a policy: how much a tenant may ask of the service."""

from pydantic import Field

from policies.shape import Shape


class Limits(Shape):
    """How much a tenant may ask of the service; without a number there is no limit."""

    requests_per_minute: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="Most requests of the tenant within any 60 seconds, over all its keys and all "
        "proxies with the same Redis. Every request counts that names the tenant, also "
        "`/v1/verify` and what is handed through; one that is refused for a limit does not.",
    )
    concurrent_requests: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="Most requests of the tenant at the same time; a stream counts until its end.",
    )

    @property
    def are_set(self) -> bool:
        """Whether there is any limit."""
        return self.requests_per_minute is not None or self.concurrent_requests is not None
