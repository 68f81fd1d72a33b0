"""`guard-proxy serve`."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from policies.errors import PolicyError
from proxy.app import create_app, open_services
from proxy.cli.output import fail
from proxy.logs import configure_logs, logger
from proxy.serving import address_of, open_socket
from proxy.serving import serve as serve_app
from proxy.settings import Settings

log = logger(__name__)


def serve(
    policies: Annotated[Path | None, typer.Option(help="Directory of policy files.")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 for a free one.")] = None,
) -> None:
    """Serve tenants until SIGTERM. Settings come from the environment (GUARD_PROXY_…)."""
    given = {"policies": policies, "host": host, "port": port}
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = read_settings().model_copy(update=chosen)
    configure_logs(settings.log_format)
    try:
        asyncio.run(_serve(settings))
    except PolicyError as error:
        fail("The policies cannot be used:", *map(str, error.problems))
    except OSError as error:
        fail(f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.")


def read_settings() -> Settings:
    """Read the settings from the environment."""
    try:
        return Settings()
    except ValidationError as error:
        fail(
            "The settings cannot be used:",
            *(
                f"GUARD_PROXY_{'_'.join(map(str, item['loc'])).upper()}: {item['msg']}"
                for item in error.errors()
            ),
        )


async def _serve(settings: Settings) -> None:
    opened = open_socket(settings.host, settings.port)
    async with open_services(settings) as services:
        log.info(
            "service.started",
            address=address_of(opened),
            tenants=sorted(services.policies.snapshot.tenants),
            traces="redis" if settings.redis_url else str(settings.sqlite_path),
        )
        await serve_app(create_app(services), opened, shutdown_s=settings.shutdown_s)
    log.info("service.stopped")
