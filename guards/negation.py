"""Claims that turn a source sentence into its opposite.

Finds: a predicate that the closest source sentence denies, demands, forbids or allows otherwise
    (제출하여야 한다 -> 제출하지 않아도 됩니다), and a word in the place of its opposite (무료 ->
    유료, 매월 -> 매년). With a close alignment it is strong (flipped), else weak (possible). Weak,
    too: an answer that leaves out the exception (다만, …) of the rule it gives, where the question
    touches it.
Misses: opposites that no list has, flips inside a clause before a noun, a rule told from its other
    side, rows of wide tables, and sentences with two oppositions, which may cancel each other.
Score: the share of the claim that the source sentence holds.
Source: own rules for Korean negation and modality; own list of opposites.
"""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Part, Reading
from guards.text.alignment import LONGEST_SENTENCE_CHARS, Aligned, alignments
from guards.text.claims import bare_claim, claims
from guards.text.oppositions import Opposition, oppositions, tells
from guards.text.overlap_score import containment, features, shares
from guards.text.polarity import clauses, stances
from guards.text.sentences import Sentence

_MOST_BARS = 3
_LEAST_SHARE = 0.01
_LOOK_BACK_CHARS = 30
_BOUND = re.compile(r"(?:이상|이하|초과|미만)")
_FIGURE_BEFORE = re.compile(r"\d[\d,.]{0,20}[ ]?[가-힣A-Za-z%]{0,4}\s?$")


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
    scope = Scope.ANSWER
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
        findings: list[Finding] = []
        for claim in claims(reading.answer.text.raw):
            closest = alignments(bare_claim(claim.text), reading, self.settings.possible_from / 2)
            if not closest:
                continue
            flip = None if _is_table_row(claim) else self._flip(claim, closest, reading)
            omitted = self._omitted(claim, closest[0], reading)
            findings.extend(finding for finding in (flip, omitted) if finding)
        return findings

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
        share = _share_of_rest(claim, opposition, aligned)
        if share < self.settings.possible_from or _is_told(claim, opposition, aligned, reading):
            return None
        is_sure = share >= self.settings.sure_from
        return Finding(
            guard=self.id,
            code="negation.flipped" if is_sure else "negation.possible",
            part="answer",
            span=Span(claim.start + opposition.start, claim.start + opposition.end),
            observed=claim.text[opposition.start : opposition.end],
            severity=Severity.STRONG if is_sure else Severity.WEAK,
            strength=Strength.C2 if is_sure else Strength.C1,
            expected=(opposition.expected,),
            evidence=(Evidence(aligned.source_id, aligned.sentence),),
            score=round(share, 3),
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
            span=Span(claim.start, claim.end),
            observed=claim.text,
            severity=Severity.WEAK,
            strength=Strength.E1,
            expected=(exception,),
            evidence=(Evidence(aligned.source_id, exception),),
            score=round(aligned.share, 3),
        )


def _bounds_a_figure(claim: Sentence, opposition: Opposition) -> bool:
    """Tell whether a word is the bound of a figure: those are compared with their values."""
    before = claim.text[max(0, opposition.start - _LOOK_BACK_CHARS) : opposition.start]
    is_bound = opposition.is_word and _BOUND.match(claim.text, opposition.start)
    return bool(is_bound and _FIGURE_BEFORE.search(before))


def _is_table_row(claim: Sentence) -> bool:
    """Tell whether a claim is a row whose last cells belong to several columns."""
    return claim.text.startswith("|") and claim.text.count("|") > _MOST_BARS


def _is_told(claim: Sentence, opposition: Opposition, aligned: Aligned, reading: Reading) -> bool:
    """Tell whether a source has the clause of the claim, as it is, closer by than the opposed one.

    Two clauses may have the same predicate and different subjects (가족은 신청할 수 없고 본인이
    신청한다).
    """
    if opposition.is_word:
        return False
    clause = _clause_at(bare_claim(claim.text[: opposition.end]))
    opposed = max(
        (containment(clause, one) for one in clauses(aligned.sentence) if oppositions(clause, one)),
        default=1.0,
    )
    return any(
        _says_the_same(clause, one, opposed)
        for part in reading.sources
        for sentence in _holding(clause, part, opposed)
        for one in clauses(sentence)
    )


def _holding(clause: str, part: Part, least: float) -> list[str]:
    """Return the sentences of a source that hold so much of a clause, but for endless ones."""
    texts = [
        sentence.text
        for sentence in part.text.sentences
        if len(sentence.text) <= LONGEST_SENTENCE_CHARS
    ]
    held = zip(texts, shares(clause, texts), strict=True)
    return [text for text, share in held if share >= max(least, _LEAST_SHARE)]


def _clause_at(text: str) -> str:
    """Return the last clause of a text."""
    return (clauses(text) or [text])[-1]


def _says_the_same(clause: str, other: str, least: float) -> bool:
    """Tell whether another clause holds more than `least` of one, and all in the same mode.

    With the same predicate it need not hold more.
    """
    share = containment(clause, other)
    own, others = stances(clause), stances(other)
    if share < least or not own or not others or own[-1].mode is not others[-1].mode:
        return False
    is_close = share > least or own[-1].key == others[-1].key
    return is_close and not oppositions(clause, other)


def _agrees(claim: Sentence, opposition: Opposition, aligned: Aligned) -> bool:
    """Tell whether another sentence says as the claim does where the closest one opposes it."""
    observed = claim.text[opposition.start : opposition.end]
    return tells(aligned.sentence, observed) and not oppositions(claim.text, aligned.sentence)


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
