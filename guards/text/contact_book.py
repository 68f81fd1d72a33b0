"""The contacts of an exchange's sources, and whose they are."""

import re
from collections import defaultdict
from dataclasses import dataclass

from guards.core.reading import Reading, Text
from guards.text.labels import Form, Label
from guards.text.named import office, owners
from guards.text.passages import Passages, Place, sentence_places
from guards.text.slots.contact import Contact, ContactKind

_DIGITS = re.compile(r"\D")
_LEAST_DIGITS = 7


@dataclass(frozen=True, slots=True)
class Entry:
    """A contact of a source.

    Attributes:
        contact: The contact.
        owner: The words that name whose it is; empty where none stand by it.
        source_id: Id of the source.
        sentence: The sentence in which it stands.
    """

    contact: Contact
    owner: Label
    source_id: str
    sentence: str


class ContactBook:
    """What the sources give as contacts."""

    def __init__(self, reading: Reading) -> None:
        self._passages = Passages(reading)
        self._entries: dict[ContactKind, list[Entry]] = defaultdict(list)
        self._loose: list[Contact] = []
        for number, text in self._passages.texts():
            self._add(number, text)
        for source in reading.exchange.sources:
            self._loose += Text(f"{source.title}\n{source.file}").contacts
        self._values = {
            (entry.contact.kind, value)
            for entries in self._entries.values()
            for entry in entries
            for value in entry.contact.values
        }
        self._raw = [text.normal.text for _, text in self._passages.texts()]

    def _add(self, number: int, text: Text) -> None:
        contacts = text.contacts
        whose = owners(text, [(one.start, one.end) for one in contacts])
        places = sentence_places(text, [contact.start for contact in contacts])
        for contact, at in zip(contacts, places, strict=True):
            place = Place(number, at)
            self._entries[contact.kind].append(
                Entry(
                    contact,
                    whose.get(contact.start, ()),
                    self._passages.source_id(place),
                    self._passages.sentence(place),
                )
            )

    def holds(self, contact: Contact) -> bool:
        """Tell whether a source gives a contact, in any notation."""
        if all((contact.kind, value) in self._values for value in contact.values):
            return True
        entries = self._entries[contact.kind]
        known = [*(entry.contact for entry in entries), *self._loose]
        return any(contact.is_in(other) for other in known) or self._stands(contact)

    def named(self, contact: Contact, owner: Label) -> tuple[Entry, ...]:
        """Return the contacts of that kind of the office that a label names."""
        name = office(owner)
        if name is None:
            return ()
        return tuple(
            entry
            for entry in self._entries[contact.kind]
            if entry.contact.is_extension == contact.is_extension
            and entry.contact.is_fax == contact.is_fax
            and _is_of(entry, name)
        )

    def may_be(self, contact: Contact, own: tuple[Entry, ...]) -> bool:
        """Tell whether an office's contacts hold one, or it is not clear whose that is."""
        if any(contact.is_in(entry.contact) or entry.contact.is_in(contact) for entry in own):
            return True
        same = [entry for entry in self._entries[contact.kind] if contact.is_in(entry.contact)]
        return not same or any(office(entry.owner) is None for entry in same)

    def _stands(self, contact: Contact) -> bool:
        """Tell whether the digits of a number stand in a source in a notation of its own."""
        if contact.kind is not ContactKind.PHONE or contact.is_extension:
            return False
        digits = _DIGITS.sub("", contact.text)
        if len(digits) < _LEAST_DIGITS and contact.text != digits:
            return False
        pattern = re.compile(r"(?<!\d)" + r"[-.)( ]{0,2}".join(digits) + r"(?!\d)")
        return any(pattern.search(raw) for raw in self._raw)


def _is_of(entry: Entry, name: Form) -> bool:
    return any(not name.isdisjoint(form) for form in entry.owner)
