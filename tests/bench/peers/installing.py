"""Installs peers outside the checkout, where they stay from one run to the next."""

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from tests.bench.subjects import Absent

INSTALLED_WITHIN_S = 600.0
ANSWERED_WITHIN_S = 60.0
LONGEST_REASON = 200
# What pip and npm put before the line that says most; others name the registry's host.
_TELLING = re.compile("ERROR: |npm error code ")


def installed(renew: Callable[[], None], version: Callable[[], str]) -> str:
    """Install or renew a peer and return its version, once for all its rows.

    What is there already serves when the registry is out of reach.

    Raises:
        Absent: it is not there and cannot be installed.
    """
    found = _once(renew, version)
    if isinstance(found, Absent):
        raise Absent(found.reason)
    return found


def home(peer: str) -> Path:
    """Return the directory of a peer, made if it is missing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "guard-proxy-bench" / peer
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Absent(f"{folder} cannot be made: {error.strerror}") from error
    return folder


def run(command: Sequence[str | Path], folder: Path, within_s: float = ANSWERED_WITHIN_S) -> str:
    """Run a command to its end in ``folder`` and return what it printed.

    Raises:
        Absent: it is not there, failed, or took too long.
    """
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=within_s,
            check=True,
        )
    except FileNotFoundError as error:
        raise Absent(f"{name} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise Absent(f"{name} took longer than {within_s:g} s") from error
    except subprocess.CalledProcessError as error:
        raise Absent(f"{name} failed: {_reason(error.stderr or error.stdout)}") from error
    return done.stdout


@cache
def _once(renew: Callable[[], None], version: Callable[[], str]) -> str | Absent:
    try:
        renew()
    except Absent as out_of_reach:
        try:
            return f"{version()}, not renewed"
        except Absent:
            return out_of_reach
    try:
        return version()
    except Absent as absent:
        return absent


def _reason(words: str) -> str:
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    telling = [line for line in lines if _TELLING.match(line)]
    return ([""] + (telling or lines))[-1][:LONGEST_REASON]
