"""A guard by itself loads no reader of slots that it does not ask for."""

import json
import subprocess
import sys

READERS = {
    "contact": "guards.text.slots.contact",
    "law": "guards.text.laws.law",
    "names": "guards.text.names",
    "quantity": "guards.text.slots.quantity",
    "route": "guards.text.slots.route",
}
WITHOUT_READERS = ("complaint", "korean_only", "phrases", "quality")
OF_FIGURES = ("numbers", "negation", "overlap", "estimates")
SHOW = """
import importlib, json, sys
loaded = {}
for guard in sys.argv[1:]:
    for name in [name for name in sys.modules if name.partition(".")[0] == "guards"]:
        del sys.modules[name]
    importlib.import_module(f"guards.{guard}")
    loaded[guard] = list(sys.modules)
print(json.dumps(loaded))
"""


def test_a_guard_loads_the_readers_that_it_asks_for() -> None:
    guards = [*WITHOUT_READERS, *OF_FIGURES, "personal_data", "legal_citation"]
    shown = subprocess.run(
        [sys.executable, "-c", SHOW, *guards], capture_output=True, text=True, check=True
    )
    readers = {
        guard: {name for name, module in READERS.items() if module in modules}
        for guard, modules in json.loads(shown.stdout).items()
    }

    assert not any(readers[guard] for guard in WITHOUT_READERS)
    assert readers["personal_data"] == {"contact"}
    assert "law" in readers["legal_citation"]
    for guard in OF_FIGURES:
        assert readers[guard].isdisjoint({"law", "names"})
