"""The processes in which requests are judged again."""

import os
import signal
import time

import pytest

from policies.schema.guard_rule import Action
from policies.schema.loader import load_shipped
from proxy.replay.workers import Workers, judge_again, packed
from tests.fakes.processes import children_of
from tests.proxy.replay.asking import unanswerable


def test_it_judges_by_the_policy_that_it_is_sent() -> None:
    strict, default = map(load_shipped, ("strict", "default"))
    sent = packed(strict), packed(default)
    trace = unanswerable("one")

    with Workers.start(1).pool as pool:
        by_strict, by_default = pool.map(judge_again, sent, [trace, trace])

    assert (by_strict.policy.name, by_strict.policy.version) == ("strict", strict.version)
    assert (by_strict.action, by_default.action) == (Action.REPLACE, Action.PASS)
    assert by_strict.duration_ms > 0


def test_ctrl_c_is_left_to_whoever_began_them() -> None:
    known = children_of(os.getpid())

    workers = Workers.start(2)
    begun = children_of(os.getpid()) - known
    for number in begun:
        os.kill(number, signal.SIGINT)  # they are not even ready yet
    ready = workers.pool.submit(os.getpid).result()
    os.kill(ready, signal.SIGINT)
    answers = {workers.pool.submit(os.getpid).result() for _ in range(4)}
    workers.end()

    assert answers <= begun


@pytest.mark.parametrize("ready", [False, True], ids=["while-they-start", "while-they-work"])
def test_they_end_at_once_whatever_they_do(ready: bool) -> None:
    workers = Workers.start(2)
    if ready:
        workers.pool.submit(os.getpid).result()
    asleep = [workers.pool.submit(time.sleep, 3600) for _ in range(5)]

    workers.end()

    assert not any(process.is_alive() for process in workers.processes)
    assert all(work.done() for work in asleep)
