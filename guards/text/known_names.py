"""The names in the sources: as written, shortened, written out, or in another script.

Names with the same head that differ in one letter count as spellings of one name, unless that
syllable distinguishes places or numbers: ``강남구청`` and ``강동구청`` are two places.

A Latin and a Hangul word may be the same name (``Google`` and ``구글``). They are compared by the
place of articulation of their consonants, because the transcription of vowels varies. This rule
only accepts names; it never reports one.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice

from guards.core.keeping import lazy
from guards.core.reading import Text
from guards.evidence.swapped import Swap
from guards.lexicons.loading import section_words
from guards.lexicons.loading import words as listed
from guards.text.names import TITLES, Name
from guards.text.normal import dense
from guards.text.particles import stem

_PAPERS = section_words("name_heads", "documents", "papers")
_WHO_NAMES = section_words("name_heads", "organisations", "businesses")
_GENERIC = section_words("name_heads", "generic names", "pointing", "describing")
_ORDINARY_LATIN = frozenset(word.casefold() for word in listed("ordinary_latin"))
_PLACES = section_words("places", "countries", "regions")
_LEAST_LIKENESS = 0.9
_MOST_LETTERS = 1
# A letter that moved changes two syllables.
_MOST_SYLLABLES = 2
# Directions, sizes and ranks: with another of these it is another place.
_TELLING = frozenset("동서남북중상하신구대소좌우내외전후본분일이삼사오육칠팔구십가나다라")


def nearest(name: Name, candidates: Iterable[Name]) -> Name | None:
    """Return the one candidate that may be meant by a misspelt name; None if none or several."""
    near = {other.key: other for other in candidates if is_misspelt(name, other)}
    return next(iter(near.values())) if len(near) == 1 else None


def is_misspelt(name: Name, other: Name) -> bool:
    """Tell whether two names of one head differ by a letter only."""
    if name.head != other.head or name.key == other.key:
        return False
    return nearly_same(name.key, other.key)


def nearly_same(one: str, other: str) -> bool:
    """Tell whether two words differ by one letter that makes no difference."""
    if abs(len(one) - len(other)) > _MOST_LETTERS:
        return False
    pairs = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
    if len(one) == len(other) and any(_tells_apart(a) or _tells_apart(b) for a, b in pairs):
        return False
    if len(one) == len(other) and len(pairs) > _MOST_SYLLABLES:
        return False
    letters, others = (unicodedata.normalize("NFD", word) for word in (one, other))
    matcher = SequenceMatcher(None, letters, others, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    differing = max(len(letters), len(others)) - same
    return differing <= _MOST_LETTERS and matcher.ratio() >= _LEAST_LIKENESS


def _tells_apart(char: str) -> bool:
    return char in _TELLING or not "가" <= char <= "힣"


_NO_CONSONANTS = "aeiouwyh"
_SILENT = "-"
# Where the consonants are made that begin and end a syllable: lips, teeth, throat, nose.
_INITIALS = "KKNTTLMPPTT-TTTKTP-"
_FINALS = "-KKKNNNTLKMLLLPLMPPTTNTTKTPT"
_LATIN = str.maketrans(
    dict(zip("bcdfgjklmnpqrstvxz", "PKTPKTKLMNPKLTTPKT", strict=True))
    | dict.fromkeys(_NO_CONSONANTS)
)
_SOFT = re.compile(r"c(?=[eiy])|ch|sh|th")
_X = re.compile(r"(?<=\w)x")
_SILENT_R = re.compile(r"r(?![aeiouy])")  # Workday is 워크데이
_AGAIN = re.compile(r"(.)\1+")
_PER_INITIAL, _PER_VOWEL = 588, 28
_ENOUGH = 0.75
_FEWEST_SOUNDS = 2
_FEWEST_TO_DIFFER = 3
_WORDS_KEPT = 8192


def may_transcribe(latin: str, hangul: str) -> bool:
    """Tell whether the two words share most of their consonants, in order."""
    one, other = _latin_sounds(latin.casefold()), _hangul_sounds(hangul)
    if min(len(one), len(other)) < _FEWEST_SOUNDS or one[0] != other[0]:
        return False
    if _opens_with_consonant(latin) != _opens_with_consonant(hangul):
        return False
    if min(len(one), len(other)) < _FEWEST_TO_DIFFER:
        return one == other
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ENOUGH


def _opens_with_consonant(word: str) -> bool:
    if "가" <= word[0] <= "힣":
        return _INITIALS[(ord(word[0]) - ord("가")) // _PER_INITIAL] != _SILENT
    return word[0].casefold() not in _NO_CONSONANTS


@lru_cache(maxsize=_WORDS_KEPT)
def _latin_sounds(word: str) -> str:
    spelt = _SILENT_R.sub("", _X.sub("ks", _SOFT.sub("t", word)))
    letters = "".join(char for char in spelt if "a" <= char <= "z")
    return _AGAIN.sub(r"\1", letters.translate(_LATIN))


@lru_cache(maxsize=_WORDS_KEPT)
def _hangul_sounds(word: str) -> str:
    sounds: list[str] = []
    for char in word:
        if "가" <= char <= "힣":
            index = ord(char) - ord("가")
            sounds += (_INITIALS[index // _PER_INITIAL], _FINALS[index % _PER_VOWEL])
    return _AGAIN.sub(r"\1", "".join(sounds).replace(_SILENT, ""))


_HANGUL_WORD = re.compile(r"[가-힣]{2,20}")
_INITIALS_ONLY = re.compile(r"[A-Z]{2,8}")
_LATIN_PHRASE = re.compile(r"[A-Za-z]+(?:[ -][A-Za-z]+){1,7}")
_OTHER_DOCUMENT = r"\s?(?:증(?!명|[가-힣]{2})|등본|초본|확인서)"
_NO_CERTIFICATE = r"|\s?증명"
_LONGEST_SHORT_FORM = 4
_MOST_KIN = 300
# So few capitals are read letter by letter, and have too few sounds to be compared.
_SPELT_OUT_CHARS = 3


class KnownNames:
    """Names in texts, and other things that a name may mean."""

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
        """Tell whether the distinguishing part of a name stands there; for documents also the head.

        The same part of another document's name does not count: 주민등록증 is no evidence for
        주민등록등본.
        """
        if name.head not in _PAPERS:
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
        if _INITIALS_ONLY.fullmatch(name.text) and name.text in self._initials:
            return True
        return all(self._has_latin_word(word) for word in words)

    def _has_latin_word(self, word: str) -> bool:
        if word.casefold() in _ORDINARY_LATIN or self.holds(dense(word)):
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


_CAPITALISED = re.compile(r"[A-Z][A-Za-z0-9&]+")
_HEADED = re.compile(rf"[가-힣A-Za-z]{{2,}}\s?(?:{'|'.join(sorted(_WHO_NAMES, key=len))})")
_TITLE = re.compile(rf"(?:전|{TITLES})(?:은|는|이|가|을|를|의|에게|도|와|과)?")
_SHORT_NAME = re.compile(r"[가-힣]{2,5}")
_AROUND_PLACE = frozenset(("", "시", "도", "지역", "시내", "시각", "발", "행", "산", "인", "주민"))


def replaces_a_name(swap: Swap, known: KnownNames) -> bool:
    """Tell whether the words put into a source's sentence are another name than the source's.

    A name from elsewhere in the sources must replace a name; a name that is in no source may
    replace anything. A fuller, shorter or better spelt form of the same name does not count.

    Args:
        swap: The place that differs.
        known: Everything that sources and question hold.
    """
    new, old = dense(swap.new), dense(swap.old)
    if not new or may_be_same(new, old) or _is_generic(swap.new) or _is_generic(swap.old):
        return False
    if _stems(swap.new) & _stems(swap.old):
        return False
    took_a_name = _is_name_like(swap.old, swap.after)
    if known.holds(new):
        return took_a_name and _is_name_like(swap.new, swap.after)
    return took_a_name or _is_name_like(swap.new, swap.after)


def may_be_same(new: str, old: str) -> bool:
    """Tell whether a name is another one shortened, written out, misspelt or transcribed."""
    return (
        new in old
        or old in new
        or is_short_for(new, old)
        or nearly_same(new, old)
        or may_transcribe(new, old)
        or may_transcribe(old, new)
    )


def _is_generic(words: str) -> bool:
    """Tell whether words name nobody in particular: 회사, 담당 부서."""
    return all(word in _GENERIC for word in words.split())


def _stems(words: str) -> set[str]:
    return {stem(word) for word in words.split()}


def _is_name_like(words: str, after: str) -> bool:
    """Tell whether words are a place, an organisation, a Latin name, or someone with a title."""
    parts = words.split()
    if not parts:
        return False
    return (
        any(_is_place(part) for part in parts)
        or any(word.casefold() not in _ORDINARY_LATIN for word in _CAPITALISED.findall(words))
        or _HEADED.fullmatch(words) is not None
        or any(name.start == 0 and name.end == len(words) for name in Text(words).names)
        or (_TITLE.fullmatch(after) is not None and _SHORT_NAME.fullmatch(parts[-1]) is not None)
    )


def _is_place(word: str) -> bool:
    return any(word[:size] in _PLACES and word[size:] in _AROUND_PLACE for size in range(2, 9))
