"""Which values of the sources a claim names, and whether it gives one to the wrong owner.

A value is only said to be another's where the claim names that other by a whole label of its own,
and by no word that the value alone bears.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from typing import Generic, TypeVar

from guards.text.namings import Naming

ValueT = TypeVar("ValueT")
_MOST_OF_ONE = 40


@dataclass(frozen=True, slots=True)
class Owned(Generic[ValueT]):
    """A value of a source and whose it is.

    Attributes:
        value: The value.
        written: How to write it.
        labels: What may name it.
        source_id: Id of the source.
        sentence: Where it stands, verbatim.
        is_general: It serves all that the values beside it serve each.
    """

    value: ValueT
    written: str
    labels: Naming
    source_id: str
    sentence: str
    is_general: bool = False


class Ownership(Generic[ValueT]):
    """The values of the sources by the words that name them."""

    def __init__(self, entries: Iterable[Owned[ValueT]]) -> None:
        self.entries = tuple(entries)
        self._by_form: dict[str, dict[Owned[ValueT], None]] = defaultdict(dict)
        for entry in self.entries:
            for label in entry.labels:
                for word in label:
                    for form in word:
                        self._by_form[form][entry] = None

    def named_by(self, said: Set[str]) -> tuple[Owned[ValueT], ...]:
        """Return the values of which a claim says a whole label; its words come in their forms."""
        found = {entry: None for form in sorted(said) for entry in self._of(form)}
        return tuple(
            entry
            for entry in found
            if any(all(word & said for word in label) for label in entry.labels)
        )

    def owners_instead(
        self, said: Set[str], is_value: Callable[[ValueT], bool], office: Set[str] = frozenset()
    ) -> tuple[Owned[ValueT], ...]:
        """Return the values that a claim names, none of which is the one that it gives.

        Empty where the value may be the named one's own: where a word of the claim names it and no
        other, where the sources do not say whose it is, or where it serves all. Words do not excuse
        a value that stands right behind the name of another office.

        Args:
            said: The words around the value in the answer, in their forms.
            office: The name of the office right before it, in its forms.
            is_value: Tells whether a value of the sources is the one that the answer gives.
        """
        given = [entry for entry in self.entries if is_value(entry.value)]
        if not given or any(entry.is_general or not entry.labels for entry in given):
            return ()
        of_office = {entry: None for form in sorted(office) for entry in self._of(form)}
        if of_office and not any(is_value(entry.value) for entry in of_office):
            return tuple(of_office)
        if self._is_told_apart(said, is_value):
            return ()
        return tuple(
            entry for entry in self.named_by(said) if self._is_anothers(entry, said, is_value)
        )

    def _is_told_apart(self, said: Set[str], is_value: Callable[[ValueT], bool]) -> bool:
        """Tell whether some word of a claim names the value that it gives, and no other."""
        for form in said:
            entries = self._of(form)
            if entries and all(is_value(entry.value) for entry in entries):
                return True
        return False

    def _is_anothers(
        self, entry: Owned[ValueT], said: Set[str], is_value: Callable[[ValueT], bool]
    ) -> bool:
        """Tell whether a claim names a value by a label that the given one does not bear."""
        return any(
            all(word & said for word in label)
            and not any(
                is_value(other.value) for word in label for form in word for other in self._of(form)
            )
            for label in entry.labels
        )

    def _of(self, form: str) -> list[Owned[ValueT]]:
        return list(self._by_form.get(form, ()))[:_MOST_OF_ONE]
