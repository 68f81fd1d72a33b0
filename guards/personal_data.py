"""Personal identifiers in a question, and in an answer those that it has no reason to contain.

Finds: resident and foreigner registration numbers, cards, telephone numbers, e-mail addresses,
    accounts, passports, driving licences, health insurance cards, vehicle plates and, if the policy
    says so, business registration numbers. In an answer only those that neither the user nor the
    instructions gave, and that no source publishes as a contact.
Misses: names and postal addresses; identifiers spelt out in words, split over lines or hidden on
    purpose.
Score: 1.0.
Source: our own rules for their notations, see `guards.text.personal_data.personal`. Telephone
    numbers, e-mail addresses, accounts, plates and business numbers in a source are assumed to be
    an office's; the other kinds belong to a person, and an answer may repeat them only if the
    policy allows it. Numbers that a source labels as something else (주문번호) do not count,
    whatever they look like.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import islice, takewhile
from operator import attrgetter
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Part, Reading
from guards.text.personal_data.personal import ShownIdentifiers, find_personal, unpublished
from guards.text.personal_data.rules import PersonalKind, PersonalSpan
from guards.text.slots.contact import Contact


class Handling(StrEnum):
    """Handling of personal identifiers."""

    OFF = "off"
    MASK = "mask"
    BLOCK = "block"


class PersonalDataSettings(GuardSettings):
    """Options of the guard."""

    input: Handling = Field(
        Handling.OFF,
        description="Identifiers in what the user says, and wherever they stand those that no "
        "office publishes. mask: the model sees a placeholder such as `[전화번호-1]`, and the "
        "answer gets the user's own back. block: a question with one is not asked, and those of "
        "earlier turns are masked.",
    )
    output: Handling = Field(
        Handling.MASK,
        description="Identifiers in an answer that neither the user nor a source gave. mask: a "
        "label such as `[전화번호]` takes their place. block: the answer is written again without "
        "them, or replaced.",
    )
    business_numbers: bool = Field(
        False,
        description="Count business registration numbers, which are one person's where tenants "
        "deal with sole proprietors.",
    )
    allow_from_sources: bool = Field(
        False,
        description="Let the answer repeat whatever identifier a source holds, not only contacts.",
    )

    def handling(self, stage: Stage) -> Handling:
        """Return what is done at a stage."""
        return self.input if stage is Stage.INPUT else self.output


class PersonalData(Guard[PersonalDataSettings]):
    """Report the identifiers of a question, or those that an answer must not give."""

    id = "personal_data"
    label = Label("Personal data", "개인정보")
    subject = Subject.PERSONAL_DATA
    stages = frozenset({Stage.INPUT, Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = PersonalDataSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "personal_data.in_question": Code(
            label=Label("Personal data in the question", "질문에 든 개인정보"),
            meaning="The question contains a personal identifier.",
        ),
        "personal_data.unlicensed": Code(
            label=Label("Personal data from no source", "근거 없는 개인정보"),
            meaning="The answer contains a personal identifier that neither the user nor a source "
            "gave.",
            message="사용자와 자료가 알려 주지 않은 개인정보입니다",
            instruction=(
                "답변에 사용자도 자료도 알려 주지 않은 개인정보가 있습니다. 그런 개인정보는 쓰지 "
                "마세요."
            ),
        ),
    }

    def runs_at(self, stage: Stage) -> bool:
        """Tell whether the policy wants it at a stage."""
        return super().runs_at(stage) and self.settings.handling(stage) is not Handling.OFF

    def check(self, reading: Reading) -> list[Finding]:
        """Look at the answer; at the question as long as there is none."""
        if reading.answer is None:
            return self._in_question(reading)
        return self._in_answer(reading, reading.answer)

    def _in_question(self, reading: Reading) -> list[Finding]:
        question = reading.question
        found = unpublished(
            question.text.raw,
            self._identifiers(question),
            ShownIdentifiers(_texts(reading.sources)),
        )
        blocks = self.settings.input is Handling.BLOCK
        severity = Severity.STRONG if blocks else Severity.WEAK
        return [_finding("in_question", question, span, severity=severity) for span in found]

    def _in_answer(self, reading: Reading, answer: Part) -> list[Finding]:
        found = self._identifiers(answer)
        if not found:
            return []
        exchange = reading.exchange
        said = ShownIdentifiers([exchange.question, exchange.echo, exchange.previous_answer])
        sources = ShownIdentifiers(_texts(reading.sources))
        ranges = _Ranges(reading.sources)
        masks = self.settings.output is Handling.MASK
        return [
            _finding("unlicensed", answer, span, fix=span.kind.label if masks else None)
            for span in found
            if not said.holds(span.kind, answer.text.raw[span.start : span.end])
            and not self._is_sources_own(answer, span, sources)
            and not ranges.hold(answer, span)
        ]

    def _identifiers(self, part: Part) -> list[PersonalSpan]:
        return find_personal(part.text.raw, business_numbers=self.settings.business_numbers)

    def _is_sources_own(self, answer: Part, span: PersonalSpan, sources: ShownIdentifiers) -> bool:
        value = answer.text.raw[span.start : span.end]
        if self.settings.allow_from_sources:
            return sources.holds(span.kind, value)
        return sources.publish(span.kind, value)


def _texts(sources: Iterable[Part]) -> Iterator[str]:
    """Yield all that the sources say, their titles and addresses included."""
    for part in sources:
        yield part.text.raw
        if part.source is not None:
            yield f"{part.source.title}\n{part.source.file}"


class _Ranges:
    """The telephone numbers of the sources, also those that they give as a range."""

    def __init__(self, sources: Iterable[Part]) -> None:
        self._given: dict[str, list[Contact]] = {}
        for part in sources:
            for given in part.text.contacts:
                for key in given.keys:
                    self._given.setdefault(key, []).append(given)

    def hold(self, answer: Part, span: PersonalSpan) -> bool:
        """Tell whether a telephone number of the answer is among them."""
        if span.kind is not PersonalKind.PHONE or not self._given:
            return False
        contacts = answer.text.contacts
        first = bisect_right(contacts, span.start, key=attrgetter("end"))
        called = takewhile(lambda one: one.start < span.end, islice(contacts, first, None))
        return any(
            one.is_in(given)
            for one in called
            for key in one.keys
            for given in self._given.get(key, ())
        )


def _finding(
    what: str,
    part: Part,
    span: PersonalSpan,
    *,
    severity: Severity = Severity.STRONG,
    fix: str | None = None,
) -> Finding:
    return Finding(
        guard=PersonalData.id,
        code=f"{PersonalData.id}.{what}",
        part=part.name,
        span=Span(span.start, span.end),
        observed=part.text.raw[span.start : span.end],
        severity=severity,
        strength=Strength.E0,
        fix=fix,
    )
