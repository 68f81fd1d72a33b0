"""`guard-proxy serve`."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from policies.errors import PolicyError
from proxy.app import create_app, open_services
from proxy.cli.environment import read_settings
from proxy.cli.output import fail
from proxy.cli.stopping import stop_signals
from proxy.logs import configure_logs, logger
from proxy.serving import CannotListen, served
from proxy.settings import Settings
from proxy.telemetry.environment import OtelSettingsError
from proxy.traces.sqlite import UnknownSchema
from proxy.traces.store import TraceStoreAway

log = logger(__name__)


def serve(
    policies: Annotated[Path | None, typer.Option(help="Directory of policy files.")] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 for a free one.")
    ] = None,
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
    except TraceStoreAway as error:
        fail(f"{settings.sqlite_path}: {error}")
    except OtelSettingsError as error:
        fail("The settings of telemetry cannot be used:", *error.problems)
    except (CannotListen, UnknownSchema) as error:
        fail(str(error))


async def _serve(settings: Settings) -> None:
    with stop_signals() as stop:
        async with (
            open_services(settings) as services,
            served(
                create_app(services),
                settings.host,
                settings.port,
                shutdown_s=settings.shutdown_s,
            ) as address,
        ):
            log.info(
                "service.started",
                address=address,
                tenants=sorted(services.policies.snapshot.tenants),
                traces="redis" if settings.redis_url else str(settings.sqlite_path),
            )
            await stop.wait()
            log.info("service.stopping", within_s=settings.shutdown_s)
    log.info("service.stopped")
