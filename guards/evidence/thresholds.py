"""The numbers that decide between findings, each with its meaning.

Those of novelty are fitted by ``tests/quality/fit_novelty.py``.
"""

NOVEL_VERB = 0.4
"""How much a verb that no source has counts, where a noun counts 1."""
INVENTED_WORDS = 2.0
"""A clause with so many words that no source has was invented."""
INVENTED_BELOW = 0.6
"""... if the sources have less than this share of its telling words."""
SUPPORTED_FROM = 0.45
"""The best sentences of the sources must hold this share of a clause's telling words."""
FEWEST_WORDS = 2
"""Clauses with fewer telling words are too short to judge."""

ALIGNED_FROM = 0.12
"""Likeness from which a source claim speaks of the same as a clause of the answer."""
NEAR_BEST = 0.5
"""... as long as it has this share of the likest one's."""

CLAIM_SUPPORTED_FROM = 0.36
"""A claim of which the best passage holds less, by stems and syllables, rests on none of them."""
COMPARED_WORDS = 3
"""A claim of so many words was held against the sources by its words alone."""
