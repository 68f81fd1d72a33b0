"""Tells whether the clients that are not in the environment of the suite can run here."""

import functools
import os
import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent / "node"
INSTALLED = FOLDER / "node_modules" / ".package-lock.json"
OLDEST = 20
LLAMA_INDEX = Path(os.environ.get("LLAMA_INDEX_PYTHON", "missing")).absolute()
"""An interpreter with LlamaIndex's own adapter, whose client is older than the suite's."""
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
