"""The registry of guards: all modules of the folder; an invalid one stops the start."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from inspect import isabstract
from types import MappingProxyType, ModuleType
from typing import Any, TypeGuard

import guards
from guards.core.guard import Guard, Subject


class GuardError(Exception):
    """The guards cannot be loaded as they stand."""


class BadGuardFile(GuardError):
    """A file in the guards folder is not one well-formed guard."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"guards/{file}: {problem}")
        self.file = file
        self.problem = problem


GuardType = type[Guard[Any]]


@cache
def all_guards() -> Mapping[str, GuardType]:
    """Return every guard's class by its id, in the order of their names.

    Raises:
        BadGuardFile: a file in ``guards/`` cannot be imported or is not exactly one guard.
    """
    names = sorted(info.name for info in pkgutil.iter_modules(guards.__path__) if not info.ispkg)
    return MappingProxyType({name: _guard_of(name) for name in names})


@cache
def guards_about(*subjects: Subject) -> frozenset[str]:
    """Return the ids of the guards whose findings are about one of these subjects."""
    return frozenset(name for name, guard in all_guards().items() if guard.subject in subjects)


def _guard_of(name: str) -> GuardType:
    try:
        module = importlib.import_module(f"guards.{name}")
    except Exception as error:
        raise BadGuardFile(f"{name}.py", f"cannot be imported: {error}") from error
    found: list[GuardType] = [
        kind for kind in vars(module).values() if _is_guard_here(kind, module)
    ]
    if len(found) != 1:
        raise BadGuardFile(f"{name}.py", f"holds {len(found)} guards, not one")
    [guard] = found
    if guard.id != name:
        raise BadGuardFile(f"{name}.py", f"its guard is called {guard.id!r}")
    return guard


def _is_guard_here(kind: object, module: ModuleType) -> TypeGuard[GuardType]:
    return (
        isinstance(kind, type)
        and issubclass(kind, Guard)
        and not isabstract(kind)
        and kind.__module__ == module.__name__
    )
