"""`guard-proxy serve` with several workers: what they inherit, and what each of them does."""

import asyncio
import contextlib
import os
import socket
from collections.abc import Generator
from dataclasses import replace
from functools import partial
from pathlib import Path

import typer
from structlog.contextvars import bind_contextvars

from proxy.app import read_tenants
from proxy.cli.output import fail
from proxy.cli.service import (
    keep_for_good,
    log_start,
    log_stop,
    reasons_said,
    run_service,
    service,
    until_told,
)
from proxy.cli.stopping import service_signals
from proxy.logs import logger
from proxy.metrics.shared import note_end
from proxy.server.serving import address_of, listening
from proxy.settings import Settings
from proxy.tenants import Tenants
from proxy.workers.folders import common_folder
from proxy.workers.place import Place
from proxy.workers.supervisor import Supervisor
from proxy.workers.worker import Work, Worker

log = logger(__name__)

CLOSING_S = 30.0
"""Time that a worker gets, behind that of its requests, to bring its traces home."""


def serve_together(settings: Settings) -> int:
    """Serve with several workers until SIGTERM or SIGINT; return the exit status.

    Raises:
        PolicyError: the policies cannot be used.
        CannotListen: the address is taken or not ours.
    """
    tenants = read_tenants(settings)
    with listening(settings.host, settings.port) as alone:
        # Whoever serves there already would share the port, and get half of the requests.
        port = alone.getsockname()[1]
    with _common_folder() as folder:
        crew = _ServingCrew(settings.model_copy(update={"port": port}), tenants, folder)
        patience_s = settings.unready_s + settings.shutdown_s + CLOSING_S
        status = Supervisor(crew, settings.workers, patience_s=patience_s).run()
    log.info("service.stopped")
    return status


class _ServingCrew:
    """Workers that serve on one port.

    Each has a socket of its own there, among which the kernel spreads the connections: workers that
    wait at one socket would take what they can get, and the busiest most of it.
    """

    def __init__(self, settings: Settings, tenants: Tenants, folder: Path) -> None:
        self._settings = settings
        self._tenants = tenants
        self._place = Place(count=settings.workers, folder=folder)
        self._address = ""

    @contextlib.contextmanager
    def work_of(self, number: int) -> Generator[Work, None, None]:
        """Give what a worker will do; what it inherits is not touched by its garbage collector."""
        self.look()
        settings = self._settings
        place = replace(self._place, number=number)
        with listening(settings.host, settings.port, shared=True) as opened:
            self._address = address_of(opened)
            keep_for_good()
            yield partial(_work, settings, self._tenants, place, opened)

    def look(self) -> None:
        """Read the policies again if they were edited: the next worker begins with them.

        Broken ones leave the last good ones in force, as they do in the workers.
        """
        self._tenants.policies.reload_if_changed()
        _ = self._tenants.book  # builds their guards, and loads what these need

    def started(self) -> None:
        """Log that the service is up."""
        log_start(self._settings, self._address, self._tenants)

    def stopping(self) -> None:
        """Log that it ends."""
        log_stop(self._settings)

    def ended(self, number: int) -> None:
        """Take what a worker said of itself out of the metrics."""
        if self._place.metrics is not None:
            note_end(self._place.metrics, number)


@contextlib.contextmanager
def _common_folder() -> Generator[Path, None, None]:
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(common_folder())
        except OSError as error:
            fail(f"Workers need a folder for what they have in common; TMPDIR names one: {error}")
        yield folder


def _work(
    settings: Settings, tenants: Tenants, place: Place, opened: socket.socket, worker: Worker
) -> int:
    bind_contextvars(worker=place.number)
    try:
        with reasons_said(settings):
            run_service(_serve(settings, tenants, place, opened, worker))
    except typer.Exit as ended:
        return ended.exit_code
    return 0


async def _serve(
    settings: Settings, tenants: Tenants, place: Place, opened: socket.socket, worker: Worker
) -> None:
    with service_signals() as signals:
        async with service(settings, opened=opened, tenants=tenants, place=place) as running:
            worker.ready()
            log.info("worker.started", pid=os.getpid())
            with _orphaned(worker, signals.stop):
                await until_told(signals, running)
    log.info("worker.stopped")


@contextlib.contextmanager
def _orphaned(worker: Worker, stop: asyncio.Event) -> Generator[None, None, None]:
    """Set an event within this block when the parent is gone, however it went."""
    loop = asyncio.get_running_loop()

    def heard() -> None:
        loop.remove_reader(worker.parent_fd)
        stop.set()

    loop.add_reader(worker.parent_fd, heard)
    try:
        yield
    finally:
        loop.remove_reader(worker.parent_fd)
