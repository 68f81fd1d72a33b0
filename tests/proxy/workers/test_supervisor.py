"""A parent begins its workers, begins anew those that die, and ends them all."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proxy.workers import Backoff, SignalInbox
from tests.fakes.processes import is_there

DEADLINE_S = 30.0
ROOT = Path(__file__).parents[3]


class Parent:
    """A parent under way, with `count` workers that do as `what` says."""

    def __init__(self, folder: Path, what: str, count: int = 3) -> None:
        self._folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.proxy.workers.crews", folder, str(count), what],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )

    def workers(self) -> dict[int, set[int]]:
        """Return the ids of all workers that there ever were, by their numbers."""
        found: dict[int, set[int]] = {}
        for path in self._folder.glob("*.*"):
            number, _, pid = path.name.partition(".")
            found.setdefault(int(number), set()).add(int(pid))
        return found

    def living(self) -> set[int]:
        return {pid for pids in self.workers().values() for pid in pids if is_there(pid)}

    def said(self) -> str:
        """Return what it says next; between that stand log lines, which begin with a time."""
        assert self.process.stdout
        line = self.process.stdout.readline().strip()
        return self.said() if line[:1].isdigit() else line

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def status(self) -> int:
        return self.process.wait(DEADLINE_S)


def until(reached: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not reached():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


Start = Callable[..., Parent]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    begun: list[Parent] = []

    def start(what: str, count: int = 3) -> Parent:
        begun.append(Parent(tmp_path, what, count))
        return begun[-1]

    yield start
    for parent in begun:
        parent.process.kill()
        parent.process.communicate()
        until(lambda parent=parent: not parent.living())  # type: ignore[misc]


def test_who_dies_is_begun_again_and_all_end_when_told_to(start: Start, tmp_path: Path) -> None:
    parent = start("obedient")
    assert parent.said() == "started"
    assert sorted(parent.workers()) == [1, 2, 3]
    assert len(os.listdir(f"/proc/{parent.process.pid}/task")) == 1  # no thread where one forks
    [[second], [third]] = parent.workers()[2], parent.workers()[3]

    os.kill(second, signal.SIGKILL)
    assert parent.said() == "ended 2"
    until(lambda: len(parent.workers()[2]) == 2)

    (tmp_path / "no-more").touch()
    os.kill(third, signal.SIGKILL)
    assert parent.said() == "ended 3"
    (tmp_path / "no-more").unlink()
    until(lambda: len(parent.workers()[3]) == 2)
    assert len(parent.living()) == 3
    assert len(parent.workers()[1]) == 1

    parent.send(signal.SIGTERM)

    assert parent.status() == 0
    assert parent.said() == "stopping"
    assert sorted(parent.said() for _ in range(3)) == ["ended 1", "ended 2", "ended 3"]
    assert not parent.living()


def test_a_third_signal_kills_those_that_take_their_time(start: Start) -> None:
    parent = start("stubborn")
    assert parent.said() == "started"

    parent.send(signal.SIGINT)
    assert parent.said() == "stopping"
    assert len(parent.living()) == 3
    parent.send(signal.SIGTERM)
    parent.send(signal.SIGINT)  # two of a kind might count for one

    assert parent.status() == 1
    assert not parent.living()


def test_when_the_parent_is_killed_the_workers_end(start: Start) -> None:
    parent = start("obedient")
    assert parent.said() == "started"

    parent.send(signal.SIGKILL)

    until(lambda: not parent.living())


@pytest.mark.parametrize(
    ("what", "status", "begun"),
    [
        pytest.param("first_fails", 4, 1, id="the-first-keeps-the-others-from-beginning"),
        pytest.param("second_fails", 3, 3, id="another-ends-them-all"),
        pytest.param("breaks", 70, 1, id="an-exception"),
    ],
)
def test_one_that_does_not_come_up_stops_the_start(
    start: Start, what: str, status: int, begun: int
) -> None:
    parent = start(what)

    assert parent.status() == status
    assert len(parent.workers()) <= begun
    assert not parent.living()


def test_pauses_double_while_workers_die_young_up_to_the_longest() -> None:
    backoff = Backoff(first_s=1.0, longest_s=5.0, steady_s=60.0)

    assert [backoff.pause_s(lived_s=2.0) for _ in range(5)] == [1.0, 2.0, 4.0, 5.0, 5.0]


def test_after_one_that_lived_long_there_is_no_pause_and_all_begins_anew() -> None:
    backoff = Backoff(first_s=1.0, longest_s=5.0, steady_s=60.0)
    for _ in range(3):
        backoff.pause_s(lived_s=0.0)

    assert backoff.pause_s(lived_s=60.0) == 0.0
    assert backoff.pause_s(lived_s=0.0) == 1.0


def test_signals_wait_until_they_are_taken_each_once() -> None:
    with SignalInbox([signal.SIGUSR1, signal.SIGUSR2]) as inbox:
        os.kill(os.getpid(), signal.SIGUSR1)
        os.kill(os.getpid(), signal.SIGUSR2)
        readable, _, _ = select.select([inbox], [], [], 10)

        assert readable == [inbox]
        assert inbox.take() == [signal.SIGUSR1, signal.SIGUSR2]
        assert inbox.take() == []


def test_afterwards_whoever_handled_them_before_does_so_again() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        with SignalInbox([signal.SIGUSR1]):
            os.kill(os.getpid(), signal.SIGUSR1)
        assert seen == []
        os.kill(os.getpid(), signal.SIGUSR1)
        assert seen == [signal.SIGUSR1]
    finally:
        signal.signal(signal.SIGUSR1, before)
