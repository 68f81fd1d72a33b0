"""Whether another policy would have done something else, as far as it is known."""

from proxy.traces.trace import Replayed, Trace, Unknown


def does_otherwise(trace: Trace, tried: Replayed) -> bool:
    """Tell whether another policy would have done something else for sure.

    Where nobody knows what would have left, that is so if the model would have been asked, or asked
    once more, or if an answer would have begun to leave that was given up.

    Args:
        trace: A request.
        tried: What another policy would have made of it.
    """
    if tried.not_run is not None:
        return False
    if tried.unknown is Unknown.MODEL_NOT_ASKED or tried.goes_on:
        return True
    return tried.action not in (None, trace.action)


def says_otherwise(trace: Trace, tried: Replayed) -> bool:
    """Tell whether other words would have left for sure, whatever would have been done."""
    return tried.not_run is None and tried.unknown is None and tried.replies != trace.replies
