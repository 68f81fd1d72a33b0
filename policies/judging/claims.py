"""Selection of the claims that a judge is asked about, and reasons not to ask.

A claim is open if the guards' findings about it are only weak or only possible, or if they found
nothing and the comparison with the sources still leaves it in doubt. What the sources clearly hold,
and what a guard refutes by comparing values, needs no opinion.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.reading import Part, Reading
from guards.evidence.doubt import Doubts, limits
from guards.evidence.passages import Place, SourcePassages
from guards.text.citing.statements import Statement, read_statements
from guards.text.claims import bare_claim
from guards.text.personal_data.mask import Masked, Masking, identifiers_in
from policies.coverage import Slot
from policies.edits import Edit
from policies.judging.judge import JudgeQuestion, OpenClaim, Window
from policies.judging.regate import is_grounding, rests_on_absence, strong_grounding
from policies.schema.policy import Action
from policies.schema.sections import OpinionRules
from policies.verdict import Verdict

MOST_WINDOWS = 3


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A source as a judge may see it."""

    part: Part
    title: str
    masked: Masked

    @classmethod
    def of(cls, part: Part, masking: Masking) -> "ShownSource":
        """Return a source as it may be seen."""
        title = masking.of(part.source.title).text if part.source else ""
        return cls(part, title, masking.of(part.text.raw))

    def piece(self, start: int, end: int, most_chars: int) -> str:
        """Return what stands between two places of its own text, cut if it is long.

        Only what is masked is cut: half an identifier is found by no rule.
        """
        span = self.masked.moved(Span(start, end))
        return self.masked.text[span.start : span.end][:most_chars]


def nearest_windows(
    claim: str, reading: Reading, sources: Sequence[ShownSource], window_chars: int
) -> tuple[Window, ...]:
    """Return the windows nearest to a claim, the nearest first."""
    passages = reading.source_set.once(SourcePassages)
    by_claim, by_question = passages.shares(claim), passages.shares(reading.question.text.raw)
    parts = [source.part for source in sources]
    places = sorted(
        by_claim.keys() | by_question.keys(),
        key=lambda one: (-by_claim.get(one, 0.0), -by_question.get(one, 0.0), one),
    )
    # A source in another language shares no words: what is at its head is shown then.
    places += [Place(at, 0) for at, part in enumerate(parts) if part.text.sentences]
    windows: list[Window] = []
    shown: set[Place] = set()
    for place in places:
        if len(windows) == MOST_WINDOWS:
            break
        if place not in shown:
            first, last = _grown(parts[place.source], place.at, window_chars)
            shown |= {Place(place.source, at) for at in range(first, last + 1)}
            windows.append(_window(sources[place.source], first, last, window_chars))
    return tuple(windows)


def _grown(part: Part, sentence: int, window_chars: int) -> tuple[int, int]:
    """Return the first and last sentence of a window: the next one too, then the one before.

    What follows comes first, because exceptions (``다만…``) stand behind what they limit.
    """
    sentences = part.text.sentences
    first = last = sentence
    if last + 1 < len(sentences):
        behind = sentences[last + 1].end - sentences[first].start
        last += behind <= window_chars
    if first:
        before = sentences[last].end - sentences[first - 1].start
        first -= before <= window_chars
    return first, last


def _window(shown: ShownSource, first: int, last: int, window_chars: int) -> Window:
    sentences = shown.part.text.sentences
    source = shown.part.source
    return Window(
        source_id=source.id if source else "",
        title=shown.title,
        text=shown.piece(sentences[first].start, sentences[last].end, window_chars),
    )


LEAST_SCORE = 0.2
"""Best retrieval score below which the sources are no ground for an opinion."""
ENOUGH_STRONG = 2


class Skip(StrEnum):
    """Reason why a configured judge is not called."""

    NO_ANSWER = "no_answer"
    NO_SOURCES = "no_sources"
    ANSWER_REPLACED = "answer_replaced"
    """Whatever it said, the answer would not go out."""
    TWO_STRONG_FINDINGS = "two_strong_findings"
    LOW_RETRIEVAL_SCORE = "low_retrieval_score"
    NO_OPEN_CLAIMS = "no_open_claims"


def question_about(
    rules: OpinionRules, reading: Reading, verdict: Verdict, *, is_forced: bool = False
) -> JudgeQuestion | Skip:
    """Return what a judge is to be asked about an answer, or why it is not asked.

    Args:
        is_forced: Ask about every claim, also where it would not be worth it.
    """
    if reading.answer is None:
        return Skip.NO_ANSWER
    if not reading.sources:
        return Skip.NO_SOURCES
    if not is_forced and (skip := _not_worth_it(reading, verdict)):
        return skip
    statements = [one for one in read_statements(reading.answer.text.raw) if one.is_claim]
    wanted = _open(statements, reading, verdict)
    if is_forced:
        wanted += [one for one in statements if one not in wanted]
    if not wanted:
        return Skip.NO_OPEN_CLAIMS
    return _question(wanted[: rules.most_claims], len(wanted), reading, rules)


def _not_worth_it(reading: Reading, verdict: Verdict) -> Skip | None:
    if verdict.action is Action.REPLACE and not _can_be_cleared(verdict):
        return Skip.ANSWER_REPLACED
    # Where they are mended or taken out, there is still what stays.
    if _is_refuted(verdict) and not verdict.edits:
        return Skip.TWO_STRONG_FINDINGS
    # A source without a score may be the best one.
    if all(_is_low(source.score) for source in reading.exchange.sources):
        return Skip.LOW_RETRIEVAL_SCORE
    return None


def _can_be_cleared(verdict: Verdict) -> bool:
    """Tell whether a judge may take back some of what was acted on."""
    return any(map(rests_on_absence, verdict.acting))


def _is_refuted(verdict: Verdict) -> bool:
    strong = strong_grounding(verdict.findings)
    return sum(not rests_on_absence(one) for one in strong) >= ENOUGH_STRONG


def _is_low(score: float | None) -> bool:
    return score is not None and score < LEAST_SCORE


def _open(statements: Sequence[Statement], reading: Reading, verdict: Verdict) -> list[Statement]:
    """Return the open claims, the most doubtful first.

    Where not all of them can be asked about, that finds more errors than asking first about those
    of which a guard has noted something: of three claims asked 65 instead of 54 in 100.
    """
    grounding = [one for one in verdict.findings if is_grounding(one)]
    # Claims that go anyway need no opinion, unless one could tip the verdict over.
    edits = verdict.edits if _is_refuted(verdict) else ()
    doubts = reading.once(Doubts)
    found: list[tuple[float, Statement]] = []
    for statement in statements:
        about = [one for one in grounding if _touches(one.span, statement)]
        settled = any(_is_settled(one) for one in about)
        if settled or any(_takes_out(edit, statement) for edit in edits):
            continue
        doubt = doubts.of(Span(statement.sentence.start, statement.sentence.end))
        if about or (doubt is not None and doubt >= limits().asked_from):
            found.append((doubt or 0.0, statement))
    return [one for _, one in sorted(found, key=lambda one: -one[0])]


def _touches(span: Span, statement: Statement) -> bool:
    sentence = statement.sentence
    return span.start < sentence.end and sentence.start < span.end


def _takes_out(edit: Edit, statement: Statement) -> bool:
    sentence = statement.sentence
    return edit.span.start <= sentence.start and sentence.end <= edit.span.end and not edit.text


def _is_settled(finding: Finding) -> bool:
    """Tell whether a finding rests on compared values, so that no opinion is needed.

    That a claim's words are nowhere may only mean that it is put in other ones.
    """
    if finding.severity is not Severity.STRONG or rests_on_absence(finding):
        return False
    return finding.strength in {Strength.C2, Strength.E0}


def _question(
    statements: Sequence[Statement], wanted: int, reading: Reading, rules: OpinionRules
) -> JudgeQuestion:
    """Return a question about some claims, with everything masked that is sent to others."""
    masking = Masking(identifiers_in(part.text.raw for part in reading.parts))
    sources = [ShownSource.of(part, masking) for part in reading.sources]
    question = reading.question.text.raw
    claims = []
    for number, statement in enumerate(statements, start=1):
        text = bare_claim(statement.text)
        windows = nearest_windows(text, reading, sources, rules.window_chars)
        span = Span(statement.sentence.start, statement.sentence.end)
        critical = _is_critical(span, reading)
        claims.append(OpenClaim(number, masking.of(text).text, windows, span, critical))
    return JudgeQuestion(masking.of(question).text, tuple(claims), wanted - len(claims))


def _is_critical(span: Span, reading: Reading) -> bool:
    """Tell whether a place of the answer states what does harm where it is wrong."""
    if reading.answer is None:
        return False
    text = reading.answer.text
    slots: Sequence[Iterable[Slot]] = (text.quantities, text.contacts, text.routes, text.laws)
    return any(span.start <= slot.start < span.end for kind in slots for slot in kind)
