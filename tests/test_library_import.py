"""`from policies import verify` beside an operator's own folders of these names."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = """
from policies import quick_verify, verify
sources = [{"section_content": "환불은 구매 후 7일 이내 가능합니다."}]
print(quick_verify("환불은 30일 이내 가능합니다.", sources).verified, callable(verify))
"""


def test_folders_of_the_working_directory_do_not_hide_the_packages(tmp_path: Path) -> None:
    for name in ("policies", "guards", "proxy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.yaml").write_text("extends: strict\n", "utf-8")

    # The working directory comes first on the path, as in every script and shell.
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout.strip(), done.stderr) == ("False True", "")
