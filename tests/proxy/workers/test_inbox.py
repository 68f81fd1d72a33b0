"""Signals that wait to be taken, and interrupt nothing."""

import os
import select
import signal

from proxy.workers.supervisor import SignalInbox


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
