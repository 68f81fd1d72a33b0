"""The policies in force: loaded at the start, reloaded when a file changes, swapped as a whole.

A request keeps the snapshot that it began with by holding it. When a file is broken after an edit,
the whole last good snapshot stays in force, for every tenant: one rule, and never a mixture of two
states of the directory. A file that is broken at the start is an error.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from watchfiles import awatch

from policies.schema.base import Place, PolicyError, Problem
from policies.schema.loader import LoadedPolicy, load_policies

DEBOUNCE_MS = 1000
QUIET_MS = 100
LOOK_EVERY_S = 5.0
_TRIES = 5
"""Attempts to read the directory while it changes during reading."""

FileState = tuple[str, int, int, int]


def _none(_: Mapping[str, LoadedPolicy]) -> Sequence[Problem]:
    return ()


def utc_now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The policies as they stood at one moment.

    Attributes:
        tenants: Those that serve a tenant, by the tenant's name.
        loaded_at: When they were first read as they are, in UTC.
    """

    policies: Mapping[str, LoadedPolicy]
    tenants: Mapping[str, LoadedPolicy]
    loaded_at: datetime
    since: Mapping[str, datetime]


@dataclass(frozen=True, slots=True)
class Reload:
    """Outcome of a reload.

    Attributes:
        snapshot: The policies in force afterwards.
        changed: Names of the policies that are new, gone or different; empty after an error.
        error: Why the edit was not taken; None if it was.
    """

    snapshot: Snapshot
    changed: tuple[str, ...] = ()
    error: PolicyError | None = None


class PolicyStore:
    """Holds the snapshot in force and keeps it true to a directory.

    Args:
        require_env: The variables that hold model servers' keys must be set.
        objections: Returns the parts of a policy that the server cannot carry out.

    Attributes:
        snapshot: The policies in force; take it once for each request.
        last_error: Why the newest edit is not in force; None if it is.

    Raises:
        PolicyError: the policies cannot be used as they stand at the start.
    """

    def __init__(
        self,
        directory: Path,
        *,
        require_env: bool = True,
        now: Callable[[], datetime] = utc_now,
        objections: Callable[[Mapping[str, LoadedPolicy]], Sequence[Problem]] = _none,
    ) -> None:
        self.directory = directory
        self._objections = objections
        self.last_error: PolicyError | None = None
        self._require_env = require_env
        self._now = now
        self._reading = threading.Lock()
        self._files: frozenset[FileState] = frozenset()
        self.snapshot = self._read()

    def reload(self) -> Reload:
        """Read the directory again; on an error the snapshot stays and `last_error` is set."""
        with self._reading:  # somebody may ask for it while it is noticed
            return self._reload()

    def _reload(self) -> Reload:
        before = self.snapshot
        try:
            after = self._read()
        except PolicyError as error:
            self.last_error = error
            return Reload(before, error=error)
        self.last_error = None
        changed = _changed_tenants(before, after)
        if changed:
            self.snapshot = replace(after, since=_since(before, after, changed))
        return Reload(self.snapshot, changed)

    def reload_if_changed(self) -> None:
        """Read the directory again if its files are not those that were read last."""
        if self._files != file_states(self.directory):
            self.reload()

    async def watch(
        self,
        on_reload: Callable[[Reload], None],
        *,
        force_polling: bool = False,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        """Reload whenever a file changes, until cancelled.

        Args:
            on_reload: Called after each reload that changed a policy, failed, or fixed a failure.
            force_polling: Look at the files again and again instead of being told, for file
                systems that tell nothing.
            look_every_s: How often the files' times are compared in any case, in seconds, for what
                nobody tells: a folder that is a swapped link, a folder that went and came back.
        """
        async for _ in self._changes(force_polling=force_polling, look_every_s=look_every_s):
            failed_before = self.last_error
            outcome = await asyncio.to_thread(self.reload)
            if outcome.changed or str(outcome.error) != str(failed_before):
                on_reload(outcome)

    async def _changes(self, *, force_polling: bool, look_every_s: float) -> AsyncIterator[None]:
        """Yield when the directory may have changed since it was last read."""
        while True:
            watching = awatch(
                self.directory,
                watch_filter=None,
                debounce=DEBOUNCE_MS,
                step=QUIET_MS,
                rust_timeout=round(look_every_s * 1000),
                yield_on_timeout=True,
                force_polling=force_polling,
                recursive=False,
            )
            try:
                async for changes in watching:
                    if changes or await self._looks_different():
                        yield
            except (OSError, RuntimeError):
                # The folder is gone, or the system gives no watch: look again in a while.
                await asyncio.sleep(look_every_s)
                if await self._looks_different():
                    yield

    async def _looks_different(self) -> bool:
        return self._files != await asyncio.to_thread(file_states, self.directory)

    def _read(self) -> Snapshot:
        """Read all files as they stood at one moment, also while somebody writes them."""
        for _ in range(_TRIES):
            self._files = file_states(self.directory)
            read: Snapshot | PolicyError
            try:
                read = self._load()
            except PolicyError as error:
                read = error
            if file_states(self.directory) == self._files:
                if isinstance(read, PolicyError):
                    raise read
                return read
        problem = Problem(Place(str(self.directory)), "", "does not stop changing while it is read")
        raise PolicyError([problem])

    def _load(self) -> Snapshot:
        try:
            policies = load_policies(self.directory, require_env=self._require_env)
        except (ValueError, RecursionError) as error:
            # Something so odd that no check foresaw it; the watch goes on for the next edit.
            problem = Problem(Place(str(self.directory)), "", f"cannot be read: {error}")
            raise PolicyError([problem]) from error
        if faults := self._objections(policies):
            raise PolicyError(faults)
        tenants = {name: each for each in policies.values() if (name := each.policy.tenant)}
        now = self._now()
        return Snapshot(
            policies,
            MappingProxyType(tenants),
            now,
            MappingProxyType(dict.fromkeys(policies, now)),
        )


def file_states(directory: Path) -> frozenset[FileState]:
    """Return what tells one state of a directory's files from another, cheaply."""
    try:
        return frozenset(_state(path) for path in directory.iterdir())
    except OSError:
        # Gone, or in the middle of a swap; the next look sees it whole.
        return frozenset()


def _state(path: Path) -> FileState:
    try:
        seen = path.stat()
    except OSError:
        # A link to nowhere, such as an editor's lock.
        return (path.name, 0, 0, 0)
    return (path.name, seen.st_ino, seen.st_size, seen.st_mtime_ns)


def _changed_tenants(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    names = before.policies.keys() | after.policies.keys()
    return tuple(
        sorted(name for name in names if before.policies.get(name) != after.policies.get(name))
    )


def _since(before: Snapshot, after: Snapshot, changed: Collection[str]) -> Mapping[str, datetime]:
    """Return since when each policy stands as it does: one that did not change goes on."""
    return MappingProxyType(
        {
            name: after.loaded_at if name in changed else before.since[name]
            for name in after.policies
        }
    )
