"""Which of several processes this one is, and the folder that they have in common.

The folder is locked for as long as anybody lives who uses it, which the kernel ends with the last
of them, however that goes. So a folder of ours without a lock is nobody's.
"""

import contextlib
import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from proxy.logs import logger


@dataclass(frozen=True, slots=True)
class Place:
    """A process among those that serve together on one machine.

    Attributes:
        number: Number of the worker, from 1; a replacement of a dead worker has the same.
        count: How many there are.
        folder: What they have in common beside the stores; it is empty when they begin, and goes
            when they end. None for one process by itself.
    """

    number: int = 1
    count: int = 1
    folder: Path | None = None

    @property
    def metrics(self) -> Path | None:
        """Folder of the metrics that workers share."""
        return self.folder and self.folder / "metrics"

    @property
    def sessions(self) -> Path | None:
        """Folder of the dashboard's sessions, if there is no Redis."""
        return self.folder and self.folder / "sessions"


ALONE = Place()


log = logger(__name__)

_PREFIX = "guard-proxy-workers-"
_NAME = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")
_OWN_ONLY = 0o700
_TRIES = 5


@contextlib.contextmanager
def common_folder() -> Generator[Path, None, None]:
    """Make a folder, locked, within this block; also takes away those that nobody uses any more.

    The lock also protects the folder from cleaners of old files: systemd respects it.

    Raises:
        OSError: there is no place for it.
    """
    home = Path(tempfile.gettempdir())
    for left in _left_behind(home):
        _remove_if_nobodys(left)
    folder, opened = _made_and_locked()
    try:
        place = Place(folder=folder)
        for inside in filter(None, (place.metrics, place.sessions)):
            inside.mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(opened)


def _made_and_locked() -> tuple[Path, int]:
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        with contextlib.suppress(FileNotFoundError):
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(opened, fcntl.LOCK_SH)
            if folder.exists():
                return folder, opened
            os.close(opened)
        # Another service began at this moment, and took it for left behind.
    raise FileNotFoundError("others take the folder away as soon as it is made")


def _left_behind(home: Path) -> Iterator[Path]:
    """Find what looks exactly as a folder of ours does."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(home):
            if _NAME.fullmatch(entry.name) and _is_ours(entry.stat(follow_symlinks=False)):
                yield Path(entry.path)


def _is_ours(seen: os.stat_result) -> bool:
    is_plain = stat.S_ISDIR(seen.st_mode) and stat.S_IMODE(seen.st_mode) == _OWN_ONLY
    return is_plain and seen.st_uid == os.geteuid()


def _remove_if_nobodys(folder: Path) -> None:
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
        log.info("workers.folder_removed", folder=str(folder))
    except OSError:
        return  # somebody lives who uses it
    finally:
        os.close(opened)
