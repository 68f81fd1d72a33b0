"""What became of a request, in a word and in a sentence."""

from policies.schema.guard_rule import Action
from proxy.dashboard.languages import msgid
from proxy.dashboard.words import action_word
from proxy.judged import SOURCES
from proxy.rejudging.again import VERIFY_DOOR
from proxy.traces.differing import does_otherwise
from proxy.traces.trace import Delivery, Trace

_ENDED = msgid("Ended early")
_UNDECIDED = msgid("The request ended before anything was decided.")
_CLIENT_LEFT = msgid("The client left before the reply was complete.")
_FAILED = msgid("The request ended with an error.")
_NOT_ASKED = msgid("The model was not asked: a prepared text answered the question.")
_CLOSED = msgid("The answer had begun to leave; a notice ended it.")
_FROM_SOURCES = msgid("The model's answer was held back; a sentence of the sources left instead.")
_ONE_REPLACED = msgid("The model's answer was held back; a prepared text left instead.")
_MIXED = msgid("The answers fared differently; below stands what left for each choice.")
_BOTH_REPLACED = msgid("Both of the model's answers were held back; a prepared text left instead.")
_SECOND = msgid("The first answer was held back; the model was asked again, and that answer left.")
_SECOND_CHANGED = msgid(
    "The first answer was held back; the second one left with the places marked below changed."
)
_TRIMMED = msgid("What could not be supported was taken out; the rest of the answer left.")
_MENDED = msgid("The answer left with a mended place.")
_PASSED = msgid("The answer left as the model wrote it.")
_ASKS_MODEL = msgid("Model asked")
_GOES_ON = msgid("Not given up")
_STANDS = msgid("The answer was verified, and nothing speaks against it.")
_DOUBTED = msgid("The answer was verified, and something speaks against it.")


def outcome_of(trace: Trace) -> str:
    """Return what became of a request in a word: its action, or that its answer was ended."""
    return _ENDED if trace.closings else action_word(trace.action_name)


def story_of(trace: Trace) -> str:
    """Return what became of a request in a sentence."""
    if trace.delivery is Delivery.CLIENT_GONE:
        return _CLIENT_LEFT
    if trace.error is not None:
        return _FAILED
    if trace.door == VERIFY_DOOR:
        return _STANDS if trace.action is Action.PASS else _DOUBTED
    if len({made.action for made in trace.made}) > 1:
        return _MIXED
    return _CLOSED if trace.closings else _answered(trace)


def shadow_word(trace: Trace) -> str:
    """Return what the shadow policy would have done, in a word; empty if the same, or unknown."""
    shadow = trace.shadow
    if shadow is None or not does_otherwise(trace, shadow):
        return ""
    if shadow.action is not None:
        return action_word(shadow.action_name)
    return _GOES_ON if shadow.goes_on else _ASKS_MODEL


def _answered(trace: Trace) -> str:
    match trace.action:
        case None:
            return _UNDECIDED
        case Action.PASS:
            return _PASSED
        case Action.FIX:
            return _MENDED
        case Action.TRIM:
            return _TRIMMED
        case Action.REGENERATE:
            return _SECOND_CHANGED if any(one.changes for one in trace.made) else _SECOND
        case Action.REPLACE:
            return _replaced(trace)


def _replaced(trace: Trace) -> str:
    if not trace.attempts:
        return _NOT_ASKED
    if any(made.replaced_with == SOURCES for made in trace.made):
        return _FROM_SOURCES
    return _ONE_REPLACED if len(trace.attempts) == 1 else _BOTH_REPLACED
