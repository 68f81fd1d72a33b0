"""Han words as Korean reads them: ``費用`` and ``费用`` are ``비용``, ``理由`` is ``이유``.

A reading is accepted only if it is a word of a trusted text (source or question) in the same role,
as its ending shows, because most characters have more than one reading and many words share one.
Runs with a word that means something else than its reading are not read at all. Han characters that
are usual in Korean texts (glosses and a few conventional signs) are left alone.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from guards.korean.morphemes import morphemes
from guards.lexicons.loading import groups, section_words
from guards.text.hangul import parts_of, syllable
from guards.text.particles import agreeing, particle_at, stem, word_stem
from guards.text.scripts import Run, Script, han_only


class Role(Enum):
    """Role of a word in its sentence."""

    SUBJECT = auto()
    OBJECT = auto()
    PLACE = auto()
    ACTION = auto()
    ANY = auto()


_ROLES = (
    (Role.SUBJECT, re.compile(r"(?:이|가|께서(?:는|도)?)\Z")),
    (Role.OBJECT, re.compile(r"[을를]\Z")),
    (
        Role.PLACE,  # and time, means, direction
        re.compile(
            r"(?:에|에서|에게|에게서|한테|께|으?로|으?로부터|까지|부터|에서부터|보다|처럼|만큼|마다)"
            r"(?:는|도|만|의|라도|서|써)?\Z"
        ),
    ),
    (Role.ACTION, re.compile(r"(?:[하한할함합해했되된될됨됩돼됐]|시[키킨킬킵켜]|드[리린릴립려])")),
)


def role_of(ending: str) -> Role:
    """Return the role of a word that ends like this.

    A topic (``은``), a noun before a noun and whatever is not known may have any role.
    """
    return next((role for role, shape in _ROLES if shape.match(ending)), Role.ANY)


def may_be_same(one: Role, other: Role) -> bool:
    """Tell whether two words may have the same role."""
    return one is other or Role.ANY in (one, other)


_SHORTEST_WORD_CHARS = 2
_LONGEST_WORDS_CHARS = 12
FALSE_FRIENDS = frozenset(
    word for word in section_words("han_false_friends", "words") if not "가" <= word[0] <= "힣"
)
FALSE_COUNTERS = section_words("han_false_friends", "counters")
_FALSE_FRIENDS_CHARS = sorted({len(word) for word in FALSE_FRIENDS})
_PALATAL_VOWELS = "ㅑㅒㅕㅖㅛㅠㅣ"
_HANGUL_RUN = re.compile(r"[가-힣]+")
_COUNTED = re.compile(r"(?<![\d.,])(\d{1,4}) ?([가-힣])")
_AT_END = re.compile(r"[가-힣]*\Z")
_AT_START = re.compile(r"[가-힣]*")
_NUMBER_BEFORE = re.compile(r"(?<![\d.,])\d{1,4}\Z")


def readings(char: str) -> frozenset[str]:
    """Return the syllables that a Han character is read as; none for one that is not known."""
    return _readings().get(char, frozenset())


def initial_form(read: str) -> str:
    """Return the form that a reading takes at the beginning of a word: ``리`` -> ``이``.

    The initial law (두음법칙): ㄹ becomes ㅇ before i and y, else ㄴ; ㄴ becomes ㅇ before i and y.
    """
    initial, vowel, final = parts_of(read)
    if initial in "ㄴㄹ" and vowel in _PALATAL_VOWELS:
        return syllable("ㅇ", vowel, final)
    return syllable("ㄴ", vowel, final) if initial == "ㄹ" else read


def _is_false_friend(han: str) -> bool:
    """Tell whether a word holds one that means something else than its reading."""
    return any(
        han[at : at + size] in FALSE_FRIENDS
        for size in _FALSE_FRIENDS_CHARS
        for at in range(len(han) - size + 1)
    )


def is_reading(hangul: str, han: str) -> bool:
    """Tell whether a Hangul word is how a Han word is read, whatever that means."""
    return (
        len(hangul) == len(han)
        and not _is_false_friend(han)
        and all(each in readings(char) for each, char in zip(hangul, han, strict=True))
    )


def spells(hangul: str, han: str) -> bool:
    """Tell whether a Hangul text has the readings of Han characters, in their order.

    A character whose reading is not known, as names have them, may be read as anything if it is
    one of few.
    """
    known = [readings(char) for char in han]
    syllables = iter(hangul)
    return sum(map(bool, known)) * 2 > len(han) and all(
        any(not each or syllable in each for syllable in syllables) for each in known
    )


class WordsBySound:
    """The Hangul words of texts that are known to be right, to be found by how they are read."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
        self._roles: defaultdict[str, set[Role]] = defaultdict(set)
        self._units: defaultdict[str, set[str]] = defaultdict(set)
        for text in texts:
            for run in set(_HANGUL_RUN.findall(text)):
                for word in (run, stem(run), word_stem(run)):
                    self._words[len(word), word[0]].add(word)
                    self._roles[word].add(role_of(run[len(word) :]))
            for number, unit in _COUNTED.findall(text):
                self._units[number].add(unit)

    def read(self, han: str, before: str = "", after: str = "") -> str:
        """Return the Hangul of a Han word as it stands in one of the texts.

        Args:
            han: Nothing but Han characters. Several words in one run are read word by word.
            before: What stands before it in its sentence.
            after: What stands behind it.

        Returns:
            The Hangul; empty if it stands nowhere in that role, if more than one reading does, or
            if the word means something else.
        """
        han = unicodedata.normalize("NFKC", han)  # some characters have two code points
        if len(han) > _LONGEST_WORDS_CHARS or _is_false_friend(han):
            return ""
        rest = _hangul(_AT_START, after)
        if len(han) >= _SHORTEST_WORD_CHARS:
            role = role_of(rest)
            if word := self._word(han, role) or self._several(han, role):
                return word
        elif number := _NUMBER_BEFORE.search(before):
            counted = self._units.get(number[0], set())
            return "" if han in FALSE_COUNTERS else _only(readings(han) & counted)
        return self._within(han, _hangul(_AT_END, before), rest)

    def _word(self, han: str, role: Role = Role.ANY) -> str:
        word = self._spelt([readings(char) for char in han])
        by_sound = self._roles.get(word, ())
        return word if any(may_be_same(role, each) for each in by_sound) else ""

    def _within(self, han: str, before: str, after: str) -> str:
        """Read what is only a part of its word: in ``医疗기관`` the rest of the word tells."""
        fixed = [frozenset(char) for char in before], [frozenset(char) for char in after]
        known = [*fixed[0], *(readings(char) for char in han)]
        fewest = 0 if before else 1  # without anything around it the word has been looked for
        for size in range(len(after), fewest - 1, -1):
            word = self._spelt(known + fixed[1][:size])
            whole = word + after[size:]
            subject = word_stem(whole)
            if len(subject) == len(han):  # a particle is no rest that tells
                continue
            if word and word in (whole, stem(whole), subject):
                return word[len(before) : len(known)]
        return ""

    def _spelt(self, known: Sequence[frozenset[str]]) -> str:
        """Return the word of which each syllable is one of those known for its place."""
        return _only(
            word
            for first in known[0]
            for word in self._words.get((len(known), first), ())
            if all(char in each for char, each in zip(word, known, strict=True))
        )

    def _several(self, han: str, role: Role) -> str:
        """Read words that stand without a space between: ``申请期限`` is ``신청 기한``."""
        for cut in range(len(han) - _SHORTEST_WORD_CHARS, _SHORTEST_WORD_CHARS - 1, -1):
            first, rest = self._word(han[:cut]), han[cut:]
            last = self._word(rest, role) or self._several(rest, role) if first else ""
            if last:
                return f"{first} {last}"
        return ""


def _hangul(place: re.Pattern[str], text: str) -> str:
    found = place.search(text)
    return found[0] if found else ""


def _only(found: Iterable[str]) -> str:
    """Return the one item there is; empty if there are none or several."""
    different = set(found)
    return different.pop() if len(different) == 1 else ""


@cache
def _readings() -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for read, chars in groups("hanja_readings"):
        for char in chars:
            found[char] |= {read, initial_form(read)}
    return {char: frozenset(each) for char, each in found.items()}


@cache
def sino_syllables() -> frozenset[str]:
    """Return the syllables that Han characters are read as; other words are native or foreign."""
    return frozenset().union(*_readings().values())


# The parties to a contract, and in brackets the kind of a company or a body.
_PARTIES = frozenset("甲乙丙丁")
# Countries and a few words as newspapers put them: 美 정부, 中·日 대표, 前 회장.
_SIGN = re.compile(
    r"(?<![가-힣\d])[美中日英獨佛露北南前現故](?:[·ㆍ][美中日英獨佛露北南]){0,4} ?[가-힣]"
)
_BODY = re.compile(r"[(（][株社財有合學][)）]")
_LONGEST_GLOSSED_CHARS = 60
_LONGEST_NATIVE_SYLLABLES = 2
_NOUNS = ("NNG", "NNP")
_MOST_NAMES = 2
# The words may stand in quotes (이하 "차령"(車齡)); a bracket may hold two (갑을(甲, 乙)).
_GLOSSED = re.compile(
    r"(?P<word>[가-힣]+(?:[ ·ㆍ][가-힣]+){0,3})[\"'”’」』》〉*_]{0,4} ?"
    r"[(（\[〔](?P<before>[^가-힣)）\]〕]*)\Z"
)


def is_usual_han(text: str, run: Run) -> bool:
    """Tell whether a run of Han is one that a Korean text may hold.

    A gloss follows the Hangul that it spells, in brackets (``수수료(手數料)``): each character is
    read as a syllable there is. Names of other countries (``베이징(北京)``) and nouns that one
    character tells apart (``배(梨)``) are glossed by what they mean. ``신청(请在线申请)`` is none.
    """
    if run.script is not Script.HAN:
        return False
    if run.text in _PARTIES or _BODY.fullmatch(text, max(0, run.start - 1), run.end + 1):
        return True
    if _SIGN.match(text, run.start):
        return True
    gloss = _GLOSSED.search(text, max(0, run.start - _LONGEST_GLOSSED_CHARS), run.start)
    if gloss is None:
        return False
    han = unicodedata.normalize("NFKC", han_only(gloss["before"] + run.text))
    return spells(gloss["word"], han) or _is_known_by_meaning(gloss["word"], han)


def _is_known_by_meaning(phrase: str, han: str) -> bool:
    """Tell whether a noun may be glossed with characters that are not read like it."""
    if (phrase.split()[-1], han) in groups("names_by_sound"):
        return True
    noun = morphemes(phrase)[-1]
    if len(han) == 1:
        is_noun = noun.tag in _NOUNS and len(noun.form) <= _LONGEST_NATIVE_SYLLABLES
        return is_noun and not (_may_be_sino(noun.form) and han in FALSE_COUNTERS)
    # The name of a person may be two words: 무라카미 하루키(村上春樹).
    name = list(takewhile(lambda one: one.tag == "NNP", reversed(morphemes(phrase))))
    written = "".join(one.form for one in name[:_MOST_NAMES])
    return len(han) <= len(written) and not _may_be_sino(written)


def _may_be_sino(word: str) -> bool:
    return sino_syllables().issuperset(word)


_CHARS_AROUND = 20
# 비용/費用, 비용·費用, 비용 費用: the word is there already.
_SAID_BEFORE = re.compile(r"([가-힣]{2,12})(?: ?[/／·ㆍ・] ?| )\Z")

# 費用(비용), 費用/비용; if another one follows, the word before it identifies that one.
_SAID_AGAIN = r" ?[(（]{0}[)）]| ?[/／] ?{0}(?! ?[/／·ㆍ・ ] ?[一-鿿])"


class InHangul(NamedTuple):
    """Replacements of some runs of Han characters.

    Attributes:
        start: Where the place begins: before a word that the first run only says again.
        end: Where it ends (half-open): behind a particle that has to change its form (``手续를`` is
            ``수속을``) or a gloss that says the same again (``費用(비용)``).
        hangul: What stands there instead.
    """

    start: int
    end: int
    hangul: str


def in_hangul(text: str, runs: Sequence[Run], by_sound: WordsBySound) -> InHangul | None:
    """Return runs without Hangul between them in Hangul; None if one of them cannot be read."""
    pieces: list[str] = []
    start = end = runs[0].start
    if said := _said_before(text, runs[0]):
        start -= len(said[0])
    for run in runs:
        word = said[1] if said and run is runs[0] else _read(text, run, by_sound)
        if not word:
            return None
        pieces += [text[end : run.start], word]
        end = run.end
    if again := re.compile(_SAID_AGAIN.format(word)).match(text, end):
        end = again.end()
    particle = particle_at(text, end)
    fitting = agreeing(particle, word)
    if fitting != particle:
        pieces.append(fitting)
        end += len(particle)
    return InHangul(start, end, "".join(pieces))


def _said_before(text: str, run: Run) -> re.Match[str] | None:
    """Return the word right before a run that is its reading, and what stands between them."""
    before = text[max(0, run.start - _CHARS_AROUND) : run.start]
    said = _SAID_BEFORE.search(before)
    size = len(run.text)
    is_same = run.script is Script.HAN and said is not None
    return said if said and is_same and is_reading(said[1][-size:], run.text) else None


def _read(text: str, run: Run, by_sound: WordsBySound) -> str:
    if run.script is not Script.HAN:
        return ""
    before = text[max(0, run.start - _CHARS_AROUND) : run.start]
    return by_sound.read(run.text, before, text[run.end : run.end + _CHARS_AROUND])
