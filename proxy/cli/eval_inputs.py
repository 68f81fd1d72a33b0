"""What `guard-proxy eval` is given: sets, policies, keys and files; what is wrong ends it."""

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import ValidationError
from rich.table import Table

from policies.schema.errors import PolicyError
from policies.schema.typed import suggestion
from policies.verification.policies import ChosenPolicy, chosen_policy
from proxy.cli.output import fail
from proxy.golden.reading import GoldenError
from proxy.golden.results import Run
from proxy.golden.shape import Case, GoldenSet
from proxy.golden.shipped import Chosen, chosen_set, shipped_sets

_DEFAULT_POLICY = "default"
_CATEGORIES_SHOWN = 20


def chosen(choice: str) -> Chosen:
    """Return the set that is meant."""
    try:
        return chosen_set(choice)
    except GoldenError as error:
        fail("The golden set cannot be used:", *map(str, error.problems))


def about_shipped() -> Table:
    """Return a table of the sets that come with the program."""
    table = Table("set", "cases", "policy", "what it shows")
    for name in shipped_sets():
        found = chosen(name)
        policy = found.policy or _DEFAULT_POLICY
        table.add_row(name, str(len(found.golden.cases)), policy, found.golden.about)
    return table


def exact_text(name: str) -> str:
    """Return the file of a shipped set."""
    if name not in shipped_sets():
        fail(f"There is no shipped set {name!r}; {suggestion(name, shipped_sets())}.")
    return shipped_sets()[name].read_text(encoding="utf-8")


def selected(golden: GoldenSet, patterns: Sequence[str]) -> tuple[Case, ...]:
    """Return the cases whose id, category or scope is like one of the patterns."""
    cases = tuple(case for case in golden.cases if not patterns or _is_like(case, patterns))
    if not cases:
        categories = sorted({case.category for case in golden.cases})[:_CATEGORIES_SHOWN]
        fail(f"No case is like {' or '.join(patterns)}. Categories: {', '.join(categories)}.")
    return cases


def _is_like(case: Case, patterns: Sequence[str]) -> bool:
    names = (case.id, case.category, case.scope)
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def played_by(name: str | None) -> ChosenPolicy:
    """Return the policy of a scripted run."""
    try:
        return chosen_policy(name or _DEFAULT_POLICY)
    except PolicyError as error:
        fail("The policy cannot be used:", *map(str, error.problems))


def server_address(base_url: str) -> str:
    """Return the address of who is asked, without a slash at its end."""
    address = urlsplit(base_url)
    if address.scheme not in {"http", "https"} or not address.hostname:
        fail("--base-url must begin with http:// or https:// and name a host.")
    if address.username or address.password or address.query or address.fragment:
        fail("--base-url must end with the path; the key has its own option.")
    return base_url.rstrip("/")


def read_key(given: str | None, variable: str, *, required: bool) -> str | None:
    """Return the bearer key; nothing that is said about it repeats it."""
    key = given or os.environ.get(variable)
    if not key and required:
        fail(f"--key-env names {variable}, which is not set.")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        fail("The key holds characters that no key has.")
    return key or None


def earlier_run(file: Path) -> Run:
    """Return a saved run."""
    try:
        return Run.model_validate_json(file.read_bytes())
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        fail(f"{file}: is not a run that --save wrote: {place} {first['msg']}")


def must_be_writable(file: Path) -> None:
    """Refuse a file that could not be written in the end, before anything is asked."""
    if file.is_dir() or not file.parent.is_dir():
        fail(f"{file}: cannot be written there.")


def write_file(file: Path, content: bytes) -> None:
    """Write a result."""
    try:
        file.write_bytes(content)
    except OSError as error:
        fail(f"{file}: {error.strerror}")
