"""Processes that others have begun, as Linux tells of them."""

from pathlib import Path


def children_of(number: int) -> set[int]:
    """Return the processes that a process has begun, and those that they have."""
    direct = {
        int(child)
        for task in Path(f"/proc/{number}/task").iterdir()
        for child in (task / "children").read_text().split()
    }
    return direct.union(*map(children_of, direct))


def is_there(number: int) -> bool:
    """Tell whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
