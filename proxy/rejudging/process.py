"""The process in which requests are judged again, so that it costs those under way nothing.

A thread would share the interpreter's lock with them. The process ends with the one that began it,
however that ends.
"""

import multiprocessing
import os
import pickle
import signal
import threading
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import lru_cache
from time import perf_counter

from policies.loader import LoadedPolicy
from proxy.rejudging.again import rejudged
from proxy.tenants import Judging, judging_by
from proxy.traces.parts import Rejudged
from proxy.traces.trace import Trace

MOST_POLICIES = 64
"""Policies that the process keeps ready; making one ready takes a few milliseconds."""


def start_process() -> Executor:
    """Return one process that takes work; it starts with the first piece."""
    return ProcessPoolExecutor(
        max_workers=1, mp_context=multiprocessing.get_context("spawn"), initializer=_begin
    )


def packed(loaded: LoadedPolicy) -> bytes:
    """Return a policy as it travels to the process."""
    return pickle.dumps(loaded)


def judge_again(policy: bytes, trace: Trace) -> Rejudged:
    """Judge a request again; runs in the process.

    Args:
        policy: The other policy, packed.
        trace: The request.
    """
    began_s = perf_counter()
    tried = rejudged(trace, _judging(policy))
    return tried.model_copy(update={"duration_ms": (perf_counter() - began_s) * 1000})


@lru_cache(maxsize=MOST_POLICIES)
def _judging(policy: bytes) -> Judging:
    loaded: LoadedPolicy = pickle.loads(policy)  # noqa: S301 - packed by ourselves, a pipe away
    return judging_by(loaded)


def _begin() -> None:
    # Ctrl-C reaches every process of a terminal; the one that began this one ends it in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
