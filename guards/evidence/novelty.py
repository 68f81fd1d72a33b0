"""Words that no source has in any form, and how much of a clause one passage of a source holds."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from guards.claims.reader import Claim
from guards.core.reading import RequestReading, SourceSet
from guards.evidence.index import SourceIndex, claims_of
from guards.evidence.thresholds import NAMING_CHARS, NOVEL_VERB
from guards.evidence.topic import other_words
from guards.korean.morphemes import likely_readings
from guards.korean.words import Word, canonical, content_words
from guards.lexicons.loading import words
from guards.text.normal import dense

_GLUED = re.compile(
    r"(?:이라면|라면|이라서|라서|이면서|이면|이며|이고|인데|인|에게|에서|으로|까지|부터|끼리|마다|처럼|쯤"
    r"|이나|들|분|님|과|와|은|는|을|를|이|가|도|만|로|의)$"
)
"""Particles and copulas in which a word may end that the dictionary lacks: 남편분과, 인실인."""
_SHORTEST = 2
_HONORIFIC = re.compile(r"(?:분|님|들)+$")
_LETTER = re.compile(r"[가-힣\x00-\x7f]")
_AND_OR = re.compile(
    r"(?:들)?(?:\s?(?:과|와|나|이나|랑|이랑|하고|이든|든)\s|\s?(?:·|/|,|및|또는|혹은)\s?)(?:각종\s)?"
)
"""Stands between the members of a series: 박스나 충전기, 가구·가전."""
_LIKE = re.compile(r"\s?(?:처럼|같은|같이|등(?:의|과)?\s(?=[가-힣]))")
"""Stands behind an example: 수술이나 항암처럼."""
_MEMBER = re.compile(
    r"[가-힣A-Za-z0-9]{1,12}?(?=처럼|\s?같[은이]|\s?등|\s?(?:과|와|나|이나|랑)\s|\s?[·/,])"
)
_LONGEST_JOINED = 12
_READINGS = 8
_MOST_KNOWN = 1
"""Of the likeliest readings of a clause so many may know a word that is unknown in the others."""


class Measured(NamedTuple):
    """Share of a clause's words that the sources have.

    Attributes:
        telling: How many of its words tell something: neither general nor only asked for.
        unknown: Those of them that are nouns and that no source has, however the clause is read.
        things: How many things these name. The members of a series are one: an answer may spell
            out what a source has one word for (가구와 가전 for 가재도구).
        known: Share of the telling words that some source has.
    """

    telling: int
    unknown: tuple[Word, ...]
    things: int
    known: float

    def joined(self, other: "Measured", *, in_series: bool) -> "Measured":
        """Return the same of two clauses together.

        Args:
            other: The second clause.
            in_series: Whether the first is the beginning of a series that the second goes on with.
        """
        telling = self.telling + other.telling
        known = self.known * self.telling + other.known * other.telling
        unknown = (*self.unknown, *other.unknown)
        ours, theirs = ({word.features[-1] for word in one.unknown} for one in (self, other))
        things = self.things + other.things - len(ours & theirs) - in_series
        return Measured(telling, unknown, things, known / telling)


def _dense_text(sources: SourceSet) -> str:
    """Return the titles, texts and files of all sources, as words are looked up in them."""
    found = (part.source for part in sources.parts)
    return dense(" ".join(f"{one.title} {one.text} {one.file}" for one in found if one))


class Vocabulary:
    """The words of a request's sources, and those that its question only speaks of."""

    def __init__(self, request: RequestReading) -> None:
        self._index = request.source_set.once(SourceIndex)
        self._text = request.source_set.once(_dense_text)
        spoken = (request.question.text, request.echo)
        self._request_words = frozenset(
            feature
            for text in spoken
            for claim in text.once(claims_of).claims
            for word in claim.clause.words
            for feature in word.features
        )
        self._request_text = dense(" ".join(text.raw for text in spoken))
        self._kept: dict[str, bool] = {}

    def measure(self, claim: Claim, found: Iterable[Word]) -> Measured:
        """Return how the sources stand to the words of a clause.

        Args:
            claim: The clause.
            found: Those of its words that are to be judged.
        """
        telling = [word for word in found if self._tells(word)]
        if not telling:
            return Measured(0, (), 0, 1.0)
        unknown = self.unknown(claim, telling)
        verbs = sum(0 < self._novelty(word) < 1 for word in telling)
        missing = len(unknown) + NOVEL_VERB * verbs
        named = {word.features[-1] for word in unknown}
        things = len(named) - sum(_are_in_series(*pair, claim) for pair in pairwise(unknown))
        return Measured(len(telling), unknown, things, 1 - missing / len(telling))

    def is_new(self, word: Word) -> bool:
        """Tell whether a word tells something and no source has it in any form; verbs never."""
        return self._tells(word) and self._novelty(word) == 1

    def unknown(self, claim: Claim, found: Iterable[Word]) -> tuple[Word, ...]:
        """Return the nouns of a clause that no source has, however the clause is read.

        Args:
            claim: The clause.
            found: Those of its words that are to be judged.
        """
        new = [
            word
            for word in found
            if self.is_new(word) and not (_is_misread(word, claim) or _describes(word, claim))
        ]
        if not new:
            return ()
        offset = claim.start - claim.offset
        readings = [
            [
                (word.start + offset, word.end + offset, self.is_new(word))
                for word in content_words(reading)
            ]
            for reading in likely_readings(claim.text, _READINGS)
        ]
        return tuple(
            word
            for word in new
            if sum(_is_known_there(word, reading) for reading in readings) <= _MOST_KNOWN
        )

    def has(self, noun: str) -> bool:
        """Tell whether sources, question or general language have a noun in some form."""
        if noun not in self._kept:
            self._kept[noun] = self._has(noun)
        return self._kept[noun]

    def has_whole(self, noun: str) -> bool:
        """Tell whether the sources have a noun as it stands, spacing aside."""
        return dense(noun) in self._text

    def is_asked(self, word: Word) -> bool:
        """Tell whether the question names a noun."""
        plain = _HONORIFIC.sub("", word.text)  # 친구분 is 친구
        texts = (dense(word.text), dense(plain) if len(plain) > 1 else "")
        return word.features[-1] in self._request_words or any(
            text and text in self._request_text for text in texts
        )

    def _tells(self, word: Word) -> bool:
        """Tell whether a word is neither general nor one that only the question has."""
        if word.is_light or not _LETTER.search(word.text):
            return False
        if word.is_verb and word.text + "다" in _general():
            return False
        return not all(one in self._request_words or one in _general() for one in word.features)

    def _novelty(self, word: Word) -> float:
        verb = word.text + "다"
        if word.is_verb and word.features == (canonical(verb),):
            is_known = verb in _general() or self._index.knows(word.features[0])
            return 0.0 if is_known else NOVEL_VERB
        whole = canonical(word.text.lower())
        if self.has(whole):
            return 0.0
        simple = [one for one in word.features if one != whole]
        return 0.0 if len(simple) > 1 and all(self.has(one) for one in simple) else 1.0

    def _has(self, noun: str) -> bool:
        if self._is_root(noun) or len(noun) < _SHORTEST:
            return True
        if len(noun) > _LONGEST_JOINED or noun.isascii():
            return False
        bare = _GLUED.sub("", noun)
        is_long_ending = len(noun) - len(bare) > 1
        if bare != noun and (len(bare) >= _SHORTEST or is_long_ending) and self.has(bare):
            return True
        if len(noun) > _SHORTEST and noun[0] in words("prefixes") and self._is_root(noun[1:]):
            return True
        # 접수처, 수강자, 이용분: affixes of one syllable; 전용구역: known words joined.
        return any(
            self._is_root(noun[:at]) and self._may_follow(noun[:at], noun[at:])
            for at in range(_SHORTEST, len(noun))
        )

    def _may_follow(self, root: str, rest: str) -> bool:
        if len(rest) > 1:
            return self.has(rest)
        return root in self._text or rest in words("suffixes")

    def _is_root(self, noun: str) -> bool:
        return (
            noun in _general()
            or noun in self._request_words
            or self._index.knows(noun)
            or (len(noun) >= _SHORTEST and (noun in self._text or noun in self._request_text))
            or (len(noun) >= NAMING_CHARS and any(map(self._stands, other_words(noun))))
        )

    def _stands(self, noun: str) -> bool:
        """Tell whether the sources have a noun, however the analyser reads its sentence."""
        return self._index.knows(noun) or (len(noun) >= NAMING_CHARS and noun in self._text)

    def held(self, words: Iterable[Word]) -> float:
        """Return the share of some words, rare ones more, that one source claim holds.

        What it is about counts with it; words that only the question has prove nothing.
        """
        wanted = {
            word.features[-1]: word.features
            for word in words
            if self._index.knows(word.features[-1]) or word.features[-1] not in self._request_words
        }
        held: defaultdict[int, float] = defaultdict(float)
        total = 0.0
        for features in wanted.values():
            weight = max(map(self._index.rarity, features))
            total += weight
            for place in {place for one in features for place in self._index.places(one)}:
                held[place] += weight
        return max(held.values(), default=0.0) / total if total else 1.0


def _is_misread(word: Word, claim: Claim) -> bool:
    """Tell whether a noun is a verb at the end of its clause (정문에 서요) or part of a figure."""
    if word.text.endswith(("요", "죠")) and claim.text.rstrip(" .!*").endswith(word.text):
        return True
    return any(one.start < word.end and word.start < one.end for one in claim.clause.figures)


def _describes(word: Word, claim: Claim) -> bool:
    """Tell whether a word describes (넉넉한, 안정적인) or is an example (암 수술처럼)."""
    trail = claim.clause.trail
    if f"{word.text}/XR" in trail or (word.text.endswith("적") and "적/XSN" in trail):
        return True
    text, at = claim.text, word.end - claim.clause.start
    while (behind := _AND_OR.match(text, at)) and (member := _MEMBER.match(text, behind.end())):
        at = member.end()
    return _LIKE.match(text, at) is not None


def _are_in_series(one: Word, other: Word, claim: Claim) -> bool:
    """Tell whether two words are neighbours in a series: 박스나 충전기."""
    start = claim.clause.start
    return _AND_OR.fullmatch(claim.text, one.end - start, other.start - start) is not None


def _is_known_there(word: Word, reading: Iterable[tuple[int, int, bool]]) -> bool:
    """Tell whether another reading has nothing new where a word stands."""
    return not any(
        is_new and start < word.end and word.start < end for start, end, is_new in reading
    )


@cache
def _general() -> frozenset[str]:
    table = words("general_words")
    # 쌓이다 is general; what it stands for in the sources (적립) is not.
    return table | frozenset(canonical(word) for word in table if not word.endswith("다"))
