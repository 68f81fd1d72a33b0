"""Claims of an answer that were compared with the sources, and by which guards.

A guard that ran and found nothing has checked a claim only if it compared what the claim says: all
its words (`overlap`), the figure, telephone number or route that it gives, or the whole claim with
the source that it cites (`citations`, where that says so). That a name or a provision exists, or
that nothing is hedged, says little about the claim; guards of an answer's form (`quality`,
`korean_only`, …) say nothing about it.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Protocol, TypeVar

from guards.citations import Citations, CitationsSettings
from guards.claims.reader import read_claims
from guards.contact import Contacts
from guards.core.finding import Finding
from guards.core.guard import GuardSettings, Subject
from guards.core.keeping import lazy
from guards.core.reading import Reading, Text
from guards.core.registry import guards_about
from guards.evidence.opposites.acts import UNLESS
from guards.evidence.opposites.meaning import relation
from guards.evidence.opposites.statements import Statement as Predication
from guards.evidence.opposites.statements import is_against, statements_of
from guards.evidence.passages import units_of
from guards.evidence.thresholds import COMPARED_WORDS
from guards.numbers import Numbers
from guards.overlap import Overlap
from guards.text.citing.assessment import Assessed, Assessment, Status, assess
from guards.text.citing.statements import Statement, cited_answer
from guards.text.hedging import claimed_quantities
from guards.transport import Transport
from policies.schema.policy import Policy

_SAYS_NOTHING = (Subject.FORM, Subject.QUESTION)
_NO_TEXT = Text("")
_start_of = attrgetter("start")

SettingsT = TypeVar("SettingsT", bound=GuardSettings)


def options_of(policy: Policy, guard: str, settings: type[SettingsT]) -> SettingsT:
    """Return a guard's options in a policy; the defaults where it does not speak of the guard."""
    rule = policy.guards.get(guard)
    return settings.model_validate(rule.options if rule else {})


class Slot(Protocol):
    """A value read off a text, with its place."""

    @property
    def start(self) -> int:
        """Its first character."""


class Coverage:
    """The claims of one answer and who looked at them.

    Attributes:
        statements: Every sentence of the answer, without its references and code.
        claims: Those of them that can be true or false.
    """

    def __init__(self, policy: Policy, reading: Reading, ran: Collection[str]) -> None:
        """Look over an answer."""
        self._reading = reading
        self._ran = ran
        self._threshold = options_of(policy, Citations.id, CitationsSettings).threshold
        self._checked_by: dict[int, tuple[str, ...]] = {}
        self._answer = reading.answer.text if reading.answer else _NO_TEXT
        self._cited = cited_answer(reading)
        self.statements = self._cited.statements
        self.claims = tuple(one for one in self.statements if one.is_claim)

    @lazy
    def assessed(self) -> Assessed | None:
        """Assessment of the citations; None if their guard did not run."""
        if Citations.id not in self._ran:
            return None
        return assess(self._reading, self._threshold)

    def met_a_source(self, findings: Iterable[Finding]) -> bool:
        """Tell whether anything of the answer was compared with a source.

        Args:
            findings: What the guards in force found, which may be in sentences that claim nothing.
        """
        if not self._reading.sources:
            return False
        compared = any(True for claim in self.claims for _ in self._checking(claim))
        return compared or any(one.guard not in guards_about(*_SAYS_NOTHING) for one in findings)

    def checked_by(self, claim: Statement) -> tuple[str, ...]:
        """Return the guards that compared a claim with the sources, in a fixed order."""
        start = claim.sentence.start
        if start not in self._checked_by:
            self._checked_by[start] = tuple(self._checking(claim))
        return self._checked_by[start]

    def is_too_short(self, claim: Statement) -> bool:
        """Tell whether a claim holds nothing that any guard compares."""
        has_slots = any(_stands_in(claim, slots) for slots in self._slots.values())
        return not has_slots and not self._has_words(claim)

    def _checking(self, claim: Statement) -> Iterator[str]:
        if not self._reading.sources:
            return
        if Overlap.id in self._ran and self._has_words(claim):
            yield Overlap.id
        for guard, slots in self._slots.items():
            if guard in self._ran and _stands_in(claim, slots):
                yield guard
        if self._is_cited_accurately(claim):
            yield Citations.id

    def _is_cited_accurately(self, claim: Statement) -> bool:
        """Tell whether every source that a claim cites says so."""
        cited = [one for mark in claim.marks for one in self._cited_by.get(mark.start, ())]
        return bool(cited) and all(
            one.status is Status.ACCURATE and agrees_with_source(one.statement.text, one.quote)
            for one in cited
        )

    @lazy
    def _cited_by(self) -> dict[int, list[Assessment]]:
        """Assessments of each citation mark, by its position."""
        cited: dict[int, list[Assessment]] = {}
        for one in self.assessed.assessments if self.assessed else ():
            cited.setdefault(one.mark.start, []).append(one)
        return cited

    def _has_words(self, claim: Statement) -> bool:
        return sum(one.weight for one in units_of(claim.text)) >= COMPARED_WORDS

    @lazy
    def _slots(self) -> dict[str, Sequence[Slot]]:
        """The values that each guard compares, by guard id."""
        return {
            Numbers.id: claimed_quantities(self._answer),
            Contacts.id: self._answer.contacts,
            Transport.id: self._answer.routes,
        }


def is_about_mark(finding: Finding, statement: Statement) -> bool:
    """Tell whether a finding is about a citation mark, not about what the statement says."""
    span = finding.span
    return any(
        mark.start <= span.start and span.end <= mark.end and not mark.wrapped
        for mark in statement.marks
    )


def _stands_in(claim: Statement, slots: Sequence[Slot]) -> bool:
    """Tell whether one of some slots, which are in order, begins in a claim."""
    sentence = claim.sentence
    at = bisect_left(slots, sentence.start, key=_start_of)
    return at < len(slots) and slots[at].start < sentence.end


def agrees_with_source(claim: str, sentence: str) -> bool | None:
    """Tell whether a source sentence affirms and denies the same things as a claim.

    A measure of shared words cannot tell ``환불합니다`` from ``환불하지 않습니다``.

    Returns:
        False if it says the opposite of a predicate that both have; None if the claim denies
        something of which the sentence does not speak.
    """
    source = _predications(sentence)
    is_open = False
    for statement in _predications(claim):
        agreements = {_agreement(statement, one) for one in source}
        if -1 in agreements and 1 not in agreements:
            return False
        denies = is_against(statement) or UNLESS in statement.turns
        is_open = is_open or (denies and agreements <= {0})
    return None if is_open else True


def _agreement(statement: Predication, source: Predication) -> int:
    """Return 1 if two statements say the same of an act, -1 if the opposite, else 0."""
    agrees, _, act = relation(statement, source)
    is_other = (UNLESS in statement.turns) != (UNLESS in source.turns)
    return 0 if act is None or is_other else agrees


def _predications(text: str) -> list[Predication]:
    sentences = read_claims(text).sentences
    return [one for one in statements_of(sentences) if not one.is_named]
