"""Display words for the codes of traces, for translation; unknown codes are shown unchanged."""

from collections.abc import Mapping

from guards.core.exchange import ContextState
from guards.core.finding import Strength
from policies.codes import all_codes, guard_labels
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.verdict import GuardOutcome
from policies.verification.shape import VerificationOutcome
from proxy.traces.trace import (
    ANY_LABEL,
    NOTHING_DECIDED,
    PINNED,
    Label,
    NotReplayed,
    Unknown,
)
from proxy.views import msgid

ACTION_WORDS = {
    Action.PASS.value: msgid("Passed"),
    Action.FIX.value: msgid("Corrected"),
    Action.TRIM.value: msgid("Trimmed"),
    Action.REGENERATE.value: msgid("Regenerated"),
    Action.REPLACE.value: msgid("Replaced"),
    NOTHING_DECIDED: msgid("Undecided"),
}


VERIFICATIONS: Mapping[VerificationOutcome, tuple[str, str]] = {
    VerificationOutcome.VERIFIED: (msgid("Verified"), "good"),
    VerificationOutcome.PARTLY: (msgid("Partly verified"), "warn"),
    VerificationOutcome.NOT_VERIFIED: (msgid("Not verified"), "bad"),
}
"""Results of a verification: the word and the tone of its badge."""


_NOT_KNOWN = msgid("Not known")


def action_word(action: str) -> str:
    """Return the word for an action, or for ``unknown``; another name stands for itself."""
    return _NOT_KNOWN if action == "unknown" else ACTION_WORDS.get(action, action)


LABEL_WORDS: Mapping[str, str] = {
    Label.RIGHT.value: msgid("Right"),
    Label.FALSE_ALARM.value: msgid("False alarm"),
    Label.MISSED.value: msgid("Missed"),
    ANY_LABEL: msgid("Any label"),
    PINNED: msgid("Pinned"),
}
"""Words for what a filter of labels can ask for."""
LABEL_MEANINGS: Mapping[str, str] = {
    Label.RIGHT.value: msgid("The answer was rightly kept, or rightly changed."),
    Label.FALSE_ALARM.value: msgid("A good answer was changed."),
    Label.MISSED.value: msgid("A wrong answer was sent."),
}
FEEDBACK_PROBLEMS: Mapping[str, str] = {
    "no_label": msgid("Choose one of the three."),
    "no_reply": msgid("The request has no such reply."),
    "no_words": msgid("The words of this request were not kept, so no passage can be marked."),
    "not_there": msgid("These words are not in the answer that was sent."),
    "too_many_pinned": msgid("As many requests are pinned as may be. Unpin some first."),
    "too_long": msgid("The note or the marked words are too long."),
}
"""Reasons why a label cannot be given."""


def label_word(label: str) -> str:
    """Return the word for a label; one that is not known stands for itself."""
    return LABEL_WORDS.get(label, label)


def guard_word(guard: str) -> str:
    """Return the word for a guard or the judge; one that is not known stands for itself."""
    label = guard_labels().get(guard)
    return label.en if label else guard


def code_word(code: str) -> str:
    """Return the words for a kind of finding; one that is not known stands for itself."""
    known = all_codes().get(code)
    return known.label.en if known else code


REASON_WORDS: Mapping[str, str] = {
    "no_answer": msgid("there was no answer"),
    "answer_edited": msgid("the answer was changed after the judge was called"),
    "abstained": msgid("nothing of its kind to check"),
    "failed": msgid("it failed with an error"),
    "no_time": msgid("no time remained"),
    "breaker_open": msgid("it is paused after failures"),
    "unreachable": msgid("it could not be reached"),
    "refused": msgid("it refused"),
    "garbage": msgid("its reply could not be read"),
    "cut_short": msgid("its reply was cut short"),
    "reply_too_long": msgid("its reply was too long"),
    "unknown_labels": msgid("its labels are not known"),
    "no_model": msgid("no model is named"),
    "empty_answer": msgid("the answer was empty"),
    "answer_too_long": msgid("the answer was longer than what is judged"),
    "no_sources": msgid("there were no sources"),
    "no_question": msgid("there was no question"),
    "may_still_fetch": msgid("the model could still fetch sources"),
    "no_evidence_demanded": msgid("the question needs no sources"),
    "no_open_claims": msgid("nothing remained to check"),
    "answer_replaced": msgid("the answer was replaced anyway"),
    "two_strong_findings": msgid("the guards had found enough"),
    "low_retrieval_score": msgid("the sources' search scores are too low"),
    "tool_calls": msgid("the model called tools"),
    "timeout": msgid("it took too long"),
    "partial": msgid("only a part was checked"),
    "image_parts": msgid("images"),
    "audio_parts": msgid("audio"),
    "file_parts": msgid("files"),
    "video_parts": msgid("video"),
    "web_search": msgid("the model server's own search"),
    "prefill": msgid("an answer prefilled by the app"),
    "suffix": msgid("a text that is to follow the answer"),
    "refusal": msgid("the model's refusal text"),
    "chat_template": msgid("the app's own chat template"),
    "stored_prompt": msgid("a prompt stored at the model server"),
    "__verbose": msgid("details beside the answer"),
    "annotations": msgid("notes that the model server adds"),
    "citations": msgid("citations of the model server"),
    "search_results": msgid("the model server's own search"),
    "related_questions": msgid("questions that the model server suggests"),
    "executed_tools": msgid("tools that the model server used"),
    "output_messages": msgid("further messages of the model server"),
    "provider_specific_fields": msgid("further fields of the model server"),
    "context": msgid("further fields of the model server"),
    "conversation": msgid("turns kept by the model server"),
    "previous_response_id": msgid("turns kept by the model server"),
    "prompt": msgid("a prompt stored at the model server"),
    "audio": msgid("audio"),
    "images": msgid("images"),
    "reasoning": msgid("the model's reasoning"),
    "reasoning_content": msgid("the model's reasoning"),
    "reasoning_details": msgid("the model's reasoning"),
    "thinking": msgid("the model's reasoning"),
    "thinking_blocks": msgid("the model's reasoning"),
}


def reason_word(reason: str) -> str:
    """Return the words for why something was not looked at, whatever details follow a colon."""
    return REASON_WORDS.get(reason.partition(":")[0], reason)


OUTCOMES: Mapping[GuardOutcome, tuple[str, str]] = {
    GuardOutcome.ACTED: (msgid("Acted"), "bad"),
    GuardOutcome.WOULD_ACT: (msgid("Would act"), "warn"),
    GuardOutcome.NOTED: (msgid("Noted"), "warn"),
    GuardOutcome.CLEAN: (msgid("Nothing found"), "good"),
    GuardOutcome.NOT_RUN: (msgid("Not run"), "calm"),
}
"""Outcomes of a guard's run, with the word and the tone of the badge."""
MODES: Mapping[Mode, str] = {
    Mode.ENFORCE: msgid("in force"),
    Mode.SHADOW: msgid("in shadow"),
}
STRENGTHS: Mapping[Strength, str] = {
    Strength.E3: msgid("appears word for word in a source"),
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
        "The question would have gone to the model, which was not called."
    ),
    Unknown.NO_SECOND_ATTEMPT: msgid("The model would have been called again, and was not."),
    Unknown.REST_NOT_READ: msgid("The answer was stopped midway and would have continued."),
    Unknown.NO_ANSWER: msgid("The request ended before there was a whole answer."),
}
NOT_REPLAYED: Mapping[NotReplayed, str] = {
    NotReplayed.NO_TEXT: msgid("The trace was stored without texts (tracing.text: none)."),
    NotReplayed.JUDGE_DECIDED: msgid(
        "A judge's opinion counted, and the judge is not called again."
    ),
    NotReplayed.MASKED: msgid("The decision rests on personal data, which is masked in the trace."),
    NotReplayed.REFUSED: msgid(
        "The app requested a guard for which the other policy has no reply."
    ),
    NotReplayed.VERIFICATION: msgid("It is the verification of a given answer."),
    NotReplayed.QUEUE_FULL: msgid("Too many requests arrived to judge all of them."),
    NotReplayed.STOPPED: msgid("The proxy stopped before it was judged."),
    NotReplayed.FAILED: msgid("Judging failed with an error."),
}
_ERRORS = {
    "upstream_unreachable": msgid("The model server could not be reached."),
    "upstream_timeout": msgid("The model server took too long."),
    "upstream_broken": msgid("The model server's reply could not be read."),
    "upstream_refused": msgid("The model server refused the request."),
    "upstream_rejected_key": msgid("The model server did not accept the configured key."),
    "rate_limit_exceeded": msgid("The tenant had reached a limit."),
    "model_not_found": msgid("The model does not exist or is not open to this tenant."),
    "client_gone": msgid("The client disconnected before the end."),
}


def error_word(error: str) -> str:
    """Return the sentence for an error's code; empty for one that is not known."""
    return _ERRORS.get(error, "")
