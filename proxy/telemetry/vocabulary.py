"""The words that may stand in labels where what they are made from is open: all others are one."""

from collections.abc import Iterator, Set
from enum import StrEnum
from typing import Final

from policies.judging.claims import Skip
from policies.judging.report import ANSWER_EDITED
from policies.verdict import PARTIAL
from proxy.errors import GuardProxyError, RequestRefused, UpstreamError
from proxy.traces.trace import Delivery

OTHER: Final = "other"


class Regenerated(StrEnum):
    """What came of a second attempt."""

    LEFT = "second_left"
    """It is what the client got."""
    FIRST_KEPT = "first_kept"
    """The first one was the better of the two."""
    REPLACED = "replaced"
    """Neither was fit to leave: a template did, or ended what had begun to leave."""
    FAILED = "failed"
    """The model server failed."""
    UNFINISHED = "unfinished"
    """The request ended before that was known."""


def _codes(error: type[GuardProxyError]) -> Iterator[str]:
    yield error.code or error.type
    for kind in error.__subclasses__():
        yield from _codes(kind)


REFUSED_REQUEST: Final = "refused_request"
"""Stands for calls that the model server refused for what its client asked of it."""
UPSTREAM_ERRORS: Final = frozenset(_codes(UpstreamError))
# A kind counts once its module is read: so the refusals are named beside what they derive from.
ERRORS: Final = frozenset(
    {*_codes(GuardProxyError), *_codes(RequestRefused), Delivery.CLIENT_GONE.value}
)
NOT_RUN: Final = frozenset(
    {
        *Skip,
        ANSWER_EDITED,
        PARTIAL,
        # Of guards:
        *"no_question no_evidence_demanded may_still_fetch abstained empty_answer failed".split(),
        # Of judges:
        *"timeout no_time breaker_open unreachable refused garbage cut_short".split(),
        *"reply_too_long unknown_labels".split(),
    }
)
"""Why a guard or the judge did not run, without what stands behind a colon."""


def known(word: str, words: Set[str]) -> str:
    """Return a word if it is one of those, else the one for all others."""
    return word if word in words else OTHER


def not_run_reason(reason: str) -> str:
    """Return why a guard did not run, in a word: ``failed:ValueError`` is ``failed``."""
    return known(reason.partition(":")[0], NOT_RUN)
