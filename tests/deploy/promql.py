"""Which metrics and labels a query names, as Prometheus's own grammar reads it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from promql_parser import (
    AggregateExpr,
    BinaryExpr,
    Expr,
    MatchOp,
    VectorSelector,
    parse,
    walk,
)

SIGNS = (
    (MatchOp.Equal, "="),
    (MatchOp.NotEqual, "!="),
    (MatchOp.Re, "=~"),
    (MatchOp.NotRe, "!~"),
)
"""How each matches; they cannot be keys."""


@dataclass
class Query:
    """What a query names.

    Attributes:
        selectors: Each metric with what its labels have to be: the sign and the text.
        grouped: Labels that it groups, joins or leaves out by.
    """

    selectors: list[tuple[str, Mapping[str, tuple[str, str]]]] = field(default_factory=list)
    grouped: set[str] = field(default_factory=set)


def read_query(text: str) -> Query:
    """Return what a query names.

    Raises:
        ValueError: it cannot be read.
    """
    query = Query()

    def note(part: Expr) -> None:
        match part:
            case VectorSelector():
                query.selectors.append(_selected(part))
            case AggregateExpr():
                query.grouped.update(part.modifier.labels if part.modifier else ())
            case BinaryExpr():
                query.grouped.update(_joined(part))

    walk(parse(text), note)
    return query


def _selected(selector: VectorSelector) -> tuple[str, Mapping[str, tuple[str, str]]]:
    wanted = {
        one.name: (sign, one.value)
        for one in selector.matchers.matchers
        for operation, sign in SIGNS
        if operation == one.op
    }
    return selector.name or "", wanted


def _joined(pair: BinaryExpr) -> list[str]:
    if pair.modifier is None:
        return []
    matching = pair.modifier.matching
    return [*(matching.labels if matching else ()), *(pair.modifier.group_labels or ())]
