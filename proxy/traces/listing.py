"""What the index of a store says of a trace, so that few records are read for a query."""

from collections.abc import Iterator
from dataclasses import dataclass

from proxy.traces.tally import ms_of
from proxy.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Listing:
    """What the index says of a trace.

    Attributes:
        action: Its action in a word; see `Trace.action_name`.
        guards: Guards that found something in it.
        codes: Codes of its findings, reasons and errors.
        door: Where the request came in.
        started_ms: When the request came in, in milliseconds since 1970.
    """

    action: str
    guards: tuple[str, ...]
    codes: tuple[str, ...]
    door: str
    started_ms: int

    @classmethod
    def of(cls, trace: Trace) -> "Listing":
        """Return what is to be said of a trace."""
        return cls(
            action=trace.action_name,
            guards=trace.guards_with_findings,
            codes=codes_of(trace),
            door=trace.door,
            started_ms=ms_of(trace.started_at),
        )


def codes_of(trace: Trace) -> tuple[str, ...]:
    """Return the codes of a trace's findings, reasons and errors, each once."""
    return tuple(dict.fromkeys(_codes(trace)))


def is_under(code: str, wanted: str) -> bool:
    """Tell whether a code is the one that is wanted, or begins with it and a dot."""
    return code == wanted or code.startswith(f"{wanted}.")


def _codes(trace: Trace) -> Iterator[str]:
    yield from trace.reasons
    yield from (finding.code for finding in trace.findings)
    for attempt in trace.attempts:
        for choice in attempt.choices:
            yield from (finding.code for finding in choice.findings)
        if attempt.error:
            yield attempt.error
    if trace.error:
        yield trace.error
