"""`guard-proxy serve`: the service in one process, or in several workers."""

import asyncio
import contextlib
import gc
import os
import resource
import socket
import sys
from collections.abc import AsyncGenerator, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from structlog.contextvars import bind_contextvars

from guards.core.reading import keep_sources
from policies.schema.base import PolicyError
from proxy.app import connection_limiter, create_app, open_services, read_tenants
from proxy.cli.settings import help_of, read_settings, unknown_variables
from proxy.cli.terminal import Signals, fail, service_signals
from proxy.logs import access_logged, configure_logs, logger
from proxy.metrics import note_end
from proxy.server.serving import CannotListen, address_of, listening, loop_factory, served
from proxy.services import ENOUGH_TOKEN_CHARS, Services
from proxy.settings import MOST_WORKERS, Settings
from proxy.telemetry.spans import OtelSettingsError
from proxy.tenants import Tenants
from proxy.traces.sqlite import UnknownSchema
from proxy.traces.store import TraceStoreAway
from proxy.workers import ALONE, Place, Supervisor, Work, Worker, common_folder

log = logger(__name__)

_OTHERS = 256
"""Files, stores, judges and other processes."""


def raise_descriptor_limit(settings: Settings) -> None:
    """Take as many as the system lets this process have, and log if that may not be enough.

    Many systems let a process begin with 1,024, and have more only if it asks.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    wanted = settings.max_connections + settings.max_upstream_connections + _OTHERS
    if hard not in (resource.RLIM_INFINITY, -1) and hard < wanted:
        log.warning("service.few_descriptors", allowed=hard, wanted=wanted)


# How many new objects, and how many collections of these, bring about a collection. Readings of
# sources are many objects that stay and hold no cycles: what Python does by itself would walk
# through all of them at every 25th request that brings new ones, 150 ms each time.
_COLLECTED_AFTER = (2_000, 10, 50)
_MOST_WAITING = 64
_SWITCH_S = 0.0005
"""How long a thread that reads a long text may keep the interpreter when the event loop wants it.

At Python's 5 ms each step of a short request waits that long, which adds up to 100 ms.
"""


@dataclass(frozen=True, slots=True)
class Running:
    """The running service."""

    address: str
    services: Services


@contextlib.asynccontextmanager
async def service(
    settings: Settings,
    *,
    opened: socket.socket | None = None,
    tenants: Tenants | None = None,
    place: Place = ALONE,
) -> AsyncGenerator[Running, None]:
    """Serve within this block.

    Args:
        opened: What to listen on; None to open what the settings say.
        tenants: The tenants; None to read their policies.
    """
    raise_descriptor_limit(settings)
    keep_sources(settings.source_cache_chars)
    async with open_services(settings, tenants=tenants, place=place) as services:
        with access_logged(create_app(services), settings.access_log) as app:
            async with served(
                app,
                settings.host,
                settings.port,
                opened=opened,
                shutdown_s=settings.shutdown_s,
                connections=connection_limiter(services),
                give_up=services.shutdown.cancel_all,
            ) as address:
                freeze_heap()
                sys.setswitchinterval(_SWITCH_S)
                yield Running(address, services)


async def serve_until_stopped(signals: Signals, running: Running) -> None:
    """Serve until a signal ends it; the policies are read again at SIGHUP.

    Then nobody new is asked for: requests are still served for as long as load balancers take to
    see that. A second signal ends that, and the patience with requests in progress.
    """
    settings, shutdown = running.services.settings, running.services.shutdown
    rereading: set[asyncio.Task[None]] = set()

    def reread() -> None:
        task = asyncio.create_task(running.services.reread())
        rereading.add(task)
        task.add_done_callback(rereading.discard)

    signals.tell(hurry=shutdown.cancel_all, reread=reread)
    await signals.stop.wait()
    shutdown.request()
    if running.services.place is ALONE:
        log_stop(settings)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(settings.unready_s):
            await shutdown.deadline_passed.wait()


def run_service(serving: Coroutine[None, None, None]) -> None:
    """Run what serves to its end, in a loop of its own."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        # They wait: for long texts that are judged apart, and for the names of servers.
        waiting = ThreadPoolExecutor(max_workers=_MOST_WAITING)
        runner.get_loop().set_default_executor(waiting)
        runner.run(serving)


def freeze_heap() -> None:
    """Let the collector of garbage pass over all that is there by now: it stays to the end.

    Otherwise it would walk through it again and again among requests, 60 ms each time; and in
    forked processes it would make a copy of each page that it walks over.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTED_AFTER)


def log_start(settings: Settings, address: str, tenants: Tenants) -> None:
    """Log that the service is up."""
    log.info(
        "service.started",
        address=address,
        tenants=sorted(tenants.policies.snapshot.tenants),
        traces="redis" if settings.redis_url else str(settings.sqlite_path),
        workers=settings.workers,
    )


def log_stop(settings: Settings) -> None:
    """Log that the service ends what it has begun, and nothing else."""
    log.info("service.stopping", within_s=settings.unready_s + settings.shutdown_s)


@contextlib.contextmanager
def start_failures_reported(settings: Settings) -> Generator[None, None, None]:
    """Say what keeps the service from starting, and end with exit status 2."""
    try:
        yield
    except PolicyError as error:
        fail("The policies cannot be used:", *map(str, error.problems))
    except TraceStoreAway as error:
        fail(f"{settings.sqlite_path}: {error}")
    except OtelSettingsError as error:
        fail("The settings of telemetry cannot be used:", *error.problems)
    except (CannotListen, UnknownSchema) as error:
        fail(str(error))


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
        # Another process on the port would share it, and get half of the requests.
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
            freeze_heap()
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
        """Take what a worker said about itself out of the metrics."""
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
        with start_failures_reported(settings):
            run_service(_serve_as_worker(settings, tenants, place, opened, worker))
    except typer.Exit as ended:
        return ended.exit_code
    return 0


async def _serve_as_worker(
    settings: Settings, tenants: Tenants, place: Place, opened: socket.socket, worker: Worker
) -> None:
    with service_signals() as signals:
        async with service(settings, opened=opened, tenants=tenants, place=place) as running:
            worker.ready()
            log.info("worker.started", pid=os.getpid())
            with _orphaned(worker, signals.stop):
                await serve_until_stopped(signals, running)
    log.info("worker.stopped")


@contextlib.contextmanager
def _orphaned(worker: Worker, stop: asyncio.Event) -> Generator[None, None, None]:
    """Set an event within this block when the parent process has ended."""
    loop = asyncio.get_running_loop()

    def parent_ended() -> None:
        loop.remove_reader(worker.parent_fd)
        stop.set()

    loop.add_reader(worker.parent_fd, parent_ended)
    try:
        yield
    finally:
        loop.remove_reader(worker.parent_fd)


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
    _warn_of_unknown_variables(settings)
    with start_failures_reported(settings):
        if settings.workers > 1:
            raise typer.Exit(serve_together(settings))
        run_service(_serve(settings))


def _warn_of_unknown_variables(settings: Settings) -> None:
    for variable, meant in unknown_variables(os.environ):
        log.warning("settings.unknown_variable", variable=variable, meant=meant)
    token = settings.admin_token
    if token is not None and len(token.get_secret_value()) < ENOUGH_TOKEN_CHARS:
        log.warning("settings.weak_admin_token", fewer_chars_than=ENOUGH_TOKEN_CHARS)


async def _serve(settings: Settings) -> None:
    tenants = read_tenants(settings)
    with service_signals() as signals:
        async with service(settings, tenants=tenants) as running:
            log_start(settings, running.address, tenants)
            await serve_until_stopped(signals, running)
    log.info("service.stopped")
