"""Reads drafts of policies, tries them on traces and says what changes; nothing is written.

That happens in a separate process, so that no draft can keep requests waiting. One that takes too
long is ended together with its process, and the next one starts another.
"""

import asyncio
import os
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, TypeVarTuple, Unpack

from policies.schema.base import Place, PolicyError, Problem
from policies.schema.document import LARGEST_FILE_BYTES
from policies.schema.inheritance import files_in
from policies.schema.keys import SHOWN_HASH, WHOLE_HASH, shown_hash
from policies.schema.loader import LoadedPolicy, load_text
from policies.schema.store import PolicyStore
from proxy.logs import logger
from proxy.replay.comparison import Improvement, improvement, only_in
from proxy.replay.workers import OneProcess, judge_again, packed
from proxy.traces.trace import NotReplayed, PlacedFinding, ReplayResult, Trace

log = logger(__name__)

Given = TypeVarTuple("Given")
DoneT = TypeVar("DoneT")


MOST_WAITING = 3


class TookTooLong(Exception):
    """A piece of work was not done in time."""


class Crowded(Exception):
    """Too much work waits already."""


class DraftProcess(OneProcess):
    """Does one piece of work after the other in a separate process."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def done(
        self, within_s: float, work: Callable[[Unpack[Given]], DoneT], *args: *Given
    ) -> DoneT:
        """Return the result of a piece of work.

        Args:
            within_s: Time that it may take, in seconds; starting the process is not counted.
            work: A function of a module.
            args: What it takes; it travels to the process and back.

        Raises:
            TookTooLong: it did not end in time, or broke the process.
            Crowded: several pieces wait for their turn already.
        """
        async with self._its_turn():
            process = self.open()
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


LONGEST_CHARS = 200_000
READ_WITHIN_S = 10.0
TRY_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft that was read.

    Attributes:
        loaded: The policy that it stands for; None if it cannot be used.
        problems: Why not, or what is odd about it.
    """

    loaded: LoadedPolicy | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """Traces judged by a draft.

    Attributes:
        pairs: Each trace with what the draft would have made of it, in the order given.
        left_out: How many traces there was no time for.
    """

    pairs: tuple[tuple[Trace, ReplayResult], ...]
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
        TRY_WITHIN_S * 1.5, _replay_results, packed(draft), tuple(traces), TRY_WITHIN_S
    )
    pairs = tuple(zip(traces, judged, strict=False))
    return Tried(pairs, len(traces) - len(pairs))


def _read(text: str, name: str, directory: Path) -> Checked:
    try:
        loaded = load_text(text, name, directory)
    except PolicyError as error:
        return Checked(None, error.problems)
    except (ValueError, RecursionError) as error:  # so odd that no check foresaw it
        return Checked(None, (Problem(Place(str(directory / name)), "", str(error)),))
    return Checked(loaded, loaded.warnings)


def _replay_results(policy: bytes, traces: Sequence[Trace], within_s: float) -> list[ReplayResult]:
    until_s = time.monotonic() + within_s
    judged: list[ReplayResult] = []
    for trace in traces:
        if time.monotonic() > until_s:
            break
        judged.append(_one(policy, trace))
    return judged


def _one(policy: bytes, trace: Trace) -> ReplayResult:
    try:
        return judge_again(policy, trace)
    except Exception:  # noqa: BLE001 - such as a guard that the request asked for and no reply for it
        return ReplayResult(policy=trace.policy, not_run=NotReplayed.FAILED)


@dataclass(frozen=True, slots=True)
class Preview:
    """One request under a draft."""

    trace: Trace
    tried: ReplayResult

    @property
    def comes(self) -> list[PlacedFinding]:
        """Findings that only the draft has."""
        return only_in(self.tried.placed_findings, self.trace.placed_findings)

    @property
    def goes(self) -> list[PlacedFinding]:
        """Findings that the draft does not have."""
        return only_in(self.trace.placed_findings, self.tried.placed_findings)


@dataclass(frozen=True, slots=True)
class Move:
    """Requests of which the same was made, and of which a draft would make the same.

    Attributes:
        example: Id of the newest.
    """

    before: str
    after: str
    count: int
    example: str

    @property
    def changes(self) -> bool:
        """True if the draft would take another action."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Moves:
    """Many requests under a draft.

    Attributes:
        moves: What changes first, then the most frequent.
    """

    moves: Sequence[Move]
    untried: Sequence[tuple[NotReplayed, int]]
    left_out: int

    @classmethod
    def of(cls, tried: Tried) -> "Moves":
        """Count what changes."""
        counts: Counter[tuple[str, str]] = Counter()
        examples: dict[tuple[str, str], str] = {}
        untried: Counter[NotReplayed] = Counter()
        for trace, judged in tried.pairs:
            if judged.not_run is not None:
                untried[judged.not_run] += 1
                continue
            pair = trace.action_name, judged.action_name
            counts[pair] += 1
            examples.setdefault(pair, trace.id)
        moves = [Move(*pair, count, examples[pair]) for pair, count in counts.items()]
        moves.sort(key=lambda move: (not move.changes, -move.count))
        return cls(moves, untried.most_common(), tried.left_out)

    @property
    def judged(self) -> int:
        """Number of requests tried."""
        return sum(move.count for move in self.moves)

    @property
    def changed(self) -> int:
        """Of how many the draft would make something else."""
        return sum(move.count for move in self.moves if move.changes)


@dataclass(frozen=True, slots=True)
class LabelledMoves:
    """Labelled requests under a draft.

    Attributes:
        better: Those that come out as their label asks for, and did not.
        worse: Those that did, and no longer do.
        same: How many are as right or as wrong as before.
        unknown: Number for which the result is unknown without asking the model.
    """

    better: Sequence[Preview]
    worse: Sequence[Preview]
    same: int
    unknown: int
    untried: Sequence[tuple[NotReplayed, int]]
    left_out: int

    @classmethod
    def of(cls, tried: Tried) -> "LabelledMoves":
        """Hold what a draft makes of requests against their labels."""
        found: dict[Improvement | None, list[Preview]] = {}
        for trace, judged in tried.pairs:
            found.setdefault(improvement(trace, judged), []).append(Preview(trace, judged))
        untried = Counter(one.tried.not_run for one in found.get(None, []) if one.tried.not_run)
        return cls(
            better=found.get(Improvement.BETTER, []),
            worse=found.get(Improvement.WORSE, []),
            same=len(found.get(Improvement.SAME, [])),
            unknown=len(found.get(Improvement.UNKNOWN, [])),
            untried=untried.most_common(),
            left_out=tried.left_out,
        )

    @property
    def judged(self) -> int:
        """Number of requests tried."""
        return len(self.better) + len(self.worse) + self.same + self.unknown
