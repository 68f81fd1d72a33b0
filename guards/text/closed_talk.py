"""Reads sentences that speak of nothing but the talk they stand in.

A sentence is cut into known words of talking about talk (`guards.lexicons.talk`). If one word is
not known, the sentence may be about anything, and nothing is said of it.
"""

import re
from enum import Flag, auto

from guards.lexicons import address, talk
from guards.lexicons.phrases import ENDING_SYLLABLES
from guards.text.conjugation import shapes


class Cue(Flag):
    """What the words of a sentence show."""

    NONE = 0
    SIGH = auto()
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


_LONGEST_WORD_LETTERS = 9
_LONGEST_ENDING_LETTERS = 9
_LONGEST_PARTICLE_LETTERS = 4
_PARTICLES = frozenset(
    (address.PARTICLES + " 까지 부터 마저 밖에 보다 처럼 마냥 이나 나 로 으로 에서 이란 란 이라 라 이면 이든 이야 "
     "만은 만을 에만 에도 도이 은커녕 커녕 이라곤 라곤 이라고는 라고는 이라도 라도 뿐 뿐이 이니 대로 께 씩 째").split()
)
_ENDINGS = frozenset(ENDING_SYLLABLES)
_ASKING = frozenset("말하 묻 물어보 물 질문하 원하 바라 부탁하 시키 설명하 얘기하".split())
_SCOLDING_END = re.compile(
    "(?:지(?:좀|도|는)?(?:마|말)[가-힣]{0,4}|네요?|냐|니|군요?|구나|잖아요?|는데요?|거야|거냐|는거|시나요|세요|십니까)$"
)
_STATING_END = re.compile("(?:네요?|냐|니|군요?|구나|잖아요?|다|어|어요|습니다|음|임|습니까|보여요?|보입니다)$")
_WONDERING = re.compile("(?:[나까]요|가요|는지|은지)$")
# Wondering about oneself, asking for a reason, granting, narrating, asking for a favour.
_HARMLESS = re.compile(
    "(?:모르|틀리|못하)는(?:게|것이)없|까$|모르겠(?!다고|대|다는)|수(?:도|가)?있|(?:게|것이|것도|때도|적도|점이|일이|점도)있|이유$|뻔했|"
    "(?:줘|줄래|주라|주세요|줄수|주실)요?$"
)


def _vocabulary() -> dict[str, list[tuple[Cue, _Tail]]]:
    known: dict[str, list[tuple[Cue, _Tail]]] = {}

    def learn(words: str, cue: Cue, tail: _Tail) -> None:
        for word in words.split():
            known.setdefault(word, []).append((cue, tail))

    def learn_stems(stems: str, cue: Cue) -> None:
        for stem in stems.split():
            for shape in shapes(stem):
                learn(shape, cue | (Cue.ASKED if stem in _ASKING else Cue.NONE), _Tail.ENDING)

    either = _Tail.PARTICLE | _Tail.ENDING
    learn(talk.NOUNS + address.QUALITY, Cue.NONE, either)
    learn(address.SIGHS, Cue.SIGH, _Tail.NONE)
    learn(address.ADVERBS + address.POINTERS + talk.ADVERBS + address.EMPHASIS, Cue.NONE, _Tail.PARTICLE)
    learn(f"{address.YOU} {address.BOT} {address.ANSWER}", Cue.ADDRESS, either)
    learn(address.MATTERS, Cue.NONE, _Tail.PARTICLE)
    learn(address.AGAIN, Cue.AGAIN, _Tail.PARTICLE)
    learn(address.WHY, Cue.WHY, _Tail.NONE)
    learn(talk.FIRST_PERSON, Cue.MYSELF, _Tail.NONE)
    learn(talk.VIRTUES, Cue.VIRTUE, _Tail.PARTICLE)
    learn_stems(talk.PREDICATES, Cue.NONE)
    learn_stems(talk.UNKIND, Cue.UNKIND)
    learn(talk.UNKIND, Cue.UNKIND, _Tail.PARTICLE)
    learn_stems(talk.UNKIND_OF_TALK, Cue.UNKIND_OF_TALK)
    learn_stems(talk.ERRING, Cue.ERRING)
    learn_stems(talk.BAD_DEEDS, Cue.BAD_DEED)
    learn_stems(talk.LACKING, Cue.LACKING)
    return known


_KNOWN = _vocabulary()


def is_reproach(letters: str, word_starts: frozenset[int]) -> bool:
    """Tell whether a sentence is about the talk and finds fault with it.

    Args:
        letters: The sentence, without spaces, in lower case.
        word_starts: The positions in it where a word begins as it was typed.
    """
    return any(_finds_fault(cues, letters) for cues in _readings(letters, word_starts))


def _readings(letters: str, word_starts: frozenset[int]) -> set[Cue]:
    """Return the cues of every way to cut the whole sentence into known words."""
    reached: list[set[Cue]] = [set() for _ in range(len(letters) + 1)]
    reached[0].add(Cue.NONE)
    for at in range(len(letters)):
        if not reached[at]:
            continue
        for end, cue in _words_at(letters, at, word_starts):
            reached[end] |= {before | cue for before in reached[at]}
    return reached[-1]


def _words_at(letters: str, at: int, word_starts: frozenset[int]) -> list[tuple[int, Cue]]:
    found: list[tuple[int, Cue]] = []
    for end in range(at + 1, min(at + _LONGEST_WORD_LETTERS, len(letters)) + 1):
        if end - at == 1 and at not in word_starts and letters[at] not in _LIGHT:
            continue
        for cue, tail in _KNOWN.get(letters[at:end], ()):
            found.append((end, cue))
            found += ((further, cue) for further in _tails(letters, end, tail, word_starts))
    return found


_LIGHT = frozenset("하해한할함합했되돼된될됨됩됐이인일임입마말")


def _tails(letters: str, at: int, tail: _Tail, word_starts: frozenset[int]) -> list[int]:
    """Return where particles or endings that are joined to a word may end."""
    ends: list[int] = []
    if tail & _Tail.PARTICLE:
        longest = min(at + _LONGEST_PARTICLE_LETTERS, len(letters))
        ends += (end for end in range(at + 1, longest + 1) if letters[at:end] in _PARTICLES)
    if tail & _Tail.ENDING:
        for end in range(at + 1, min(at + _LONGEST_ENDING_LETTERS, len(letters)) + 1):
            if end - 1 in word_starts or letters[end - 1] not in _ENDINGS:
                break
            ends.append(end)
    return ends


def _finds_fault(cues: Cue, letters: str) -> bool:
    if _HARMLESS.search(letters) or (Cue.MYSELF in cues and Cue.ASKED not in cues):
        return False
    driven = bool(cues & (Cue.AGAIN | Cue.WHY))
    if _WONDERING.search(letters) and not driven:
        return False
    addressed = Cue.ADDRESS in cues
    scolding = driven or _SCOLDING_END.search(letters) is not None
    lacks = Cue.VIRTUE in cues and Cue.LACKING in cues
    return (
        Cue.UNKIND in cues
        or (Cue.UNKIND_OF_TALK in cues and addressed)
        or (Cue.ERRING in cues and (addressed or driven))
        or (Cue.BAD_DEED in cues and scolding)
        or (lacks and _STATING_END.search(letters) is not None)
    )
