"""What becomes of each string of a trace, by how much of a request's words is kept.

What a source or a code becomes is kept for the next trace: the same come back all day.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache

from guards.core.exchange import Source
from guards.core.reading import Text, source_text
from guards.text.personal_data.kinds import PersonalKind
from guards.text.personal_data.mask import Masked, Masking, identifiers_in, mask, masked
from proxy.traces.trace import Trace

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
