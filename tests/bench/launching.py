"""A server as a process of its own, started as an operator would and surely ended."""

import contextlib
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from tests.bench.subjects import Absent

READY_WITHIN_S = 60.0
LOOK_EVERY_S = 0.05
END_WITHIN_S = 8.0
LAST_WORDS = 300


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Launched:
    """One started command with all its children; its output is kept in ``folder``."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._log = folder / "output.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches the bench alone, which then stops this
            )
        self.pid = self._process.pid

    def wait_ready(self, port: int, path: str, within_s: float = READY_WITHIN_S) -> None:
        """Wait until ``path`` answers, whatever its status below 500.

        Raises:
            Absent: it ended, or did not answer in time; it is stopped then.
        """
        try:
            self._wait_ready(port, path, within_s)
        except BaseException:  # whoever waits does not know it yet, and could not stop it
            self.stop()
            raise

    def _wait_ready(self, port: int, path: str, within_s: float) -> None:
        deadline_s = time.monotonic() + within_s
        while time.monotonic() < deadline_s:
            if self._process.poll() is not None:
                raise Absent(f"ended with {self._process.returncode}: {self._last_words()}")
            if _answers(port, path):
                return
            time.sleep(LOOK_EVERY_S)
        raise Absent(f"no answer after {within_s:g} s: {self._last_words()}")

    def stop(self) -> None:
        """Ask it to end, and kill whatever of it is left."""
        family = self._family()
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_WITHIN_S)
        for one in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        self._process.wait()

    def _family(self) -> list[psutil.Process]:
        with contextlib.suppress(psutil.NoSuchProcess):
            parent = psutil.Process(self.pid)
            return [parent, *parent.children(recursive=True)]
        return []

    def _last_words(self) -> str:
        return " ".join(self._log.read_text("utf-8", "replace").split())[-LAST_WORDS:]


def _answers(port: int, path: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=2) as reply:
            return bool(reply.status < 500)
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False
