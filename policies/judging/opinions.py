"""Checks of a judge's answer: only opinions whose quote occurs in a source count.

The weights are fixed. A source that says the opposite weighs most; figures and what was asked come
next; all else only lowers the confidence, unless a guard has found the same. A claim that it
supports with a quote no longer counts against the confidence where a guard had a weak doubt about
it; a finding that rests on absence it takes back, if the quote is about the claim. How far a judge
trusts the answer counts by the share of the open claims on which it gave an opinion that counts;
claims that it was not asked about, passed over or waved through are not checked, and that is said.
"""

import asyncio
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

from guards.claims.reader import Modality, read_claims
from guards.core.exchange import Exchange
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Outcome
from guards.core.reading import read
from guards.evidence.opposites.acts import UNLESS, has_sides
from guards.evidence.opposites.statements import statements_of
from guards.evidence.passages import units_of
from guards.text.normal import normalise
from guards.text.sentences import split_sentences
from policies.codes import CONTRADICTED, UNSUPPORTED, UNVERIFIABLE
from policies.decision import JudgeReport, Possible, not_asked, outcome_of
from policies.inspection import Inspector
from policies.judging.claims import Skip, question_about
from policies.judging.judge import (
    JUDGE,
    Judge,
    JudgeFailure,
    JudgeLabel,
    JudgeQuestion,
    Matter,
    OpenClaim,
    Opinion,
    OpinionCounts,
    Opinions,
    Window,
)
from policies.judging.regate import Gravity, Objection
from policies.schema.base import Mode
from policies.schema.sections import Objections, OpinionRules
from policies.verdict import PARTIAL, Verdict

_NOT_COMPARED = re.compile(r"[\s*_`\"'|]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_HANGUL = re.compile(r"[가-힣]")


def compared(text: str) -> str:
    """Return a text as quotes are looked for: without spaces, quotes, emphasis, full stop."""
    return _bare(text).strip(".…")


def is_beside_the_point(quote: str, claim: str) -> bool:
    """Tell whether a quote in Korean has no word of a claim."""
    if not (_HANGUL.search(quote) and _HANGUL.search(claim)):
        return False
    return bool(units_of(claim)) and not _words_in_common(quote, claim)


def contradicts_claim(quote: str, text: str, claim: str) -> bool:
    """Tell whether what was quoted affirms where a claim denies, or the other way round.

    It is the whole sentences that count: a quote may stop short of what they deny. Of several, it
    is the one nearest to the claim.
    """
    quoted = max(
        _sentences_of(quote, text), key=lambda one: _words_in_common(one, claim), default=""
    )
    said, claimed = _signed(quoted), _signed(claim)
    # What is said about the same thing tells most; only without it what the sentences say as a
    # whole.
    same = [one.sign is other.sign for one in said for other in claimed if one.names & other.names]
    if same:
        return not any(same)
    signs, others = _plain_signs(said), _plain_signs(claimed)
    return bool(signs and others) and signs.isdisjoint(others)


def _sentences_of(quote: str, text: str, least_share: float = 0.0) -> Iterator[str]:
    """Yield the sentences of a text that a quote touches.

    Args:
        quote: A piece of the text.
        least_share: Share of a sentence's characters that the quote has to exceed.
    """
    sentences = [one.text for one in split_sentences(text)]
    begin = "".join(map(_bare, sentences)).find(wanted := compared(quote))
    position = 0
    for sentence in sentences:
        end = position + len(_bare(sentence))
        quoted_chars = min(end, begin + len(wanted)) - max(position, begin)
        if quoted_chars > least_share * (end - position):
            yield sentence
        position = end


def _bare(text: str) -> str:
    return _NOT_COMPARED.sub("", normalise(text).text).casefold()


def _words_in_common(one: str, other: str) -> int:
    """Return how many words two texts share."""
    first, second = ({unit.feature for unit in units_of(text)} for text in (one, other))
    return len(first & second)


class _Signed(NamedTuple):
    """A clause with its acts, and whether it affirms or denies them."""

    names: frozenset[str]
    sign: bool
    has_sides: bool


def _signed(sentence: str) -> list[_Signed]:
    """Return what the clauses of a sentence say; nothing where a condition is denied as well.

    Who may not do without something (예약하지 않으면 이용할 수 없다) needs it.
    """
    said = list(statements_of(read_claims(sentence).sentences))
    if any(UNLESS in one.turns and one.conditions for one in said):
        return []
    return [
        _Signed(frozenset({one.acts[0].name}), one.acts[0].side > 0, has_sides(one.acts[0].name))
        for one in said
        if one.acts and not one.is_named and one.modality is not Modality.NOT_REQUIRED
    ]


def _plain_signs(said: Iterable[_Signed]) -> frozenset[bool]:
    """Return the signs of clauses, without predicates that could deny by themselves (거절하다)."""
    return frozenset(one.sign for one in said if not one.has_sides)


_FEWEST_QUOTED_CHARS = 6
_FEWEST_SHARED_WORDS = 2
_LEAST_QUOTED_SHARE = 0.8
"""A sentence of which less is quoted takes no finding back."""
_LONGEST_EVIDENCE_CHARS = 300

_CODES = {JudgeLabel.CONTRADICTORY: CONTRADICTED, JudgeLabel.UNSUPPORTED: UNSUPPORTED}
# Whatever a judge says is a possibility, so a contradiction is C1 and never C2.
_STRENGTHS = {JudgeLabel.CONTRADICTORY: Strength.C1, JudgeLabel.UNSUPPORTED: Strength.E0}


def weighed(
    rules: OpinionRules,
    question: JudgeQuestion,
    said: Opinions | JudgeFailure,
    answer: str,
    duration_ms: float,
) -> JudgeReport:
    """Return what a judge's answer is worth."""
    counts = OpinionCounts(len(question.claims), tokens=said.tokens)
    if isinstance(said, JudgeFailure):
        return _failed(rules, said.reason, (), duration_ms, counts)
    claims = {claim.number: claim for claim in question.claims}
    received = [
        one
        for one in _one_for_each(said.opinions, claims.keys())
        if one.label is not JudgeLabel.NO_RAD
    ]
    windows = question.windows
    valid = [one for one in received if is_verified(one, claims[one.claim], windows)]
    discarded = tuple(
        _finding(one, claims[one.claim], answer, UNVERIFIABLE)
        for one in received
        if one not in valid
    )
    if not valid:
        reason = "unverifiable" if received else "no_opinion"
        return _failed(rules, reason, discarded, duration_ms, counts)
    covered = len(valid) / (len(claims) + question.left_out)
    objections = tuple(
        Objection(
            _finding(one, claims[one.claim], answer, _CODES[one.label], windows),
            _gravity(one) if _may_object(rules) else Gravity.NOTED,
            claims[one.claim].is_critical,
        )
        for one in valid
        if one.label in _CODES
    )
    supported = [one for one in valid if one.label is JudgeLabel.SUPPORTED]
    return JudgeReport(
        guard=JUDGE,
        outcome=outcome_of(objections),
        findings=tuple(one.finding for one in objections),
        reason=PARTIAL if covered < 1 else "",
        duration_ms=duration_ms,
        cleared=discarded,
        mode=rules.mode,
        objections=objections,
        backed=tuple(claims[one.claim].span for one in supported),
        approved=() if rules.is_advisory else _approved(supported, claims, windows),
        confidence=_clamped(said.confidence),
        covered=covered,
        is_weighed=not rules.is_advisory,
        counts=replace(counts, supported=len(supported), objected=len(objections)),
    )


def _may_object(rules: OpinionRules) -> bool:
    return rules.objections is Objections.ACT and not rules.is_advisory


def is_verified(opinion: Opinion, claim: OpenClaim, windows: Iterable[Window] = ()) -> bool:
    """Tell whether an opinion counts: its score is a number, its quote stands in what was shown.

    A quote in Korean must also have a word of the claim, so that a sentence which only tells judges
    what to say is evidence for nothing; and nothing that says the opposite of a claim supports it.
    """
    if not math.isfinite(opinion.score):
        return False
    shown = _shown_in(opinion, claim, windows)
    if shown is None or is_beside_the_point(opinion.quote, claim.text):
        return False
    approves = opinion.label is JudgeLabel.SUPPORTED
    return not (approves and contradicts_claim(opinion.quote, shown.text, claim.text))


def _shown_in(opinion: Opinion, claim: OpenClaim, windows: Iterable[Window]) -> Window | None:
    """Return where the quote of an opinion stands; None if nowhere, or if it says nothing."""
    wanted = compared(opinion.quote)
    if len(wanted) < _FEWEST_QUOTED_CHARS:
        return None
    shown = (*claim.windows, *windows)
    return next((one for one in shown if wanted in compared(one.text)), None)


def _approved(
    supported: Iterable[Opinion],
    claims: Mapping[int, OpenClaim],
    windows: Sequence[Window],
) -> tuple[Span, ...]:
    """Return the supported claims whose quote can take a finding back.

    A sentence of the sources about something else is soon found, and a quote in another language
    cannot be compared with the claim. So sentences of the sources must be quoted nearly whole, and
    word for word but for spaces, marks of emphasis and case; they must share two of the claim's
    words and hold every number in it.
    """
    approved = []
    for opinion in supported:
        claim = claims[opinion.claim]
        shown = _shown_in(opinion, claim, windows)
        if shown is None:
            continue
        quoted = " ".join(_sentences_of(opinion.quote, shown.text, _LEAST_QUOTED_SHARE))
        is_about_it = _words_in_common(quoted, claim.text) >= _FEWEST_SHARED_WORDS
        if is_about_it and _numbers(claim.text) <= _numbers(quoted):
            approved.append(claim.span)
    return tuple(approved)


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(normalise(text).text.replace(",", "")))


def _one_for_each(opinions: Iterable[Opinion], numbers: Iterable[int]) -> list[Opinion]:
    """Return the opinions on claims that were asked about, without those at odds with another."""
    said: dict[int, list[Opinion]] = {number: [] for number in numbers}
    for opinion in opinions:
        if opinion.claim in said:
            said[opinion.claim].append(opinion)
    return [each[0] for each in said.values() if len({one.label for one in each}) == 1]


def _gravity(opinion: Opinion) -> Gravity:
    contradicts = opinion.label is JudgeLabel.CONTRADICTORY
    if contradicts and opinion.matter is Matter.NEGATION:
        return Gravity.STRONG
    if contradicts or opinion.matter in {Matter.NUMERIC, Matter.INTENT}:
        return Gravity.MEDIUM
    return Gravity.WEAK


def _finding(
    opinion: Opinion, claim: OpenClaim, answer: str, code: str, windows: Sequence[Window] = ()
) -> Finding:
    shown = None if code == UNVERIFIABLE else _shown_in(opinion, claim, windows)
    quote = opinion.quote.strip()[:_LONGEST_EVIDENCE_CHARS]
    return Finding(
        guard=JUDGE,
        code=code,
        part="answer",
        span=claim.span,
        observed=answer[claim.span.start : claim.span.end],
        severity=Severity.WEAK,
        strength=_STRENGTHS.get(opinion.label, Strength.E1),
        evidence=(Evidence(shown.source_id, quote),) if shown else (),
        score=_clamped(opinion.score) or 0.0,
    )


def _failed(
    rules: OpinionRules,
    reason: str,
    discarded: tuple[Finding, ...],
    duration_ms: float,
    counts: OpinionCounts,
) -> JudgeReport:
    return JudgeReport(
        guard=JUDGE,
        outcome=Outcome.NOT_RUN,
        reason=reason,
        duration_ms=duration_ms,
        cleared=discarded,
        mode=rules.mode,
        is_weighed=not rules.is_advisory,
        counts=counts,
    )


def _clamped(score: float | None) -> float | None:
    """Return a score within 0 to 1; None for what is no number."""
    if score is None or not math.isfinite(score):
        return None
    return min(1.0, max(0.0, score))


NO_TIME = JudgeFailure("no_time", by_input=True)


async def with_second_opinion(
    inspector: Inspector,
    judge: Judge,
    exchange: Exchange,
    verdict: Verdict,
    possible: Possible,
    *,
    time_left_s: float,
    is_forced: bool = False,
) -> Verdict:
    """Return the verdict over an answer with what a judge has to say about it.

    Args:
        possible: What can still be done about the answer.
        time_left_s: What is left of the request's own time.
        is_forced: Ask about every claim, whatever the guards say.
    """
    rules = inspector.policy.judge or OpinionRules()
    if rules.mode is Mode.OFF:
        return verdict
    # Reading and weighing take their time over long texts; other requests go on meanwhile.
    question = await asyncio.to_thread(
        question_about, rules, read(exchange), verdict, is_forced=is_forced
    )
    if isinstance(question, Skip):
        report = not_asked(rules, question)
    else:
        began_s = perf_counter()
        within_s = min(rules.limit_s, time_left_s)
        said = await judge.opinions(question, within_s) if within_s > 0 else NO_TIME
        spent_ms = (perf_counter() - began_s) * 1000
        report = weighed(rules, question, said, exchange.answer or "", spent_ms)
    return await asyncio.to_thread(inspector.with_judge_report, exchange, verdict, report, possible)
