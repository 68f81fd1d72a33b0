"""Tells whether pages can be tested in a real browser here, and how to start it."""

import shutil
from pathlib import Path

FOLDER = Path(__file__).parent
AXE = FOLDER / "node" / "node_modules" / "axe-core" / "axe.min.js"
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
)


def executable() -> str | None:
    """Return the browser's path; None if there is none on the PATH."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def why_no_browser() -> str | None:
    """Return why no page can be opened here and what to do about it; None if one can."""
    if executable() is None:
        return "Chromium is not on the PATH; 'apt-get install chromium fonts-noto-cjk' installs it"
    return None


def why_no_axe() -> str | None:
    """Return why accessibility cannot be checked here; None if it can."""
    if why_no_browser():
        return why_no_browser()
    return None if AXE.exists() else "axe-core is not there; 'make axe' installs it"
