"""Words for the codes of traces, to be translated; an unknown code is shown as it is."""

from collections.abc import Mapping

from guards.core.exchange import ContextState
from guards.core.finding import Strength
from policies.judging.judge import JUDGE
from policies.schema.base import Mode
from policies.schema.guard_rule import Action
from policies.verdict import GuardOutcome
from proxy.traces.trace import NOTHING_DECIDED, NotReplayed, Unknown
from proxy.views import msgid

ACTION_WORDS = {
    Action.PASS.value: msgid("Passed"),
    Action.FIX.value: msgid("Mended"),
    Action.TRIM.value: msgid("Trimmed"),
    Action.REGENERATE.value: msgid("Regenerated"),
    Action.REPLACE.value: msgid("Replaced"),
    NOTHING_DECIDED: msgid("Undecided"),
}
GUARD_WORDS = {
    "answerability": msgid("Nothing to answer from"),
    "citations": msgid("Citation marks"),
    "complaint": msgid("Complaints and abuse"),
    "conflict": msgid("Conflicting sources"),
    "contact": msgid("Contact details"),
    "estimates": msgid("Estimates"),
    "korean_only": msgid("Korean only"),
    "legal_citation": msgid("References to law"),
    "names": msgid("Names"),
    "negation": msgid("Turned into the opposite"),
    "numbers": msgid("Figures"),
    "overlap": msgid("Words not in the sources"),
    "personal_data": msgid("Personal data"),
    "phrases": msgid("Unwanted phrases"),
    "places": msgid("Places"),
    "quality": msgid("Broken text"),
    "scope": msgid("Outside the scope"),
    "transport": msgid("Ways to get there"),
    "uncited_claims": msgid("Uncited claims"),
}


def action_word(action: str) -> str:
    """Return the word for an action; one that is not known stands for itself."""
    return ACTION_WORDS.get(action, action)


def guard_word(guard: str) -> str:
    """Return the word for a guard; one that is not known stands for itself."""
    return GUARD_WORDS.get(guard, guard)


CODE_WORDS = {
    "answerability.no_context": msgid("The app sent no sources"),
    "answerability.empty_context": msgid("The search found no sources"),
    "answerability.low_score": msgid("All sources are below the search score demanded"),
    "answerability.off_topic": msgid("No source is about the question"),
    "answerability.unknown_name": msgid("The sources know others, not what was asked about"),
    "citations.unknown_source": msgid("Cites a document that is not there"),
    "citations.unknown_number": msgid("Cites a number that no source has"),
    "citations.wrong_source": msgid("Cites the wrong source"),
    "citations.unsupported": msgid("The cited source does not say so"),
    "citations.missing": msgid("A citation is missing"),
    "complaint.venting": msgid("The user is dissatisfied"),
    "complaint.abuse": msgid("The user is abusive"),
    "complaint.crisis": msgid("The user speaks of self-harm or threatens somebody"),
    "complaint.with_question": msgid("A complaint beside a question"),
    "conflict.undisclosed": msgid("The sources differ, and the answer does not say so"),
    "conflict.outdated": msgid("A figure of an older edition"),
    "conflict.edition_unsaid": msgid("Does not say that an older edition differs"),
    "contact.invented": msgid("Invented contact details"),
    "contact.swapped": msgid("Somebody else's contact details"),
    "estimates.unsupported": msgid("An estimate that no source has"),
    "estimates.derived": msgid("An estimate worked out from figures of a source"),
    "estimates.hedge": msgid("A guess where the sources are sure"),
    "korean_only.han": msgid("Chinese characters"),
    "korean_only.kana": msgid("Japanese characters"),
    "korean_only.other_script": msgid("Characters of another script"),
    "korean_only.broken_character": msgid("A broken character"),
    "korean_only.latin_sentence": msgid("A sentence that is not Korean"),
    "legal_citation.law_absent": msgid("Names a law that no source mentions"),
    "legal_citation.decree_absent": msgid("Cites a decree that no source holds"),
    "legal_citation.article_absent": msgid("Cites an article that no source holds"),
    "legal_citation.paragraph_absent": msgid("Cites a paragraph that the article lacks"),
    "legal_citation.item_absent": msgid("Cites an item that the article lacks"),
    "legal_citation.annex_absent": msgid("Cites an annex that no source mentions"),
    "legal_citation.addendum_absent": msgid("Cites an addendum that no source holds"),
    "legal_citation.chapter_absent": msgid("Cites a chapter that no source mentions"),
    "legal_citation.wrong_article": msgid("The cited article says something else"),
    "names.not_in_sources": msgid("A name that no source has"),
    "names.differs": msgid("The sources have another name"),
    "names.misspelt": msgid("A name with one letter wrong"),
    "names.no_such_facility": msgid("A facility that no source knows"),
    "negation.flipped": msgid("Says the opposite of the source"),
    "negation.possible": msgid("May say the opposite of the source"),
    "negation.condition_dropped": msgid("Leaves out a condition"),
    "negation.limit_set_aside": msgid("Sets a condition of the source aside"),
    "negation.wrong_reply": msgid("Yes or no, against the source"),
    "negation.exception_omitted": msgid("Leaves out an exception"),
    "numbers.value_differs": msgid("The source has another figure"),
    "numbers.not_in_sources": msgid("A figure that no source has"),
    "numbers.comparator_differs": msgid("At least, at most, over or under is mixed up"),
    "numbers.wrong_result": msgid("The answer's own calculation gives another result"),
    "numbers.moved": msgid("A figure that belongs to something else"),
    "numbers.derived": msgid("A figure worked out from others"),
    "overlap.unsupported": msgid("The sources have nothing of this"),
    "overlap.low": msgid("The sources have little of this"),
    "personal_data.in_question": msgid("Personal data in the question"),
    "personal_data.unlicensed": msgid("Personal data that nobody gave"),
    "phrases.forbidden": msgid("A phrase that the policy does not want"),
    "places.differs": msgid("The sources give another floor or number"),
    "quality.broken_characters": msgid("Broken text"),
    "quality.repetition": msgid("Repeats itself"),
    "quality.special_token": msgid("A control token of the model"),
    "quality.placeholder": msgid("Empty, or a placeholder"),
    "quality.cut_off": msgid("Breaks off in the middle"),
    "scope.other_scope": msgid("About another scope"),
    "scope.other_edition": msgid("From a text that is no longer in force"),
    "scope.other_category": msgid("About another category"),
    "scope.entity_drift": msgid("About another place or organisation"),
    "transport.invented": msgid("A way that no source describes"),
    "transport.differs": msgid("Another line, station, exit or bus"),
    "transport.mode": msgid("Another means of travel"),
    "uncited_claims.sentence": msgid("A claim without a citation"),
    "uncited_claims.answer": msgid("An answer without any citation"),
    "uncited_claims.long_answer": msgid("A long answer without any citation"),
}


def code_word(code: str) -> str:
    """Return the words for a kind of finding; one that is not known stands for itself."""
    return CODE_WORDS.get(code, code)


REASON_WORDS: Mapping[str, str] = {
    "no_answer": msgid("there was no answer"),
    "answer_edited": msgid("the answer was changed after it was asked"),
    "abstained": msgid("nothing of its kind stands there"),
    "failed": msgid("it broke"),
    "no_time": msgid("no time was left"),
    "breaker_open": msgid("it is left alone after failures"),
    "unreachable": msgid("it could not be reached"),
    "refused": msgid("it refused"),
    "garbage": msgid("its reply could not be read"),
    "cut_short": msgid("its reply was cut short"),
    "reply_too_long": msgid("its reply was too long"),
    "unknown_labels": msgid("its labels are not known"),
    "empty_answer": msgid("the answer was empty"),
    "no_sources": msgid("there were no sources"),
    "no_question": msgid("there was no question"),
    "may_still_fetch": msgid("the model could still fetch sources"),
    "no_evidence_demanded": msgid("the question needs no sources"),
    "no_open_claims": msgid("nothing was left open"),
    "answer_replaced": msgid("the answer was replaced anyway"),
    "two_strong_findings": msgid("the guards had found enough"),
    "low_retrieval_score": msgid("the sources' search scores are too low"),
    "tool_calls": msgid("the model called tools"),
    "timeout": msgid("it took too long"),
    "partial": msgid("looked at a part only"),
    "image_parts": msgid("pictures"),
    "audio_parts": msgid("sound"),
    "file_parts": msgid("files"),
    "video_parts": msgid("video"),
    "web_search": msgid("the model server's own search"),
    "prefill": msgid("an answer begun by the app"),
    "suffix": msgid("a text that is to follow the answer"),
    "refusal": msgid("the model's words of refusal"),
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
    "audio": msgid("sound"),
    "images": msgid("pictures"),
    "reasoning": msgid("the model's thoughts"),
    "reasoning_content": msgid("the model's thoughts"),
    "reasoning_details": msgid("the model's thoughts"),
    "thinking": msgid("the model's thoughts"),
    "thinking_blocks": msgid("the model's thoughts"),
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
NOT_REPLAYED: Mapping[NotReplayed, str] = {
    NotReplayed.NO_TEXT: msgid("The trace was kept without words."),
    NotReplayed.NOT_STORED: msgid("The trace is of an older version, which kept too little."),
    NotReplayed.JUDGE_DECIDED: msgid("A second reader had its say, and is not asked again."),
    NotReplayed.MASKED: msgid("What decided it are personal data, which are covered in the trace."),
    NotReplayed.REFUSED: msgid("The app asked for a guard that the other policy has no reply for."),
    NotReplayed.VERIFICATION: msgid("It is an answer that somebody had verified."),
    NotReplayed.QUEUE_FULL: msgid("More requests came than could be judged meanwhile."),
    NotReplayed.STOPPED: msgid("The proxy stopped meanwhile."),
    NotReplayed.FAILED: msgid("Judging broke."),
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
