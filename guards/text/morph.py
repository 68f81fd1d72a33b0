"""The morphemes of a sentence that carry its meaning, as the analyser Kiwi tells them.

Kiwi knows words, where our own analysis only cuts endings: ``사 오셔야`` is 사다, ``돼`` is 되다,
``환불규정`` is two nouns. It takes 15 to 25 ms per 1,000 characters and about 520 MB, so it is an
optional extra, opened once for the whole process and asked about single sentences only.
"""

from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from guards.core.errors import MorphMissing

if TYPE_CHECKING:
    from kiwipiepy import Kiwi

LONGEST_SENTENCE_CHARS = 500
"""Kiwi takes 7 ms for this much prose, and 40 ms for as much of one syllable repeated."""

_READINGS_KEPT = 4096
_OPENING = Lock()
# Verbs that carry no meaning of their own: 할 수 있다, 하게 되다.
_EMPTY_VERBS = frozenset({"하다", "되다", "있다", "이다"})
_NEGATIONS = frozenset({"않다", "없다", "아니다", "말다", "못하다", "안", "못"})


class Kind(StrEnum):
    """What a morpheme does in its sentence."""

    THING = "thing"
    """What the sentence speaks of: a noun, a name, a foreign word, a number."""
    PREDICATE = "predicate"
    """What it says of that: a verb, an adjective, a noun that 하다 or 되다 makes one."""
    NEGATION = "negation"
    """What turns that round."""


_THINGS = frozenset({"NNG", "NNP", "SL", "SH", "SN", "NR"})
_PREDICATES = frozenset({"VV", "VA", "XR"})
_MAKES_PREDICATE = frozenset({"XSV", "XSA"})


class Morpheme(NamedTuple):
    """A piece of a sentence that carries meaning.

    Attributes:
        lemma: Its dictionary form.
        kind: What it does.
    """

    lemma: str
    kind: Kind


class MorphReader:
    """Reads sentences with Kiwi. Safe to share between threads; `open` gives the one there is."""

    def __init__(self, kiwi: "Kiwi") -> None:
        self._kiwi = kiwi
        self._asking = Lock()
        # Only for sentences of sources: they come back all day, claims are nobody else's business.
        self.source_morphemes = lru_cache(maxsize=_READINGS_KEPT)(self.content_morphemes)

    @staticmethod
    def open() -> "MorphReader":
        """Return the process's reader; the first call loads the model, in about three seconds.

        Raises:
            MorphMissing: the extra is not installed.
        """
        with _OPENING:
            return _opened()

    def content_morphemes(self, sentence: str) -> tuple[Morpheme, ...]:
        """Return what carries meaning, in order; particles and endings do not.

        Args:
            sentence: One of at most `LONGEST_SENTENCE_CHARS`; nothing is told about longer ones.
        """
        if len(sentence) > LONGEST_SENTENCE_CHARS:
            return ()
        with self._asking:
            tokens = self._kiwi.tokenize(sentence)
        words = [token.lemma if token.tag[0] == "V" else token.form for token in tokens]
        tags = pairwise([*(token.tag for token in tokens), ""])
        found = (_morpheme(word, *pair) for word, pair in zip(words, tags, strict=True))
        return tuple(morpheme for morpheme in found if morpheme)


@cache
def _opened() -> MorphReader:
    try:
        from kiwipiepy import Kiwi  # an extra, and half a gigabyte: only when asked for

        kiwi = Kiwi(num_workers=1)
    except ImportError as error:
        raise MorphMissing(str(error)) from error
    kiwi.tokenize("준비")  # the model is loaded in full by the first question only
    return MorphReader(kiwi)


def _morpheme(word: str, tag: str, tag_after: str) -> Morpheme | None:
    bare_tag = tag.partition("-")[0]  # VV-I: an irregular verb
    if word in _NEGATIONS and tag[0] in "VM":
        return Morpheme(word, Kind.NEGATION)
    if bare_tag in _PREDICATES or (bare_tag in _THINGS and tag_after in _MAKES_PREDICATE):
        return None if word in _EMPTY_VERBS else Morpheme(word, Kind.PREDICATE)
    return Morpheme(word.casefold(), Kind.THING) if bare_tag in _THINGS else None
