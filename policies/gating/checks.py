"""Types of the stream gate: its rules, the texts it has inspected, and the text it releases."""

from dataclasses import dataclass
from enum import StrEnum

from guards.core.exchange import Exchange
from policies.decision import Possible
from policies.schema.policy import Trimming


class Kind(StrEnum):
    """Kind of text to inspect."""

    SEGMENT = "segment"
    """An answer that goes on: what its last segment shows."""
    SEGMENTS = "segments"
    """An answer of which all is known: what its segments would show."""
    TURN = "turn"
    """Text beside tool calls."""
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Check:
    """Something to be inspected.

    Attributes:
        kind: How much of the answer it is.
        exchange: What to inspect.
        possible: What can still be done about it.
    """

    kind: Kind
    exchange: Exchange
    possible: Possible


@dataclass(frozen=True, slots=True)
class Release:
    """Text that may be sent.

    Attributes:
        end: Up to where the answer as it came is done with.
        text: What leaves in the place of everything up to there that was not done with before.
        as_it_came: That is what stands there.
    """

    end: int
    text: str
    as_it_came: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRules:
    """Rules of a gate for one answer.

    Attributes:
        may_regenerate: A second attempt is left.
        may_edit: Its text may be changed.
        holds: Nothing leaves before the end.
        may_renumber: Numbers of citations may change once all of them are known.
        may_unlist: Lines of the list of references may go with what was taken out.
        at_once: An answer of which all is known may be looked at as a whole first. What of it then
            counts as having left may be more than would have been sent in segments.
        trimming: How much may be taken out.
    """

    may_regenerate: bool
    may_edit: bool
    holds: bool
    may_renumber: bool
    may_unlist: bool = True
    at_once: bool = True
    trimming: Trimming
