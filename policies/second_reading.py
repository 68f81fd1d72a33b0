"""What a second reader takes back of what the guards found.

The guards' own analysis finds too few of a claim's words in the sources. Where the analyser finds
them after all, in one sentence of a source, the finding is cleared. It may take nothing else back:
findings about names, figures, law, polarity and the like are not about how many words are there,
and a claim with such a finding, with a name or a number that the sentence has not, or turned into
its opposite stays as the guards found it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from time import perf_counter

from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import Reading
from guards.core.runner import GuardReport, Outcome
from guards.text.claims import bare_claim
from guards.text.morph import Kind, Morpheme, MorphReader
from guards.text.overlap_score import shares
from policies.verification.stances import told_alike

ASKED_CODES = frozenset({"overlap.unsupported", "overlap.low"})
LEAST_SUPPORT = 0.8
"""Share of a claim's words that a sentence must have. Measured: invented claims reach 0.65."""
FEWEST_MORPHEMES = 3
MOST_ASKED = 5
"""An answer with more findings than this is no misread paraphrase."""
NEAREST_SENTENCES = 3

_CONTRADICTIONS = frozenset({Strength.C1, Strength.C2})


def read_again(
    reports: Sequence[GuardReport], reading: Reading, reader: MorphReader
) -> tuple[GuardReport, ...]:
    """Return the reports without the findings that the second reader clears; they are noted."""
    left = MOST_ASKED
    checked: list[GuardReport] = []
    for report in reports:
        asked = _to_ask(report, reports)[:left]
        left -= len(asked)
        checked.append(_checked(report, asked, reading, reader) if asked else report)
    return tuple(checked)


def _to_ask(report: GuardReport, reports: Iterable[GuardReport]) -> list[Finding]:
    """Return the findings about words on claims with which nothing else is wrong."""
    others = [found for other in reports for found in other.findings if _stands(found)]
    return [
        finding
        for finding in report.findings
        if finding.code in ASKED_CODES and not any(_on_same_words(finding, one) for one in others)
    ]


def _stands(finding: Finding) -> bool:
    """Tell whether a finding is one that keeps its claim from being cleared."""
    weighs = finding.severity is Severity.STRONG or finding.strength in _CONTRADICTIONS
    return weighs and finding.part == "answer" and finding.code not in ASKED_CODES


def _on_same_words(finding: Finding, other: Finding) -> bool:
    return finding.span.start < other.span.end and other.span.start < finding.span.end


def _checked(
    report: GuardReport, asked: Sequence[Finding], reading: Reading, reader: MorphReader
) -> GuardReport:
    started_s = perf_counter()
    cleared = tuple(one for one in asked if _is_supported(one.observed, reading, reader))
    findings = tuple(one for one in report.findings if one not in cleared)
    return replace(
        report,
        outcome=Outcome.FOUND if findings else Outcome.CLEAN,
        findings=findings,
        cleared=cleared,
        duration_ms=report.duration_ms + (perf_counter() - started_s) * 1000,
    )


def _is_supported(claim: str, reading: Reading, reader: MorphReader) -> bool:
    bare = bare_claim(claim)
    wanted = reader.content_morphemes(bare)
    if len(_affirmed(wanted)) < FEWEST_MORPHEMES:
        return False
    return any(
        _holds(wanted, near, reader) and told_alike(bare, near.sentence) is not False
        for near in _nearest(bare, reading)
    )


@dataclass(frozen=True, slots=True)
class _Near:
    """A sentence of a source that may hold a claim, and the title it stands under."""

    sentence: str
    title: str


def _nearest(claim: str, reading: Reading) -> list[_Near]:
    """Return the few sentences that hold most of a claim by the light analysis."""
    found: list[tuple[float, _Near]] = []
    for part, source in zip(reading.sources, reading.exchange.sources, strict=True):
        sentences = [sentence.text for sentence in part.text.sentences]
        for share, sentence in zip(shares(claim, sentences), sentences, strict=True):
            found.append((share, _Near(sentence, source.title)))
    return [near for _, near in nlargest(NEAREST_SENTENCES, found, key=lambda one: one[0])]


def _holds(wanted: Sequence[Morpheme], near: _Near, reader: MorphReader) -> bool:
    told = reader.source_morphemes(near.sentence)
    if _is_denied(wanted) != _is_denied(told):
        return False
    words = _affirmed(wanted)
    held = {one.lemma for one in (*told, *reader.source_morphemes(near.title))}
    missing = [one for one in words if one.lemma not in held]
    if any(one.kind is Kind.THING for one in missing):
        return False
    return len(words) - len(missing) >= LEAST_SUPPORT * len(words)


def _affirmed(morphemes: Iterable[Morpheme]) -> frozenset[Morpheme]:
    return frozenset(one for one in morphemes if one.kind is not Kind.NEGATION)


def _is_denied(morphemes: Iterable[Morpheme]) -> bool:
    """Tell whether a sentence is turned round; two negations cancel each other."""
    return sum(one.kind is Kind.NEGATION for one in morphemes) % 2 == 1
