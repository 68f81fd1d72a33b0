"""Content words of a Korean text: what a clause is about and what it says, ready to be compared.

A word is a run of nouns within one written word (``청소비``), or the stem of a verb or adjective.
It is compared by its features: its simple nouns, with affixes of one syllable joined to the noun
that they change (``청소비``, ``비회원``): those tell a fee from a cleaning and members from others.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from guards.korean.morphemes import Morpheme
from guards.lexicons.loading import groups, words

_NOUN_TAGS = frozenset({"NNG", "NNP", "NNB", "XPN", "XSN", "XR", "SL", "SH", "NR", "NP", "IC"})
# No word is longer; texts without any space are.
_LONGEST_RUN = 24
_NAME_TAGS = frozenset({"NNP", "SL"})
_VERB_TAGS = frozenset({"VV", "VA"})
_PARTICLES = frozenset({"JKS", "JKO", "JKB", "JKG", "JKC", "JX", "JC", "JKV", "JKQ"})
_DERIVE = frozenset({"XSV", "XSA"})
_LONGEST_JOINED_CHARS = 20
_LIGHT_VERBS = words("light_words")
# Before a noun they make another thing of it; behind it they say what of it.
_PREFIXES = words("prefixes")


class Word(NamedTuple):
    """A content word and its half-open place, in code points.

    Attributes:
        text: The run of nouns as it stands, or the verb's stem.
        features: What it is compared by, the most telling one last.
        start: Where it begins.
        end: Where it ends, without particles and endings.
        particle: The particle behind it; empty if there is none.
        is_verb: Whether it is a verb or an adjective, or a noun made one (신청하다).
        is_name: Whether the analyser takes it for a proper noun or foreign word.
        is_light: Whether it carries no subject of its own.
    """

    text: str
    features: tuple[str, ...]
    start: int
    end: int
    particle: str
    is_verb: bool
    is_name: bool
    is_light: bool


def simple_nouns(word: Word) -> tuple[str, ...]:
    """Return the features of a word without the compound that they make; of a simple word, it."""
    *parts, last = word.features
    return tuple(parts) if parts and last == canonical(word.text.lower()) else word.features


def stands_in(word: Word, features: Collection[str]) -> bool:
    """Tell whether a word is among some features: the compound itself, or all its simple nouns."""
    simple = simple_nouns(word)
    has_compound = simple != word.features and word.features[-1] in features
    return has_compound or all(one in features for one in simple)


def content_words(found: Sequence[Morpheme]) -> tuple[Word, ...]:
    """Return the content words among some morphemes, in order."""
    words: list[Word] = []
    at, count = 0, len(found)
    while at < count:
        one = found[at]
        if one.form in _PAIR_FIRSTS and (pair := _pair(found, at)):
            word, at = pair
            words.append(word)
            continue
        if one.tag in _NOUN_TAGS or (one.tag == "MM" and _is_joined(found, at)):
            last = _run_end(found, at)
            words.append(_noun(found, at, last))
            at = last
            continue
        if one.tag in _VERB_TAGS:
            words.append(_verb(one))
        at += 1
    return tuple(words)


def _pair(found: Sequence[Morpheme], at: int) -> tuple[Word, int] | None:
    """Return the word that two written words make together, and where it ends; None if none.

    들어 있다 is 포함, 다시 입장 is 재입장.
    """
    first, second = found[at], at + 1
    if first.tag in _VERB_TAGS:
        if second >= len(found) or found[second].tag != "EC":
            return None
        second += 1
    elif first.tag != "MAG":
        return None
    if second >= len(found):
        return None
    follows = found[second]
    is_noun = follows.tag in _NOUN_TAGS
    if is_noun and _run_end(found, second) > second + 1:
        return None
    key = (first.form, follows.form if is_noun else follows.form + "다")
    head = _PAIRS.get(key)
    if head is None:
        return None
    features, is_light = _compared(head, (head,))
    particle, is_verb = "", not is_noun
    if is_noun and second + 1 < len(found):
        behind = found[second + 1]
        particle = behind.form if behind.tag in _PARTICLES else ""
        is_verb = behind.tag in _DERIVE
    word = Word(head, features, first.start, follows.end, particle, is_verb, False, is_light)
    return word, second + 1


def _is_joined(found: Sequence[Morpheme], at: int) -> bool:
    """Tell whether the next morpheme goes on right behind, as a noun."""
    if at + 1 >= len(found):
        return False
    follows = found[at + 1]
    return follows.start == found[at].end and follows.tag in _NOUN_TAGS


def _run_end(found: Sequence[Morpheme], at: int) -> int:
    before = found[at]
    longest = min(len(found), at + _LONGEST_RUN)
    for last in range(at + 1, longest):
        one = found[last]
        if (
            one.tag not in _NOUN_TAGS
            or one.start != before.end
            or (one.tag == "SL") != (before.tag == "SL")
        ):
            return last
        before = one
    return longest


def _noun(found: Sequence[Morpheme], first: int, last: int) -> Word:
    text, tag, start, end, parts = found[first]
    is_name = tag in _NAME_TAGS
    if last - first > 1:
        run = found[first:last]
        text = "".join([one.form for one in run])
        parts = tuple([part for one in run for part in one.parts])
        end = run[-1].end
        is_name = not _NAME_TAGS.isdisjoint([one.tag for one in run])
    particle, is_verb = "", False
    if last < len(found):
        follows = found[last]
        if follows.tag in _PARTICLES:
            particle = follows.form
        elif follows.tag in _DERIVE:
            is_verb = follows.start == end
    features, is_light = _compared(text, parts)
    # In order of the fields, which takes half the time of naming them.
    return Word(text, features, start, end, particle, is_verb, is_name, is_light)


@lru_cache(maxsize=32_768)
def _stem(form: str) -> tuple[tuple[str, ...], bool]:
    """Return the features of a verb, and whether it carries no subject."""
    return (canonical(form + "다"),), form in _LIGHT_VERBS


def _verb(one: Morpheme) -> Word:
    features, is_light = _stem(one.form)
    return Word(one.form, features, one.start, one.end, "", True, False, is_light)


@lru_cache(maxsize=32_768)
def _compared(text: str, parts: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """Return the features of a run of nouns, and whether none of them carries a subject."""
    features = features_of(text, parts)
    return features, _LIGHT_VERBS.issuperset(features)


def features_of(text: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a run of nouns is compared by.

    Args:
        text: The run.
        parts: Its simple nouns.
    """
    joined: list[str] = []
    prefix = ""
    for part in parts:
        if len(part) > 1 or not joined or part.isascii():
            if len(part) == 1 and not part.isascii() and part in _PREFIXES:
                prefix += part
                continue
            joined.append(prefix + part)
            prefix = ""
        elif len(joined[-1]) >= _LONGEST_JOINED_CHARS:
            joined.append(part)
        else:
            # 청소 + 비: the noun and what is made of it.
            joined.append(joined[-1] + part)
    if prefix:
        joined.append(joined[-1] + prefix if joined else prefix)
    found = dict.fromkeys(canonical(part.lower()) for part in joined)
    whole = canonical(text.lower())
    if len(parts) > 1 and len(text) <= 6:
        found[whole] = None
    return tuple(found)


def canonical(word: str) -> str:
    """Return the word that stands for a group of synonyms; any other word stands for itself."""
    return _SYNONYMS.get(word, word)


def _synonyms() -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """Return the word that stands for each word, and for each two written words, of a group."""
    found: dict[str, str] = {}
    pairs: dict[tuple[str, str], str] = {}
    for group in groups("synonyms"):
        head = found.get(group[0], group[0])
        for word in group:
            first, is_pair, second = word.partition("+")
            if is_pair:
                pairs[first, second] = head
            else:
                found.setdefault(word, head)
    return found, pairs


_SYNONYMS, _PAIRS = _synonyms()
_PAIR_FIRSTS = frozenset(first for first, _ in _PAIRS)
