"""Who is measured, and by which names."""

import os
from pathlib import Path

from tests.bench.guard_proxy import GuardProxy
from tests.bench.own_subjects import Direct, Nginx
from tests.bench.peers import peers
from tests.bench.subjects import Subject

DIRECT = "direct"
NGINX = "nginx"
OURS = "guard-proxy"
OFF = f"{OURS}, guards off, no traces"
OFF_TRACED = f"{OURS}, guards off"
ON = f"{OURS}, guards on"
ON_UNTRACED = f"{ON}, no traces"
FOUR = ", 4 workers"
LITELLM = "LiteLLM"
LITELLM_HOOK = "LiteLLM, hook"
PORTKEY = "Portkey"
PORTKEY_REGEX = "Portkey, regex guard"


def everyone() -> list[Subject]:
    """Return all subjects, in the order of the tables.

    Several workers are measured only where there is a core for each.
    """
    cores = len(os.sched_getaffinity(0))
    return [one for one in _subjects() if one.workers <= max(1, cores)]


def _subjects() -> list[Subject]:
    return [
        Direct(),
        Nginx(NGINX),
        Nginx(NGINX + FOUR, 4),
        GuardProxy(OFF, guarded=False, traces=False),
        GuardProxy(OFF + FOUR, guarded=False, traces=False, workers=4),
        GuardProxy(OFF_TRACED, guarded=False, traces=True),
        GuardProxy(ON, guarded=True, traces=True),
        GuardProxy(ON + FOUR, guarded=True, traces=True, workers=4),
        GuardProxy(ON_UNTRACED, guarded=True, traces=False),
        *peers(),
    ]


def own() -> list[Subject]:
    """Return what the quick mode measures."""
    return [
        Direct(),
        Nginx(NGINX),
        GuardProxy(OFF, guarded=False, traces=False),
        GuardProxy(ON, guarded=True, traces=True),
    ]


def of_another(tree: Path) -> list[Subject]:
    """Return this proxy as it stands in another checkout."""
    return [
        GuardProxy(f"{OFF} ({tree.name})", guarded=False, traces=False, tree=tree),
        GuardProxy(f"{ON} ({tree.name})", guarded=True, traces=True, tree=tree),
    ]
