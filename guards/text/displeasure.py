"""Finds the core of a sentence that shows displeasure with the bot or with its answer.

Around the core may stand sighs, adverbs and words for the bot (`guards.text.sentence_frame`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from guards.lexicons import (
    address,
    charges,
    company,
    complaints,
    displeasure,
    reproaches,
    retorts,
)
from guards.lexicons.phrases import phrases, words
from guards.text.closed_talk import is_reproach
from guards.text.phrasebook import Phrasebook, PhraseReader
from guards.text.sentence_frame import OTHERS, Around, Frame

SURE = 0.9
"""Certainty of what only a talk partner can be meant by."""
SURE_BY_CONTEXT = 0.8
"""Certainty of a bare expression of displeasure: nobody but the bot is there to be meant."""
_READER = PhraseReader(complaints.GROUPS)
_ANY_SUBJECT = Phrasebook(complaints.ANY_SUBJECT + charges.CHARGES, _READER)
_BARE = Phrasebook(displeasure.BARE + reproaches.REPROACHES + retorts.RETORTS, _READER)
_VERDICT = Phrasebook(company.VERDICT, _READER)
_IN_COMPANY = {
    Around.SIGH: Phrasebook(company.WITH_SIGH, _READER),
    Around.ADDRESS: Phrasebook(company.WITH_ADDRESSEE, _READER),
    Around.AGAIN: Phrasebook(company.WITH_AGAIN, _READER),
    Around.WHY: Phrasebook(company.WITH_WHY, _READER),
}
_BARE_BOOKS = (_BARE, *_IN_COMPANY.values())
_NOT_THE_BOT = re.compile(f"{OTHERS.pattern}|(?:(?<!하)나|저)(?:는|도|만)$|난$")
# The bot or its answer, with a particle that shows it to be no part of a longer noun.
_TOPIC = re.compile(phrases(company.TOPIC, complaints.GROUPS))
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


def core_of(frame: Frame, start: int, end: int, *, sworn: bool) -> Core | None:
    """Return the core of a stretch of a sentence; None if it has none.

    Args:
        frame: The sentence.
        start: Where the stretch begins.
        end: Where it ends.
        sworn: Whether a swear word stood in it.
    """
    return (
        _core_beyond_doubt(frame, start, end)
        or _bare_core(frame, start, end, sworn=sworn)
        or _core_of_answer(frame, start, end)
    )


def reproach(frame: Frame, word_starts: frozenset[int]) -> Core | None:
    """Return a whole sentence as the core if it only speaks of the talk and finds fault with it."""
    letters = frame.letters
    if OTHERS.search(letters) or _MUSING.search(letters):
        return None
    for end in frame.stops(0, len(letters)):
        if is_reproach(letters[:end], word_starts):
            return Core(0, end, SURE_BY_CONTEXT)
    return None


def _core_beyond_doubt(frame: Frame, start: int, end: int) -> Core | None:
    """Return the place of what is only ever said to a talk partner, whatever stands before."""
    for begin, stop in _first_fits(_ANY_SUBJECT, frame, start, end):
        if not _NOT_THE_BOT.search(frame.letters, start, begin):
            return Core(begin, stop, SURE)
    return None


def _bare_core(frame: Frame, start: int, end: int, *, sworn: bool) -> Core | None:
    """Return the place of a displeased predicate with nothing around it but sighs and address."""
    if _MUSING.search(frame.letters, start, end):
        return None
    for begin, before in frame.beginnings(start, end).items():
        if not frame.begins_any(_BARE_BOOKS, begin):
            continue
        for stop in frame.stops(start, end):
            beside = before.union(frame.behind(stop, end), {Around.SIGH} if sworn else ())
            if begin < stop and _is_displeased(frame, begin, stop, beside):
                sure = Around.ADDRESS in beside
                return Core(begin, stop, SURE if sure else SURE_BY_CONTEXT)
    return None


def _is_displeased(frame: Frame, start: int, end: int, beside: frozenset[Around]) -> bool:
    if end in frame.ends(_BARE, start):
        return True
    driven = bool(beside & {Around.AGAIN, Around.WHY})
    wondering = not driven and _WONDERING.search(frame.letters, start, end) is not None
    return any(
        company in beside and end in frame.ends(book, start)
        for company, book in _IN_COMPANY.items()
        if not (wondering and company is Around.ADDRESS)
    )


def _core_of_answer(frame: Frame, start: int, end: int) -> Core | None:
    """Return the place of an unkind predicate of a sentence that has the answer as its topic."""
    letters = frame.letters
    if not _TOPIC.search(letters, start, end) or OTHERS.search(letters, start, end):
        return None
    for begin, stop in _first_fits(_VERDICT, frame, start, end):
        topic = _TOPIC.search(letters, start, begin)
        if not topic or _WONDERING.search(letters, start, stop):
            continue
        if not _ELSEWHERE.search(letters, topic.end(), begin):
            return Core(topic.start(), stop, SURE)
    return None


def _first_fits(book: Phrasebook, frame: Frame, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield for each place to stop the longest stretch before it that is one of the phrases."""
    begun = frame.begun(book)
    for stop in frame.stops(start, end) if begun else ():
        for begin in begun:
            if start <= begin < stop and stop in frame.ends(book, begin):
                yield begin, stop
                break
