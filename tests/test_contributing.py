"""The worked example of CONTRIBUTING.md is a guard that works."""

import importlib.util
import re
from pathlib import Path

from guards.core.exchange import Exchange
from guards.core.guard import GuardSettings
from guards.core.reading import read

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


def test_the_example_of_a_guard_finds_what_it_says(tmp_path: Path) -> None:
    found = re.search(r'```python\n(""".*?)```', CONTRIBUTING.read_text("utf-8"), re.DOTALL)
    assert found is not None
    file = tmp_path / "shouting.py"
    file.write_text(found[1], "utf-8")
    spec = importlib.util.spec_from_file_location("shouting", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    guard = module.Shouting(GuardSettings())

    [finding] = guard.check(read(Exchange("질문?", (), answer="네!!! 됩니다!")))

    assert (finding.code, finding.observed) == ("shouting.marks", "!!!")
