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
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading
from guards.text.alignment import LONGEST_SENTENCE_CHARS, Aligned, alignments
from guards.text.claims import bare_claim, claims
from guards.text.emphasis import without_emphasis
from guards.text.features import features
from guards.text.left_out import is_left_out
from guards.text.oppositions import Opposition, oppositions, tells
from guards.text.oppositions_elsewhere import is_told
from guards.text.oppositions_of_clauses import SourceSayings
from guards.text.overlap_score import containment
from guards.text.polarity_sayings import sayings
from guards.text.sentences import Sentence
from guards.text.widened import widened

_MOST_BARS = 3
_LOOK_BACK_CHARS = 30
_BOUND = re.compile(r"(?:이상|이하|초과|미만|이전|이후|이내)")
_FOCUS = re.compile(r"([가-힣]{1,20})(?:에는|에서는|으로는|까지는)\s$")
_FIGURE_BEFORE = re.compile(r"\d[\d,.]{0,20}[ ]?[가-힣A-Za-z%]{0,4}(?:\s[원명개분])?\s?$")


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

    def check(self, reading: Reading) -> list[Finding]:
        """Compare each claim with the source sentences that hold most of it."""
        if reading.answer is None:
            return []
        told = SourceSayings(reading)
        # A long answer repeats itself.
        known: dict[tuple[str, str], list[Finding]] = {}
        findings: list[Finding] = []
        before = ""
        for claim in claims(reading.answer.text.raw):
            if claim.end > reading.judged_from:
                if (before, claim.text) not in known:
                    known[before, claim.text] = self._of_claim(before, claim, told, reading)
                findings.extend(_at(claim, finding) for finding in known[before, claim.text])
            before = claim.text
        return findings

    def _of_claim(
        self, before: str, claim: Sentence, told: SourceSayings, reading: Reading
    ) -> list[Finding]:
        """Return what is wrong with a claim; the spans are places in the claim."""
        if len(claim.text) > LONGEST_SENTENCE_CHARS:
            return []
        text, places = without_emphasis(claim.text)
        plain = Sentence(text, 0, len(text))
        found = self._of_plain(before, plain, told, reading)
        return [_emphasised(finding, claim.text, places) for finding in found]

    def _of_plain(
        self, before: str, claim: Sentence, told: SourceSayings, reading: Reading
    ) -> list[Finding]:
        around = f"{reading.question.text.raw}\n{before}"
        flip = None if claim.text.startswith("|") else self._flipped_clause(claim, told, around)
        closest = alignments(bare_claim(claim.text), reading, self.settings.possible_from / 2)
        if not closest:
            return [flip] if flip else []
        if flip is None and not _is_table_row(claim):
            flip = self._flip(claim, closest, reading)
        if flip is None:
            flip = self._widened(claim, reading)
        omitted = self._omitted(claim, closest[0], reading)
        return [finding for finding in (flip, omitted) if finding]

    def _flipped_clause(self, claim: Sentence, told: SourceSayings, around: str) -> Finding | None:
        bare = bare_claim(claim.text)
        lead = claim.text.rindex(bare)
        context = features(f"{around}\n{claim.text}").forms
        for saying in sayings(bare):
            found = told.opposed(saying, context)
            if found and not is_left_out(claim.text, found.told.said.sentence):
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
        aligned, *others = closest
        found = oppositions(claim.text, aligned.sentence)
        if len(found) != 1 or _told_by_exception(claim, aligned):
            return None
        [opposition] = found
        if not opposition.expected or _bounds_a_figure(claim, opposition):
            return None
        if any(_agrees(claim, opposition, other) for other in others):
            return None
        if _speaks_of_another(claim, opposition, aligned) or is_left_out(
            claim.text, aligned.sentence
        ):
            return None
        share = _share_of_rest(claim, opposition, aligned)
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

    def _omitted(self, claim: Sentence, aligned: Aligned, reading: Reading) -> Finding | None:
        exception = aligned.exception
        if reading.answer is None or aligned.share < self.settings.sure_from or not exception:
            return None
        if containment(exception, reading.answer.text.raw) >= self.settings.told_from:
            return None
        touched = set(features(reading.question.text.raw).names) & features(exception).forms
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


def _at(claim: Sentence, finding: Finding) -> Finding:
    """Return a finding of a claim's text at its place in the answer."""
    span = Span(claim.start + finding.span.start, claim.start + finding.span.end)
    return replace(finding, span=span)


def _emphasised(finding: Finding, text: str, places: Sequence[int]) -> Finding:
    """Return a finding of a text without emphasis at its place in the text with it."""
    start, end = places[finding.span.start], places[finding.span.end - 1] + 1
    return replace(finding, span=Span(start, end), observed=text[start:end])


def _bounds_a_figure(claim: Sentence, opposition: Opposition) -> bool:
    """Tell whether a word is the bound of a figure: those are compared with their values."""
    before = claim.text[max(0, opposition.start - _LOOK_BACK_CHARS) : opposition.start]
    is_bound = opposition.is_word and _BOUND.match(claim.text, opposition.start)
    return bool(is_bound and _FIGURE_BEFORE.search(before))


def _is_table_row(claim: Sentence) -> bool:
    """Tell whether a claim is a row whose last cells belong to several columns."""
    return claim.text.startswith("|") and claim.text.count("|") > _MOST_BARS


def _agrees(claim: Sentence, opposition: Opposition, aligned: Aligned) -> bool:
    """Tell whether another sentence says as the claim does where the closest one opposes it."""
    observed = claim.text[opposition.start : opposition.end]
    return tells(aligned.sentence, observed) and not oppositions(claim.text, aligned.sentence)


def _speaks_of_another(claim: Sentence, opposition: Opposition, aligned: Aligned) -> bool:
    """Tell whether the word set apart before the predicate (당일에는) is none of the sentence's."""
    focus = _FOCUS.search(claim.text, 0, opposition.start)
    return focus is not None and focus[1] not in features(aligned.sentence).forms


def _told_by_exception(claim: Sentence, aligned: Aligned) -> bool:
    """Tell whether the exception holds words of the claim that the rule does not."""
    if not aligned.exception:
        return False
    words = set(features(bare_claim(claim.text)).names)
    return bool(words & features(aligned.exception).forms - features(aligned.sentence).forms)


def _share_of_rest(claim: Sentence, opposition: Opposition, aligned: Aligned) -> float:
    """Return the share of a claim that the sentence holds; the opposed predicate counts as held."""
    rest = bare_claim(f"{claim.text[: opposition.start]} {claim.text[opposition.end :]}")
    share = containment(rest, aligned.sentence)
    if opposition.is_word:
        return share
    words = len(features(rest).words)
    return (share * words + 1) / (words + 1)
