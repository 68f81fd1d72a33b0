"""The fields of `/v1/responses`: what is looked at, what travels unlooked at, what is refused."""

from collections.abc import Iterator
from typing import Final

from proxy.openai_api.coverage import Coverage, FieldTable, Origin, Row, Treatment, group
from proxy.openai_api.extensions import GUARD_NOTE, request_extensions

_INSPECTED, _PASSED, _REFUSED = Treatment.INSPECTED, Treatment.PASSED, Treatment.REFUSED
_OPENAI, _VLLM = Origin.OPENAI, Origin.VLLM
_TURNS = "the question, the evidence and what may be echoed"
_RESULT = "what a tool found is evidence"
_SAID_BEFORE = "earlier turns and calls"
_NO_GUARD = "no guard can look at it"
_KEPT_THERE = "refused, unless the policy lets pass what only the model server can see"
_ECHO = "repeats the request"
_WHICH = "which response it is"
_ASIDE = "words beside the answer"
_CALL = "a call of a tool"


def _request() -> Iterator[Row]:
    yield Row("model", _PASSED, "the tenant may have other names for models")
    yield Row("stream", _PASSED, "a stream is guarded like a plain reply")
    yield Row("stream_options", _PASSED, "what a stream carries beside its pieces")
    yield Row("stream_options.include_obfuscation", _PASSED, "padding of the pieces")
    yield from _input()
    for name in ("previous_response_id", "conversation", "prompt"):
        yield Row(name, _PASSED, _KEPT_THERE, unchecked=name)
    yield Row("background", _REFUSED, "an answer that is fetched later would leave unguarded")
    note = "earlier turns have to be in 'input', where they can be read"
    yield Row("previous_input_messages", _REFUSED, note, _VLLM)
    note = "an answer in JSON is read by its string values"
    yield Row("text", _INSPECTED, note)
    yield Row("text.format", _INSPECTED, note)
    yield Row("text.verbosity", _PASSED, "how tokens are drawn")
    note = "the model may fetch evidence itself; what it is told about its tools is no evidence"
    yield Row("tools", _INSPECTED, note)
    yield from group(_PASSED, _OPENAI, note, "tool_choice parallel_tool_calls max_tool_calls")
    note = "how tokens are drawn"
    yield from group(_PASSED, _OPENAI, note, "temperature top_p max_output_tokens reasoning")
    yield from group(_PASSED, _VLLM, note, "seed stop frequency_penalty presence_penalty")
    shown = "include top_logprobs"
    yield from group(_PASSED, _OPENAI, "asks for more beside the answer", shown)
    yield from group(
        _PASSED,
        _VLLM,
        "asks for more beside the answer",
        "enable_response_messages include_reasoning",
    )
    note = "what the model server keeps is its own answer, not the guarded one"
    yield Row("store", _PASSED, note)
    note = "the model may see less than the guards do"
    yield from group(_PASSED, _OPENAI, note, "truncation context_management")
    yield from group(
        _PASSED,
        _OPENAI,
        "how the model server does its work",
        "metadata user safety_identifier service_tier moderation access_programs image "
        "background_options prompt_cache_key prompt_cache_options prompt_cache_retention",
    )
    yield Row("documents", _INSPECTED, "evidence", Origin.OTHER)
    yield Row("sources", _INSPECTED, "evidence", Origin.OTHER)
    yield from request_extensions()


def _input() -> Iterator[Row]:
    yield Row("instructions", _INSPECTED, _TURNS)
    yield Row("input", _INSPECTED, _TURNS)
    item = "input[]."
    yield from group(_INSPECTED, _OPENAI, "says what kind of item it is", "type role", item)
    yield Row(f"{item}content", _INSPECTED, _TURNS)
    part = f"{item}content[]."
    yield Row(f"{part}type", _INSPECTED, "says what kind of part it is")
    yield Row(f"{part}text", _INSPECTED, "read like a content in one piece")
    files = "image_url file_id file_url file_data filename detail input_audio"
    yield from group(_PASSED, _OPENAI, _NO_GUARD, files, part)
    said = "annotations logprobs refusal prompt_cache_breakpoint"
    yield from group(_PASSED, _OPENAI, _SAID_BEFORE, said, part)
    yield from group(_INSPECTED, _OPENAI, _RESULT, "output results outputs result", item)
    note = f"{_KEPT_THERE}, where it is alone"
    yield Row(f"{item}id", _PASSED, note)
    yield from group(
        _PASSED,
        _OPENAI,
        _SAID_BEFORE,
        "status phase call_id name namespace caller async arguments input queries action actions "
        "operation environment code container_id server_label tools error reason approve "
        "approval_request_id acknowledged_safety_checks pending_safety_checks execution "
        "fingerprint max_output_length revised_prompt background quality size output_format "
        "svg_usage reasoning text created_by",
        item,
    )
    yield Row(f"{item}summary", _PASSED, "thoughts of an earlier turn")
    note = "turns that the model server folded up"
    yield Row(f"{item}encrypted_content", _PASSED, note)


def _reply() -> Iterator[Row]:
    yield from _response("")


def _response(place: str) -> Iterator[Row]:
    """Yield the rows of a whole response.

    Args:
        place: What stands before its members.
    """
    which = "id object created_at completed_at model service_tier background"
    yield from group(_PASSED, _OPENAI, _WHICH, which, place)
    ended = "tells an answer that was cut short"
    yield from group(_INSPECTED, _OPENAI, ended, "status incomplete_details", place)
    yield Row(f"{place}error", _INSPECTED, "tells an answer that failed")
    yield Row(f"{place}usage", _PASSED, "of all attempts, added up")
    yield Row(f"{place}output", _INSPECTED, "every item")
    yield from _item(f"{place}output[].")
    note = "repeats the answer; removed where a text is changed"
    yield Row(f"{place}output_text", _INSPECTED, note, Origin.OTHER, spells_answer=True)
    yield Row(f"{place}output_messages", _PASSED, note, _VLLM, "output_messages", (), True)
    yield Row(f"{place}input_messages", _PASSED, "the caller's own prompt", _VLLM)
    yield from group(
        _PASSED,
        _OPENAI,
        _ECHO,
        "instructions metadata parallel_tool_calls temperature tool_choice tools top_p "
        "max_output_tokens max_tool_calls previous_response_id conversation prompt "
        "prompt_cache_key prompt_cache_options prompt_cache_retention reasoning image store "
        "safety_identifier text top_logprobs truncation user access_programs",
        place,
    )
    note = "figures about the request"
    numbers = "tool_usage prompt_cache_diagnostics input_transformations moderation billing"
    yield from group(_PASSED, _OPENAI, note, numbers, place)
    yield from group(_PASSED, _VLLM, _ECHO, "frequency_penalty presence_penalty", place)
    yield from group(_PASSED, _VLLM, note, "kv_transfer_params", place)
    yield Row(f"{place}guard", _INSPECTED, GUARD_NOTE, Origin.PROXY)


def _item(item: str) -> Iterator[Row]:
    """Yield the rows of an output item.

    Args:
        item: What stands before its members.
    """
    kinds = "which kind it is; all but messages and the client's own calls are named as not checked"
    yield Row(f"{item}type", _INSPECTED, kinds)
    yield from group(_PASSED, _OPENAI, "which item it is", "id role status phase", item)
    yield Row(f"{item}content", _INSPECTED, "the answer, of messages")
    yield from _part(f"{item}content[].")
    yield from group(
        _PASSED,
        _OPENAI,
        _CALL,
        "call_id name namespace caller async arguments input action actions operation "
        "environment server_label approval_request_id pending_safety_checks execution",
        item,
    )
    yield from group(
        _PASSED,
        _OPENAI,
        _ASIDE,
        "summary encrypted_content queries results result output outputs code container_id error "
        "reason approve tools fingerprint acknowledged_safety_checks max_output_length "
        "created_by revised_prompt background quality size output_format svg_usage",
        item,
    )


def _part(part: str) -> Iterator[Row]:
    """Yield the rows of a message's part.

    Args:
        part: What stands before its members.
    """
    yield Row(f"{part}type", _INSPECTED, "an unknown kind breaks the reply off")
    yield Row(f"{part}text", _INSPECTED, "the answer")
    yield Row(f"{part}refusal", _PASSED, _ASIDE)
    note = "they point into the text, and go where it is changed"
    yield from group(_PASSED, _OPENAI, note, "annotations logprobs", part)


def _chunk() -> Iterator[Row]:
    yield Row("type", _INSPECTED, "an unknown kind passes only if it has no words")
    place = "sequence_number output_index content_index summary_index annotation_index item_id"
    yield from group(_PASSED, _OPENAI, "its position; renumbered where needed", place)
    yield from group(_PASSED, _OPENAI, _CALL, "command_index name", "")
    yield Row("response", _INSPECTED, "its texts are those that were sent")
    yield from _response("response.")
    yield Row("item", _INSPECTED, "its texts are those that were sent")
    yield from _item("item.")
    yield Row("part", _INSPECTED, "its text is the one that was sent")
    yield from _part("part.")
    yield Row("delta", _INSPECTED, "of the answer; of other texts it is a piece of those")
    yield Row("text", _INSPECTED, "the repeated text is the one that was sent")
    note = "they point into the text, and go where it is changed"
    yield from group(_PASSED, _OPENAI, note, "annotation logprobs")
    whole = "arguments input code command output refusal transcript"
    yield from group(_PASSED, _OPENAI, "the whole of a text beside the answer", whole)
    yield Row("obfuscation", _PASSED, "padding; removed where a text is changed")
    picture = "partial_image_b64 partial_image_index background output_format quality size"
    yield from group(_PASSED, _OPENAI, _NO_GUARD, picture)
    note = "a stream that failed is an error"
    yield from group(_INSPECTED, _OPENAI, note, "error message param")
    yield Row("status", _PASSED, _WHICH)


COVERAGE: Final = Coverage(
    endpoint="/v1/responses",
    request=FieldTable(_request()),
    reply=FieldTable(_reply()),
    chunk=FieldTable(_chunk()),
)
