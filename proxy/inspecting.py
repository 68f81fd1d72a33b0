"""How guards are run among requests: long texts in a thread, and what broke in the log."""

from guards.core.exchange import Exchange
from policies.policy import Policy
from policies.verdict import Verdict
from proxy.logs import failure, logger

log = logger(__name__)

LONG_TEXT_CHARS = 4_000
"""Above this, guards run in a thread, so that other requests go on meanwhile."""


def takes_long(policy: Policy, exchange: Exchange) -> bool:
    """Tell whether other requests should go on meanwhile."""
    chars = len(exchange.question) + len(exchange.answer or "") + len(exchange.echo)
    chars += len(exchange.previous_answer) + sum(len(source.text) for source in exchange.sources)
    # A morphological reader takes its time over any text.
    return chars > LONG_TEXT_CHARS or policy.reading == "morph"


def log_failures(request_id: str, verdict: Verdict) -> None:
    """Log every guard that broke."""
    for report in verdict.reports:
        if report.error is not None:
            log.error(
                "guard.failed",
                request_id=request_id,
                guard=report.guard,
                **failure(report.error),
            )
