"""Words for what traces say in codes; one that is not known stands for itself."""

from collections.abc import Mapping

from guards.core.exchange import ContextState
from guards.core.finding import Strength
from policies.judging.judge import JUDGE
from policies.schema.base import Mode
from policies.verdict import GuardOutcome
from proxy.dashboard.languages import msgid
from proxy.dashboard.words import guard_word
from proxy.traces.trace import NotRejudged, Unknown

OUTCOMES: Mapping[GuardOutcome, tuple[str, str]] = {
    GuardOutcome.ACTED: (msgid("Acted"), "bad"),
    GuardOutcome.WOULD_ACT: (msgid("Would act"), "warn"),
    GuardOutcome.NOTED: (msgid("Noted"), "warn"),
    GuardOutcome.CLEAN: (msgid("Nothing found"), "good"),
    GuardOutcome.NOT_RUN: (msgid("Not run"), "calm"),
}
"""What a guard's run came to: the word and the tone of its badge."""
MODES: Mapping[Mode, str] = {
    Mode.ENFORCE: msgid("in force"),
    Mode.SHADOW: msgid("in shadow"),
}
STRENGTHS: Mapping[Strength, str] = {
    Strength.E3: msgid("stands in a source word for word"),
    Strength.E2: msgid("agrees with a sentence of a source"),
    Strength.E1: msgid("supported in part"),
    Strength.E0: msgid("nothing in the sources"),
    Strength.C1: msgid("may contradict a source"),
    Strength.C2: msgid("contradicts a source"),
}
CONTEXTS: Mapping[ContextState, str] = {
    ContextState.FOUND: msgid("Sources found in the request"),
    ContextState.EMPTY: msgid("The request has a place for sources, and it is empty"),
    ContextState.ABSENT: msgid("The request brings no sources"),
}
UNKNOWN: Mapping[Unknown, str] = {
    Unknown.MODEL_NOT_ASKED: msgid(
        "The question would have gone to the model, which was not asked."
    ),
    Unknown.NO_SECOND_ATTEMPT: msgid("The model would have been asked again, and was not."),
    Unknown.REST_NOT_READ: msgid("The answer was given up in the middle, and would have gone on."),
    Unknown.NO_ANSWER: msgid("The request ended before there was a whole answer."),
}
NOT_REJUDGED: Mapping[NotRejudged, str] = {
    NotRejudged.NO_TEXT: msgid("The trace was kept without words."),
    NotRejudged.NOT_STORED: msgid("The trace is of an older version, which kept too little."),
    NotRejudged.JUDGE_DECIDED: msgid("A second reader had its say, and is not asked again."),
    NotRejudged.MASKED: msgid("What decided it are personal data, which are covered in the trace."),
    NotRejudged.REFUSED: msgid("The app asked for a guard that the other policy has no reply for."),
    NotRejudged.VERIFICATION: msgid("It is an answer that somebody had verified."),
    NotRejudged.QUEUE_FULL: msgid("More requests came than could be judged meanwhile."),
    NotRejudged.STOPPED: msgid("The proxy stopped meanwhile."),
    NotRejudged.FAILED: msgid("Judging broke."),
}
_JUDGE = msgid("Second reader")
_ERRORS = {
    "upstream_unreachable": msgid("The model server could not be reached."),
    "upstream_timeout": msgid("The model server took too long."),
    "upstream_broken": msgid("The model server's reply could not be read."),
    "upstream_refused": msgid("The model server refused the request."),
    "upstream_rejected_key": msgid("The model server did not accept the configured key."),
    "rate_limit_exceeded": msgid("The tenant had reached a limit."),
    "model_not_found": msgid("The model does not exist or is not open to this tenant."),
    "client_gone": msgid("The client left before the end."),
}


def guard_title(guard: str) -> str:
    """Return the words for what ran: a guard, or the model that reads answers again."""
    return _JUDGE if guard == JUDGE else guard_word(guard)


def error_word(error: str) -> str:
    """Return the sentence for an error's code; empty for one that is not known."""
    return _ERRORS.get(error, "")
