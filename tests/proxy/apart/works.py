"""Pieces of work for a process; in a module of their own, so that it can import them."""

import os
import time
from collections.abc import Mapping
from typing import ClassVar

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
