"""Finds the core of a sentence that shows displeasure with the bot or with its answer.

A sentence is read as syllables without spaces, as noisy messages leave them out anyway. _Around its
core may stand sighs, adverbs and words for the bot, which are taken off at both ends.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from guards.lexicons import address, company, complaints, displeasure, reproaches
from guards.lexicons.phrases import phrases, words
from guards.text.closed_talk import is_reproach

LONGEST_COMPLAINT_LETTERS = 50
"""A longer sentence says more than that somebody is fed up."""
SURE = 0.9
SURE_BY_CONTEXT = 0.8
"""Certainty of a bare expression of displeasure: nobody but the bot is there to be meant."""
OTHERS = re.compile(words(address.THIRD_PERSON))
"""Words for people the displeasure may be with instead."""


class _Around(Enum):
    """What may stand around a core."""

    SIGH = auto()
    ADDRESS = auto()
    AGAIN = auto()
    WHY = auto()
    PADDING = auto()


def _any_of(notation: str) -> str:
    return phrases(notation, complaints.GROUPS)


_ANY_SUBJECT = re.compile(f"(?:{_any_of(complaints.ANY_SUBJECT)})$")
_BARE = re.compile(_any_of(displeasure.BARE + reproaches.REPROACHES))
_VERDICT = re.compile(f"(?:{_any_of(company.VERDICT)})$")
_IN_COMPANY = {
    _Around.SIGH: re.compile(_any_of(company.WITH_SIGH)),
    _Around.ADDRESS: re.compile(_any_of(company.WITH_ADDRESSEE)),
    _Around.AGAIN: re.compile(_any_of(company.WITH_AGAIN)),
    _Around.WHY: re.compile(_any_of(company.WITH_WHY)),
}
_NAMED = words(f"{address.YOU} {address.BOT} {address.ANSWER}")
_PARTICLE = words(address.PARTICLES)
_SIGH = re.compile(words(address.SIGHS))
_ADDRESSEE = re.compile(_NAMED)
_FILLERS = (
    (_Around.SIGH, _SIGH),
    (_Around.PADDING, re.compile(words(address.ADVERBS + address.POINTERS))),
    (_Around.PADDING, re.compile(f"{words(address.QUALITY + address.MATTERS)}{_PARTICLE}?")),
    (_Around.AGAIN, re.compile(words(address.AGAIN))),
    (_Around.WHY, re.compile(words(address.WHY))),
    (_Around.ADDRESS, _ADDRESSEE),
    (_Around.ADDRESS, re.compile(_NAMED + _PARTICLE)),
)
_FILLER_TO_END = re.compile(f"(?:{'|'.join(filler.pattern for _, filler in _FILLERS)})$")
_ASKED = re.compile(_any_of(company.ASKED))
_TALK = re.compile(words(address.TALK))
_AFTERTHOUGHT = re.compile(
    f"(?:{words(address.AFTERTHOUGHTS)}|(?:이|이런|이딴|야)?{_NAMED}{_PARTICLE}?)$"
)
_LONGEST_AFTERTHOUGHT_LETTERS = 8
_MOST_AFTERTHOUGHTS = 3
_NOT_THE_BOT = re.compile(f"{OTHERS.pattern}|(?:나|저)(?:는|도|만)$|난$")
# The bot or its answer, with a particle that shows it to be no part of a longer noun.
_TOPIC = re.compile(_any_of(company.TOPIC))
# What takes the predicate away from the topic.
_ELSEWHERE = re.compile(words(address.QUESTION_WORDS + address.REQUESTS))
# Who asks whether an answer is bad wants to know; who complains does not ask.
_WONDERING = re.compile("(?:[나까]요|가요|는지|은지)$")
# Wondering to oneself, asking the bot about itself, or naming a thing.
_MUSING = re.compile(
    "[을할될볼일]까$|(?:너|챗봇)도(?!참|진짜|정말|결국)|적이?있(?:어|나|니|어요|나요)$|"
    "못하는(?:게|건|것은|것이)뭐|(?:이유|사람|경우|방법|[는한]나)$"
)


@dataclass(frozen=True, slots=True)
class Core:
    """The predicate that shows displeasure.

    Attributes:
        start: Where it begins.
        end: Behind its last letter.
        score: How sure we are, 0 to 1.
    """

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Where a sentence's core may begin, and what stands before it."""

    at: int
    before: frozenset[_Around]


def core_of(letters: str, *, sworn: bool) -> Core | None:
    """Return the core of a sentence given as bare syllables; None if it has none.

    Args:
        letters: The sentence, without spaces and swear words, in lower case.
        sworn: Whether a swear word stood in it.
    """
    return (
        _core_beyond_doubt(letters) or _bare_core(letters, sworn=sworn) or _core_of_answer(letters)
    )


def reproach(letters: str, word_starts: frozenset[int]) -> Core | None:
    """Return a whole sentence as the core if it only speaks of the talk and finds fault with it."""
    if OTHERS.search(letters) or _MUSING.search(letters):
        return None
    for end in _ends(letters):
        if is_reproach(letters[:end], word_starts):
            return Core(0, end, SURE_BY_CONTEXT)
    return None


def _core_beyond_doubt(letters: str) -> Core | None:
    """Return the place of what is only ever said to a talk partner, whatever stands before."""
    for end in _ends(letters):
        found = _ANY_SUBJECT.search(letters, 0, end)
        if found and not _NOT_THE_BOT.search(letters, 0, found.start()):
            return Core(*found.span(), SURE)
    return None


def _bare_core(letters: str, *, sworn: bool) -> Core | None:
    """Return the place of a displeased predicate with nothing around it but sighs and address."""
    if _MUSING.search(letters):
        return None
    for begin in _beginnings(letters):
        for end in _ends(letters):
            around = set(begin.before)
            if sworn or _SIGH.match(letters, end):
                around.add(_Around.SIGH)
            if _ADDRESSEE.search(letters, end):
                around.add(_Around.ADDRESS)
            if _is_displeased(letters, begin.at, end, around):
                sure = _Around.ADDRESS in around
                return Core(begin.at, end, SURE if sure else SURE_BY_CONTEXT)
    return None


def _core_of_answer(letters: str) -> Core | None:
    """Return the place of an unkind predicate of a sentence that has the answer as its topic."""
    for end in _ends(letters):
        found = _VERDICT.search(letters, 0, end)
        if not found or OTHERS.search(letters) or _WONDERING.search(letters, 0, end):
            continue
        topic = _TOPIC.search(letters, 0, found.start())
        if topic and not _ELSEWHERE.search(letters, topic.end(), found.start()):
            return Core(topic.start(), found.end(), SURE)
    return None


def _is_displeased(letters: str, start: int, end: int, around: set[_Around]) -> bool:
    if _BARE.fullmatch(letters, start, end):
        return True
    driven = bool(around & {_Around.AGAIN, _Around.WHY})
    wondering = not driven and _WONDERING.search(letters, start, end) is not None
    return any(
        company in around and pattern.fullmatch(letters, start, end)
        for company, pattern in _IN_COMPANY.items()
        if not (wondering and company is _Around.ADDRESS)
    )


def _beginnings(letters: str) -> Iterator[_Beginning]:
    """Yield where the core may begin once sighs, adverbs and words for the bot are taken off."""
    before: dict[int, frozenset[_Around]] = {0: frozenset()}
    asked = _last_asking(letters)
    if asked:
        before[asked] = frozenset({_Around.ADDRESS})
    for at in range(len(letters)):
        if at not in before:
            continue
        yield _Beginning(at, before[at])
        for around, pattern in _FILLERS:
            found = pattern.match(letters, at)
            if found:
                end = found.end()
                before[end] = before.get(end, frozenset()) | before[at] | {around}


def _last_asking(letters: str) -> int | None:
    """Return the end of the last words that tell of having asked the bot."""
    asked = [found.end() for found in _ASKED.finditer(letters)]
    return asked[-1] if asked and not OTHERS.search(letters, 0, asked[-1]) else None


def _ends(letters: str) -> Iterator[int]:
    """Yield where the core may end, the whole first."""
    end = len(letters)
    yield end
    for _ in range(_MOST_AFTERTHOUGHTS):
        found = _AFTERTHOUGHT.search(letters, max(0, end - _LONGEST_AFTERTHOUGHT_LETTERS), end)
        if not found or found.start() == 0:
            return
        end = found.start()
        yield end


def is_filler(letters: str) -> bool:
    """Tell whether nothing is left once sighs, adverbs and words for the bot are taken off."""
    return not letters or any(
        _FILLER_TO_END.match(letters, begin.at) for begin in _beginnings(letters)
    )


def speaks_of_asking(letters: str) -> bool:
    """Tell whether a sentence is about what was asked of the bot, or about its answer."""
    return bool(_ASKED.search(letters) or _TALK.search(letters))
