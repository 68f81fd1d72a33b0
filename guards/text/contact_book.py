"""The contacts of an exchange's sources, and whose they are."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from guards.core.reading import Reading, Text
from guards.text.labels import Form, Label
from guards.text.named import office, owners
from guards.text.passages import Passages, Place, sentence_places
from guards.text.slots.contact import Contact, ContactKind

_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-.)( ]{1,2}(?=\d)")
_NOT_A_DIGIT = re.compile(r"\D")
# An office with more contacts of one kind is not told from its branches by its name.
_MOST_OF_ONE = 20
_LOCAL_DIGITS = (7, 8)


@dataclass(frozen=True, slots=True)
class Entry:
    """A contact of a source.

    Attributes:
        contact: The contact.
        office: The word that names the office it belongs to; None where none stands by it.
        source_id: Id of the source.
        sentence: The sentence in which it stands.
    """

    contact: Contact
    office: Form | None
    source_id: str
    sentence: str


class ContactBook:
    """What the sources give as contacts."""

    def __init__(self, reading: Reading) -> None:
        self._passages = Passages(reading)
        self._by_office: dict[str, list[Entry]] = defaultdict(list)
        self._by_value: dict[tuple[ContactKind, str], list[Entry]] = defaultdict(list)
        self._covered: set[tuple[ContactKind, str]] = set()
        for number, text in self._passages.texts():
            self._add(number, text)
        for source in reading.exchange.sources:
            for contact in Text(f"{source.title}\n{source.file}").contacts:
                self._cover(contact)
        self._digits = [
            _BETWEEN_DIGITS.sub("", text.normal.text) for _, text in self._passages.texts()
        ]

    def _add(self, number: int, text: Text) -> None:
        contacts = text.contacts
        whose = owners(text, [(one.start, one.end) for one in contacts])
        places = sentence_places(text, [contact.start for contact in contacts])
        for contact, at in zip(contacts, places, strict=True):
            place = Place(number, at)
            entry = Entry(
                contact,
                office(whose.get(contact.start, ())),
                self._passages.source_id(place),
                self._passages.sentence(place),
            )
            self._cover(contact)
            for value in contact.values:
                self._by_value[contact.kind, value].append(entry)
            for form in entry.office or ():
                self._by_office[form].append(entry)

    def _cover(self, contact: Contact) -> None:
        self._covered.update((contact.kind, value) for value in _covered_by(contact))

    def holds(self, contact: Contact) -> bool:
        """Tell whether a source gives a contact, in any notation."""
        return all(self._has(contact.kind, value) for value in contact.values) or self._stands(
            contact
        )

    def named(self, contact: Contact, owner: Label) -> tuple[Entry, ...]:
        """Return the contacts of that kind of the office that a label names."""
        entries = {
            entry: None
            for form in office(owner) or ()
            for entry in self._by_office.get(form, ())[: 2 * _MOST_OF_ONE]
            if _are_alike(entry.contact, contact)
        }
        return tuple(entries) if len(entries) <= _MOST_OF_ONE else ()

    def may_be(self, contact: Contact, own: tuple[Entry, ...]) -> bool:
        """Tell whether an office's contacts hold one, or it is not clear whose that is."""
        if any(contact.is_in(entry.contact) or entry.contact.is_in(contact) for entry in own):
            return True
        same = self._by_value.get((contact.kind, contact.values[0]), [])[:_MOST_OF_ONE]
        return not same or any(entry.office is None for entry in same)

    def _has(self, kind: ContactKind, value: str) -> bool:
        if (kind, value) in self._covered:
            return True
        tails = [value[-size:] for size in _LOCAL_DIGITS] if value.startswith("+") else []
        return any((kind, tail) in self._by_value for tail in tails)

    def _stands(self, contact: Contact) -> bool:
        """Tell whether the digits of a number stand in a source in a notation of its own."""
        if contact.kind is not ContactKind.PHONE or contact.is_extension:
            return False
        pattern = re.compile(rf"(?<!\d){_NOT_A_DIGIT.sub('', contact.text)}(?!\d)")
        return any(pattern.search(digits) for digits in self._digits)


def _covered_by(contact: Contact) -> Iterator[str]:
    """Yield the shorter ways to give a contact: a local number, an upper folder."""
    for value in contact.values:
        yield value
        if contact.kind is ContactKind.PHONE and value.startswith("+"):
            yield from (value[-size:] for size in _LOCAL_DIGITS)
        elif contact.kind is ContactKind.URL:
            yield from (value[: slash.start()] for slash in re.finditer("/", value))


def _are_alike(one: Contact, other: Contact) -> bool:
    return (
        one.kind is other.kind
        and one.is_extension == other.is_extension
        and one.is_fax == other.is_fax
    )
