"""Tells whether the clients for Node can run here."""

import functools
import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent / "node"
INSTALLED = FOLDER / "node_modules" / ".package-lock.json"
OLDEST = 20
INSTALL = "'make node-clients' installs them"


@functools.cache
def why_not() -> str | None:
    """Return why the clients for Node cannot run here and what to do about it; None if they can."""
    node = shutil.which("node")
    if node is None:
        return f"Node is not on the PATH; with Node {OLDEST} or newer {INSTALL}"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.removeprefix("v").partition(".")[0]) < OLDEST:
        return f"Node {version.strip()} is too old; with Node {OLDEST} or newer {INSTALL}"
    return None if INSTALLED.exists() else f"their packages are not there; {INSTALL}"
