"""Finds the core of a sentence that shows displeasure with the bot or with its answer.

A sentence is read as syllables without spaces, as noisy messages leave them out anyway. Around its
core may stand sighs, adverbs and words for the bot, which are taken off at both ends.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from guards.lexicons import address, complaints, displeasure
from guards.lexicons.phrases import phrases, words

LONGEST_COMPLAINT_LETTERS = 50
"""A longer sentence says more than that somebody is fed up."""
SURE = 0.9
SURE_BY_CONTEXT = 0.8
"""Certainty of a bare expression of displeasure: nobody but the bot is there to be meant."""
OTHERS = re.compile(words(address.THIRD_PERSON))
"""Words for people the displeasure may be with instead."""

_ANY_SUBJECT = re.compile(f"(?:{phrases(complaints.ANY_SUBJECT, complaints.GROUPS)})$")
_BARE = re.compile(phrases(displeasure.BARE, complaints.GROUPS))
_WITH_SIGH = re.compile(phrases(complaints.WITH_SIGH, complaints.GROUPS))
_WITH_ADDRESSEE = re.compile(phrases(complaints.WITH_ADDRESSEE, complaints.GROUPS))
_NAMED = words(f"{address.YOU} {address.BOT} {address.ANSWER}")
_SIGH = re.compile(words(address.SIGHS))
_ADVERB = re.compile(words(address.ADVERBS + address.POINTERS))
_ADDRESSEE = re.compile(_NAMED)
_ADDRESSEE_AND_PARTICLE = re.compile(_NAMED + words(address.PARTICLES))
_FILLERS = (_SIGH, _ADVERB, _ADDRESSEE, _ADDRESSEE_AND_PARTICLE)
_FILLER_TO_END = re.compile(f"(?:{'|'.join(filler.pattern for filler in _FILLERS)})$")
_AFTERTHOUGHT = re.compile(
    f"(?:{words(address.AFTERTHOUGHTS)}|(?:이|이런|이딴|야)?{_NAMED}{words(address.PARTICLES)}?)$"
)
_LONGEST_AFTERTHOUGHT_LETTERS = 8
_MOST_AFTERTHOUGHTS = 3


@dataclass(frozen=True, slots=True)
class Core:
    """The predicate that shows displeasure: its half-open place, and how sure we are, 0 to 1."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Where a sentence's core may begin, and whether a sigh or the bot's name stands before."""

    at: int
    sigh: bool
    addressed: bool


def core_of(letters: str, *, sworn: bool) -> Core | None:
    """Return the core of a sentence given as bare syllables; None if it is no complaint.

    Args:
        letters: The sentence, without spaces and swear words, in lower case.
        sworn: Whether a swear word stood in it.
    """
    return _core_beyond_doubt(letters) or _bare_core(letters, sworn=sworn)


def _core_beyond_doubt(letters: str) -> Core | None:
    """Return the place of what is only ever said to a talk partner, whatever stands before."""
    for end in _ends(letters):
        found = _ANY_SUBJECT.search(letters, 0, end)
        if found and not OTHERS.search(letters, 0, found.start()):
            return Core(*found.span(), SURE)
    return None


def _bare_core(letters: str, *, sworn: bool) -> Core | None:
    """Return the place of a displeased predicate with nothing around it but sighs and address."""
    for begin in _beginnings(letters):
        for end in _ends(letters):
            behind = letters[end:]
            if _is_displeased(
                letters,
                begin.at,
                end,
                sigh=sworn or begin.sigh or bool(_SIGH.match(behind)),
                addressed=begin.addressed or bool(_ADDRESSEE.search(behind)),
            ):
                return Core(begin.at, end, SURE_BY_CONTEXT)
    return None


def _is_displeased(letters: str, start: int, end: int, *, sigh: bool, addressed: bool) -> bool:
    return bool(
        _BARE.fullmatch(letters, start, end)
        or (sigh and _WITH_SIGH.fullmatch(letters, start, end))
        or (addressed and _WITH_ADDRESSEE.fullmatch(letters, start, end))
    )


def _beginnings(letters: str) -> Iterator[_Beginning]:
    """Yield where the core may begin once sighs, adverbs and words for the bot are taken off."""
    waiting = [_Beginning(0, sigh=False, addressed=False)]
    seen = set(waiting)
    while waiting:
        begin = waiting.pop(0)
        if begin.at >= len(letters):
            continue
        yield begin
        for pattern in _FILLERS:
            found = pattern.match(letters, begin.at)
            if not found:
                continue
            further = _Beginning(
                found.end(),
                sigh=begin.sigh or pattern is _SIGH,
                addressed=begin.addressed or pattern in (_ADDRESSEE, _ADDRESSEE_AND_PARTICLE),
            )
            if further not in seen:
                seen.add(further)
                waiting.append(further)


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
