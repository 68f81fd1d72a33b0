"""Reads drafts of policies and tries them on traces; nothing is written anywhere.

That happens in a process of its own, so that no draft can keep requests waiting. One that takes too
long is ended together with its process, and the next one starts another.
"""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, TypeVarTuple, Unpack

from policies.schema.document import LARGEST_FILE_BYTES
from policies.schema.errors import Place, PolicyError, Problem
from policies.schema.inheritance import files_in
from policies.schema.keys import SHOWN_HASH, WHOLE_HASH, shown_hash
from policies.schema.loader import LoadedPolicy, load_text
from policies.schema.store import PolicyStore
from proxy.logs import logger
from proxy.replay.workers import Workers, judge_again, packed
from proxy.traces.trace import NotReplayed, Replayed, Trace

log = logger(__name__)

Given = TypeVarTuple("Given")
Made = TypeVar("Made")


MOST_WAITING = 3


class TookTooLong(Exception):
    """A piece of work was not done in time."""


class Crowded(Exception):
    """Too much work waits already."""


class DraftProcess:
    """Does one piece of work after the other in a process of its own."""

    def __init__(self) -> None:
        self._process: Workers | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def done(
        self, within_s: float, work: Callable[[Unpack[Given]], Made], *args: *Given
    ) -> Made:
        """Return what a piece of work comes to.

        Args:
            within_s: Time that it may take, in seconds; starting the process is not counted.
            work: A function of a module.
            args: What it takes; it travels to the process and back.

        Raises:
            TookTooLong: it did not end in time, or broke the process.
            Crowded: several pieces wait for their turn already.
        """
        async with self._its_turn():
            process = self._process = self._process or Workers.start(1)
            loop = asyncio.get_running_loop()
            try:
                await loop.run_in_executor(process.pool, os.getpid)  # it has started
                working = loop.run_in_executor(process.pool, work, *args)
                done, _ = await asyncio.wait({working}, timeout=within_s)
                if done:
                    return working.result()
            except BrokenProcessPool:
                self.close()
                raise TookTooLong from None
            log.warning("draft.took_too_long", within_s=within_s)
            self.close()
            await asyncio.wait({working})
            working.exception()  # it broke, as it was meant to
            raise TookTooLong

    @asynccontextmanager
    async def _its_turn(self) -> AsyncGenerator[None, None]:
        if self._waiting >= MOST_WAITING:
            raise Crowded
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turn.release()

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.end()
            self._process = None


LONGEST_CHARS = 200_000
READ_WITHIN_S = 10.0
TRY_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft that was read.

    Attributes:
        loaded: The policy that it stands for; None if it cannot be used.
        problems: Why not.
    """

    loaded: LoadedPolicy | None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Tried:
    """Traces judged by a draft.

    Attributes:
        pairs: Each trace with what the draft would have made of it, in the order given.
        left_out: How many traces there was no time for.
    """

    pairs: tuple[tuple[Trace, Replayed], ...]
    left_out: int


def file_of(name: str, policies: PolicyStore) -> Path | None:
    """Return the file of a policy, also of one that is not in force; None if there is none."""
    try:
        found = files_in(policies.directory).get(name)
    except PolicyError:
        loaded = policies.snapshot.policies.get(name)
        return Path(loaded.path) if loaded else None
    return Path(str(found)) if found else None


def text_of(path: Path) -> str:
    """Return a file's text, whatever it holds; the hashes of keys are cut short.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE_BYTES)
    text = content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    return WHOLE_HASH.sub(lambda found: shown_hash(found[0]), text)


def with_keys(text: str, path: Path) -> str:
    """Return a draft with the hashes that `text_of` had cut short."""
    try:
        known = WHOLE_HASH.findall(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return text
    whole: Mapping[str, str] = {shown_hash(one): one for one in known}
    return SHOWN_HASH.sub(lambda found: whole.get(found[0], found[0]), text)


async def checked(draft_process: DraftProcess, text: str, path: Path) -> Checked:
    """Read a draft that would stand in a file.

    Raises:
        TookTooLong: it takes too long to read.
    """
    return await draft_process.done(READ_WITHIN_S, _read, text, path.stem, path.parent)


async def tried(draft_process: DraftProcess, draft: LoadedPolicy, traces: Sequence[Trace]) -> Tried:
    """Judge traces by a draft, as many as there is time for.

    Raises:
        TookTooLong: one alone takes too long.
    """
    judged = await draft_process.done(
        TRY_WITHIN_S * 1.5, _judged, packed(draft), tuple(traces), TRY_WITHIN_S
    )
    pairs = tuple(zip(traces, judged, strict=False))
    return Tried(pairs, len(traces) - len(pairs))


def _read(text: str, name: str, directory: Path) -> Checked:
    try:
        return Checked(load_text(text, name, directory))
    except PolicyError as error:
        return Checked(None, error.problems)
    except (ValueError, RecursionError) as error:  # so odd that no check foresaw it
        return Checked(None, (Problem(Place(str(directory / name)), "", str(error)),))


def _judged(policy: bytes, traces: Sequence[Trace], within_s: float) -> list[Replayed]:
    until_s = time.monotonic() + within_s
    judged: list[Replayed] = []
    for trace in traces:
        if time.monotonic() > until_s:
            break
        judged.append(_one(policy, trace))
    return judged


def _one(policy: bytes, trace: Trace) -> Replayed:
    try:
        return judge_again(policy, trace)
    except Exception:  # noqa: BLE001 - such as a guard that the request asked for and no reply for it
        return Replayed(policy=trace.policy, not_run=NotReplayed.FAILED)
