"""Finds what a clause complains of."""

import re

from guards.lexicons import address
from guards.lexicons.phrases import words
from guards.text.clauses import Clause
from guards.text.displeasure import SURE_BY_CONTEXT, Core, core_of, reproach
from guards.text.sentence_frame import Frame

_LONGEST_COMPLAINT_LETTERS = 50  # a longer clause says more than that somebody is fed up
_LONGEST_SERIES_LETTERS = 30
_ENDING_LIKE_NOUN = re.compile(
    f"(?<![가-힣]){words(address.ENDING_LIKE_NOUNS)}{words(address.PARTICLES)}?(?![가-힣])"
)


def grievance(clause: Clause) -> Core | None:
    """Return the core of the clause's complaint, placed in the message; None if it has none."""
    if _ENDING_LIKE_NOUN.search(clause.text):
        return None
    calm = clause.without_emphasis()
    for reading in (clause, calm) if calm.text != clause.text else (clause,):
        if 0 < len(reading.letters.text) <= _LONGEST_COMPLAINT_LETTERS:
            core = _core(reading)
            if core:
                return Core(*reading.letters.place(core.start, core.end), core.score)
    return None


def _core(clause: Clause) -> Core | None:
    frame = Frame(clause.letters.text)
    sworn = bool(clause.swearwords)
    return (
        core_of(frame, 0, len(frame.letters), sworn=sworn)
        or _several_cores(frame, clause.word_starts(), sworn=sworn)
        or reproach(frame, clause.word_starts())
    )


def _several_cores(frame: Frame, word_starts: frozenset[int], *, sworn: bool) -> Core | None:
    """Return complaints that follow one another without a mark as one; the whole is none."""
    whole = len(frame.letters)
    if whole > _LONGEST_SERIES_LETTERS:
        return None
    reached = [0]
    for end in sorted(word_starts | {whole}):
        # Of the whole it is known by now: it is none.
        starts = [at for at in reached if at < end and (at or end < whole)]
        if any(core_of(frame, start, end, sworn=sworn) for start in starts):
            reached.append(end)
    return Core(0, whole, SURE_BY_CONTEXT) if reached[-1] == whole else None
