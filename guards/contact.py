"""Telephone numbers, web and e-mail addresses that no source gives, or gives for somebody else.

Finds: a telephone number (with area code, mobile, service number, extension, short code such as
    120), a web address or an e-mail address that is in no source; one that a source gives for
    another office or purpose than the answer names, if the named one has its own (fax for
    telephone, emergency for booking, the office before the number or in its brackets). The last
    digits in a list after a number, and a table column of extensions, are contacts too.
Misses: a swapped contact if no source gives the named office any of that kind, or if another word
    of the sentence belongs to that contact alone; opening hours (`numbers`).
Score: 1.0 for a contact that is in no source; 0.9 for a swapped one.
Source: our own rules. An address may be shortened to its host or an upper folder; a local number
    may lack its area code. Contacts in the question and the instructions may be repeated.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Part, Reading, Text
from guards.korean.digits import in_digits
from guards.text.namings import Named, Naming, Owned, Ownership, named
from guards.text.sentences import sentence_places
from guards.text.slots.contact import Contact, ContactKind

# Words that say what a contact is, not whose.
_TELLING_NOTHING = frozenset(
    """
    전화 전화번호 연락처 번호 대표 대표번호 대표전화 문의 문의처 문의전화 문의사항 팩스 이메일
    메일 주소 홈페이지 누리집 웹사이트 사이트 내선 내선번호 직통 휴대폰 휴대전화 관련 담당
    담당자 국번 없이 또는 통해 연락 방문 온라인 사항 구분 부서 이용 업무 시 평일 주말 매일
    각각 모두 경우 제외 tel fax email url
    """.split()
)
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-.)( ]{1,2}(?=\d)")
_DIGITS = re.compile(r"\d+")
_NOT_A_DIGIT = re.compile(r"\D")
_EXTENSION_WORD = re.compile(r"내선|교환|구내")
_EXTENSION_COLUMN = re.compile(r"[ *]*(?:내선|교환|구내)(?:[ ]?(?:번호|전화))?[ *]*")
_EXTENSION_CELL = re.compile(r"[ *]*(?P<number>\d{1,5})[ *]*")
_LOCAL_DIGITS = (7, 8)
_FEWEST_CELLS = 2
# What the sources give under more names than these is nobody's own.
_MOST_NAMES = 200
_start_of = attrgetter("start")


class ContactBook:
    """Contacts that the sources give."""

    def __init__(self, reading: Reading) -> None:
        self._values: set[tuple[ContactKind, str]] = set()
        self._covered: set[tuple[ContactKind, str]] = set()
        self._owned: dict[_Line, Ownership[Contact]] = defaultdict(Ownership)
        self._by_value: dict[tuple[_Line, str], list[Owned[Contact]]] = defaultdict(list)
        self._by_covered: dict[tuple[_Line, str], list[Owned[Contact]]] = defaultdict(list)
        self._found: dict[tuple[_Line, tuple[str, ...]], frozenset[Owned[Contact]]] = {}
        for part in reading.source_set.parts:
            self._add(part)
        for source in reading.exchange.sources:
            for contact in Text(f"{source.title}\n{source.file}").contacts:
                self._cover(contact)
        texts = (part.text for part in reading.source_set.parts)
        said = [_BETWEEN_DIGITS.sub("", text.normal.text) for text in texts]
        # What each passage has of digits in a row, and whether it speaks of extensions.
        self._digits = [
            (frozenset(_DIGITS.findall(one)), bool(_EXTENSION_WORD.search(one))) for one in said
        ]

    def _add(self, part: Part) -> None:
        text = part.text
        contacts = sorted((*text.contacts, *_extension_cells(text)), key=_start_of)
        places = sentence_places(text.sentences, [contact.start for contact in contacts])
        tails = [bool(contact.full) for contact in contacts]
        of_line: Naming = ()
        for at, name in enumerate(namings(text, contacts)):
            contact = contacts[at]
            of_line = of_line if contact.full else name.labels
            self._cover(contact)
            self._values.update((contact.kind, value) for value in contact.values)
            owned = Owned(
                contact,
                contact.written,
                (*name.labels, *of_line) if contact.full else name.labels,
                part.source.id if part.source else "",
                text.sentences[places[at]].text,
                is_general=not tails[at] and tails[at + 1 : at + 2] == [True],
            )
            line = _line_of(contact)
            if self._owned[line].add(owned):
                for value in contact.values:
                    self._by_value[line, value].append(owned)
                for value in covered_by(contact):
                    self._by_covered[line, value].append(owned)

    def _cover(self, contact: Contact) -> None:
        self._covered.update((contact.kind, value) for value in covered_by(contact))

    def holds(self, contact: Contact) -> bool:
        """Tell whether a source gives a contact, in any notation."""
        return all(self._has(contact.kind, value) for value in contact.values) or self._stands(
            contact
        )

    def named_by(self, contact: Contact, claim: Named) -> tuple[Owned[Contact], ...]:
        """Return the contacts of its kind that belong to whom a claim names."""
        return self._owned[_line_of(contact)].named_by(claim.forms)

    def owners_instead(self, contact: Contact, claim: Named) -> tuple[Owned[Contact], ...]:
        """Return the contacts that a claim should have given for one that is another's."""
        line = _line_of(contact)
        owned = self._owned[line]
        given = self._owners_in_sources(contact, line)
        if len(given) > _MOST_NAMES:
            return ()
        if given or not self._owners_in_sources(contact, line._replace(is_fax=not line.is_fax)):
            return owned.owners_instead(claim.forms, given, claim.office or frozenset())
        # A fax number as one to call, or the other way about.
        return owned.named_by(claim.forms) or (tuple(owned) if contact.is_fax else ())

    def confirms(self, contact: Contact, claim: Named) -> bool:
        """Tell whether a claim names a contact by something else than the office before it."""
        line = _line_of(contact)
        named = self._owned[line].named_by(claim.forms)
        return not self._owners_in_sources(contact, line).isdisjoint(named)

    def _owners_in_sources(self, contact: Contact, line: "_Line") -> frozenset[Owned[Contact]]:
        """Return where the sources give a contact; a long answer says the same again and again."""
        name = (line, contact.values)
        if name not in self._found:
            found: set[Owned[Contact]] = set()
            for entry in self._entries_of(contact, line):
                found.add(entry)
                if len(found) > _MOST_NAMES:
                    break
            self._found[name] = frozenset(found)
        return self._found[name]

    def _entries_of(self, contact: Contact, line: "_Line") -> Iterator[Owned[Contact]]:
        # What covers it has its value among what it covers itself, and the other way about.
        near = chain(
            (self._by_covered.get((line, value), ()) for value in contact.values),
            (self._by_value.get((line, value), ()) for value in covered_by(contact)),
        )
        return (
            entry
            for entry in chain.from_iterable(near)
            if contact.is_in(entry.value) or entry.value.is_in(contact)
        )

    def _has(self, kind: ContactKind, value: str) -> bool:
        if (kind, value) in self._covered:
            return True
        tails = [value[-size:] for size in _LOCAL_DIGITS] if value.startswith("+") else []
        return any((kind, tail) in self._values for tail in tails)

    def _stands(self, contact: Contact) -> bool:
        """Tell whether the digits of a number stand in a source in a notation of its own."""
        if not contact.is_phone:
            return False
        number = _NOT_A_DIGIT.sub("", in_digits(contact.text))
        return any(
            number in digits
            for digits, has_extensions in self._digits
            if not contact.is_extension or has_extensions
        )


class _Line(NamedTuple):
    """Contacts that may be mistaken for one another."""

    kind: ContactKind
    is_extension: bool
    is_fax: bool


def _line_of(contact: Contact) -> _Line:
    return _Line(contact.kind, contact.is_extension, contact.is_fax)


def namings(text: Text, contacts: Sequence[Contact]) -> list[Named]:
    """Return what may name each of the contacts of a text."""
    return named(text.raw, [(one.start, one.end) for one in contacts], _TELLING_NOTHING)


def _extension_cells(text: Text) -> Iterator[Contact]:
    """Yield the numbers in a table's column of extensions."""
    column: int | None = None
    start = 0
    for line in text.raw.split("\n"):
        cells = line.split("|")
        if len(cells) <= _FEWEST_CELLS:
            column = None
        elif column is None:
            headed = (at for at, cell in enumerate(cells) if _EXTENSION_COLUMN.fullmatch(cell))
            column = next(headed, None)
        elif column < len(cells) and (cell := _EXTENSION_CELL.fullmatch(cells[column])):
            begin = start + len("|".join(cells[:column])) + 1 + cell.start("number")
            number = cell["number"]
            end = begin + len(number)
            yield Contact(ContactKind.PHONE, (f"x{number}",), number, begin, end)
        start += len(line) + 1


def covered_by(contact: Contact) -> Iterator[str]:
    """Yield the shorter ways to give a contact: a local number, an upper folder."""
    for value in contact.values:
        yield value
        if contact.is_phone and value.startswith("+"):
            yield from (value[-size:] for size in _LOCAL_DIGITS)
        elif contact.kind is ContactKind.URL:
            yield from (value[: slash.start()] for slash in re.finditer("/", value))


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
    needs_sources = True
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
            without_value=(
                '"{observed}"{observed:은} 다른 부서의 연락처입니다. 질문한 곳의 연락처를 자료에서 '
                "확인해 쓰고, 없으면 쓰지 마세요."
            ),
        ),
    }

    def check(self, reading: Reading) -> list[Finding]:
        """Look up each contact of the answer."""
        text = reading.answer_text
        if not text.contacts:
            return []
        book = ContactBook(reading)
        licensed = self._allowed_contacts(reading)
        named = {one.start: one for one in namings(text, text.contacts)}
        found = (
            self._finding(contact, book, named[contact.start])
            for contact in _contacts(text)
            if not _is_licensed(contact, licensed)
        )
        return [finding for finding in found if finding is not None]

    def _allowed_contacts(self, reading: Reading) -> dict[str, list[Contact]]:
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
        is_sure = is_one and not (known and book.confirms(contact, claim))
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


def _contacts(text: Text) -> list[Contact]:
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
