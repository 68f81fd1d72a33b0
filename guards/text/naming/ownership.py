"""Which values of the sources a claim names, and whether it gives one to the wrong owner.

A value is only said to be another's where the claim names that other by a whole label of its own,
and by no word that the value alone bears.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from guards.text.naming.namings import Naming

ValueT = TypeVar("ValueT")
# A word that names more values than these tells none apart.
_MOST_OF_ONE = 40


@dataclass(frozen=True, slots=True)
class Owned(Generic[ValueT]):
    """A value of a source and whose it is; two that say the same are one, wherever they stand.

    Attributes:
        value: The value.
        written: How to write it.
        labels: What may name it.
        source_id: Id of the source.
        sentence: Where it stands, verbatim.
        is_general: It serves all that the values beside it serve each.
    """

    value: ValueT = field(compare=False)
    written: str
    labels: Naming
    source_id: str
    sentence: str = field(compare=False)
    is_general: bool = False


class Ownership(Generic[ValueT]):
    """The values of the sources by the words that name them."""

    def __init__(self) -> None:
        self._entries: dict[Owned[ValueT], None] = {}
        self._by_form: dict[str, dict[Owned[ValueT], None]] = defaultdict(dict)

    def __iter__(self) -> Iterator[Owned[ValueT]]:
        """Yield the values, each once for each way to name it."""
        return iter(self._entries)

    def add(self, entry: Owned[ValueT]) -> bool:
        """Take a value in; tell whether it was new."""
        if entry in self._entries:
            return False
        self._entries[entry] = None
        for label in entry.labels:
            for word in label:
                for form in word:
                    self._by_form[form][entry] = None
        return True

    def named_by(self, said: Set[str]) -> tuple[Owned[ValueT], ...]:
        """Return the values of which a claim says a whole label; its words come in their forms."""
        found = {entry: None for form in sorted(said) for entry in self._of(form)}
        return tuple(
            entry
            for entry in found
            if any(all(word & said for word in label) for label in entry.labels)
        )

    def owners_instead(
        self, said: Set[str], given: Set[Owned[ValueT]], office: Set[str] = frozenset()
    ) -> tuple[Owned[ValueT], ...]:
        """Return the values that a claim names, none of which is the one that it gives.

        Empty where the value may be the named one's own: where a word of the claim names it and no
        other, where the sources do not say whose it is, or where it serves all. Words do not excuse
        a value that stands right behind the name of another office.

        Args:
            said: The words around the value in the answer, in their forms.
            given: The values of the sources that are the one that the answer gives.
            office: The name of the office right before it, in its forms.
        """
        if not given or any(entry.is_general or not entry.labels for entry in given):
            return ()
        of_office = {entry: None for form in sorted(office) for entry in self._of(form)}
        if of_office and given.isdisjoint(of_office):
            return tuple(of_office)
        if self._is_told_apart(said, given):
            return ()
        own = {form for entry in given for label in entry.labels for word in label for form in word}
        return tuple(entry for entry in self.named_by(said) if _is_anothers(entry, said, own))

    def _is_told_apart(self, said: Set[str], given: Set[Owned[ValueT]]) -> bool:
        """Tell whether some word of a claim names the value that it gives, and no other."""
        return any(
            bool(entries) and entries <= given for entries in (set(self._of(form)) for form in said)
        )

    def _of(self, form: str) -> Collection[Owned[ValueT]]:
        entries = self._by_form.get(form, {})
        return entries.keys() if len(entries) <= _MOST_OF_ONE else ()


def _is_anothers(entry: Owned[ValueT], said: Set[str], own: Set[str]) -> bool:
    """Tell whether a claim names a value by a label of which the given one bears no word."""
    return any(
        all(word & said and word.isdisjoint(own) for word in label) for label in entry.labels
    )
