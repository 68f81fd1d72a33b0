"""The audit of dependencies says what it found, and plainly when nobody could look."""

import subprocess
from pathlib import Path

import pytest

AUDIT = Path(__file__).parents[2] / "deploy" / "audit.sh"
WRITES = 'while [ "$1" != --output ]; do shift; done; echo "{\\"dependencies\\": []}" > "$2"; '
ENDINGS = [
    pytest.param(f"{WRITES} exit 0", 0, "AUDITED: none", id="nothing-known"),
    pytest.param(f"{WRITES} exit 1", 1, "AUDITED: some", id="vulnerable"),
    pytest.param("echo no route to host >&2; exit 1", 3, "NOT AUDITED: ", id="no-database"),
    pytest.param(None, 3, "NOT AUDITED: ", id="no-tool"),
]


@pytest.mark.parametrize(("tool", "status", "said"), ENDINGS)
def test_its_status_tells_an_audit_from_none(
    tmp_path: Path, tool: str | None, status: int, said: str
) -> None:
    if tool is not None:
        (tmp_path / "bin").mkdir()
        program = tmp_path / "bin" / "pip-audit"
        program.write_text(f"#!/bin/sh\n{tool}\n")
        program.chmod(0o755)

    done = subprocess.run(
        [AUDIT, "/bin/false", tmp_path], capture_output=True, text=True, check=False
    )

    assert done.returncode == status
    assert said in done.stdout + done.stderr
