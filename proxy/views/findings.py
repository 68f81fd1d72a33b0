"""Words for the codes of traces, and the findings of a trace, numbered, at their places.

An unknown code is shown as it is. Places are in code points and may overlap: a piece of text can
belong to several of them, and one of them can consist of several pieces.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, pairwise

from guards.core.exchange import ContextState, Source
from guards.core.finding import Finding, Severity, Span, Strength
from policies.codes import all_codes, guard_labels
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome
from policies.verification.shape import VerificationOutcome
from proxy.traces.trace import (
    ANY_LABEL,
    NOTHING_DECIDED,
    PINNED,
    Change,
    Label,
    NotReplayed,
    Trace,
    Unknown,
)
from proxy.views import msgid

ACTION_WORDS = {
    Action.PASS.value: msgid("Passed"),
    Action.FIX.value: msgid("Corrected"),
    Action.TRIM.value: msgid("Trimmed"),
    Action.REGENERATE.value: msgid("Regenerated"),
    Action.REPLACE.value: msgid("Replaced"),
    NOTHING_DECIDED: msgid("Undecided"),
}


VERIFICATIONS: Mapping[VerificationOutcome, tuple[str, str]] = {
    VerificationOutcome.VERIFIED: (msgid("Verified"), "good"),
    VerificationOutcome.PARTLY: (msgid("Partly verified"), "warn"),
    VerificationOutcome.NOT_VERIFIED: (msgid("Not verified"), "bad"),
}
"""Results of a verification: the word and the tone of its badge."""


_NOT_KNOWN = msgid("Not known")


def action_word(action: str) -> str:
    """Return the word for an action, or for ``unknown``; another name stands for itself."""
    return _NOT_KNOWN if action == "unknown" else ACTION_WORDS.get(action, action)


LABEL_WORDS: Mapping[str, str] = {
    Label.RIGHT.value: msgid("Right"),
    Label.FALSE_ALARM.value: msgid("False alarm"),
    Label.MISSED.value: msgid("Missed"),
    ANY_LABEL: msgid("Any label"),
    PINNED: msgid("Pinned"),
}
"""Words for what a filter of labels can ask for."""
LABEL_MEANINGS: Mapping[str, str] = {
    Label.RIGHT.value: msgid("The answer was rightly kept, or rightly changed."),
    Label.FALSE_ALARM.value: msgid("A good answer was changed."),
    Label.MISSED.value: msgid("A wrong answer was sent."),
}
FEEDBACK_PROBLEMS: Mapping[str, str] = {
    "no_label": msgid("Choose one of the three."),
    "no_reply": msgid("The request has no such reply."),
    "no_words": msgid("The words of this request were not kept, so no passage can be marked."),
    "not_there": msgid("These words are not in the answer that was sent."),
    "too_many_pinned": msgid("As many requests are pinned as may be. Unpin some first."),
    "too_long": msgid("The note or the marked words are too long."),
}
"""Reasons why a label cannot be given."""


def label_word(label: str) -> str:
    """Return the word for a label; one that is not known stands for itself."""
    return LABEL_WORDS.get(label, label)


def guard_word(guard: str) -> str:
    """Return the word for a guard or the judge; one that is not known stands for itself."""
    label = guard_labels().get(guard)
    return label.en if label else guard


def code_word(code: str) -> str:
    """Return the words for a kind of finding; one that is not known stands for itself."""
    known = all_codes().get(code)
    return known.label.en if known else code


REASON_WORDS: Mapping[str, str] = {
    "no_answer": msgid("there was no answer"),
    "answer_edited": msgid("the answer was changed after the judge was called"),
    "abstained": msgid("nothing of its kind to check"),
    "failed": msgid("it failed with an error"),
    "no_time": msgid("no time remained"),
    "breaker_open": msgid("it is paused after failures"),
    "unreachable": msgid("it could not be reached"),
    "refused": msgid("it refused"),
    "garbage": msgid("its reply could not be read"),
    "cut_short": msgid("its reply was cut short"),
    "reply_too_long": msgid("its reply was too long"),
    "unknown_labels": msgid("its labels are not known"),
    "no_model": msgid("no model is named"),
    "empty_answer": msgid("the answer was empty"),
    "answer_too_long": msgid("the answer was longer than what is judged"),
    "no_sources": msgid("there were no sources"),
    "no_question": msgid("there was no question"),
    "may_still_fetch": msgid("the model could still fetch sources"),
    "no_evidence_demanded": msgid("the question needs no sources"),
    "no_open_claims": msgid("nothing remained to check"),
    "answer_replaced": msgid("the answer was replaced anyway"),
    "two_strong_findings": msgid("the guards had found enough"),
    "low_retrieval_score": msgid("the sources' search scores are too low"),
    "tool_calls": msgid("the model called tools"),
    "timeout": msgid("it took too long"),
    "partial": msgid("only a part was checked"),
    "image_parts": msgid("images"),
    "audio_parts": msgid("audio"),
    "file_parts": msgid("files"),
    "video_parts": msgid("video"),
    "web_search": msgid("the model server's own search"),
    "prefill": msgid("an answer prefilled by the app"),
    "suffix": msgid("a text that is to follow the answer"),
    "refusal": msgid("the model's refusal text"),
    "chat_template": msgid("the app's own chat template"),
    "stored_prompt": msgid("a prompt stored at the model server"),
    "__verbose": msgid("details beside the answer"),
    "annotations": msgid("notes that the model server adds"),
    "citations": msgid("citations of the model server"),
    "search_results": msgid("the model server's own search"),
    "related_questions": msgid("questions that the model server suggests"),
    "executed_tools": msgid("tools that the model server used"),
    "output_messages": msgid("further messages of the model server"),
    "provider_specific_fields": msgid("further fields of the model server"),
    "context": msgid("further fields of the model server"),
    "conversation": msgid("turns kept by the model server"),
    "previous_response_id": msgid("turns kept by the model server"),
    "prompt": msgid("a prompt stored at the model server"),
    "audio": msgid("audio"),
    "images": msgid("images"),
    "reasoning": msgid("the model's reasoning"),
    "reasoning_content": msgid("the model's reasoning"),
    "reasoning_details": msgid("the model's reasoning"),
    "thinking": msgid("the model's reasoning"),
    "thinking_blocks": msgid("the model's reasoning"),
}


def reason_word(reason: str) -> str:
    """Return the words for why something was not looked at, whatever details follow a colon."""
    return REASON_WORDS.get(reason.partition(":")[0], reason)


OUTCOMES: Mapping[GuardOutcome, tuple[str, str]] = {
    GuardOutcome.ACTED: (msgid("Acted"), "bad"),
    GuardOutcome.WOULD_ACT: (msgid("Would act"), "warn"),
    GuardOutcome.NOTED: (msgid("Noted"), "warn"),
    GuardOutcome.CLEAN: (msgid("Nothing found"), "good"),
    GuardOutcome.NOT_RUN: (msgid("Not run"), "calm"),
}
"""Outcomes of a guard's run, with the word and the tone of the badge."""
MODES: Mapping[Mode, str] = {
    Mode.ENFORCE: msgid("in force"),
    Mode.SHADOW: msgid("in shadow"),
}
STRENGTHS: Mapping[Strength, str] = {
    Strength.E3: msgid("appears word for word in a source"),
    Strength.E2: msgid("agrees with a sentence of a source"),
    Strength.E1: msgid("supported in part"),
    Strength.E0: msgid("nothing in the sources"),
    Strength.C1: msgid("may contradict a source"),
    Strength.C2: msgid("contradicts a source"),
}
CONTEXTS: Mapping[ContextState, str] = {
    ContextState.FOUND: msgid("Sources found in the request"),
    ContextState.EMPTY: msgid("The request has a place for sources, and it is empty"),
    ContextState.ABSENT: msgid("The request brings no sources"),
}
UNKNOWN: Mapping[Unknown, str] = {
    Unknown.MODEL_NOT_ASKED: msgid(
        "The question would have gone to the model, which was not called."
    ),
    Unknown.NO_SECOND_ATTEMPT: msgid("The model would have been called again, and was not."),
    Unknown.REST_NOT_READ: msgid("The answer was stopped midway and would have continued."),
    Unknown.NO_ANSWER: msgid("The request ended before there was a whole answer."),
}
NOT_REPLAYED: Mapping[NotReplayed, str] = {
    NotReplayed.NO_TEXT: msgid("The trace was stored without texts (tracing.text: none)."),
    NotReplayed.NOT_STORED: msgid("The trace is from an older version, which stored too little."),
    NotReplayed.JUDGE_DECIDED: msgid(
        "A judge's opinion counted, and the judge is not called again."
    ),
    NotReplayed.MASKED: msgid("The decision rests on personal data, which is masked in the trace."),
    NotReplayed.REFUSED: msgid(
        "The app requested a guard for which the other policy has no reply."
    ),
    NotReplayed.VERIFICATION: msgid("It is the verification of a given answer."),
    NotReplayed.QUEUE_FULL: msgid("Too many requests arrived to judge all of them."),
    NotReplayed.STOPPED: msgid("The proxy stopped before it was judged."),
    NotReplayed.FAILED: msgid("Judging failed with an error."),
}
_ERRORS = {
    "upstream_unreachable": msgid("The model server could not be reached."),
    "upstream_timeout": msgid("The model server took too long."),
    "upstream_broken": msgid("The model server's reply could not be read."),
    "upstream_refused": msgid("The model server refused the request."),
    "upstream_rejected_key": msgid("The model server did not accept the configured key."),
    "rate_limit_exceeded": msgid("The tenant had reached a limit."),
    "model_not_found": msgid("The model does not exist or is not open to this tenant."),
    "client_gone": msgid("The client disconnected before the end."),
}


def error_word(error: str) -> str:
    """Return the sentence for an error's code; empty for one that is not known."""
    return _ERRORS.get(error, "")


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text, and the number of what is said about it."""

    span: Span
    number: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text.

    Attributes:
        numbers: Of all that is said about it, in the order in which their places begin.
        begins: Those of them whose place begins with it.
    """

    text: str
    numbers: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of an answer that left, with what stands in it now and before.

    Attributes:
        same: What was sent as it came.
        gone: What was taken out behind it.
        put_in: What was sent instead of that.
    """

    same: str
    gone: str = ""
    put_in: str = ""


def cut(text: str, marks: Iterable[Mark]) -> list[Piece]:
    """Return the pieces of a text; together they are the text, and every mark begins in one.

    What lies outside of the text is moved to its nearest end.
    """
    placed = sorted((_within(mark, len(text)) for mark in marks), key=_by_place)
    borders = {0, len(text), *(place for mark in placed for place in _ends(mark))}
    pieces: list[Piece] = []
    waiting = placed[::-1]
    open_marks: list[Mark] = []
    for start, end in pairwise((*sorted(borders), len(text))):
        open_marks = [mark for mark in open_marks if mark.span.end > start]
        begins: list[int] = []
        while waiting and waiting[-1].span.start == start:
            mark = waiting.pop()
            if mark.span.end == start:
                pieces.append(Piece("", (mark.number,), (mark.number,)))
            else:
                open_marks.append(mark)
                begins.append(mark.number)
        if start < end:
            numbers = tuple(mark.number for mark in open_marks)
            pieces.append(Piece(text[start:end], numbers, tuple(begins)))
    return pieces


def changed(came: str, changes: Sequence[Change]) -> list[Stretch]:
    """Return an answer as it came and left, from one change to the next."""
    pieces: list[Stretch] = []
    position = 0
    for change in changes:
        start, end = change.span.start, change.span.end
        pieces.append(Stretch(came[position:start], came[start:end], change.text))
        position = max(position, end)
    rest = came[position:]
    return [*pieces, Stretch(rest)] if rest else pieces


def _within(mark: Mark, length: int) -> Mark:
    start = min(max(mark.span.start, 0), length)
    end = min(max(mark.span.end, start), length)
    return Mark(Span(start, end), mark.number)


def _by_place(mark: Mark) -> tuple[int, int, int]:
    """Order by where a place begins, the longer first."""
    return mark.span.start, -mark.span.end, mark.number


def _ends(mark: Mark) -> tuple[int, int]:
    return mark.span.start, mark.span.end


QUESTION = "question"
ANSWER = "answer"
_SOURCE = "source:"
_WORD = re.compile(r"\S+")
_TONES = ("strong", "weak", "shadow")


@dataclass(frozen=True, slots=True)
class Quote:
    """Quotation from a source in a finding.

    Attributes:
        source: Number of the source on the page, from 1; None if the trace does not have it.
        place: Where in the source's text it stands; None if it does not stand there.
    """

    text: str
    source: int | None
    place: Span | None


@dataclass(frozen=True, slots=True)
class NumberedFinding:
    """A finding with its number.

    Attributes:
        number: From 1, over all findings of the trace.
        in_shadow: Its guard only watches.
        quotes: What it quotes of the sources.
        in_source: Number of the source that it is about; None if it is about none.
    """

    number: int
    finding: Finding
    in_shadow: bool = False
    quotes: tuple[Quote, ...] = ()
    in_source: int | None = None

    @property
    def tone(self) -> str:
        """Style of its mark: ``strong``, ``weak``, or ``shadow`` if it changes nothing."""
        if self.in_shadow:
            return "shadow"
        return "strong" if self.finding.severity is Severity.STRONG else "weak"

    @property
    def expected(self) -> str:
        """The sources' values instead."""
        return " / ".join(filter(None, self.finding.expected))

    @property
    def mark(self) -> Mark:
        """Its place."""
        return Mark(self.finding.span, self.number)


@dataclass(frozen=True, slots=True)
class NumberedFindings:
    """All findings of a trace.

    Attributes:
        answers: About each answer, by the number of the attempt and the index of the choice.
        tones: How the place of each is marked, by its number.
        has_words: The texts that they are about were kept.
    """

    question: tuple[NumberedFinding, ...]
    answers: Mapping[tuple[int, int], tuple[NumberedFinding, ...]]
    tones: Mapping[int, str]
    has_words: bool

    def pieces(self, text: str, about: Iterable[NumberedFinding], part: str) -> list[Piece]:
        """Return a text, cut where findings are about that part; nothing if it was not kept."""
        if not self.has_words:
            return []
        return cut(text, [seen.mark for seen in about if seen.finding.part == part])

    def __iter__(self) -> Iterator[NumberedFinding]:
        """Yield all in the order of their numbers."""
        yield from self.question
        for seen in self.answers.values():
            yield from seen

    def tone(self, numbers: Sequence[int]) -> str:
        """Return how a piece of text is marked that several findings are about."""
        return min((self.tones[number] for number in numbers), key=_TONES.index)


def numbered(trace: Trace) -> NumberedFindings:
    """Return the findings of a trace in the order in which the page shows them."""
    numbers = count(1)
    sources = _SourceBook(trace.sources)
    watching = {
        (run.attempt, run.choice, run.guard) for run in trace.guards if run.mode is Mode.SHADOW
    }

    def seen(attempt: int, choice: int, findings: Sequence[Finding]) -> tuple[NumberedFinding, ...]:
        ordered = sorted(findings, key=lambda finding: (finding.part, finding.span))
        return tuple(
            NumberedFinding(
                number=next(numbers),
                finding=finding,
                in_shadow=(attempt, choice, finding.guard) in watching,
                quotes=sources.quotes(finding),
                in_source=sources.about(finding),
            )
            for finding in ordered
        )

    question = seen(0, 0, trace.findings)
    answers = {
        (number, choice.index): seen(number, choice.index, choice.findings)
        for number, attempt in enumerate(trace.attempts, start=1)
        for choice in attempt.choices
    }
    everything = [*question, *(one for several in answers.values() for one in several)]
    return NumberedFindings(
        question=question,
        answers=answers,
        tones={one.number: one.tone for one in everything},
        has_words=trace.text is not StoredText.NONE,
    )


def place_of(quote: str, text: str, near: int = 0) -> Span | None:
    """Return where a quote stands in a text, nearest to a place, whatever the white space.

    A search by a pattern could take seconds for words that come again and again.
    """
    wanted = " ".join(quote.split())
    words = list(_WORD.finditer(text))
    if not wanted or not words:
        return None
    starts = [word.start() for word in words]
    joined = " ".join(word[0] for word in words)
    joined_starts = [0, *accumulate(len(word[0]) + 1 for word in words[:-1])]
    word = max(bisect_right(starts, near) - 1, 0)
    near = joined_starts[word] + max(near - starts[word], 0)
    found, place = -1, joined.find(wanted)
    while place >= 0:
        if found < 0 or abs(place - near) < abs(found - near):
            found = place
        place = joined.find(wanted, place + len(wanted))
    if found < 0:
        return None

    def in_text(place: int) -> int:
        word = bisect_right(joined_starts, place) - 1
        return starts[word] + place - joined_starts[word]

    return Span(in_text(found), in_text(found + len(wanted) - 1) + 1)


class _SourceBook:
    """The sources by their ids."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._numbers = {source.id: place for place, source in enumerate(sources, start=1)}

    def about(self, finding: Finding) -> int | None:
        if not finding.part.startswith(_SOURCE):
            return None
        return self._numbers.get(finding.part.removeprefix(_SOURCE))

    def quotes(self, finding: Finding) -> tuple[Quote, ...]:
        return tuple(self._quote(one.source_id, one.quote) for one in finding.evidence)

    def _quote(self, source_id: str, quote: str) -> Quote:
        number = self._numbers.get(source_id)
        text = "" if number is None else self._sources[number - 1].text
        return Quote(quote, number, place_of(quote, text))
