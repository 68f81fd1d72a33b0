"""Fields that model servers add to OpenAI's, for all endpoints whose replies have choices."""

from collections.abc import Iterator, Sequence
from typing import Final

from proxy.openai_api.coverage import Origin, Row, Treatment, group

MOST_CHOICES: Final = 128
GUARD_NOTE: Final = "what the proxy changed, or its report if one was requested"
JSON_FIELDS: Final = ("guided_json", "structured_outputs", "json_schema", "format")
"""Fields by which other servers than OpenAI's are asked for JSON."""
_INSPECTED, _PASSED, _REFUSED = Treatment.INSPECTED, Treatment.PASSED, Treatment.REFUSED
_SAMPLING = "how tokens are drawn"
_SERVING = "how the model server does its work"
_SHAPE = "how the answer is laid out; it is inspected whatever its shape"
_SHOWN = "asks for more beside the answer"
_NUMBERS = "figures about the request"
_TOKENS = "tokens and their numbers; they go where the text is changed"
_UNREADABLE = "what the model is asked could not be inspected"

_SAMPLING_OF: Sequence[tuple[Origin, str]] = (
    (
        Origin.VLLM,
        "top_k min_p repetition_penalty length_penalty use_beam_search stop_token_ids ignore_eos "
        "min_tokens bad_words allowed_token_ids logits_processors repetition_detection "
        "thinking_token_budget watermarking vllm_xargs",
    ),
    (Origin.SGLANG, "stop_regex custom_logit_processor custom_params"),
    (
        Origin.LLAMA_CPP,
        "n_predict n_keep n_discard n_indent t_max_predict_ms repeat_penalty repeat_last_n "
        "dynatemp_range dynatemp_exponent top_n_sigma typical_p typ_p tfs_z xtc_probability "
        "xtc_threshold mirostat mirostat_tau mirostat_eta dry_multiplier dry_base "
        "dry_allowed_length dry_penalty_last_n dry_sequence_breakers samplers min_keep "
        "penalize_nl adaptive_target adaptive_decay backend_sampling reasoning_budget_tokens "
        "thinking_budget_tokens reasoning_budget_message",
    ),
    (Origin.OLLAMA, "options"),
    (Origin.OTHER, "safe_prompt random_seed"),
)
_SERVING_OF: Sequence[tuple[Origin, str]] = (
    (
        Origin.VLLM,
        "priority request_id session_id cache_salt kv_transfer_params ec_transfer_params "
        "stream_interval mm_processor_kwargs media_io_kwargs routed_experts_prompt_start",
    ),
    (
        Origin.SGLANG,
        "rid extra_key lora_path session_params bootstrap_host bootstrap_port bootstrap_room "
        "bootstrap_pair_key data_parallel_rank routed_dp_rank disagg_prefill_dp_rank",
    ),
    (Origin.LLAMA_CPP, "id_slot cache_prompt n_cache_reuse lora sse_ping_interval"),
    (Origin.OLLAMA, "keep_alive"),
    (
        Origin.LITELLM,
        "num_retries timeout tags cache caching fallbacks context_window_fallbacks drop_params "
        "allowed_openai_params litellm_session_id litellm_trace_id litellm_metadata guardrails "
        "mock_response api_base base_url api_version custom_llm_provider",
    ),
    (Origin.OTHER, "provider models route transforms"),
)
_SHAPE_OF: Sequence[tuple[Origin, str]] = (
    (
        Origin.VLLM,
        "include_stop_str_in_output skip_special_tokens spaces_between_special_tokens "
        "guided_regex guided_choice guided_grammar guided_decoding_backend "
        "guided_whitespace_pattern structural_tag",
    ),
    (Origin.SGLANG, "regex ebnf no_stop_trim separate_reasoning stream_reasoning"),
    (Origin.LLAMA_CPP, "grammar grammar_lazy grammar_triggers preserved_tokens"),
)
_SHOWN_OF: Sequence[tuple[Origin, str]] = (
    (
        Origin.VLLM,
        "prompt_logprobs logprob_token_ids return_tokens_as_token_ids return_token_ids "
        "return_token_offsets return_mm_kwargs",
    ),
    (
        Origin.SGLANG,
        "return_hidden_states return_routed_experts return_cached_tokens_details "
        "return_spec_tokens_details return_meta_info logprob_start_len top_logprobs_num "
        "return_prompt_token_ids",
    ),
    (
        Origin.LLAMA_CPP,
        "n_probs post_sampling_probs return_progress timings_per_token return_tokens verbose "
        "response_fields",
    ),
)


def request_extensions() -> Iterator[Row]:
    """Yield the rows of requests that every endpoint with choices shares."""
    for note, listed in (
        (_SAMPLING, _SAMPLING_OF),
        (_SERVING, _SERVING_OF),
        (_SHAPE, _SHAPE_OF),
        (_SHOWN, _SHOWN_OF),
    ):
        for origin, paths in listed:
            yield from group(_PASSED, origin, note, paths)
    json_note = "an answer in JSON is read by its string values"
    yield from group(_INSPECTED, Origin.VLLM, json_note, "guided_json structured_outputs")
    yield from group(_INSPECTED, Origin.LLAMA_CPP, json_note, "json_schema")
    yield from group(_INSPECTED, Origin.OLLAMA, json_note, "format")
    note = "the model may see less than the guards do"
    yield from group(_PASSED, Origin.VLLM, note, "truncate_prompt_tokens truncation_side")
    yield from group(_PASSED, Origin.VLLM, "how the prompt is written out", "add_special_tokens")
    yield from group(_REFUSED, Origin.VLLM, _UNREADABLE, "prompt_embeds prompt_token_ids")
    yield from group(_REFUSED, Origin.SGLANG, _UNREADABLE, "input_ids input_embeds")
    yield from group(
        _INSPECTED, Origin.PROXY, "what an app tells the proxy; the model never sees it", "guard"
    )


def stream_options() -> Iterator[Row]:
    """Yield the rows of `stream_options`."""
    yield Row("stream_options", _PASSED, "what a stream carries beside its pieces")
    yield Row("stream_options.include_usage", _PASSED, "usage of all attempts, added up")
    yield Row("stream_options.include_obfuscation", _PASSED, "padding of the pieces")
    note = "usage beside every piece"
    yield Row("stream_options.continuous_usage_stats", _PASSED, note, Origin.VLLM)


def reply_extensions() -> Iterator[Row]:
    """Yield the rows around the choices, of replies and of chunks."""
    note = "repeats all that the model server wrote; removed where a text is changed"
    yield Row(
        "__verbose", _PASSED, note, Origin.LLAMA_CPP, unchecked="__verbose", spells_answer=True
    )
    prompt = "the caller's own prompt"
    yield from group(_PASSED, Origin.VLLM, prompt, "prompt_logprobs prompt_token_ids prompt_text")
    vllm = "kv_transfer_params ec_transfer_params metrics"
    yield from group(_PASSED, Origin.VLLM, _NUMBERS, vllm)
    yield from group(_PASSED, Origin.SGLANG, _NUMBERS, "sglext")
    yield from group(_PASSED, Origin.LLAMA_CPP, _NUMBERS, "timings prompt_progress")
    yield from group(
        _PASSED,
        Origin.OTHER,
        _NUMBERS,
        "provider x_groq usage_breakdown prompt_filter_results time_info",
    )
    yield Row("guard", _INSPECTED, GUARD_NOTE, Origin.PROXY)


def choice_extensions() -> Iterator[Row]:
    """Yield the rows of a choice beside its text, of replies and of chunks."""
    stopped = "why the answer ended"
    prefix = "choices[]."
    yield from group(_PASSED, Origin.VLLM, stopped, "stop_reason", prefix)
    yield from group(_PASSED, Origin.SGLANG, stopped, "matched_stop", prefix)
    yield from group(_PASSED, Origin.OTHER, stopped, "native_finish_reason", prefix)
    filters = "results of the model server's own filters"
    yield from group(_PASSED, Origin.OTHER, filters, "content_filter_results", prefix)
    prompt = "the caller's own prompt"
    yield from group(_PASSED, Origin.VLLM, prompt, "prompt_token_ids prompt_logprobs", prefix)
    for origin, names in (
        (Origin.VLLM, "token_ids routed_experts"),
        (Origin.SGLANG, "hidden_states meta_info"),
    ):
        for name in names.split():
            yield Row(f"{prefix}{name}", _PASSED, _TOKENS, origin, spells_answer=True)
    yield Row(f"{prefix}logprobs", _PASSED, _TOKENS, spells_answer=True)
