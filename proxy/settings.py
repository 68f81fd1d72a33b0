"""Settings of the service, from the environment (prefix ``GUARD_PROXY_``)."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

MOST_WORKERS = 1024


class LogFormat(StrEnum):
    """Formats of log lines."""

    AUTO = "auto"
    JSON = "json"
    CONSOLE = "console"


class AccessLogFormat(StrEnum):
    """Formats of the access log."""

    OFF = "off"
    COMBINED = "combined"
    JSON = "json"


def _fits_a_header(value: SecretStr) -> SecretStr:
    if not re.fullmatch("[!-~]+", value.get_secret_value()):
        raise ValueError(
            "no header can carry it: it holds blanks, line ends (as a file's last one) or letters "
            "beyond ASCII"
        )
    return value


def _redis_address(value: SecretStr) -> SecretStr:
    from proxy.shared_redis import SharedRedis  # costs a tenth of a second; most commands need none

    SharedRedis.check(value.get_secret_value())
    return value


def _certificates(value: Path) -> Path:
    from proxy.certificates import trusted  # costs a tenth of a second; most commands need none

    own = value.absolute()
    trusted(own)
    return own


class Settings(BaseSettings):
    """Everything that is not a tenant's own business. An empty variable is one that is not set."""

    model_config = SettingsConfigDict(env_prefix="GUARD_PROXY_", env_ignore_empty=True, frozen=True)

    policies: Path = Field(Path("policies.d"), description="Directory of policy files.")
    policies_polling: bool = Field(
        False,
        description="Look for edited policies by polling, for file systems without notifications.",
    )
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8080, ge=0, le=65535, description="Port to listen on.")
    workers: int = Field(
        1,
        ge=1,
        le=MOST_WORKERS,
        description="Worker processes on that port, usually one per core.",
    )
    redis_url: Annotated[SecretStr, AfterValidator(_redis_address)] | None = Field(
        None,
        description="Redis for traces and limits: one server, Sentinels or a Cluster; without it "
        "traces stay in the SQLite file, and each process counts limits for itself.",
    )
    sqlite_path: Path = Field(
        Path("guard-proxy.sqlite3"),
        description="SQLite file: the trace store without Redis, the outbox with it.",
    )
    admin_token: Annotated[SecretStr, AfterValidator(_fits_a_header)] | None = Field(
        None,
        description="Bearer token that may read every tenant's traces; without one nobody can.",
    )
    ca_file: Annotated[Path, AfterValidator(_certificates)] | None = Field(
        None,
        description="PEM file of certificate authorities that are trusted beside the public ones, "
        "for model servers, judges (`SSL_CERT_FILE` is ignored) and Redis, unless its "
        "address names others (`ssl_ca_certs`).",
    )
    dashboard: bool = Field(True, description="Serve the dashboard at /dashboard.")
    dashboard_https: bool = Field(
        False,
        description="Browsers reach the dashboard over HTTPS; its cookie is sent over HTTPS only.",
    )
    debug: bool = Field(False, description="Log one record per request with all decisions.")
    log_format: LogFormat = Field(
        LogFormat.AUTO, description="json, console, or auto: console on a terminal."
    )
    access_log: AccessLogFormat = Field(
        AccessLogFormat.OFF,
        description="Write a line on stdout for each request: combined (the Combined Log Format) "
        "or json; off: none.",
    )
    max_body_bytes: int = Field(10 * 2**20, ge=1, description="Largest request body, in bytes.")
    max_reply_bytes: int = Field(
        64 * 2**20, ge=1, description="Largest model server reply that is kept in memory, in bytes."
    )
    max_outbox_bytes: int = Field(
        10 * 2**30,
        ge=1,
        description="Maximum bytes of traces that wait on disk while Redis is unreachable, "
        "divided among workers. Beyond that, each worker keeps 10,000 in memory; "
        "further ones are dropped and counted.",
    )
    max_connections: int = Field(
        4_000,
        ge=1,
        description="Maximum client connections of each worker. Beyond that, an idle one is "
        "closed for a new one; if none is idle, the new one is refused (503).",
    )
    max_requests: int = Field(
        2_000,
        ge=1,
        description="Maximum model API requests that each worker serves at the same time; others "
        "are refused (503) before their key and body are read.",
    )
    max_streams: int = Field(
        1_000, ge=1, description="Maximum streaming requests among them; others are refused (503)."
    )
    max_upstream_connections: int = Field(
        4_000,
        ge=1,
        description="Maximum connections of each worker to model servers. Set it above the "
        "maximum of requests, so that none is refused (503) for lack of a connection.",
    )
    request_timeout_s: float = Field(
        60.0,
        gt=0,
        allow_inf_nan=False,
        description="Seconds that a client may take for the request headers, and between two "
        "pieces of the body; a body must also arrive at 500 bytes per second. Slower "
        "requests are refused (408).",
    )
    send_timeout_s: float = Field(
        60.0,
        gt=0,
        allow_inf_nan=False,
        description="Seconds after which a client that reads nothing of its reply is disconnected.",
    )
    long_text_chars: int = Field(
        30_000,
        ge=0,
        description="Characters of text above which a request is judged in a separate process, so "
        "that others do not wait for it.",
    )
    max_answer_chars: int = Field(
        200_000,
        ge=1,
        description="Longest answer that is judged, in characters. A longer one is refused (502) "
        "if a guard could act on it; if guards only observe, it is sent unjudged and "
        "reported as not checked.",
    )
    long_text_processes: int = Field(
        1,
        ge=0,
        le=64,
        description="Number of such processes per worker; with 0, a thread judges long texts.",
    )
    source_cache_chars: int = Field(
        200_000,
        ge=0,
        description="Characters of sources whose analysis each process caches for later requests; "
        "a character takes about 400 bytes.",
    )
    keep_alive_s: float = Field(
        10.0,
        gt=0,
        le=3600,
        allow_inf_nan=False,
        description="Seconds between comments in a held stream, so that no client or load "
        "balancer times out.",
    )
    unready_s: float = Field(
        0.0,
        ge=0,
        le=600,
        description="Seconds after SIGTERM in which new requests are still served while /readyz "
        "returns 503, so that load balancers notice.",
    )
    shutdown_s: float = Field(
        30.0,
        gt=0,
        le=86_400,
        allow_inf_nan=False,
        description="Seconds that requests in progress get to finish after that.",
    )

    @property
    def shared_redis(self) -> str | None:
        """The address of the Redis that proxies share, with whom to trust there; None for none."""
        if self.redis_url is None:
            return None
        address = self.redis_url.get_secret_value()
        if self.ca_file is None:
            return address
        from proxy.certificates import certificates_in  # as above
        from proxy.shared_redis import trusting  # as above

        return trusting(address, certificates_in(self.ca_file))
