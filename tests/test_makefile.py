"""`make help` says what there is to make."""

import subprocess
from pathlib import Path

MAKEFILE = Path(__file__).parents[1] / "Makefile"


def test_help_lists_every_target_with_what_it_is_for() -> None:
    [named] = [
        line for line in MAKEFILE.read_text("utf-8").splitlines() if line.startswith(".PHONY:")
    ]

    done = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=MAKEFILE.parent,
        capture_output=True,
        check=True,
    )

    listed = [line.split(maxsplit=2) for line in done.stdout.decode().splitlines()]
    assert sorted(target for _, target, _ in listed) == sorted(named.split()[1:])
