"""The fields of `/v1/chat/completions`: looked at, passed unlooked at, or refused."""

from collections.abc import Iterator
from typing import Final

from proxy.openai_api.coverage import Coverage, FieldTable, Origin, Row, Treatment, group
from proxy.openai_api.extensions import (
    choice_extensions,
    reply_extensions,
    request_extensions,
    stream_options,
)

_INSPECTED, _PASSED, _REFUSED = Treatment.INSPECTED, Treatment.PASSED, Treatment.REFUSED
_OPENAI, _OTHER = Origin.OPENAI, Origin.OTHER
_SAID_BEFORE = "earlier turns; the question and the evidence are found in the content"
_SEARCH = "the model may look things up, and what it finds is not visible here"


def _conversation() -> Iterator[Row]:
    """Yield the rows of the messages."""
    yield Row("messages", _INSPECTED, "the question, the evidence and what may be echoed")
    yield Row("messages[].role", _INSPECTED, "says who may bring evidence")
    yield Row("messages[].content", _INSPECTED, "the question, the evidence and what may be echoed")
    yield from _parts()
    passed = "name tool_calls tool_call_id function_call refusal audio"
    yield from group(_PASSED, _OPENAI, _SAID_BEFORE, passed, "messages[].")
    others = "reasoning reasoning_content reasoning_details thinking_blocks cache_control images"
    yield from group(_PASSED, _OTHER, _SAID_BEFORE, others, "messages[].")
    beginning = "the answer goes on from a beginning that the app wrote"
    yield Row("messages[].prefix", _PASSED, beginning, _OTHER, unchecked="prefill")
    yield Row("messages[].partial", _PASSED, beginning, _OTHER, unchecked="prefill")
    yield Row("continue_final_message", _PASSED, beginning, Origin.VLLM, unchecked="prefill")
    yield Row("add_generation_prompt", _PASSED, "how the messages are written out", Origin.VLLM)
    echoed = "that beginning precedes the answer, and is inspected with it"
    yield Row("echo", _PASSED, echoed, Origin.VLLM)
    yield Row("documents", _INSPECTED, "evidence", Origin.VLLM)
    yield Row("sources", _INSPECTED, "evidence", Origin.OTHER)


def _parts() -> Iterator[Row]:
    """Yield the rows of a message's content in parts."""
    part = "messages[].content[]."
    yield Row(f"{part}type", _INSPECTED, "says what kind of part it is")
    yield Row(f"{part}text", _INSPECTED, "read like a content in one piece")
    no_guard = "no guard can look at it"
    for name, origin, unchecked in (
        ("image_url", _OPENAI, "image_parts"),
        ("input_audio", _OPENAI, "audio_parts"),
        ("file", _OPENAI, "file_parts"),
        ("audio_url", Origin.VLLM, "audio_parts"),
        ("video_url", Origin.VLLM, "video_parts"),
        ("image_embeds", Origin.VLLM, "image_parts"),
        ("audio_embeds", Origin.VLLM, "audio_parts"),
        ("image_pil", Origin.VLLM, "image_parts"),
        ("input_video", Origin.LLAMA_CPP, "video_parts"),
        ("document", _OTHER, "file_parts"),
        ("document_url", _OTHER, "file_parts"),
    ):
        yield Row(f"{part}{name}", _PASSED, no_guard, origin, unchecked)
    yield Row(f"{part}refusal", _PASSED, _SAID_BEFORE)
    yield from group(_PASSED, _OTHER, _SAID_BEFORE, "thinking reasoning signature", part)
    yield Row(f"{part}prompt_cache_breakpoint", _PASSED, "what the model server may keep")
    yield Row(f"{part}cache_control", _PASSED, "what the model server may keep", _OTHER)
    yield from group(_PASSED, Origin.VLLM, "identifies a file", "uuid", part)
    yield from group(_PASSED, Origin.SGLANG, "how a picture is read", "modalities", part)


def _asked() -> Iterator[Row]:
    """Yield the rows of what is asked for beside the messages."""
    yield Row("model", _PASSED, "the tenant may have other names for models")
    yield Row("stream", _PASSED, "a stream is guarded like a plain reply")
    yield Row("n", _PASSED, "every choice is inspected")
    yield from stream_options()
    yield Row("response_format", _INSPECTED, "an answer in JSON is read by its string values")
    fetches = "the model may fetch evidence itself; what it is told about its tools is no evidence"
    yield Row("tools", _INSPECTED, fetches)
    yield Row("functions", _INSPECTED, fetches)
    yield from group(_PASSED, _OPENAI, fetches, "type function custom", "tools[].")
    yield from group(_PASSED, Origin.VLLM, fetches, "defer_loading", "tools[].")
    yield from group(_PASSED, _OTHER, fetches, "cache_control", "tools[].")
    chosen = "tool_choice function_call parallel_tool_calls"
    yield from group(_PASSED, _OPENAI, "which tools are called", chosen)
    yield from group(_PASSED, Origin.LLAMA_CPP, "which tools are called", "parse_tool_calls")
    spoken = "an answer in audio or images can be neither read nor corrected"
    yield Row("modalities", _PASSED, "what kinds of answers are asked for")
    yield Row("modalities[]", _REFUSED, spoken, refused_at=("audio", "image"))
    yield Row("audio", _PASSED, "how an answer in sound would be; none is served")
    yield Row("web_search_options", _PASSED, _SEARCH, unchecked="web_search")
    yield Row("tools[].web_search", _PASSED, _SEARCH, _OTHER, unchecked="web_search")
    for name in ("search_parameters", "enable_search", "plugins"):
        yield Row(name, _PASSED, _SEARCH, _OTHER, unchecked="web_search")
    yield Row(
        "store", _PASSED, "what the model server keeps is its own answer, not the guarded one"
    )
    yield Row("prediction", _PASSED, "makes the same answer come sooner; it is no evidence")
    yield from _drawn()


def _drawn() -> Iterator[Row]:
    """Yield the rows of how the answer is made."""
    yield from group(
        _PASSED,
        _OPENAI,
        "how tokens are drawn",
        "temperature top_p frequency_penalty presence_penalty logit_bias seed stop max_tokens "
        "max_completion_tokens reasoning_effort verbosity",
    )
    shown = "logprobs top_logprobs"
    yield from group(_PASSED, _OPENAI, "asks for more beside the answer", shown)
    yield from group(
        _PASSED,
        _OPENAI,
        "how the model server does its work",
        "metadata user safety_identifier service_tier moderation prompt_cache_key "
        "prompt_cache_options prompt_cache_retention",
    )
    thinks = "whether the model thinks first, and where it shows that"
    yield from group(_PASSED, Origin.VLLM, thinks, "include_reasoning chat_template_kwargs")
    yield from group(_PASSED, Origin.LLAMA_CPP, thinks, "reasoning_format thinking_forced_open")
    yield from group(_PASSED, Origin.OLLAMA, thinks, "think reasoning")
    yield from group(_PASSED, _OTHER, thinks, "thinking enable_thinking thinking_budget")
    yield from group(_PASSED, Origin.VLLM, "asks for more beside the answer", "return_prompt_text")
    template = "it can carry text to the model that is not inspected"
    yield Row("chat_template", _PASSED, template, Origin.VLLM, unchecked="chat_template")
    for name in ("prompt_id", "prompt_variables", "prompt_label", "prompt_version"):
        yield Row(name, _PASSED, template, Origin.LITELLM, unchecked="stored_prompt")


def _around() -> Iterator[Row]:
    """Yield the rows around the choices."""
    yield from group(
        _PASSED,
        _OPENAI,
        "which completion it is",
        "id object created model system_fingerprint service_tier",
    )
    yield Row("usage", _PASSED, "of all attempts, added up")
    yield Row("moderation", _PASSED, "results of the model server's own filters")
    for name in ("citations", "search_results", "related_questions", "images"):
        yield Row(name, _PASSED, _SEARCH, _OTHER, unchecked=name)
    yield from reply_extensions()
    yield Row("choices", _INSPECTED, "every one of them")
    yield Row("choices[].index", _PASSED, "its number")
    yield Row("choices[].finish_reason", _INSPECTED, "tells an answer that was cut short")
    yield Row("choices[].error", _PASSED, "why the model server gave up", _OTHER)
    yield from choice_extensions()


def _message(prefix: str, annotated: Origin) -> Iterator[Row]:
    """Yield the rows of an answer, whole or in a piece.

    Args:
        prefix: Where it stands.
        annotated: Who sends annotations there.
    """
    yield Row(f"{prefix}role", _PASSED, "role of the speaker")
    yield Row(f"{prefix}content", _INSPECTED, "the answer")
    yield Row(f"{prefix}content[].type", _INSPECTED, "says what kind of part it is")
    yield Row(f"{prefix}content[].text", _INSPECTED, "the answer, in parts")
    aside = "thoughts beside the answer"
    for name in ("thinking", "reasoning"):
        yield Row(f"{prefix}content[].{name}", _PASSED, aside, _OTHER, unchecked=name)
    yield Row(f"{prefix}content[].closed", _PASSED, aside, _OTHER)
    for name, origin in (
        ("reasoning", Origin.VLLM),
        ("reasoning_content", Origin.SGLANG),
        ("reasoning_details", _OTHER),
        ("thinking_blocks", Origin.LITELLM),
    ):
        yield Row(f"{prefix}{name}", _PASSED, aside, origin, unchecked=name)
    beside = "words beside the answer"
    yield Row(f"{prefix}refusal", _PASSED, beside, unchecked="refusal")
    for name, origin in (
        ("audio", _OPENAI),
        ("annotations", annotated),
        ("provider_specific_fields", Origin.LITELLM),
        ("citations", Origin.VLLM),
        ("images", _OTHER),
        ("executed_tools", _OTHER),
        ("context", _OTHER),
    ):
        yield Row(f"{prefix}{name}", _PASSED, beside, origin, name, spells_answer=True)
    calls = "a call of a tool is no answer yet"
    yield from group(_INSPECTED, _OPENAI, calls, "tool_calls function_call", prefix)
    yield from group(_PASSED, _OTHER, "role of the speaker", "name", prefix)


def _reply() -> Iterator[Row]:
    yield from _around()
    yield Row("metadata", _PASSED, "what the request had")
    yield from _message("choices[].message.", _OPENAI)


def _chunk() -> Iterator[Row]:
    yield from _around()
    yield Row("obfuscation", _PASSED, "padding of the pieces")
    yield from _message("choices[].delta.", _OTHER)
    yield from group(_PASSED, Origin.SGLANG, "figures", "hidden_states", "choices[].delta.")


COVERAGE: Final = Coverage(
    endpoint="/v1/chat/completions",
    request=FieldTable([*_conversation(), *_asked(), *request_extensions()]),
    reply=FieldTable(_reply()),
    chunk=FieldTable(_chunk()),
)
