"""How much of a request's words its trace keeps. The one place where that is decided.

``none`` keeps no words at all: places, codes and counts are left, ids of sources become their
numbers, and a name that the caller chose (model, intent, …) stays only if it looks like a code.
``masked`` puts labels over personal identifiers, also where one found in one text stands in
another without the words that gave it away; the spans of findings move along. ``full`` keeps all.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from guards.core.exchange import Source
from guards.core.finding import Evidence, Finding, Span
from guards.core.reading import Text, source_text
from guards.text.personal_data.kinds import PersonalKind
from guards.text.personal_data.mask import Masked, Masking, identifiers_in, mask, masked
from policies.schema.sections import StoredText
from proxy.traces.changes import applied, changes
from proxy.traces.trace import (
    Asked,
    Attempt,
    Change,
    Choice,
    FoundPlace,
    GuardRun,
    Made,
    Replayed,
    Shape,
    Step,
    Trace,
)

_LONGEST_CODE_KEPT_CHARS = 128
_CODE = re.compile(r"[A-Za-z0-9_][\w.,:/@\[\]-]{0,127}", re.ASCII)
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_KNOWS_NONE = Masking({})


class Keeper(ABC):
    """What becomes of each kind of string."""

    @abstractmethod
    def words(self, text: str) -> Masked:
        """Rewrite words of the request or the answer."""

    def source(self, text: str) -> Masked:
        """Rewrite the text of a source, which comes again in other requests."""
        return self.words(text)

    def title(self, value: str) -> str:
        """Rewrite what a source is called, which comes again as well."""
        return self.words(value).text

    @abstractmethod
    def code(self, value: str) -> str:
        """Rewrite what ought to be a code but came from outside."""

    @abstractmethod
    def source_id(self, value: str) -> str:
        """Rewrite the id of a source."""


class KeepsAll(Keeper):
    """Keeps all."""

    def words(self, text: str) -> Masked:
        """Rewrite words of the request or the answer."""
        return Masked(_encodable(text))

    def code(self, value: str) -> str:
        """Rewrite what ought to be a code but came from outside."""
        return _encodable(value)

    def source_id(self, value: str) -> str:
        """Rewrite the id of a source."""
        return _encodable(value)


class KeepsMasked(Keeper):
    """Masks; where a request has no identifiers, what a text becomes is the same for all.

    Args:
        known: Identifiers that are masked wherever they stand.
        bare: Texts in which nothing is to be masked.
    """

    def __init__(self, known: Mapping[str, PersonalKind], bare: Sequence[str]) -> None:
        self._masking = Masking(known) if known else _KNOWS_NONE
        self._knows_any = bool(known)
        self._made = {text: Masked(_encodable(text)) for text in bare}

    @classmethod
    def of(cls, trace: Trace) -> "KeepsMasked":
        """Return what masks a trace's texts by the identifiers in any of them."""
        asked, answered = _asked_texts(trace), _answer_texts(trace)
        known = identifiers_in(map(_encodable, asked))
        for source in trace.sources:
            known |= source_text(source.text).once(_identifiers_of)
        known |= identifiers_in(map(_encodable, answered))
        return cls(known, () if known else (*asked, *answered))

    def words(self, text: str) -> Masked:
        """Rewrite words of the request or the answer."""
        if text not in self._made:  # a reply mostly is what the model said
            self._made[text] = self._masking.of(_encodable(text))
        return self._made[text]

    def source(self, text: str) -> Masked:
        """Rewrite the text of a source, which comes again in other requests."""
        return self.words(text) if self._knows_any else source_text(text).once(_masked_text)

    def code(self, value: str) -> str:
        """Rewrite what ought to be a code but came from outside."""
        if self._knows_any or len(value) > _LONGEST_CODE_KEPT_CHARS:
            return self.words(value).text
        return _masked_code(value)

    def title(self, value: str) -> str:
        """Rewrite what a source is called, which comes again as well."""
        return self.code(value)

    def source_id(self, value: str) -> str:
        """Rewrite the id of a source."""
        return self.code(value)


class KeepsNoWords(Keeper):
    """Keeps places and codes.

    Args:
        sources: The request's; their ids become their numbers.
    """

    def __init__(self, sources: tuple[Source, ...]) -> None:
        self._numbers = {source.id: str(place) for place, source in enumerate(sources, start=1)}

    def words(self, text: str) -> Masked:
        """Rewrite words of the request or the answer."""
        del text
        return Masked("")

    def code(self, value: str) -> str:
        """Rewrite what ought to be a code but came from outside."""
        long = len(value) > _LONGEST_CODE_KEPT_CHARS
        return "" if long else _safe_code(value)

    def source_id(self, value: str) -> str:
        """Rewrite the id of a source."""
        return self._numbers.get(value, "")


def _encodable(text: str) -> str:
    """Replace what UTF-8 cannot hold, one code point by one, so that spans stay true."""
    try:
        text.encode()  # as good as always, and quicker than to look
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


@lru_cache(4096)
def _masked_code(value: str) -> str:
    return masked(_encodable(value))


@lru_cache(4096)
def _safe_code(value: str) -> str:
    return value if _CODE.fullmatch(value) and masked(value) == value else ""


def _masked_text(text: Text) -> Masked:
    return mask(_encodable(text.raw))


def _identifiers_of(text: Text) -> Mapping[str, PersonalKind]:
    return identifiers_in([_encodable(text.raw)])


def _asked_texts(trace: Trace) -> list[str]:
    earlier = (trace.asked.echo, trace.asked.previous_answer) if trace.asked else ()
    return [*earlier, trace.question]


def _answer_texts(trace: Trace) -> list[str]:
    answers = (choice.text for attempt in trace.attempts for choice in attempt.choices)
    return list(dict.fromkeys((*answers, *trace.replies)))


ShapeT = TypeVar("ShapeT", bound=Shape)


def stored(trace: Trace, text: StoredText) -> Trace:
    """Return what may be kept of a trace.

    Args:
        trace: The whole trace.
        text: What the policy wants kept.
    """
    match text:
        case StoredText.FULL:
            keeper: Keeper = KeepsAll()
        case StoredText.MASKED:
            keeper = KeepsMasked.of(trace)
        case StoredText.NONE:
            keeper = KeepsNoWords(trace.sources)
    return _with(_rewritten(trace, keeper), text=text)


class _Rewritten:
    """A text as it was and as it is kept; made once, because findings ask for it again."""

    def __init__(self, raw: str, kept: Masked) -> None:
        self.raw = raw
        self.kept = kept


_Parts = dict[str, _Rewritten]
_Answers = Sequence[Mapping[int, _Rewritten]]


def _words(raw: str, keeper: Keeper) -> _Rewritten:
    return _Rewritten(raw, keeper.words(raw))


def _with(shape: ShapeT, **values: object) -> ShapeT:
    """Return a shape with other values; the same one if they are what it has."""
    had = shape.__dict__
    changed = {name: value for name, value in values.items() if value != had[name]}
    return shape.model_copy(update=changed) if changed else shape


def _rewritten(trace: Trace, keeper: Keeper) -> Trace:
    question = _words(trace.question, keeper)
    sources = [_Rewritten(source.text, keeper.source(source.text)) for source in trace.sources]
    parts = {"question": question}
    for source, text in zip(trace.sources, sources, strict=True):
        parts[f"source:{source.id}"] = text
    answers = [
        {choice.index: _words(choice.text, keeper) for choice in attempt.choices}
        for attempt in trace.attempts
    ]
    return _with(
        trace,
        door=keeper.code(trace.door),
        model=keeper.code(trace.model),
        question=question.kept.text,
        sources=tuple(
            _source(source, text.kept.text, keeper)
            for source, text in zip(trace.sources, sources, strict=True)
        ),
        found=tuple(_place(place, keeper) for place in trace.found),
        asked=None if trace.asked is None else _asked(trace.asked, keeper),
        intent=None if trace.intent is None else keeper.code(trace.intent),
        route=keeper.code(trace.route),
        route_reason=keeper.code(trace.route_reason),
        findings=tuple(_finding(finding, parts, keeper) for finding in trace.findings),
        constrained_by=keeper.code(trace.constrained_by),
        attempts=tuple(
            _attempt(attempt, texts, parts, keeper)
            for attempt, texts in zip(trace.attempts, answers, strict=True)
        ),
        guards=tuple(_run(run, keeper) for run in trace.guards),
        reasons=tuple(map(keeper.code, trace.reasons)),
        not_checked=tuple(map(keeper.code, trace.not_checked)),
        unknown_fields=tuple(map(keeper.code, trace.unknown_fields)),
        replies=tuple(keeper.words(reply).text for reply in trace.replies),
        made=tuple(_made(made, answers, keeper) for made in trace.made),
        steps=tuple(_step(step, keeper) for step in trace.steps),
        error=None if trace.error is None else keeper.code(trace.error),
        shadow=None if trace.shadow is None else _shadow(trace.shadow, parts, answers, keeper),
    )


def _asked(asked: Asked, keeper: Keeper) -> Asked:
    told, reason = asked.told_intent, asked.last_error_reason
    return _with(
        asked,
        echo=keeper.words(asked.echo).text,
        previous_answer=keeper.words(asked.previous_answer).text,
        told_intent=None if told is None else keeper.code(told),
        last_error_reason=None if reason is None else keeper.code(reason),
        guards=tuple(map(keeper.code, asked.guards)),
    )


def _shadow(shadow: Replayed, parts: _Parts, answers: _Answers, keeper: Keeper) -> Replayed:
    return _with(
        shadow,
        reasons=tuple(map(keeper.code, shadow.reasons)),
        choices=tuple(
            _with(
                one,
                findings=tuple(
                    _finding(
                        finding,
                        parts | {"answer": _answer(answers, one.attempt, one.choice, keeper)},
                        keeper,
                    )
                    for finding in one.findings
                ),
            )
            for one in shadow.choices
        ),
        guards=tuple(_run(run, keeper) for run in shadow.guards),
        replies=tuple(keeper.words(reply).text for reply in shadow.replies),
    )


def _source(source: Source, text: str, keeper: Keeper) -> Source:
    number, title = keeper.source_id(source.id), keeper.title(source.title)
    file = keeper.title(source.file)
    if (number, title, text, file) == (source.id, source.title, source.text, source.file):
        return source
    return replace(source, id=number, title=title, text=text, file=file)


def _place(place: FoundPlace, keeper: Keeper) -> FoundPlace:
    return _with(place, format=keeper.code(place.format), place=keeper.code(place.place))


def _run(run: GuardRun, keeper: Keeper) -> GuardRun:
    # There are twenty of them in every trace, and mostly there is nothing to rewrite.
    if not run.reason and not run.cleared and keeper.code(run.guard) == run.guard:
        return run
    return _with(
        run,
        guard=keeper.code(run.guard),
        reason=keeper.code(run.reason),
        cleared=tuple(map(keeper.code, run.cleared)),
    )


def _step(step: Step, keeper: Keeper) -> Step:
    name = keeper.code(step.name)
    return step if name == step.name else _with(step, name=name)


def _attempt(
    attempt: Attempt, answers: Mapping[int, _Rewritten], parts: _Parts, keeper: Keeper
) -> Attempt:
    return _with(
        attempt,
        choices=tuple(
            _choice(choice, answers[choice.index], parts, keeper) for choice in attempt.choices
        ),
        error=None if attempt.error is None else keeper.code(attempt.error),
    )


def _choice(choice: Choice, answer: _Rewritten, parts: _Parts, keeper: Keeper) -> Choice:
    parts = parts | {"answer": answer}
    reason = choice.finish_reason
    return _with(
        choice,
        text=answer.kept.text,
        finish_reason=None if reason is None else keeper.code(reason),
        findings=tuple(_finding(finding, parts, keeper) for finding in choice.findings),
    )


def _answer(answers: _Answers, attempt: int, choice: int, keeper: Keeper) -> _Rewritten:
    """Return one of the attempts' answers; an empty text where there is none."""
    known = answers[attempt - 1] if 0 < attempt <= len(answers) else {}
    return known.get(choice) or _words("", keeper)


def _made(made: Made, answers: _Answers, keeper: Keeper) -> Made:
    answer = _answer(answers, made.attempt, made.choice, keeper)
    return _with(
        made,
        changes=_changes(made.changes, answer, keeper),
        replaced_with=keeper.code(made.replaced_with),
        closed_with=keeper.code(made.closed_with),
    )


def _changes(made: Sequence[Change], answer: _Rewritten, keeper: Keeper) -> tuple[Change, ...]:
    """Return the changes between two texts as they are kept.

    They may cut an identifier in pieces, which nothing would recognise on their own.
    """
    if not made:
        return ()
    left = _words(applied(answer.raw, made), keeper)
    if answer.raw == answer.kept.text and left.raw == left.kept.text:
        return tuple(made)
    if not answer.kept.text and not left.kept.text:
        return tuple(Change(span=change.span) for change in made)
    return changes(answer.kept.text, left.kept.text)


def _finding(finding: Finding, parts: _Parts, keeper: Keeper) -> Finding:
    text = parts.get(finding.part) or _words("", keeper)
    span = text.kept.moved(finding.span)
    return replace(
        finding,
        guard=keeper.code(finding.guard),
        code=keeper.code(finding.code),
        part=_part(finding.part, keeper),
        span=span,
        observed=_observed(finding, text, span, keeper),
        expected=tuple(keeper.words(value).text for value in finding.expected),
        fix=None if finding.fix is None else keeper.words(finding.fix).text,
        evidence=tuple(
            Evidence(keeper.source_id(quote.source_id), keeper.words(quote.quote).text)
            for quote in finding.evidence
        ),
    )


def _observed(finding: Finding, text: _Rewritten, span: Span, keeper: Keeper) -> str:
    """Return what stands at the finding's place now, where masking changed it.

    A finding may be about a piece of an identifier, which nothing would recognise on its own.
    """
    was = text.raw[finding.span.start : finding.span.end]
    now = text.kept.text[span.start : span.end]
    return keeper.words(finding.observed).text if was == now else now


def _part(part: str, keeper: Keeper) -> str:
    kind, separator, source_id = part.partition(":")
    return f"{keeper.code(kind)}:{keeper.source_id(source_id)}" if separator else keeper.code(kind)
