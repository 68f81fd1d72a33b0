"""Whether a clause that one sentence opposes stands in the sources all the same.

Two clauses may have the same predicate and different subjects (가족은 신청할 수 없고 본인이
신청한다), and then the sentence closest to a claim is not the one its clause comes from.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from guards.core.reading import Reading
from guards.text.claims import bare_claim
from guards.text.features import features
from guards.text.held import Wanted
from guards.text.oppositions import oppositions
from guards.text.overlap_score import containment, shares_in
from guards.text.polarity import Role, stances
from guards.text.sentences import LONGEST_SENTENCE_CHARS

_WORD = re.compile(r"[가-힣]+")


def is_told(claim: str, sentence: str, reading: Reading) -> bool:
    """Tell whether a source holds more of a claim's last clause than the clause that opposes it.

    Args:
        claim: The claim as far as the predicate that is opposed.
        sentence: The source sentence that opposes it.
        reading: The exchange.
    """
    bare = bare_claim(claim)
    clause = (clauses(bare) or [bare])[-1]
    opposed = max(
        (containment(clause, one) for one in clauses(sentence) if oppositions(clause, one)),
        default=1.0,
    )
    return any(
        _says_the_same(clause, one, opposed)
        for holding in _holding(clause, reading, opposed)
        for one in clauses(holding)
    )


def _holding(clause: str, reading: Reading, least: float) -> Iterator[str]:
    """Yield the source sentences that hold so much of a clause, but for endless ones."""
    wanted = Wanted(features(clause))
    for part in reading.sources:
        for place, share in shares_in(wanted, part.text.held_index).items():
            sentence = part.text.sentences[place].text
            if share >= least and len(sentence) <= LONGEST_SENTENCE_CHARS:
                yield sentence


def _says_the_same(clause: str, other: str, least: float) -> bool:
    """Tell whether another clause holds more than `least` of one, and all in the same mode.

    With the same predicate it need not hold more.
    """
    share = containment(clause, other)
    own, others = stances(clause), stances(other)
    if share < least or not own or not others or own[-1].mode is not others[-1].mode:
        return False
    is_close = share > least or own[-1].key == others[-1].key
    return is_close and not oppositions(clause, other)


def clauses(sentence: str) -> list[str]:
    """Return the coordinate clauses of a sentence, in order; what follows the last is one too."""
    ends = [stance.end for stance in stances(sentence) if stance.role is Role.MAIN]
    pieces = [sentence[start:end] for start, end in pairwise([0, *ends, len(sentence)])]
    return [piece for piece in pieces if _WORD.search(piece)]
