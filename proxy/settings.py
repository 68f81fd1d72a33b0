"""Settings of the service, from the environment (prefix ``GUARD_PROXY_``)."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class LogFormat(StrEnum):
    """How log lines look."""

    AUTO = "auto"
    JSON = "json"
    CONSOLE = "console"


class Settings(BaseSettings):
    """Everything that is not a tenant's own business."""

    model_config = SettingsConfigDict(env_prefix="GUARD_PROXY_", frozen=True)

    policies: Path = Field(Path("policies.d"), description="Directory of policy files.")
    policies_polling: bool = Field(
        False,
        description="Look for edited policies by polling, for file systems without notifications.",
    )
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8080, ge=0, le=65535, description="Port to listen on.")
    redis_url: SecretStr | None = Field(
        None, description="Redis for traces; without it they stay in the SQLite file."
    )
    sqlite_path: Path = Field(
        Path("guard-proxy.sqlite3"),
        description="SQLite file: the trace store without Redis, the outbox with it.",
    )
    admin_token: SecretStr | None = Field(
        None, description="Bearer token that may read every tenant's traces; none: nobody may."
    )
    debug: bool = Field(
        False, description="Log one record per request with everything that was decided."
    )
    log_format: LogFormat = Field(
        LogFormat.AUTO, description="json, console, or auto: console on a terminal."
    )
    max_body_bytes: int = Field(10 * 2**20, ge=1, description="Largest request body, in bytes.")
    max_reply_bytes: int = Field(
        64 * 2**20, ge=1, description="Largest reply of a model server that is held, in bytes."
    )
    keep_alive_s: float = Field(
        10.0,
        gt=0,
        description="A held stream sends a comment this often, so that nobody times out.",
    )
    shutdown_s: float = Field(
        30.0, gt=0, description="Time that running requests get to end on SIGTERM."
    )
