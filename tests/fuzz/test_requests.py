"""Any bytes are a request that is read, or are refused; what is sent on is what was read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from policies.patterns import Intents
from policies.schema.policy import SourceRules
from proxy.errors import BadRequest
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.openai_api.sources import SourceFormatError
from proxy.openai_api.sources.finder import find_sources
from proxy.verify import read_verify_request, to_verify
from tests.fuzz.mutating import mutated

SOURCES: list[JsonValue] = [
    {"id": "a", "title": "열람실", "text": "열람실은 오전 9시에 엽니다.", "page": 3},
    "복사는 한 장에 50원입니다.",
]
MESSAGES: list[JsonValue] = [
    {"role": "system", "content": "<context>\n[1] 열람실은 오전 9시에 엽니다.\n</context>"},
    {"role": "user", "content": [{"type": "text", "text": "열람실은 몇 시에 여나요?"}]},
]
BODIES: list[dict[str, JsonValue]] = [
    {"model": "m", "messages": MESSAGES, "stream": True, "n": 2, "temperature": 1.0},
    {
        "model": "m",
        "messages": [{"role": "user", "content": "복사비는요? \ud83d\\u0041"}],
        "guard": {"sources": SOURCES, "intent": "copy", "report": True},
        "response_format": {"type": "json_object"},
    },
    {"model": "m", "input": MESSAGES, "instructions": "[1] 50원", "tools": [{"type": "function"}]},
    {"model": "m", "input": "열람실은요?", "previous_response_id": "resp_1", "stream": False},
    {"model": "m", "prompt": ["자료: 50원\n질문: 복사비는요?"], "suffix": "", "logprobs": 2},
    {"question": "복사비는요?", "answer": "50원입니다.[1]", "sources": SOURCES},
    {"messages": [*MESSAGES, {"role": "assistant", "content": "9시입니다."}], "options": {}},
]
SEEDS = [json.dumps(body, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
         for body in BODIES for escaped in (False, True)]  # fmt: skip
TOKENS = [
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"null", b"true", b"1.0", b"-0", b"1e999", b"NaN",
    b"9" * 40, b'"guard"', b'"model"', b'"messages"', b'"n"', b'"stream"', b'"content"', b'"role"',
    b"\\u0000", b"\\ud83d", b"\\u003a", b"\\", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"[" * 2000,
    b'"a":1,"a":2,', b'"\\u006dodel":"x",', b'{"text":""}', b'{"id":{},"text":[]}',
]  # fmt: skip
ANY_BYTES = mutated(SEEDS, TOKENS)


@pytest.mark.parametrize("door", ENDPOINTS, ids=[door.name for door in ENDPOINTS])
@given(raw=ANY_BYTES)
def test_a_request_is_read_or_refused(door: Endpoint[Any], raw: bytes) -> None:
    try:
        request = door.read_request(raw)
    except BadRequest:
        return

    own = json.loads(raw)
    own.pop("guard", None)
    assert _same(json.loads(request.for_server(request.model)), own)
    assert _same(json.loads(request.for_server("another")), own | {"model": "another"})


@pytest.mark.parametrize("door", ENDPOINTS, ids=[door.name for door in ENDPOINTS])
@given(raw=ANY_BYTES)
def test_what_no_reader_agrees_on_is_refused(door: Endpoint[Any], raw: bytes) -> None:
    try:
        door.read_request(raw)
    except BadRequest:
        return

    first = json.loads(raw, object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert _same(first, json.loads(raw))


@pytest.mark.parametrize("door", ENDPOINTS, ids=[door.name for door in ENDPOINTS])
@given(raw=ANY_BYTES)
def test_sources_are_found_or_the_request_is_refused(door: Endpoint[Any], raw: bytes) -> None:
    try:
        found = find_sources(door.read_request(raw).conversation, SourceRules())
    except (BadRequest, SourceFormatError):
        return

    assert len({source.id for source in found.sources}) == len(found.sources)
    assert sum(place.sources for place in found.found) == len(found.sources)


@given(raw=ANY_BYTES)
def test_an_answer_to_verify_is_read_or_refused(raw: bytes) -> None:
    try:
        wanted = to_verify(read_verify_request(raw), SourceRules(), Intents(()))
    except BadRequest:
        return

    assert wanted.exchange.answer is not None


@given(raw=st.binary(max_size=64))
def test_bytes_of_no_kind_are_refused(raw: bytes) -> None:
    for door in ENDPOINTS:
        with pytest.raises(BadRequest):
            door.read_request(raw)


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Tell 1 from 1.0 and from true, which `==` does not; members may stand in any order."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
