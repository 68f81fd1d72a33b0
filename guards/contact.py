"""Telephone numbers, web addresses and e-mail that the sources do not give, or give for another.

Finds: a number (with area code, mobile, service number, extension, short code such as 120), a web
    address or an e-mail address that stands in no source; one that a source gives for another
    office or purpose than the answer names, where the named one has its own (fax for telephone,
    emergency for booking, the office before the number or in its brackets). The last digits in a
    list behind a number and a table's column of extensions are contacts too.
Misses: a swapped value where no source gives the named office any of that kind, or where another
    word of the sentence names that value alone; opening hours (`numbers`).
Score: 1.0 for a value that stands nowhere; 0.9 for a swapped one.
Source: own rules. An address may be cut to its host or an upper folder; a local number may lack its
    area code. Values of the question and of instructions may be repeated.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, Text
from guards.text.naming.contact_book import ContactBook, covered_by, namings
from guards.text.naming.namings import Named
from guards.text.naming.ownership import Owned
from guards.text.slots.contact import Contact, ContactKind

# Hosts that stand for no host (RFC 2606).
_PLACEHOLDER = re.compile(r"(?:^|[/.@])example\.(?:com|org|net)(?![\w.-]*\w)", re.IGNORECASE)


class ContactSettings(GuardSettings):
    """Options of the guard."""

    allow_from_question: bool = Field(
        True, description="Let the answer repeat contacts of the question and the instructions."
    )
    allowed: tuple[str, ...] = Field(
        (), description="Contacts that every answer may give, as a reader would write them."
    )


class Contacts(Guard[ContactSettings]):
    """Report every contact of the answer that is not the sources' own."""

    id = "contact"
    label = Label("Contact details", "연락처")
    subject = Subject.CONTACTS
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = ContactSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "contact.invented": Code(
            label=Label("Invented contact details", "지어낸 연락처"),
            meaning="No source gives the telephone number or address.",
            instruction=(
                '"{observed}"{observed:은} 자료에 없는 연락처입니다. 자료에 있는 연락처만 쓰세요.'
            ),
        ),
        "contact.swapped": Code(
            label=Label("Somebody else's contact details", "다른 곳의 연락처"),
            meaning="A source gives the telephone number or address for someone else.",
            instruction=(
                '"{observed}"{observed:은} 다른 부서의 연락처입니다. 자료의 연락처 '
                "{expected}{expected:을} 쓰세요."
            ),
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def check(self, reading: Reading) -> list[Finding]:
        """Look up each contact of the answer."""
        if reading.answer is None or not reading.answer.text.contacts:
            return []
        text = reading.answer.text
        book = ContactBook(reading)
        licensed = self._licensed(reading)
        named = {one.start: one for one in namings(text, text.contacts)}
        found = (
            self._finding(contact, book, named[contact.start])
            for contact in _claimed(text)
            if not _is_licensed(contact, licensed)
        )
        return [finding for finding in found if finding is not None]

    def _licensed(self, reading: Reading) -> dict[str, list[Contact]]:
        """Return what may be said without a source, each value once, by each way to give it."""
        each = {(one.kind, one.values): one for one in self._allowed(reading)}
        found: dict[str, list[Contact]] = {}
        for contact in each.values():
            for form in covered_by(contact):
                found.setdefault(form, []).append(contact)
        return found

    def _allowed(self, reading: Reading) -> list[Contact]:
        allowed = [
            contact for written in self.settings.allowed for contact in Text(written).contacts
        ]
        if not self.settings.allow_from_question:
            return allowed
        echo = Text(reading.exchange.echo)
        return [*allowed, *reading.question.text.contacts, *echo.contacts]

    def _finding(self, contact: Contact, book: ContactBook, claim: Named) -> Finding | None:
        known = book.holds(contact)
        named = book.owners_instead if known else book.named_by
        own = named(contact, claim)
        if known and not own:
            return None
        expected = tuple(dict.fromkeys(entry.written for entry in own))
        # Where purpose and office belong to two numbers, either may be the slip.
        is_one = len({entry.value.values for entry in own}) == 1
        is_sure = is_one and not (known and book.speaks_for(contact, claim))
        return Finding(
            guard=self.id,
            code="contact.swapped" if known else "contact.invented",
            part="answer",
            span=Span(contact.start, contact.end),
            observed=contact.text,
            strength=Strength.C2 if known else Strength.E0,
            expected=expected,
            evidence=_evidence(own),
            score=0.9 if known else 1.0,
            fix=expected[0] if is_sure else None,
        )


def _is_licensed(contact: Contact, licensed: Mapping[str, Sequence[Contact]]) -> bool:
    # An address is covered by longer ones alone; a number also by one without its area code.
    forms = contact.values if contact.kind is ContactKind.URL else covered_by(contact)
    return any(contact.is_in(other) for form in forms for other in licensed.get(form, ()))


def _claimed(text: Text) -> list[Contact]:
    """Return the contacts of a text without numbers and placeholders in code."""
    prose = text.prose
    return [
        contact
        for contact in text.contacts
        if prose[contact.start : contact.end] == contact.text
        or not (contact.kind is ContactKind.PHONE or _PLACEHOLDER.search(contact.text))
    ]


def _evidence(entries: Iterable[Owned[Contact]]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(Evidence(entry.source_id, entry.sentence) for entry in entries))
