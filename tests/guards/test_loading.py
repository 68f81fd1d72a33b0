"""A guard by itself loads no reader of slots that it does not ask for."""

import subprocess
import sys

import pytest

READERS = {
    "contact": "guards.text.slots.contact",
    "law": "guards.text.laws.law",
    "names": "guards.text.names.names",
    "quantity": "guards.text.slots.quantity",
    "route": "guards.text.slots.route",
}
SHOW = "import sys, guards.{}; print(*sys.modules)"


def loaded_by(guard: str) -> set[str]:
    shown = subprocess.run(
        [sys.executable, "-c", SHOW.format(guard)], capture_output=True, text=True, check=True
    )
    modules = set(shown.stdout.split())
    return {name for name, module in READERS.items() if module in modules}


@pytest.mark.parametrize("guard", ["complaint", "korean_only", "phrases", "quality"])
def test_a_guard_that_reads_no_slots_loads_no_reader(guard: str) -> None:
    assert loaded_by(guard) == set()


def test_personal_data_loads_the_reader_of_contacts_alone() -> None:
    assert loaded_by("personal_data") == {"contact"}


@pytest.mark.parametrize("guard", ["numbers", "negation", "overlap", "estimates"])
def test_guards_of_figures_load_neither_laws_nor_names(guard: str) -> None:
    assert loaded_by(guard).isdisjoint({"contact", "law", "names"})


def test_the_guard_of_provisions_loads_their_reader() -> None:
    assert "law" in loaded_by("legal_citation")
