"""Holds a reply against what was expected of it.

The score of a reply is the share of its expected keywords that it says (1 where none is expected),
and 0 as soon as it says a forbidden one; `keywords` tells when a keyword is said. The score of a
case is the mean of its turns. A reply passes with a score of at least `min_score`, no forbidden
keyword, an expected action, and a reason that begins as expected; a case passes if all of its
replies do.
"""

from proxy.golden.client import Heard
from proxy.golden.keywords import says, says_any
from proxy.golden.results import TurnResult
from proxy.golden.shape import Expectation, Turn


def judged(turn: Turn, heard: Heard) -> TurnResult:
    """Return what came of a question that was answered."""
    forbidden = [word for word in turn.forbidden_keywords if says(heard.text, word)]
    missing = [each for each in turn.expected_keywords if not says_any(heard.text, each)]
    score = 0.0 if forbidden else 1 - len(missing) / max(1, len(turn.expected_keywords))
    faults = []
    if forbidden:
        faults.append(f"says what is forbidden: {', '.join(forbidden)}")
    elif score < turn.min_score:
        unsaid = ", ".join("|".join(each) for each in missing)
        faults.append(f"score {score:.2f}, expected {turn.min_score:.2f} or more; unsaid: {unsaid}")
    return TurnResult(
        query=turn.query,
        reply=heard.text,
        action=heard.action,
        reasons=heard.reasons,
        attempts=heard.attempts,
        trace_id=heard.trace_id,
        score=score,
        faults=(*faults, *_about_verdict(turn, heard)),
        took_ms=heard.took_ms,
    )


def _about_verdict(expected: Expectation, heard: Heard) -> list[str]:
    faults = []
    actions = expected.expected_action
    if actions and heard.action not in actions:
        faults.append(f"action {heard.action or 'none'}, expected {' or '.join(actions)}")
    beginnings = expected.expected_reason
    if beginnings and not any(reason.startswith(beginnings) for reason in heard.reasons):
        came = ", ".join(heard.reasons) or "none"
        faults.append(f"reasons {came}, expected {' or '.join(beginnings)}")
    return faults
