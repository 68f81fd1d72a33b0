"""How many files and connections the process may have open at once."""

import resource

from proxy.logs import logger
from proxy.settings import Settings

log = logger(__name__)

_OTHERS = 256
"""Files, stores, judges and other processes."""


def take_descriptors(settings: Settings) -> None:
    """Take as many as the system lets this process have, and log if that may not be enough.

    Many systems let a process begin with 1,024, and have more only if it asks.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    wanted = settings.max_connections + settings.max_upstream_connections + _OTHERS
    if hard not in (resource.RLIM_INFINITY, -1) and hard < wanted:
        log.warning("service.few_descriptors", allowed=hard, wanted=wanted)
