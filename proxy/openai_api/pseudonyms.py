"""Pseudonyms of the user's own identifiers for the model server, and the way back.

An identifier becomes a placeholder such as ``[전화번호-1]``, and what the model makes of the
placeholder becomes the identifier again. The two are known to each other for one request, in memory
only; nothing that prints the object shows them.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from pydantic import JsonValue

from guards.core.exchange import Source
from guards.personal_data import Handling, PersonalData, PersonalDataSettings
from guards.text.particles import agreeing, particle_at
from guards.text.personal_data.mask import KnownIdentifiers
from guards.text.personal_data.personal import ShownIdentifiers, find_personal, unpublished
from guards.text.personal_data.rules import PUBLISHED, PersonalKind
from policies.schema.base import Mode
from policies.schema.policy import Policy
from policies.verification.conversation import PART_SEPARATOR
from proxy.openai_api.json_body import JsonObject, objects, read_object, texts, with_texts
from proxy.openai_api.sse import json_bytes

LONGEST_PLACEHOLDER_CHARS = 60
_MOST_DIGITS = 6
_LONGEST_PARTICLE_CHARS = 4
# As it stands, and as JSON in ASCII writes it: arguments of tools often are.
_NOUN_OF = {
    written: kind.noun
    for kind in PersonalKind
    for written in (kind.noun, json.dumps(kind.noun)[1:-1])
}
_NOUNS = "|".join(map(re.escape, _NOUN_OF))
_DASHES = r"\-" "\u2010\u2011\u2012\u2013\u2014\u2212\uff0d"
_NUMBER = rf"\d{{1,{_MOST_DIGITS}}}"
# Models space a placeholder differently, leave out its dash, choose other brackets or escape all of
# it for Markdown. Half an escape is none: in a JSON text, the backslash before a bracket belongs to
# something else. Round brackets are common, so that they need the dash.
_PLACEHOLDER = re.compile(
    rf"[\[［] ?(?P<noun>{_NOUNS}) ?[{_DASHES}]? ?(?P<number>{_NUMBER}) ?[\]］]"
    rf"|[(（] ?(?P<noun_r>{_NOUNS}) ?[{_DASHES}] ?(?P<number_r>{_NUMBER}) ?[)）]"
    rf"|\\\[(?P<noun_e>{_NOUNS})\\?-(?P<number_e>{_NUMBER})\\\]",
    re.ASCII | re.IGNORECASE,
)
_IN_NOUNS = "".join(sorted({char for kind in PersonalKind for char in kind.noun}))
_BEGUN = re.compile(
    rf"\\?[\[［][^\]］]{{0,{LONGEST_PLACEHOLDER_CHARS}}}\Z"
    rf"|[(（][ {_IN_NOUNS}\\a-fA-F\d{_DASHES}u]{{0,{LONGEST_PLACEHOLDER_CHARS}}}\Z|\\\Z"
)
_ENDED = re.compile(
    rf"(?:{_PLACEHOLDER.pattern})[가-힣]{{0,{_LONGEST_PARTICLE_CHARS}}}\Z", re.ASCII | re.IGNORECASE
)
_LINE_BREAK = re.compile(r" ?[\n\r\f\v]+ ?")

_Place = tuple[str, int]


class Pseudonyms:
    """The identifiers of one request, each with what stands in for it.

    Args:
        identifiers: What they are, in the order in which they were found. Of two notations of the
            same one, the first is what the placeholder becomes again.
        texts: All words of the request: a placeholder that somebody wrote there is not taken.
    """

    def __init__(
        self, identifiers: Mapping[str, PersonalKind] | None = None, texts: Iterable[str] = ()
    ) -> None:
        self._known = KnownIdentifiers(identifiers or {})
        kinds = {value: (identifiers or {})[value] for value in self._known.values}
        self._values = _with_numbers(kinds, texts)
        self._written = {
            value: f"[{noun}-{number}]" for (noun, number), value in self._values.items()
        }

    def __bool__(self) -> bool:
        """Tell whether there is anything to hide."""
        return bool(self._values)

    def hide(self, text: str) -> str:
        """Return a text with the placeholders in place of the identifiers."""
        return self.hide_in_parts([text])[0]

    def hide_in_parts(self, parts: Sequence[str]) -> list[str]:
        """Return the parts of one text, also without those identifiers that are split over two."""
        whole = PART_SEPARATOR.join(parts)
        places = list(self._known.apart_in(whole))
        starts = accumulate((len(part) + len(PART_SEPARATOR) for part in parts), initial=0)
        shown: list[str] = []
        for start, part in zip(starts, parts, strict=False):
            end = start + len(part)
            pieces: list[str] = []
            position = start
            for place in places:
                if place.end <= start or place.start >= end:
                    continue
                if place.start >= start:
                    pieces += (whole[position : place.start], self._written[place.value])
                position = min(place.end, end)
            shown.append("".join([*pieces, whole[position:end]]))
        return shown

    def restore(self, text: str) -> str:
        """Return a text with the identifiers in place of the placeholders.

        The particle behind one changes with it. No identifier that is given back holds what JSON
        would have to escape, so a JSON text stays one.
        """
        pieces: list[str] = []
        position = 0
        for found in _PLACEHOLDER.finditer(text):
            value = self._values.get(_place(found))
            if value is None:
                continue
            given = _LINE_BREAK.sub("", value).replace("\t", " ")
            pieces += (text[position : found.start()], given)
            position = found.end()
            particle = particle_at(text, position)
            pieces.append(agreeing(particle, given))
            position += len(particle)
        return "".join([*pieces, text[position:]])

    def in_pieces(self) -> "Restorer":
        """Return what does the same to a text that comes in pieces."""
        return Restorer(self)


class Restorer:
    """Restores a text that comes in pieces, cut anywhere."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what can be said by now; what may be half a placeholder is kept back."""
        text = self._held + piece
        begun = _ENDED.search(text) or _BEGUN.search(text)
        end = begun.start() if begun else len(text)
        self._held = text[end:]
        return self._pseudonyms.restore(text[:end])

    def close(self) -> str:
        """Return what was kept back."""
        held, self._held = self._held, ""
        return self._pseudonyms.restore(held)


def _place(found: re.Match[str]) -> _Place:
    noun = found["noun"] or found["noun_r"] or found["noun_e"]
    number = found["number"] or found["number_r"] or found["number_e"]
    return _NOUN_OF[noun.lower()], int(number)


def _with_numbers(
    identifiers: Mapping[str, PersonalKind], texts: Iterable[str]
) -> dict[_Place, str]:
    """Return the identifiers by noun and number, leaving out numbers that are taken."""
    if not identifiers:
        return {}
    taken = {_place(found) for text in texts for found in _PLACEHOLDER.finditer(text)}
    counts: Counter[str] = Counter()
    numbered: dict[_Place, str] = {}
    for value, kind in identifiers.items():
        counts[kind.noun] += 1
        while (kind.noun, counts[kind.noun]) in taken:
            counts[kind.noun] += 1
        numbered[kind.noun, counts[kind.noun]] = value
    return numbered


NONE: Final = Pseudonyms()
"""Nothing to hide."""


_SPEAKERS = ("user", "assistant")
_ABOUT_THE_USER = ("user", "metadata", "safety_identifier", "prompt_cache_key")
_ESCAPED = re.compile(r"(?<!\\)\\u([0-9a-fA-F]{4})")


# What the user and the assistant said, and what the request says of the user beside the messages,
# is the user's own. Instructions, results of tools and sources speak of offices as well: of what
# stands there only, what no office publishes is hidden.


def hides_personal(policy: Policy) -> bool:
    """Tell whether the model must not see everything of the user."""
    return _settings(policy) is not None


def _settings(policy: Policy) -> PersonalDataSettings | None:
    rule = policy.guards.get(PersonalData.id)
    if rule is None or rule.mode is not Mode.ENFORCE:
        return None
    settings = PersonalDataSettings.model_validate(rule.options)
    return None if settings.input is Handling.OFF else settings


def pseudonyms_for(body: JsonObject, sources: tuple[Source, ...], policy: Policy) -> Pseudonyms:
    """Return the stand-ins for a request; none where the policy lets the model see everything.

    Contacts that a source publishes stay, so that the model can speak of them.
    """
    settings = _settings(policy)
    if settings is None:
        return NONE
    published = ShownIdentifiers(f"{one.title}\n{one.file}\n{one.text}" for one in sources)
    own = _identifiers_in(_texts_of(body), published, business_numbers=settings.business_numbers)
    shown = _identifiers_in(map(_unescaped, texts(body)), published, business_numbers=False)
    theirs = {value: kind for value, kind in shown.items() if kind not in PUBLISHED}
    return Pseudonyms(own | theirs, texts(body))


def _identifiers_in(
    said: Iterable[str], published: ShownIdentifiers, *, business_numbers: bool
) -> dict[str, PersonalKind]:
    identifiers: dict[str, PersonalKind] = {}
    for text in said:
        found = find_personal(text, business_numbers=business_numbers)
        for span in unpublished(text, found, published):
            identifiers.setdefault(text[span.start : span.end], span.kind)
    return identifiers


def hidden(body: bytes, pseudonyms: Pseudonyms) -> bytes:
    """Return a request body in which the stand-ins have taken their places; the same if none."""
    if not pseudonyms:
        return body
    asked = read_object(body)
    changed = with_texts(asked, pseudonyms.hide)
    if not isinstance(changed, dict):
        return body
    for said, shown in zip(
        objects(asked.get("messages")), objects(changed.get("messages")), strict=True
    ):
        _hide_split(said.get("content"), objects(shown.get("content")), pseudonyms)
    return json_bytes(changed)


def _hide_split(
    said: JsonValue | None, shown: Sequence[JsonObject], pseudonyms: Pseudonyms
) -> None:
    """Hide in the parts of a message also what is split over two of them."""
    places = [place for place, part in enumerate(objects(said)) if _is_text(part)]
    words = [str(part["text"]) for part in objects(said) if _is_text(part)]
    for place, text in zip(places, pseudonyms.hide_in_parts(words), strict=True):
        shown[place]["text"] = text


def _is_text(part: JsonObject) -> bool:
    return isinstance(part.get("text"), str)


def _texts_of(body: JsonObject) -> Iterator[str]:
    for message in objects(body.get("messages")):
        if message.get("role") in _SPEAKERS:
            parts = [part for part in objects(message.get("content")) if _is_text(part)]
            yield PART_SEPARATOR.join(str(part["text"]) for part in parts)
            yield from map(_unescaped, texts(message))
    for name in _ABOUT_THE_USER:
        yield from texts(body.get(name))


def _unescaped(text: str) -> str:
    """Return a text as one reads it where it is JSON in ASCII."""
    return _ESCAPED.sub(lambda code: chr(int(code[1], 16)), text)
