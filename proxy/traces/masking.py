"""Masking of traces: the only place that decides how much text of a request is kept.

``none`` keeps no words at all: places, codes and counts are left, ids of sources become their
numbers, and a name that the caller chose (model, intent, …) stays only if it looks like a code.
``masked`` puts labels over personal identifiers, also where one found in one text stands in
another without the words that gave it away; the spans of findings move along. Keys of callers lose
their secret part. ``full`` keeps all.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TypeVar, get_args

from guards.core.exchange import Source
from guards.core.finding import Evidence, Finding, Span
from guards.core.reading import Text, source_text
from guards.text.personal_data.mask import Masked, Masking, identifiers_in, mask, masked
from guards.text.personal_data.rules import PersonalKind
from policies.schema.keys import without_secrets
from policies.schema.sections import StoredText
from proxy.traces.trace import (
    Change,
    Choice,
    Holds,
    ReplayedChoice,
    ReplyOrigin,
    Shape,
    Trace,
    applied,
    changes,
)

_LONGEST_CODE_KEPT_CHARS = 128
_CODE = re.compile(r"[A-Za-z0-9_][\w.,:/@\[\]-]{0,127}", re.ASCII)
# Digits in a model's name are versions and dates, which may look like a telephone number.
_MODEL = re.compile(r"(?=.*[A-Za-z]{2})[A-Za-z0-9_][\w.:/+-]{0,127}", re.ASCII)
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NO_IDENTIFIERS = Masking({})


@dataclass(frozen=True, slots=True)
class Redactor:
    """Functions that rewrite each kind of string of a trace.

    Attributes:
        words: Words of the request or the answer.
        source: The text of one of the trace's sources, which comes again in other requests.
        code: A value that ought to be a code but came from outside.
    """

    words: Callable[[str], Masked]
    source: Callable[[str], Masked]
    title: Callable[[str], str]
    code: Callable[[str], str]
    model: Callable[[str], str]
    source_id: Callable[[str], str]


def _keeping_all(_: Trace) -> Redactor:
    def words(text: str) -> Masked:
        return Masked(_encodable(text))

    return Redactor(words, words, _encodable, _encodable, _encodable, _encodable)


def _masking(trace: Trace) -> Redactor:
    """Mask the identifiers in any text; without any, a text becomes the same for every request."""
    told = (trace.asked.echo, trace.asked.previous_answer, trace.question)
    asked = {text: _cleaned(text) for text in told}
    said = dict.fromkeys((*trace.answers, *trace.replies))
    answered = {text: _cleaned(text) for text in said}
    known = identifiers_in(asked.values())
    texts = {source.text: source_text(source.text) for source in trace.sources}
    for text in texts.values():
        known |= text.once(_identifiers_of)
    known |= identifiers_in(answered.values())
    masking = Masking(known) if known else _NO_IDENTIFIERS
    bare = {} if known else asked | answered
    made = {text: Masked(cleaned) for text, cleaned in bare.items()}

    def words(text: str) -> Masked:
        if text not in made:  # a reply mostly is what the model said
            made[text] = masking.of(_cleaned(text))
        return made[text]

    def source_words(text: str) -> Masked:
        return words(text) if known else texts[text].once(_masked_source)

    def code(value: str) -> str:
        if known or len(value) > _LONGEST_CODE_KEPT_CHARS:
            return words(value).text
        return _masked_code(value)

    def model(name: str) -> str:
        is_name = _MODEL.fullmatch(_cleaned(name)) and not any(one in name for one in known)
        return name if is_name else code(name)

    return Redactor(words, source_words, code, code, model, code)


def _without_words(trace: Trace) -> Redactor:
    """Keep places and codes; ids of sources become their numbers."""
    numbers = {source.id: str(place) for place, source in enumerate(trace.sources, start=1)}

    def nothing(_: str) -> Masked:
        return Masked("")

    def code(value: str) -> str:
        return "" if len(value) > _LONGEST_CODE_KEPT_CHARS else _safe_code(value)

    return Redactor(
        nothing, nothing, lambda _: "", code, code, lambda value: numbers.get(value, "")
    )


_REDACTORS = {
    StoredText.FULL: _keeping_all,
    StoredText.MASKED: _masking,
    StoredText.NONE: _without_words,
}


def _encodable(text: str) -> str:
    """Replace what UTF-8 cannot hold, one code point by one, so that spans stay true."""
    try:
        text.encode()  # as good as always, and quicker than to look
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def _cleaned(text: str) -> str:
    """Replace what UTF-8 cannot hold and the secrets of keys; spans stay true."""
    return without_secrets(_encodable(text))


def masked_text(text: str) -> str:
    """Return a text with labels over personal identifiers, and without the secrets of keys."""
    return masked(_cleaned(text))


_masked_code = lru_cache(4096)(masked_text)


@lru_cache(4096)
def _safe_code(value: str) -> str:
    return value if _CODE.fullmatch(value) and masked_text(value) == value else ""


def _masked_source(text: Text) -> Masked:
    return mask(_cleaned(text.raw))


def _identifiers_of(text: Text) -> Mapping[str, PersonalKind]:
    return identifiers_in([_cleaned(text.raw)])


ShapeT = TypeVar("ShapeT", bound=Shape)


def stored(trace: Trace, text: StoredText) -> Trace:
    """Return what may be kept of a trace."""
    walk = _Walk(trace, _REDACTORS[text](trace))
    changed = walk.changed(trace)
    if trace.text != text:
        changed["text"] = text
    return trace.model_copy(update=changed) if changed else trace


def stored_note(note: str, text: StoredText) -> str:
    """Return what may be kept of a note about a trace."""
    match text:
        case StoredText.FULL:
            return _encodable(note)
        case StoredText.MASKED:
            return masked_text(note)
        case StoredText.NONE:
            return ""


@dataclass(frozen=True, slots=True)
class _Text:
    """A text as it was and as it is kept."""

    raw: str
    kept: Masked


_NO_TEXT = _Text("", Masked(""))


class _Walk:
    """Rewrites a trace and all its parts, field by field, as the fields are annotated."""

    def __init__(self, trace: Trace, redactor: Redactor) -> None:
        self._trace = trace
        self._redactor = redactor
        self._sources = {source.text: redactor.source(source.text) for source in trace.sources}
        self._parts = {"question": self._text(trace.question)}
        for source in trace.sources:
            self._parts[f"source:{source.id}"] = _Text(source.text, self._sources[source.text])

    def shape(self, shape: ShapeT, answer: _Text = _NO_TEXT) -> ShapeT:
        """Return a trace or a part of one as it is kept; the same one if nothing changes."""
        changed = self.changed(shape, answer)
        return shape.model_copy(update=changed) if changed else shape

    def changed(self, shape: Shape, answer: _Text = _NO_TEXT) -> dict[str, object]:
        """Return the values of a trace or of a part of one that are kept otherwise; see `shape`."""
        match shape:
            case Choice():
                answer = self._text(shape.text)
            case ReplyOrigin() | ReplayedChoice():
                answer = self._text(self._trace.answer_text(shape.attempt, shape.choice))
        values = shape.__dict__
        changed = {}
        for name, holds in _fields(type(shape)):
            value = values[name]
            if not value:
                continue
            kept = self._value(value, holds, answer)
            if kept is not value and kept != value:
                changed[name] = kept
        if isinstance(shape, ReplyOrigin) and shape.changes:
            changed["changes"] = self._changes(shape.changes, answer)
        return changed

    def _value(self, value: object, holds: Holds, answer: _Text) -> object:
        match value:
            case str():
                return self._string(value, holds)
            case tuple():
                return tuple([self._value(one, holds, answer) for one in value])
            case Shape():
                return self.shape(value, answer)
            case Finding():
                return self._finding(value, answer)
            case Source():
                return self._source(value)
        return value

    def _string(self, value: str, holds: Holds) -> str:
        match holds:
            case Holds.WORDS:
                return self._words(value)
            case Holds.MODEL:
                return self._redactor.model(value)
        return self._redactor.code(value)

    def _text(self, raw: str) -> _Text:
        return _Text(raw, self._redactor.words(raw))

    def _words(self, raw: str) -> str:
        return self._redactor.words(raw).text

    def _source(self, source: Source) -> Source:
        redactor = self._redactor
        key, text = redactor.source_id(source.id), self._sources[source.text].text
        title, file = redactor.title(source.title), redactor.title(source.file)
        if (key, title, text, file) == (source.id, source.title, source.text, source.file):
            return source
        return replace(source, id=key, title=title, text=text, file=file)

    def _finding(self, finding: Finding, answer: _Text) -> Finding:
        redactor = self._redactor
        text = answer if finding.part == "answer" else self._parts.get(finding.part, _NO_TEXT)
        span = text.kept.moved(finding.span)
        return replace(
            finding,
            guard=redactor.code(finding.guard),
            code=redactor.code(finding.code),
            part=self._part(finding.part),
            span=span,
            observed=self._observed(finding, text, span),
            expected=tuple(map(self._words, finding.expected)),
            fix=None if finding.fix is None else self._words(finding.fix),
            evidence=tuple(
                Evidence(redactor.source_id(quote.source_id), self._words(quote.quote))
                for quote in finding.evidence
            ),
        )

    def _observed(self, finding: Finding, text: _Text, span: Span) -> str:
        """Return what stands at the finding's place now, where masking changed it.

        A finding may be about a piece of an identifier, which nothing would recognise on its own.
        """
        was = text.raw[finding.span.start : finding.span.end]
        now = text.kept.text[span.start : span.end]
        return self._words(finding.observed) if was == now else now

    def _part(self, part: str) -> str:
        kind, separator, source_id = part.partition(":")
        code = self._redactor.code(kind)
        return f"{code}:{self._redactor.source_id(source_id)}" if separator else code

    def _changes(self, made: Sequence[Change], answer: _Text) -> tuple[Change, ...]:
        """Return the changes between two texts as they are kept.

        They may cut an identifier in pieces, which nothing would recognise on their own.
        """
        left = self._text(applied(answer.raw, made))
        if answer.raw == answer.kept.text and left.raw == left.kept.text:
            return tuple(made)
        if not answer.kept.text and not left.kept.text:
            return tuple(Change(span=change.span) for change in made)
        return changes(answer.kept.text, left.kept.text)


@cache
def _fields(shape: type[Shape]) -> tuple[tuple[str, Holds], ...]:
    """Return the fields of a shape that words may stand in, with what they hold."""
    found = []
    for name, field in shape.model_fields.items():
        holds = next((one for one in field.metadata if isinstance(one, Holds)), None)
        if holds := holds or _held(field.annotation):
            found.append((name, holds))
    return tuple(found)


def _held(annotation: object) -> Holds | None:
    """Return what an annotation says of what is held, also inside of a tuple or a union."""
    if isinstance(annotation, type) and issubclass(annotation, Finding | Source):
        return Holds.PARTS
    if isinstance(annotation, type) and issubclass(annotation, Shape):
        return Holds.PARTS if annotation is not Change and _fields(annotation) else None
    inner = (*getattr(annotation, "__metadata__", ()), *get_args(annotation))
    for one in inner:
        if found := one if isinstance(one, Holds) else _held(one):
            return found
    return None
