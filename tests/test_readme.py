"""The README says what the code does."""

import re

import pytest

from tests.readme_tables import README, TABLES, with_tables

TEXT = README.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_what_the_code_says(name: str) -> None:
    """To mend: python -m tests.readme_tables."""
    assert TABLES[name]() in TEXT


def test_nothing_else_changes_when_tables_are_written() -> None:
    assert with_tables(TEXT) == TEXT


def test_files_that_are_named_exist() -> None:
    named = re.findall(r"`((?:guards|policies|proxy|deploy|tests)/[\w./-]+)`", TEXT)

    assert named
    assert [path for path in named if not (README.parent / path).exists()] == []
