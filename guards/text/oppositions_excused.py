"""Why a claim that opposes the sentence closest to it may be right all the same."""

import re
from collections.abc import Sequence

from guards.text.alignment import Aligned
from guards.text.claims import bare_claim
from guards.text.features import features, kept_features
from guards.text.left_out import is_left_out
from guards.text.oppositions import Opposition, oppositions, tells
from guards.text.overlap_score import containment
from guards.text.sentences import Sentence

_LOOK_BACK_CHARS = 30
_MOST_BARS = 3
_BOUND = re.compile(r"(?:이상|이하|초과|미만|이전|이후|이내)")
_FOCUS = re.compile(r"([가-힣]{1,20})(?:에는|에서는|으로는|까지는)\s$")
_FIGURE_BEFORE = re.compile(r"\d[\d,.]{0,20}[ ]?[가-힣A-Za-z%]{0,4}(?:\s[원명개분])?\s?$")


def is_excused(claim: Sentence, opposition: Opposition, closest: Sequence[Aligned]) -> bool:
    """Tell whether a claim may be right although it opposes the first of the closest sentences."""
    aligned, *others = closest
    return (
        _told_by_exception(claim, aligned)
        or _bounds_a_figure(claim, opposition)
        or any(_agrees(claim, opposition, other) for other in others)
        or _speaks_of_another(claim, opposition, aligned)
        or is_left_out(claim.text, aligned.sentence)
    )


def share_of_rest(claim: Sentence, opposition: Opposition, aligned: Aligned) -> float:
    """Return the share of a claim that the sentence holds; the opposed predicate counts as held."""
    rest = bare_claim(f"{claim.text[: opposition.start]} {claim.text[opposition.end :]}")
    share = containment(rest, aligned.sentence)
    if opposition.is_word:
        return share
    words = len(features(rest).words)
    return (share * words + 1) / (words + 1)


def is_table_row(claim: Sentence) -> bool:
    """Tell whether a claim is a row whose last cells belong to several columns."""
    return claim.text.startswith("|") and claim.text.count("|") > _MOST_BARS


def _bounds_a_figure(claim: Sentence, opposition: Opposition) -> bool:
    """Tell whether a word is the bound of a figure: those are compared with their values."""
    before = claim.text[max(0, opposition.start - _LOOK_BACK_CHARS) : opposition.start]
    is_bound = opposition.is_word and _BOUND.match(claim.text, opposition.start)
    return bool(is_bound and _FIGURE_BEFORE.search(before))


def _agrees(claim: Sentence, opposition: Opposition, aligned: Aligned) -> bool:
    """Tell whether another sentence says as the claim does where the closest one opposes it."""
    observed = claim.text[opposition.start : opposition.end]
    return tells(aligned.sentence, observed) and not oppositions(claim.text, aligned.sentence)


def _speaks_of_another(claim: Sentence, opposition: Opposition, aligned: Aligned) -> bool:
    """Tell whether the word set apart before the predicate (당일에는) is none of the sentence's."""
    focus = _FOCUS.search(claim.text, 0, opposition.start)
    return focus is not None and focus[1] not in kept_features(aligned.sentence).forms


def _told_by_exception(claim: Sentence, aligned: Aligned) -> bool:
    """Tell whether the exception holds words of the claim that the rule does not."""
    if not aligned.exception:
        return False
    words = set(features(bare_claim(claim.text)).names)
    return bool(
        words & kept_features(aligned.exception).forms - kept_features(aligned.sentence).forms
    )
