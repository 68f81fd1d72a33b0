"""Words for why something was not looked at; a reason that is not known stands for itself."""

from collections.abc import Mapping

from proxy.dashboard.languages import msgid

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
