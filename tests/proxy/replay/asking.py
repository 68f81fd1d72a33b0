"""Requests that were served, as traces tell of them."""

from guards.core.exchange import ContextState
from proxy.traces.trace import Attempt, Choice, RequestDetails, Trace
from tests.proxy.traces.making import a_trace


def unanswerable(trace_id: str) -> Trace:
    """Return a request without evidence, which the strict policy does not let the model answer."""
    return a_trace(trace_id, question="구내식당은 어디에 있나요?").model_copy(
        update={
            "asked": RequestDetails(),
            "sources": (),
            "context": ContextState.EMPTY,
            "attempts": (Attempt(choices=(Choice(text="본관 지하에 있습니다."),)),),
            "replies": ("본관 지하에 있습니다.",),
        }
    )
