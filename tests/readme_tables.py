"""The tables of the README that are made from the code, and from the last benchmark.

``python -m tests.readme_tables`` writes them; a test fails when they are not what the code says.
"""

import importlib
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from guards.core.guard import Stage
from guards.core.registry import GuardType, all_guards
from policies.schema.policy import Policy
from proxy.metrics import Metrics
from proxy.openai_api.coverage import rows
from proxy.openai_api.doors import DOORS
from proxy.settings import Settings
from tests.bench.results import Results
from tests.bench.tables import markdown

README = Path(__file__).parents[1] / "README.md"
BENCH = README.parent / "docs" / "bench" / "bench.json"


def guards_table() -> str:
    rows = ["| guard | when | what it finds | codes | options |", "|---|---|---|---|---|"]
    for name, guard in all_guards().items():
        when = " and ".join(
            word
            for stage, word in ((Stage.INPUT, "before the model"), (Stage.OUTPUT, "after"))
            if stage in guard.stages
        )
        codes = "<br>".join(f"`{code.removeprefix(name + '.')}`" for code in guard.codes)
        options = "<br>".join(
            f"`{option}` {_shown(field)}"
            for option, field in guard.settings_type.model_fields.items()
        )
        rows.append(f"| `{name}` | {when} | {_title(guard)} | {codes} | {options} |")
    return "\n".join(rows)


def settings_table() -> str:
    rows = ["| variable | default | what it is |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        variable = f"GUARD_PROXY_{name.upper()}"
        rows.append(f"| `{variable}` | {_shown(field)} | {field.description} |")
    return "\n".join(rows)


def policy_table() -> str:
    rows = ["| key | default | what it is |", "|---|---|---|"]
    rows += [
        f"| `{key}` | {_shown(field)} | {field.description or ''} |"
        for key, field in _fields(Policy, "")
    ]
    return "\n".join(rows)


def coverage_tables() -> str:
    return "\n\n".join(f"`/v1/{one.path}`\n\n{rows(one.coverage)}" for one in DOORS)


def metrics_table() -> str:
    rows = ["| metric | type | labels | what it says |", "|---|---|---|---|"]
    rows += [
        f"| `{one.name}` | {one.kind} | {', '.join(f'`{label}`' for label in one.labels)} "
        f"| {one.said} |"
        for one in Metrics().described
    ]
    return "\n".join(rows)


def bench_tables() -> str:
    return markdown(Results.model_validate_json(BENCH.read_bytes()), brief=True)


TABLES: dict[str, Callable[[], str]] = {
    "bench": bench_tables,
    "guards": guards_table,
    "settings": settings_table,
    "policy": policy_table,
    "coverage": coverage_tables,
    "metrics": metrics_table,
}


def with_tables(readme: str) -> str:
    """Return the README with every table as the code has it now."""
    for name, table in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, _, rest = readme.partition(begin)
        _, _, after = rest.partition(end)
        assert after, f"README.md has no block called {name}"
        readme = f"{before}{begin}{table()}\n{end}{after}"
    return readme


def _title(guard: GuardType) -> str:
    manual = importlib.import_module(guard.__module__).__doc__ or ""
    return manual.partition("\n\n")[0].replace("\n", " ").rstrip(".").replace("|", "\\|")


def _fields(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        inner, many = _model_in(field.annotation)
        yield f"{prefix}{name}", field
        if inner is not None:
            yield from _fields(inner, f"{prefix}{name}{many}.")


def _model_in(annotation: object) -> tuple[type[BaseModel] | None, str]:
    """Return the model that an annotation holds, and how a key says that there are several."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, ""
    arguments = get_args(annotation)
    many = ".<name>" if getattr(annotation, "__origin__", None) is dict else "[]"
    if isinstance(annotation, types.UnionType):
        many = ""
    for argument in arguments:
        if isinstance(argument, type) and issubclass(argument, BaseModel):
            return argument, many
    return None, ""


def _shown(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    if isinstance(default, BaseModel) or default is None or default in ("", (), {}):
        return ""
    value = getattr(default, "value", default)
    if isinstance(value, bool):
        value = str(value).lower()
    if isinstance(value, tuple | frozenset):
        value = ", ".join(map(str, sorted(value)))
    return f"`{value}`"


def main() -> None:
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
