"""How the cost of work grows with its input: a verdict that no busy machine changes."""

import gc
import time
from collections.abc import Callable

GROWTH = 8
TIMES = 3.0
"""How much faster than its input the cost may grow; at `GROWTH`, squares grow by eight times it."""
ATTEMPTS = 5
TOO_SHORT_S = 0.002
"""A shorter time is as good as none: the clock and the first call of a pattern weigh more."""


def assert_grows_with_its_input(work: Callable[[int], object], units: int) -> None:
    """Fail where eight times the input costs far more than eight times the processor time.

    Both sizes are measured one after the other and the pair is repeated, so that a processor
    which others share slows one pair and not the verdict: squared work exceeds the limit each time.

    Args:
        work: Does the work for an input of that many units; its set-up counts as work.
        units: The larger size.
    """
    ratios = []
    for attempt in range(ATTEMPTS):
        # Another size each time: what was read before may be remembered.
        large = units - GROWTH * attempt
        small_s, large_s = _costs_s(work, large // GROWTH), _costs_s(work, large)
        ratios.append(large_s / max(small_s, TOO_SHORT_S) / GROWTH)
        if ratios[-1] < TIMES:
            return
    raise AssertionError(f"cost grows {ratios} times as fast as the input of {units} units")


def _costs_s(work: Callable[[int], object], units: int) -> float:
    gc.disable()
    try:
        began_s = time.process_time()
        work(units)
        return time.process_time() - began_s
    finally:
        gc.enable()
