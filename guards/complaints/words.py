"""The words of a message with their kinds, as the complaint patterns use them."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from guards.korean.morphemes import Morpheme, morphemes
from guards.lexicons.loading import groups, sections
from guards.text.hangul import Letters, joined

_MOST_MORPHEMES_IN_A_WORD = 5
# Particles, the copula, what makes verbs of nouns, and tenses change nothing about a word.
_JOINING = ("J", "VCP", "XSV", "XSA", "EP", "XSN")
# What may stand inside a word without being part of its form.
_MARKERS = frozenset("이 가 을 를 은 는 도 ㄴ ㄹ 의 들".split())
_ADDED = ("J", "VCP", "XSV", "XSA", "EP")
_BOUND = (*_JOINING, "E")
_CONTENT = ("NNG", "NNP", "NP", "VV", "VA", "XR", "SL", "SH", "UNKNOWN")
_SPELLED = re.compile(r"[0-9A-Za-z가-힣一-鿿]")
_UNABLE = "못하"
TOPIC = "topic"
PAD = "pad"


class Word(NamedTuple):
    """One or more morphemes that the word list knows as one word.

    Attributes:
        form: Its dictionary form, without particles inside.
        tag: The tag of its last morpheme.
        start: Where it begins in the text.
        end: Behind its last character.
        kinds: What the word list calls it; ``topic`` for what it does not know.
    """

    form: str
    tag: str
    start: int
    end: int
    kinds: frozenset[str]


def words(text: str) -> tuple[Word, ...]:
    """Return the words of a text, the longest that the list knows first."""
    found = [one for one in morphemes(text) if not one.tag.startswith(("SF", "SP", "SE", "SS"))]
    return tuple(_grouped([part for one in found for part in _split(one)]))


def _split(one: Morpheme) -> list[Morpheme]:
    """Return 못하다 as 못 and 하다: it is written in one word and in two."""
    if one.form != _UNABLE:
        return [one]
    return [one._replace(form="못", tag="MAG"), one._replace(form="하", tag="VX")]


def _grouped(found: list[Morpheme]) -> Iterator[Word]:
    at = 0
    while at < len(found):
        size, kinds = next(_words_at(found, at), (1, None))
        last = found[at + size - 1]
        if kinds is None:
            yield Word(last.form.lower(), last.tag, last.start, last.end, _other_kinds(last))
        else:
            form = "".join(part.form for part in _bearing(found[at : at + size]))
            yield Word(form.lower(), last.tag, found[at].start, last.end, kinds)
        at += size


def _words_at(found: list[Morpheme], at: int) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield the sizes of the words that begin at a morpheme, the largest first."""
    for size in range(min(_MOST_MORPHEMES_IN_A_WORD, len(found) - at), 0, -1):
        parts = found[at : at + size]
        last = parts[-1]
        if size > 1 and (parts[0].tag.startswith(_BOUND) or last.tag.startswith(_ADDED)):
            continue
        form = "".join(part.form for part in _bearing(parts)).lower()
        kinds = frozenset(
            kind
            for kind, tags in _vocabulary().get(form, ())
            if last.tag.startswith(tags) and (tags or not last.tag.startswith(("E", "J")))
        )
        if kinds:
            yield size, kinds | _joining(last)


def _bearing(parts: list[Morpheme]) -> list[Morpheme]:
    """Return the morphemes that make up the dictionary form."""
    inside = [
        part for part in parts[:-1] if not (part.tag.startswith(_JOINING) and part.form in _MARKERS)
    ]
    return [*inside, parts[-1]]


def _other_kinds(one: Morpheme) -> frozenset[str]:
    if one.tag.startswith("E") and not one.tag.startswith(_JOINING):
        return frozenset()
    if one.tag.startswith(_JOINING) or not _SPELLED.search(one.form):
        return frozenset((PAD,))
    return frozenset((TOPIC,)) if one.tag.startswith(_CONTENT) else frozenset()


def _joining(one: Morpheme) -> frozenset[str]:
    return frozenset((PAD,)) if one.tag.startswith(_JOINING) else frozenset()


@cache
def _vocabulary() -> dict[str, list[tuple[str, str]]]:
    """Return for each form the kinds it has and the tags that each kind asks for."""
    known: dict[str, list[tuple[str, str]]] = {}
    for heading, entries in sections("complaint_words").items():
        kinds, _, tags = heading.partition(":")
        for entry in (entry for line in entries for entry in line.split()):
            form, _, own_tags = entry.partition(":")
            known.setdefault(form, []).extend((kind, own_tags or tags) for kind in kinds.split())
    return known


def plainly_spelled(text: str) -> Letters:
    """Return the text with split syllables joined and odd spellings replaced."""
    whole = joined(text)
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    position = 0
    for found in _odd().finditer(whole.text):
        plain = _respellings().get(found[0], "")
        pieces += (whole.text[position : found.start()], plain)
        places += whole.places[position : found.start()]
        if plain:
            places += [whole.place(*found.span())] * len(plain)
        position = found.end()
    pieces.append(whole.text[position:])
    places += whole.places[position:]
    return Letters("".join(pieces), tuple(places))


@cache
def _respellings() -> dict[str, str]:
    return {odd.strip("-="): " ".join(plain) for odd, *plain in groups("respellings")}


@cache
def _odd() -> re.Pattern[str]:
    odd = sorted((odd for odd, *_ in groups("respellings")), key=len, reverse=True)
    endings = [word[1:] for word in odd if word.startswith("-")]
    beginnings = [
        f"{word[:-1]}(?![가-힣])" if word.endswith("=") else word
        for word in odd
        if not word.startswith("-")
    ]
    # Waves inside a word draw it out.
    return re.compile(
        rf"(?<![가-힣])(?:{'|'.join(beginnings)})"
        rf"|(?<=[가-힣])(?:{'|'.join(endings)})(?![가-힣])|(?<=[가-힣])[~\-]+(?=[가-힣])"
    )
