"""Reads sentences that speak of nothing but the talk they stand in.

A sentence is cut into known words of talking about talk (`guards.lexicons.talk`). If one word is
not known, the sentence may be about anything, and nothing is said of it.
"""

import re
from collections.abc import Iterable
from enum import Flag, auto

from guards.lexicons import address, talk
from guards.lexicons.phrases import ENDING_SYLLABLES
from guards.text.conjugation import shapes


class Cue(Flag):
    """What the words of a sentence show."""

    NONE = 0
    ADDRESS = auto()
    AGAIN = auto()
    WHY = auto()
    MYSELF = auto()
    ASKED = auto()
    UNKIND = auto()
    UNKIND_OF_TALK = auto()
    ERRING = auto()
    BAD_DEED = auto()
    VIRTUE = auto()
    LACKING = auto()


class _Tail(Flag):
    """What may be joined to a word."""

    NONE = 0
    PARTICLE = auto()
    ENDING = auto()


_LONGEST_WORD_LETTERS = 10
_LONGEST_ENDING_LETTERS = 9
_LONGEST_PARTICLE_LETTERS = 4
_PARTICLES = frozenset((address.PARTICLES + talk.PARTICLES).split())
_DENIALS = ("않", "가않", "도않", "는않", "를않", "못하", "를못하", "도못하")
_ENDINGS = frozenset(ENDING_SYLLABLES)
_ASKING = frozenset("말하 묻 물어보 물 질문하 원하 바라 부탁하 시키 설명하 얘기하".split())
_DO_NOT = "지(?:는|도|좀)?(?:마|말)[가-힣]{0,4}"
# Endings of what is said into somebody's face; a plain statement ends in others.
_TO_THE_FACE = "네요?|냐|니|군요?|구나|잖아요?"
_SCOLDING = re.compile(
    f"(?:{_DO_NOT}|{_TO_THE_FACE}|는데요?|거야|거냐|는거|시나요|세요|십니까)$|시는(?:것|거)같"
)
_STATING = re.compile(
    f"(?:{_TO_THE_FACE}|다|어|어요|음|임|습니까|보여요?|보입니다|제로|빵점|바닥|꽝)$"
)
_CONSOLING = re.compile(f"{_DO_NOT}$")
# Nobody speaks of himself with it.
_RESPECT = re.compile("시(?:네|는|군|던|었)|셨|십니")
_WONDERING = re.compile("(?:[나까]요|가요|는지|은지)$")
# Wondering about oneself, asking for a reason, granting, narrating, asking for a favour.
_HARMLESS = re.compile(
    "까$|모르겠(?!다고|대|다는)|수(?:도|가)?있|(?:게|것이|것도|때도|적도|점이|점도|일이)있|"
    "짓을?했|당했|받았|뻔했|[했렸][어다]요?$|(?:줘|줄래|주라|주세요|줄수|주실)요?$|"
    "(?:모르|틀리|못하)는(?:게|것이)없|다른(?:대?답|답변|설명|말)"
)
# What is insisted on, held against the other's words, or owed: by itself a reproach.
_INSISTING = re.compile(
    "잖아요?$|[다라냐]니까요?$|(?:아까|방금|분명).*(?:다면서요?|다더니|[다라]며)$|"
    "(?:대?답|답변|이해)[을를은]?(?:제대로|똑바로|좀)?해야(?:지|죠|될거|할거|하는거|되는거)|"
    "것도.*(?:안된|모른|못한|없)다고요?$|또.*(?:모른|못한)다고요?$|"
    "누가.*(?:믿어|물어봤[어냐니대]|물었[어냐니대]|알아들어|원했|시켰)(?!요)|"
    "(?:이해|파악|확인|생각|읽|듣|알|보).{0,3}고(?:서|는)?(?:대?답|답변|말|설명)하시?는[거건게것]|"
    "(?:제대로|똑바로|한번에).*(?:[아어해]라|라고요?|으?세요|시죠)$"
)
# These may stand inside a word as it was typed; other single syllables begin one.
_LIGHT = frozenset("하해한할함합했되돼된될됨됩됐이인일임입마말")


def _vocabulary() -> dict[str, list[tuple[Cue, _Tail]]]:
    known: dict[str, list[tuple[Cue, _Tail]]] = {}

    def learn(words: Iterable[str], cue: Cue, tail: _Tail) -> None:
        for word in words:
            known.setdefault(word, []).append((cue, tail))

    def learn_words(words: str, cue: Cue, tail: _Tail) -> None:
        learn(words.split(), cue, tail)

    def learn_stems(stems: str, cue: Cue) -> None:
        for stem in stems.split():
            shown = cue | Cue.ASKED if stem in _ASKING else cue
            learn(shapes(stem), shown, _Tail.ENDING)

    either = _Tail.PARTICLE | _Tail.ENDING
    learn_words(talk.NOUNS + address.QUALITY, Cue.NONE, either)
    learn_words(address.SIGHS, Cue.NONE, _Tail.NONE)
    learn_words(
        address.ADVERBS + address.POINTERS + talk.ADVERBS + address.EMPHASIS,
        Cue.NONE,
        _Tail.PARTICLE,
    )
    learn_words(f"{address.YOU} {address.BOT} {address.ANSWER}", Cue.ADDRESS, either)
    learn_words(address.MATTERS, Cue.NONE, _Tail.PARTICLE)
    learn_words(address.AGAIN, Cue.AGAIN, _Tail.PARTICLE)
    learn_words(address.WHY, Cue.WHY, _Tail.NONE)
    learn_words(talk.FIRST_PERSON, Cue.MYSELF, _Tail.NONE)
    learn_words(talk.VIRTUES, Cue.VIRTUE, _Tail.PARTICLE)
    learn_stems(talk.PREDICATES, Cue.NONE)
    learn_stems(talk.UNKIND, Cue.UNKIND)
    learn_words(talk.UNKIND, Cue.UNKIND, _Tail.PARTICLE)
    learn_stems(talk.UNKIND_OF_TALK, Cue.UNKIND_OF_TALK)
    learn_stems(talk.ERRING, Cue.ERRING)
    learn_stems(talk.BAD_DEEDS, Cue.BAD_DEED)
    learn_stems(talk.LACKING, Cue.LACKING)
    learn_stems(_negated(talk.GOOD), Cue.UNKIND_OF_TALK)
    learn_stems(_negated(talk.DUTIES), Cue.ERRING)
    return known


def _negated(stems: str) -> str:
    denials = [f"{stem}지{away}" for stem in stems.split() for away in _DENIALS]
    return " ".join(denials + [no + stem for stem in stems.split() for no in ("안", "못")])


_KNOWN = _vocabulary()


def is_reproach(letters: str, word_starts: frozenset[int]) -> bool:
    """Tell whether a sentence is about the talk and finds fault with it.

    Args:
        letters: The sentence, without spaces, in lower case.
        word_starts: The positions in it where a word begins as it was typed.
    """
    starts = word_starts if len(word_starts) > 1 else None
    return any(_finds_fault(cues, letters) for cues in _readings(letters, starts))


def names_nothing_else(letters: str, word_starts: frozenset[int]) -> bool:
    """Tell whether a sentence is made of words about talk alone, the speaker left out."""
    starts = word_starts if len(word_starts) > 1 else None
    return any(Cue.MYSELF not in cues for cues in _readings(letters, starts))


def _readings(letters: str, word_starts: frozenset[int] | None) -> set[Cue]:
    """Return the cues of every way to cut the whole sentence into known words.

    Without `word_starts` the sentence was typed without spaces, and words begin anywhere.
    """
    reached: list[set[Cue]] = [set() for _ in range(len(letters) + 1)]
    reached[0].add(Cue.NONE)
    for at in range(len(letters)):
        if not reached[at]:
            continue
        for end, cue in _words_at(letters, at, word_starts):
            reached[end] |= {before | cue for before in reached[at]}
    return reached[-1]


def _words_at(letters: str, at: int, word_starts: frozenset[int] | None) -> list[tuple[int, Cue]]:
    found: list[tuple[int, Cue]] = []
    for end in range(at + 1, min(at + _LONGEST_WORD_LETTERS, len(letters)) + 1):
        inside = word_starts is not None and at not in word_starts
        if inside and end - at == 1 and letters[at] not in _LIGHT:
            continue
        for cue, tail in _KNOWN.get(letters[at:end], ()):
            found.append((end, cue))
            found += ((further, cue) for further in _tails(letters, end, tail, word_starts))
    return found


def _tails(letters: str, at: int, tail: _Tail, word_starts: frozenset[int] | None) -> list[int]:
    """Return where particles or endings that are joined to a word may end."""
    ends: list[int] = []
    if tail & _Tail.PARTICLE:
        longest = min(at + _LONGEST_PARTICLE_LETTERS, len(letters))
        ends += (end for end in range(at + 1, longest + 1) if letters[at:end] in _PARTICLES)
    if tail & _Tail.ENDING:
        for end in range(at + 1, min(at + _LONGEST_ENDING_LETTERS, len(letters)) + 1):
            if (word_starts and end - 1 in word_starts) or letters[end - 1] not in _ENDINGS:
                break
            ends.append(end)
    return ends


def _finds_fault(cues: Cue, letters: str) -> bool:
    if Cue.BAD_DEED not in cues and _CONSOLING.search(letters):
        return False
    of_myself = Cue.MYSELF in cues and Cue.ASKED not in cues and not _RESPECT.search(letters)
    if of_myself or _HARMLESS.search(letters):
        return False
    driven = bool(cues & (Cue.AGAIN | Cue.WHY))
    if _WONDERING.search(letters) and not driven:
        return False
    addressed = Cue.ADDRESS in cues
    scolding = _SCOLDING.search(letters) is not None
    lacks = Cue.VIRTUE in cues and Cue.LACKING in cues
    return (
        Cue.UNKIND in cues
        or _INSISTING.search(letters) is not None
        or (Cue.UNKIND_OF_TALK in cues and addressed)
        or (Cue.ERRING in cues and scolding and (addressed or Cue.AGAIN in cues))
        or (Cue.BAD_DEED in cues and (scolding or driven))
        or (lacks and _STATING.search(letters) is not None)
    )
