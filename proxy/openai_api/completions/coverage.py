"""The fields of `/v1/completions`: looked at, passed unlooked at, or refused."""

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
_OPENAI = Origin.OPENAI


def _request() -> Iterator[Row]:
    yield Row("prompt", _INSPECTED, "the question, the evidence and what may be echoed")
    yield Row("prompt[]", _INSPECTED, "a list of one text; several need a request each")
    yield Row("prompt[][]", _REFUSED, "tokens could not be inspected")
    yield Row("suffix", _PASSED, "what the answer has to lead to", unchecked="suffix")
    yield Row("echo", _INSPECTED, "the proxy itself puts the prompt before the answer")
    yield Row("model", _PASSED, "the tenant may have other names for models")
    yield Row("stream", _PASSED, "a stream is guarded like a plain reply")
    yield Row("n", _PASSED, "every choice is inspected")
    yield Row("best_of", _PASSED, "every choice that comes back is inspected")
    yield Row("logprobs", _PASSED, "asks for more beside the answer; refused together with `echo`")
    yield from stream_options()
    json_note = "an answer in JSON is read by its string values"
    yield Row("response_format", _INSPECTED, json_note, Origin.VLLM)
    yield Row("documents", _INSPECTED, "evidence", Origin.OTHER)
    yield Row("sources", _INSPECTED, "evidence", Origin.OTHER)
    yield from group(
        _PASSED,
        _OPENAI,
        "how tokens are drawn",
        "temperature top_p frequency_penalty presence_penalty logit_bias seed stop max_tokens",
    )
    yield Row("user", _PASSED, "how the model server does its work")
    yield from request_extensions()


def _reply() -> Iterator[Row]:
    """Yield the rows of replies; a chunk is of the same shape."""
    yield from group(
        _PASSED, _OPENAI, "which completion it is", "id object created model system_fingerprint"
    )
    yield Row("service_tier", _PASSED, "which completion it is", Origin.VLLM)
    yield Row("usage", _PASSED, "of all attempts, added up")
    yield Row("metadata", _PASSED, "figures about the request", Origin.SGLANG)
    yield from reply_extensions()
    yield Row("choices", _INSPECTED, "every one of them")
    yield Row("choices[].text", _INSPECTED, "the answer")
    yield Row("choices[].index", _PASSED, "its number")
    yield Row("choices[].finish_reason", _INSPECTED, "tells an answer that was cut short")
    aside = "thoughts beside the answer"
    for name in ("reasoning", "reasoning_content"):
        yield Row(f"choices[].{name}", _PASSED, aside, Origin.OTHER, unchecked=name)
    yield from choice_extensions()


COVERAGE: Final = Coverage(
    endpoint="/v1/completions",
    request=FieldTable(_request()),
    reply=FieldTable(_reply()),
    chunk=FieldTable(_reply()),
)
