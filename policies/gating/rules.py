"""The section `stream` of a policy: when words of an answer may leave."""

from enum import StrEnum

from pydantic import Field

from policies.shape import Shape


class StreamMode(StrEnum):
    """How much of an answer must be there before any of it leaves."""

    GATE = "gate"
    """A sentence that was judged."""
    BUFFER = "buffer"
    """All of it."""
    MONITOR = "monitor"
    """Nothing: it leaves as it comes, and is judged afterwards, for the trace."""


class StreamRules(Shape):
    """When words of an answer may leave. Holds for plain replies too, so that both are the same."""

    mode: StreamMode = Field(
        StreamMode.GATE,
        description="gate: sentence by sentence, each as soon as it was judged; a second attempt "
        "only while nothing has left, afterwards bad sentences are taken out, or the answer ends "
        "with a correction. buffer: not before the whole answer was judged. monitor: at once; "
        "guards on the answer only write down what they would have done. Plain replies are treated "
        "alike, so that an answer does not depend on how it was asked for.",
    )
