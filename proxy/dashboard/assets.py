"""The dashboard's scripts, styles and pictures, read once and served from memory.

Their addresses hold a hash of all of them, so that browsers may keep them for good and an upgrade
reaches every page at once.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from proxy.dashboard.addresses import STATIC

FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
_VERSION_CHARS = 12


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    content: bytes
    media_type: str


class Assets:
    """All files of a folder by their paths in it.

    Attributes:
        version: Short hash of all of them.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = {
            path.relative_to(folder).as_posix(): Asset(path.read_bytes(), _TYPES[path.suffix])
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        digest = hashlib.sha256()
        for name, asset in self._files.items():
            digest.update(name.encode() + b"\0" + asset.content)
        self.version = digest.hexdigest()[:_VERSION_CHARS]

    def get(self, name: str) -> Asset | None:
        """Return a file; None if there is none of this name."""
        return self._files.get(name)

    def address(self, name: str) -> str:
        """Return the path of a file for a page.

        Raises:
            KeyError: there is none of this name.
        """
        self._files[name]
        return f"{STATIC}/{self.version}/{name}"
