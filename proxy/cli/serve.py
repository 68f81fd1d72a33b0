"""`guard-proxy serve`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from proxy.app import read_tenants
from proxy.cli.environment import help_of, odd_variables, read_settings
from proxy.cli.serve_together import serve_together
from proxy.cli.service import log_start, reasons_said, run_service, service, until_told
from proxy.cli.stopping import service_signals
from proxy.logs import configure_logs, logger
from proxy.readers import ENOUGH_TOKEN_CHARS
from proxy.settings import MOST_WORKERS, Settings

log = logger(__name__)


def serve(
    policies: Annotated[Path | None, typer.Option(help=help_of("policies"))] = None,
    host: Annotated[str | None, typer.Option(help=help_of("host"))] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help=f"{help_of('port')} 0 takes a free one.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_WORKERS, help=help_of("workers")),
    ] = None,
) -> None:
    """Serve tenants until SIGTERM. Settings come from the environment (GUARD_PROXY_…).

    `guard-proxy settings` lists them all: variable, value, source and meaning.
    """
    given = {"policies": policies, "host": host, "port": port, "workers": workers}
    chosen = {name: value for name, value in given.items() if value is not None}
    settings = read_settings(**chosen)
    configure_logs(settings.log_format)
    _warn_of_oddities(settings)
    with reasons_said(settings):
        if settings.workers > 1:
            raise typer.Exit(serve_together(settings))
        run_service(_serve(settings))


def _warn_of_oddities(settings: Settings) -> None:
    for variable, meant in odd_variables(os.environ):
        log.warning("settings.unknown_variable", variable=variable, meant=meant)
    token = settings.admin_token
    if token is not None and len(token.get_secret_value()) < ENOUGH_TOKEN_CHARS:
        log.warning("settings.weak_admin_token", fewer_chars_than=ENOUGH_TOKEN_CHARS)


async def _serve(settings: Settings) -> None:
    tenants = read_tenants(settings)
    with service_signals() as signals:
        async with service(settings, tenants=tenants) as running:
            log_start(settings, running.address, tenants)
            await until_told(signals, running)
    log.info("service.stopped")
