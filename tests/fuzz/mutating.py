"""Documents that were right once: some bytes taken out, doubled, swapped or put in."""

from collections.abc import Sequence

from hypothesis import strategies as st

MOST_CHANGES = 6
WIDEST = 40


@st.composite
def mutated(draw: st.DrawFn, seeds: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """Draw one of the seeds with up to `MOST_CHANGES` changes.

    Args:
        draw: Hypothesis's own.
        seeds: Documents that are right.
        tokens: What is put in beside any bytes: what the format gives a meaning to.
    """
    text = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, MOST_CHANGES))):
        at = draw(st.integers(0, len(text)))
        end = min(len(text), at + draw(st.integers(0, WIDEST)))
        change = draw(st.sampled_from(("take", "double", "token", "bytes", "splice", "cut")))
        if change == "take":
            text = text[:at] + text[end:]
        elif change == "double":
            text = text[:end] + text[at:]
        elif change == "token":
            text = text[:at] + draw(st.sampled_from(tokens)) + text[end:]
        elif change == "bytes":
            text = text[:at] + draw(st.binary(max_size=4)) + text[at:]
        elif change == "splice":
            other = draw(st.sampled_from(seeds))
            text = text[:at] + other[draw(st.integers(0, len(other))) :]
        else:
            text = text[:at]
    return text
