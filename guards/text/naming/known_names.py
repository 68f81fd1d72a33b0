"""The names that sources hold: as they stand, shortened, written out, or in another script."""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import islice

from guards.core.lazy import lazy
from guards.core.reading import Text
from guards.lexicons.name_heads import DOCUMENT_HEADS, PAPER_HEADS
from guards.lexicons.ordinary_latin import ORDINARY_LATIN
from guards.text.names.name import Name, dense
from guards.text.particles import stem
from guards.text.writing.transcription import may_transcribe

_HANGUL_WORD = re.compile(r"[가-힣]{2,20}")
_CAPITALS = re.compile(r"[A-Z]{2,8}")
_LATIN_PHRASE = re.compile(r"[A-Za-z]+(?:[ -][A-Za-z]+){1,7}")
_OTHER_DOCUMENT = r"\s?(?:증(?!명|[가-힣]{2})|등본|초본|확인서)"
_NO_CERTIFICATE = r"|\s?증명"
_LONGEST_SHORT_FORM = 4
_MOST_KIN = 300
# Capitals so few are read letter by letter, and have too few sounds to be told by.
_SPELT_OUT_CHARS = 3


class KnownNames:
    """What texts name, and what else may be called by a name."""

    def __init__(self, texts: Iterable[Text], names: Iterable[str] = ()) -> None:
        self._texts = tuple(texts)
        self._dense = (*(text.dense for text in self._texts), *map(dense, names))
        self._has: dict[tuple[str, str, str], bool] = {}

    def has(self, name: Name) -> bool:
        """Tell whether a name stands there in any of these ways."""
        key = (name.text, name.head, name.specific)
        if key not in self._has:
            self._has[key] = (
                self.holds(name.key)
                or self._holds_specific(name)
                or self._has_shortened(name)
                or self._has_latin(name)
            )
        return self._has[key]

    def holds(self, key: str) -> bool:
        """Tell whether comparable words stand there with any spacing."""
        return any(key in text for text in self._dense)

    def _holds_specific(self, name: Name) -> bool:
        """Tell whether what makes a name this one stands there, for a document also its head alone.

        What stands there as another document's does not make it this one: 주민등록증 is no evidence
        for 주민등록등본.
        """
        if name.head not in DOCUMENT_HEADS | PAPER_HEADS:
            return self.holds(name.specific)
        alone = re.compile(rf"(?<![가-힣]){name.head}(?!명)")
        if any(alone.search(text.normal.text) for text in self._texts):
            return True
        other = _OTHER_DOCUMENT + ("" if name.head.startswith("증명") else _NO_CERTIFICATE)
        own = re.compile(r"\s?".join(map(re.escape, name.specific)) + rf"(?!{other})")
        return any(own.search(text.normal.text) for text in self._texts)

    def with_head(self, head: str) -> list[Name]:
        """Return the names there that end with this head, each once, up to a fixed number."""
        return self._by_head.get(head, [])

    @lazy
    def _by_head(self) -> dict[str, list[Name]]:
        found: dict[str, dict[str, Name]] = defaultdict(dict)
        for text in self._texts:
            for name in text.names:
                found[name.head][name.key] = name
        return {head: list(islice(kin.values(), _MOST_KIN)) for head, kin in found.items()}

    def _has_shortened(self, name: Name) -> bool:
        """Tell whether one is the other shortened: 방통위, 방송통신위원회; 서울시, 서울특별시."""
        if not name.head:
            return False
        if any(is_short_for(name.key, other.key) for other in self.with_head(name.head)):
            return True
        return any(_is_initialism(word, name) for word in self._short_words.get(name.key[:1], ()))

    def _has_latin(self, name: Name) -> bool:
        words = name.text.split()
        if not all(word.isascii() for word in words):
            return False
        if _CAPITALS.fullmatch(name.text) and name.text in self._initials:
            return True
        return all(self._has_latin_word(word) for word in words)

    def _has_latin_word(self, word: str) -> bool:
        if word.casefold() in ORDINARY_LATIN or self.holds(dense(word)):
            return True
        if len(word) <= _SPELT_OUT_CHARS and word.isupper():
            return False
        return any(may_transcribe(word, hangul) for hangul in self._words)

    @lazy
    def _words(self) -> frozenset[str]:
        words = {word for text in self._texts for word in _HANGUL_WORD.findall(text.normal.text)}
        return frozenset(words | {stem(word) for word in words})

    @lazy
    def _short_words(self) -> dict[str, list[str]]:
        """The words that may be short forms, by what they begin with."""
        found: dict[str, list[str]] = defaultdict(list)
        for word in self._words:
            if len(word) <= _LONGEST_SHORT_FORM:
                found[word[0]].append(word)
        return found

    @lazy
    def _initials(self) -> frozenset[str]:
        return frozenset(
            "".join(word[0] for word in re.split(r"[ -]", phrase)).upper()
            for text in self._texts
            for phrase in _LATIN_PHRASE.findall(text.normal.text)
        )


def is_short_for(one: str, other: str) -> bool:
    """Tell whether one of two names has all syllables of the other, in order, and its first one."""
    short, long = sorted((one, other), key=len)
    return short[:1] == long[:1] and _is_within(short, long)


def _is_initialism(word: str, name: Name) -> bool:
    """Tell whether a short word picks syllables out of the whole name, out of its head too."""
    return (
        word[-1] in name.head
        and word[0] == name.key[0]
        and not name.key.startswith(word)
        and _is_within(word, name.key)
    )


def _is_within(short: str, long: str) -> bool:
    rest = iter(long)
    return all(char in rest for char in short)
