"""Han characters as Korean itself writes them: glosses and a few conventional signs."""

import re
import unicodedata
from itertools import takewhile

from guards.korean.morphemes import morphemes
from guards.lexicons.han_false_friends import FALSE_COUNTERS
from guards.lexicons.loading import groups
from guards.text.writing.han_words import sino_syllables, spells
from guards.text.writing.scripts import Run, Script, han_only

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
