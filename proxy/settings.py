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
        description="Processes that serve together on that port, one for each core.",
    )
    redis_url: Annotated[SecretStr, AfterValidator(_redis_address)] | None = Field(
        None,
        description="Redis for traces and limits: one server or Sentinels; without it "
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
        description="Certificates that are trusted beside the public ones, as PEM: those of model "
        "servers and judges under an authority of one's own, for which `SSL_CERT_FILE` is not "
        "heeded, and of Redis, if its address names none (`ssl_ca_certs`).",
    )
    dashboard: bool = Field(True, description="Serve the dashboard at /dashboard.")
    dashboard_https: bool = Field(
        False,
        description="Browsers reach the dashboard over HTTPS; its cookie goes over nothing else.",
    )
    debug: bool = Field(
        False, description="Log one record per request with everything that was decided."
    )
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
        64 * 2**20, ge=1, description="Largest reply of a model server that is held, in bytes."
    )
    max_outbox_bytes: int = Field(
        10 * 2**30,
        ge=1,
        description="Most bytes of traces that wait on disk while Redis is away, divided among "
        "workers. Beyond, each worker keeps 10,000 in memory, and drops and counts what comes "
        "then.",
    )
    max_connections: int = Field(
        4_000,
        ge=1,
        description="Most connections of clients to each worker. Beyond, one that is idle makes "
        "room, else a new one is refused (503).",
    )
    max_requests: int = Field(
        2_000,
        ge=1,
        description="Most requests for the model API that each worker serves at the same time; "
        "others are refused (503) before their key and body are read.",
    )
    max_streams: int = Field(
        1_000, ge=1, description="Most of them that ask for a stream; others are refused (503)."
    )
    max_upstream_connections: int = Field(
        4_000,
        ge=1,
        description="Most connections of each worker to model servers: above the most requests, "
        "so that none is refused (503) for want of one.",
    )
    request_timeout_s: float = Field(
        60.0,
        gt=0,
        allow_inf_nan=False,
        description="What a client may take for the head of a request, and between two pieces of "
        "its body; a body must come at 500 bytes a second besides. Later it is refused (408).",
    )
    send_timeout_s: float = Field(
        60.0,
        gt=0,
        allow_inf_nan=False,
        description="A client that takes nothing of its reply for so long is hung up on.",
    )
    long_text_chars: int = Field(
        30_000,
        ge=0,
        description="A request with more text than this is judged in a separate process, so that "
        "others do not wait for it, in characters.",
    )
    max_answer_chars: int = Field(
        200_000,
        ge=1,
        description="Longest answer that is judged, in characters. A longer one is refused (502) "
        "where a guard could act on it. Where guards only watch it is sent without having been "
        "judged, and named as not checked.",
    )
    long_text_processes: int = Field(
        1, ge=0, le=64, description="Such processes of each worker; without any, a thread judges."
    )
    source_cache_chars: int = Field(
        200_000,
        ge=0,
        description="Sources whose readings each process keeps for the next request that brings "
        "them, in characters; a character takes about 400 bytes.",
    )
    keep_alive_s: float = Field(
        10.0,
        gt=0,
        le=3600,
        allow_inf_nan=False,
        description="A held stream sends a comment this often, so that no client or balancer times "
        "out.",
    )
    unready_s: float = Field(
        0.0,
        ge=0,
        le=600,
        description="Time after SIGTERM in which new requests are still served while /readyz says "
        "503, so that load balancers notice.",
    )
    shutdown_s: float = Field(
        30.0,
        gt=0,
        le=86_400,
        allow_inf_nan=False,
        description="Time that running requests get to end after that.",
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
