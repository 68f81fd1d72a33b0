"""What is measured: anything that stands between a caller and the model server.

The bench prepares a subject once (``prepare``), starts it with the upstream's port, sends every
load to the address that ``start`` returns, reads the processor time and the memory of ``pids`` and
all their children, and stops it. A subject that this machine cannot run raises ``Absent`` from
``prepare`` or ``start``; the reason then stands in the table in place of figures.

Every subject gets the same bytes, but for the headers that it asks for itself: a chat completion of
``MODEL`` with the sources in its messages. The upstream chooses the answer by ``seed``, so that a
subject must pass this field on, as well as ``model``, ``messages`` and ``stream``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

MODEL = "bench"
CHAT_PATH = "/v1/chat/completions"


class Absent(Exception):
    """The subject cannot be run on this machine."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Reached:
    """Where a started subject answers on 127.0.0.1, and what a request to it must carry."""

    port: int
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = CHAT_PATH


class Subject(Protocol):
    """One row of the tables."""

    @property
    def name(self) -> str:
        """A short name that no other subject has, such as ``LiteLLM, hook``."""

    @property
    def workers(self) -> int:
        """How many worker processes serve; 0 where the word means nothing (direct)."""

    @property
    def guarded(self) -> bool:
        """Whether it looks at the answer, and so is compared with the guards turned on."""

    def prepare(self) -> str:
        """Install what is missing and return the version; called once, may take minutes.

        Raises:
            Absent: it cannot be had on this machine.
        """

    def start(self, upstream_port: int, folder: Path) -> Reached:
        """Start it in front of ``http://127.0.0.1:<upstream_port>`` and wait until it answers.

        ``folder`` exists, belongs to this start alone and is removed after ``stop``; logs go there.

        Raises:
            Absent: it does not start; nothing of it runs on.
        """

    def pids(self) -> Sequence[int]:
        """The processes that were started; the bench finds their children itself."""

    def stop(self) -> None:
        """End every process of this start within ten seconds; harmless when nothing runs."""
