"""The coordinate clauses of a sentence, each of which can be true or false by itself.

``조식은 35,000원이고, 사우나는 무료입니다`` has two: a predicate in …고, …며 or …지만 ends one.
"""

import re
from itertools import pairwise

from guards.text.lemmas import lemma

# 하고 있다, 하고 싶다, 하고 나서 are one predicate.
_JOINT = re.compile(r"(?P<word>[가-힣]{1,20}(?:고|며|지만)),?\s(?!(?:있|계[시신십]|싶|나서|나면))")


def coordinate_clauses(sentence: str) -> tuple[tuple[int, int], ...]:
    """Return the half-open places of the clauses, in order; the whole sentence if it has one."""
    ends = (joint.end() for joint in _JOINT.finditer(sentence) if _is_predicate(joint["word"]))
    return tuple(pairwise([0, *ends, len(sentence)]))


def _is_predicate(word: str) -> bool:
    """Tell whether a word is inflected; 광고, 신고 and 창고 are nouns."""
    return lemma(word) != word
