"""Claims that turn a source sentence into its opposite.

Finds: a clause that the sources tell the other way about the same words, whatever the wording
    (휴관한다 -> 개관합니다, 휴관일: 토요일 -> 토요일에도 운영합니다); a predicate that the closest
    source sentence denies, demands, forbids or allows otherwise (제출하여야 한다 -> 제출하지 않아도
    됩니다), and a word in the place of its opposite (무료 -> 유료). With a close alignment it is
    strong (flipped), else weak (possible). A claim without the limit under which a source tells
    the same (관리자만 -> 누구나, 금요일에 한해 -> 요일에 상관없이) is strong. Weak, too: an answer
    that leaves out the exception (다만, …) of the rule it gives, where the question touches it.
Misses: opposites that no list has, flips before a noun or in a clause of manner, a rule told from
    its other side, a claim that keeps less of the rule than its subject and condition, rows of
    tables, and sentences with two oppositions, which may cancel each other.
Score: the share of the claim, or of its clause, that the source has.
Source: own rules for Korean negation and modality; own lists of opposites.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Asked, Reading, SourceSet
from guards.text.alignment import Aligned, alignments
from guards.text.around import Around
from guards.text.claims import bare_claim, claims
from guards.text.emphasis import without_emphasis
from guards.text.features import features
from guards.text.finding_places import marked, within
from guards.text.left_out import is_left_out
from guards.text.oppositions import oppositions
from guards.text.oppositions_elsewhere import is_told
from guards.text.oppositions_excused import is_excused, is_table_row, share_of_rest
from guards.text.oppositions_of_clauses import opposed, sayings_against
from guards.text.overlap_score import containment
from guards.text.polarity_sayings import sayings
from guards.text.sentences import LONGEST_SENTENCE_CHARS, Sentence
from guards.text.widened import widened

_MOST_KEPT = 64
# A claim without one, a figure in a table's cell, says nothing that could be denied.
_LETTER = re.compile(r"[^\W\d_]")


class NegationSettings(GuardSettings):
    """Options of the guard."""

    sure_from: float = Field(
        0.7,
        ge=0,
        le=1,
        description="Share of a claim that a source sentence holds, from which on its opposite is "
        "a contradiction (strong).",
    )
    possible_from: float = Field(
        0.45, ge=0, le=1, description="Share from which on it is a possible one (weak)."
    )
    widened_from: float = Field(
        0.6,
        ge=0,
        le=1,
        description="Share of the rest of a clause that a source sentence with a limit holds, from "
        "which on a word that widens the clause (누구나, 승인 없이) drops the limit (strong).",
    )
    told_from: float = Field(
        0.4,
        ge=0,
        le=1,
        description="Share of an exception that the answer must hold to have told it.",
    )


class _Found(NamedTuple):
    """Something found about a claim.

    Attributes:
        finding: The finding; its span is a place in the claim.
        exception: It is none if the answer tells this; empty where it is one anyway.
    """

    finding: Finding
    exception: str = ""


class Negation(Guard[NegationSettings]):
    """Report claims that say the opposite of the closest source sentence."""

    id = "negation"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = NegationSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "negation.flipped": Code(
            "The claim says the opposite of the source sentence that it follows.",
            '"{observed}"은(는) 자료와 반대입니다. 자료의 표현({expected})대로 쓰세요.',
        ),
        "negation.possible": Code(
            "The claim may say the opposite of a source sentence on the same subject.",
            '"{observed}"이(가) 자료({expected})와 반대되지 않는지 확인하고 자료대로 쓰세요.',
        ),
        "negation.condition_dropped": Code(
            "The claim says without limit what the source allows under a condition only.",
            '"{observed}"은(는) 자료의 조건({expected})과 다릅니다. 조건을 그대로 쓰세요.',
        ),
        "negation.exception_omitted": Code(
            "The answer gives a rule without the exception that the question touches.",
            "자료의 단서({expected})도 함께 쓰세요.",
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def read_ahead(self, asked: Asked) -> Iterator[None]:
        """Read what the sources deny, which most claims are held against."""
        asked.told.once(sayings_against)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Compare each claim with the source sentences that hold most of it."""
        if reading.answer is None:
            return []
        judged = reading.asked.once(self._judged)
        findings: list[Finding] = []
        before = ""
        for claim in claims(reading.answer.text.raw):
            if claim.end > reading.judged_from and _LETTER.search(claim.text):
                if (before, claim.text) not in judged:
                    judged[before, claim.text] = self._of_claim(before, claim, reading)
                findings.extend(
                    within(one.finding, claim)
                    for one in judged[before, claim.text]
                    if self._holds(one, reading)
                )
            before = claim.text
        return findings

    def _judged(self, asked: Asked) -> dict[tuple[str, str], list[_Found]]:
        """Return what was found about claims, by the claim before and their own text; none yet.

        An answer is looked at again and again while it grows, and a long one repeats itself.
        """
        del asked
        return {}

    def _holds(self, found: _Found, reading: Reading) -> bool:
        """Tell whether something found about a claim holds, whatever else the answer says."""
        answer = reading.answer.text.raw if reading.answer else ""
        return not found.exception or containment(found.exception, answer) < self.settings.told_from

    def _harmless(self, told: SourceSet) -> set[str]:
        """Return the claims that these sources do not oppose, whatever was asked; none yet.

        The same sources come back all day, and many answers say the same of them.
        """
        del told
        return set()

    def _of_claim(self, before: str, claim: Sentence, reading: Reading) -> list[_Found]:
        """Return what is wrong with a claim; the spans are places in the claim."""
        harmless = reading.told.once(self._harmless)
        if claim.text in harmless or len(claim.text) > LONGEST_SENTENCE_CHARS:
            return []
        text, places = without_emphasis(claim.text)
        around = Around(reading.question.text.raw, before)
        found = self._of_plain(around, Sentence(text, 0, len(text)), reading)
        if not (found or around.counted):
            if len(harmless) >= _MOST_KEPT:
                harmless.clear()
            harmless.add(claim.text)
        return [one._replace(finding=marked(one.finding, claim.text, places)) for one in found]

    def _of_plain(self, around: Around, claim: Sentence, reading: Reading) -> list[_Found]:
        flip = None if claim.text.startswith("|") else self._flipped_clause(around, claim, reading)
        closest = alignments(bare_claim(claim.text), reading, self.settings.possible_from / 2)
        if flip is None and closest and not is_table_row(claim):
            flip = self._flip(claim, closest, reading)
        if flip is None and closest:
            flip = self._widened(claim, reading)
        omitted = self._omitted(around, claim, closest[0]) if closest else None
        found = [_Found(flip)] if flip else []
        return [*found, _Found(omitted, closest[0].exception)] if omitted else found

    def _flipped_clause(self, around: Around, claim: Sentence, reading: Reading) -> Finding | None:
        bare = bare_claim(claim.text)
        context = partial(around.forms, claim.text)
        for saying in sayings(bare):
            found = opposed(reading.told, saying, context)
            if found and not is_left_out(claim.text, found.told.said.sentence):
                lead = claim.text.rindex(bare)
                start, end = lead + saying.start, lead + saying.end
                return Finding(
                    guard=self.id,
                    code="negation.flipped",
                    part="answer",
                    span=Span(start, end),
                    observed=claim.text[start:end],
                    strength=Strength.C2,
                    expected=(found.told.predicate,),
                    evidence=(Evidence(found.told.source_id, found.told.said.sentence),),
                    score=round(found.share, 3),
                )
        return None

    def _flip(
        self, claim: Sentence, closest: Sequence[Aligned], reading: Reading
    ) -> Finding | None:
        aligned = closest[0]
        found = oppositions(claim.text, aligned.sentence)
        if len(found) != 1:
            return None
        [opposition] = found
        if not opposition.expected or is_excused(claim, opposition, closest):
            return None
        share = share_of_rest(claim, opposition, aligned)
        if share < self.settings.possible_from:
            return None
        before = claim.text[: opposition.end]
        if not opposition.is_word and is_told(before, aligned.sentence, reading):
            return None
        is_sure = share >= self.settings.sure_from
        return Finding(
            guard=self.id,
            code="negation.flipped" if is_sure else "negation.possible",
            part="answer",
            span=Span(opposition.start, opposition.end),
            observed=claim.text[opposition.start : opposition.end],
            severity=Severity.STRONG if is_sure else Severity.WEAK,
            strength=Strength.C2 if is_sure else Strength.C1,
            expected=(opposition.expected,),
            evidence=(Evidence(aligned.source_id, aligned.sentence),),
            score=round(share, 3),
        )

    def _widened(self, claim: Sentence, reading: Reading) -> Finding | None:
        bare = bare_claim(claim.text)
        found = widened(bare, reading, self.settings.widened_from)
        if found is None:
            return None
        lead = claim.text.rindex(bare)
        start, end = lead + found.start, lead + found.end
        return Finding(
            guard=self.id,
            code="negation.condition_dropped",
            part="answer",
            span=Span(start, end),
            observed=claim.text[start:end],
            strength=Strength.C2,
            expected=(found.limit,),
            evidence=(Evidence(found.told.source_id, found.told.sentence),),
            score=round(found.told.share, 3),
        )

    def _omitted(self, around: Around, claim: Sentence, aligned: Aligned) -> Finding | None:
        """Return what may be missing: the exception, unless the answer has it elsewhere."""
        exception = aligned.exception
        if aligned.share < self.settings.sure_from or not exception:
            return None
        touched = around.asked() & features(exception).forms
        if not touched - features(aligned.sentence).forms:
            return None
        return Finding(
            guard=self.id,
            code="negation.exception_omitted",
            part="answer",
            span=Span(0, len(claim.text)),
            observed=claim.text,
            severity=Severity.WEAK,
            strength=Strength.E1,
            expected=(exception,),
            evidence=(Evidence(aligned.source_id, exception),),
            score=round(aligned.share, 3),
        )
