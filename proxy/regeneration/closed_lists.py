"""What the model may choose from when it is asked again: figures, provisions, contacts, sources.

A list is only made for a kind that was wrong, and never cut short: what is missing from it would
be forbidden although it is right.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from guards.core.finding import Finding
from guards.core.reading import Reading, Text
from guards.text.laws.index import LawIndex
from guards.text.laws.law import Kind

MOST_VALUES = 12
LONGEST_LIST_CHARS = 240

_Lister: TypeAlias = Callable[[Reading, Sequence[Finding]], Iterable[str]]


class ClosedList(NamedTuple):
    """The values of one kind.

    Attributes:
        kind: What they are, in Korean.
        values: All there are; none if the sources hold none.
    """

    kind: str
    values: tuple[str, ...]


def closed_lists(reading: Reading, findings: Sequence[Finding]) -> tuple[ClosedList, ...]:
    """Return a list for each kind of value that was wrong, except for those too long to be shown.

    Args:
        reading: The exchange, read.
        findings: What was wrong with the answer.
    """
    if not reading.sources:
        return ()
    made: list[ClosedList] = []
    for kind, guards, values_of in _KINDS:
        about = [finding for finding in findings if finding.guard in guards]
        if not about:
            continue
        values = tuple(dict.fromkeys(values_of(reading, about)))
        if len(values) <= MOST_VALUES and len(", ".join(values)) <= LONGEST_LIST_CHARS:
            made.append(ClosedList(kind, values))
    return tuple(made)


def _figures(reading: Reading, findings: Sequence[Finding]) -> Iterable[str]:
    """Return the figures of the kinds that were wrong (days, won, …)."""
    wrong = {
        quantity.measure.dimension
        for finding in findings
        for quantity in Text(finding.observed).quantities
    }
    return (
        quantity.shown
        for part in (*reading.sources, reading.question)
        for quantity in part.text.quantities
        if not wrong or quantity.measure.dimension in wrong
    )


def _provisions(reading: Reading, _: Sequence[Finding]) -> Iterable[str]:
    index = LawIndex.of(reading.exchange.sources)
    set_out = ((one.article.number, one.article.branch) for one in index.provisions)
    mentioned = (
        (one.reference.number, one.reference.branch)
        for one in index.mentions
        if one.reference.kind is Kind.ARTICLE and one.reference.number is not None
    )
    return (
        f"제{number}조의{branch}" if branch else f"제{number}조"
        for number, branch in sorted({*set_out, *mentioned})
    )


def _contacts(reading: Reading, _: Sequence[Finding]) -> Iterable[str]:
    parts = (*reading.sources, reading.question)
    return (contact.text for part in parts for contact in part.text.contacts)


def _names_of_sources(reading: Reading, _: Sequence[Finding]) -> Iterable[str]:
    return (
        f"[{source.id}] {source.title or source.file}".rstrip()
        for source in reading.exchange.sources
    )


_KINDS: tuple[tuple[str, frozenset[str], _Lister], ...] = (
    ("수치(틀린 값과 같은 단위)", frozenset({"numbers", "estimates"}), _figures),
    ("조문", frozenset({"legal_citation"}), _provisions),
    ("연락처", frozenset({"contact"}), _contacts),
    ("출처", frozenset({"citations"}), _names_of_sources),
)
