"""The words of labels are closed sets, and hold every word that the code can say."""

import ast
import inspect
from pathlib import Path
from textwrap import dedent

import pytest

from guards.core.registry import GuardType, all_guards
from policies.judging.claims import Skip
from policies.judging.opinions import NO_TIME
from proxy import errors
from proxy import errors as refusals
from proxy import errors as upstream_errors
from proxy.errors import GuardProxyError
from proxy.telemetry.counting import ERRORS, NOT_RUN, OTHER, UPSTREAM_ERRORS, not_run_reason

JUDGES = [
    "policies/judging/judge.py",
    "proxy/judge/book.py",
    "proxy/judge/server.py",
    "proxy/judge/classifiers.py",
    "proxy/judge/server.py",
    "proxy/judge/classifiers.py",
    "proxy/judge/classifiers.py",
]


def reasons_of(guard: GuardType) -> set[str]:
    """Return the texts that a guard's `not_checkable` returns somewhere."""
    tree = ast.parse(dedent(inspect.getsource(guard.not_checkable)))
    returns = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    return {word for found in returns for word in _words(found)}


def _words(node: ast.expr | None) -> list[str]:
    """Return the texts that an expression can be, or how they begin."""
    match node:
        case ast.IfExp():
            return [*_words(node.body), *_words(node.orelse)]
        case ast.JoinedStr():
            return _words(node.values[0])
        case ast.Constant(value=str(text)):
            return [text]
    return []


@pytest.mark.parametrize("name", all_guards())
def test_every_reason_of_a_guard_is_a_word_of_ours(name: str) -> None:
    assert reasons_of(all_guards()[name]) <= NOT_RUN


def test_some_guard_has_a_reason() -> None:
    said = {reason for guard in all_guards().values() for reason in reasons_of(guard)}

    assert {"no_answer", "no_sources"} <= said


@pytest.mark.parametrize("path", JUDGES)
def test_every_reason_of_a_judge_is_a_word_of_ours(path: str) -> None:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    failures = [
        node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"JudgeFailure", "JudgeCallFailed"}
    ]

    said = {word for found in failures for word in _words(found)}

    assert said
    assert {not_run_reason(word) for word in said} <= NOT_RUN


def test_why_a_judge_was_not_asked_is_among_them() -> None:
    assert {*Skip, NO_TIME.reason} <= NOT_RUN


def test_every_error_that_a_client_can_see_is_among_them() -> None:
    kinds = [
        kind
        for module in (errors, refusals, upstream_errors)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, GuardProxyError)
    ]

    assert {kind.code or kind.type for kind in kinds} <= ERRORS
    assert {"upstream_refused", "upstream_timeout"} <= UPSTREAM_ERRORS < ERRORS


def test_what_is_no_word_of_ours_is_other() -> None:
    assert not_run_reason("a sentence of somebody's") == OTHER
    assert OTHER not in NOT_RUN | ERRORS
