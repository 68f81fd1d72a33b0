"""The service as commands run it: what it says of itself, and of what keeps it from starting."""

import asyncio
import contextlib
import gc
import socket
from collections.abc import AsyncGenerator, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from guards.core.reading import keep_sources
from policies.schema.errors import PolicyError
from proxy.app import connection_limiter, create_app, open_services
from proxy.cli.descriptors import take_descriptors
from proxy.cli.output import fail
from proxy.cli.stopping import Signals
from proxy.logs import logger
from proxy.server.serving import CannotListen, loop_factory, served
from proxy.services import Services
from proxy.settings import Settings
from proxy.telemetry.environment import OtelSettingsError
from proxy.tenants import Tenants
from proxy.traces.sqlite import UnknownSchema
from proxy.traces.store import TraceStoreAway
from proxy.workers.place import ALONE, Place

log = logger(__name__)

# How many new objects, and how many collections of these, bring about a collection. Readings of
# sources are many objects that stay and hold no cycles: what Python does by itself would walk
# through all of them at every 25th request that brings new ones, 150 ms each time.
_COLLECTED_AFTER = (2_000, 10, 50)
_MOST_WAITING = 64


@dataclass(frozen=True, slots=True)
class Running:
    """The service under way.

    Attributes:
        address: Where it serves.
        services: What it is made of.
    """

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
        settings: The settings.
        opened: What to listen on; None to open what the settings say.
        tenants: The tenants; None to read their policies.
        place: Which of several processes this one is.
    """
    take_descriptors(settings)
    keep_sources(settings.source_cache_chars)
    async with (
        open_services(settings, tenants=tenants, place=place) as services,
        served(
            create_app(services),
            settings.host,
            settings.port,
            opened=opened,
            shutdown_s=settings.shutdown_s,
            connections=connection_limiter(services),
            give_up=services.shutdown.cancel_all,
        ) as address,
    ):
        keep_for_good()
        yield Running(address, services)


async def until_told(signals: Signals, running: Running) -> None:
    """Serve until a signal ends it; the policies are read again at SIGHUP.

    Then nobody new is asked for: requests are still served for as long as load balancers take to
    see that. A second signal ends that, and the patience with requests under way.
    """
    settings, closing = running.services.settings, running.services.shutdown
    rereading: set[asyncio.Task[None]] = set()

    def reread() -> None:
        task = asyncio.create_task(running.services.reread())
        rereading.add(task)
        task.add_done_callback(rereading.discard)

    signals.tell(hurry=closing.cancel_all, reread=reread)
    await signals.stop.wait()
    closing.request()
    if running.services.place is ALONE:
        log_stop(settings)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(settings.unready_s):
            await closing.deadline_passed.wait()


def run_service(serving: Coroutine[None, None, None]) -> None:
    """Run what serves to its end, in a loop of its own."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        # They wait: for long texts that are judged apart, and for the names of servers.
        waiting = ThreadPoolExecutor(max_workers=_MOST_WAITING)
        runner.get_loop().set_default_executor(waiting)
        runner.run(serving)


def keep_for_good() -> None:
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
def reasons_said(settings: Settings) -> Generator[None, None, None]:
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
