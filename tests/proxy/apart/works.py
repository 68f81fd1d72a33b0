"""Pieces of work for a process; in a module of their own, so that it can import them."""

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import ClassVar, cast

from guards.core.exchange import Exchange
from guards.core.finding import Finding
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading
from policies.inspection import Inspector
from policies.verdict import Verdict


def dies(_: Inspector) -> None:
    """End the process in the middle of its work."""
    os._exit(1)


def hangs(_: Inspector) -> None:
    """Never come to an end."""
    while True:
        time.sleep(60)


def half_said(said: Path) -> None:
    """Hang in the middle of telling the result, as a process does that is killed just then."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        frame = cast("FrameType", frame.f_back)
    os.write(frame.f_locals["result_queue"]._writer.fileno(), b"\0")  # of four that tell a length
    said.touch()
    while True:
        time.sleep(60)


def number(_: Inspector) -> int:
    """Return which process this is."""
    return os.getpid()


class Broken(Guard[GuardSettings]):
    """Breaks at every text; policies know a guard of this name."""

    id = "numbers"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = GuardSettings
    codes: ClassVar[Mapping[str, Code]] = {}

    def check(self, reading: Reading) -> list[Finding]:
        raise LookupError(reading.exchange.question)


def with_broken_guard(inspector: Inspector, exchange: Exchange) -> Verdict:
    """Inspect with a guard that breaks."""
    broken = Inspector(inspector.policy, [Broken(GuardSettings())])
    return broken.inspect(exchange, Stage.OUTPUT)
