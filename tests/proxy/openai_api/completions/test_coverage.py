"""The door does what its table says."""

from dataclasses import fields

import pytest
from pydantic import JsonValue

from proxy.openai_api.coverage import COMPLETIONS as COVERAGE
from proxy.openai_api.coverage import Row, Treatment
from proxy.openai_api.json_body import JsonObject, read_object
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.sse import json_bytes
from tests.proxy.openai_api.completions.making import (
    DOOR,
    NOBODY,
    PROMPT,
    asked,
    body_of,
    choice,
    streamed,
)

# What carries a request through; everything else was read from it.
CARRIED = ("raw", "parsed", "conversation")
# These say how the reply leaves, not what is looked at.
STEERING = {"model", "stream", "n", "stream_options"}
VALUES: dict[str, JsonValue] = {
    "prompt": "언제 여나요?",
    "echo": True,
    "documents": ["도서관은 밤 10시에 닫습니다."],
    "sources": ["도서관은 밤 10시에 닫습니다."],
    "guard": {"sources": []},
    "response_format": {"type": "json_object"},
    "logprobs": 2,
    "stream_options": {},
}


def _own(treatment: Treatment) -> list[Row]:
    rows = [row for row in COVERAGE.request.rows if row.treatment is treatment]
    return [row for row in rows if "[" not in row.path and "." not in row.path]


def _read(request: ModelRequest) -> dict[str, object]:
    names = [one.name for one in fields(ModelRequest) if one.name not in CARRIED]
    return {name: getattr(request, name) for name in names}


def _path(row: Row) -> str:
    return row.path


@pytest.mark.parametrize("row", _own(Treatment.INSPECTED), ids=_path)
def test_an_inspected_field_changes_what_is_read_or_written(row: Row) -> None:
    members: JsonObject = {"prompt": PROMPT}
    members[row.path] = VALUES.get(row.path, {"any": 1})
    with_it, without = asked(**members), asked()

    sent = read_object(with_it.for_server("m"))

    read = ("messages", "documents", "sources", "guard")
    used = [with_it.conversation.get(name) for name in read]
    unused = [without.conversation.get(name) for name in read]
    assert _read(with_it) != _read(without) or used != unused or row.path not in sent


@pytest.mark.parametrize(
    "row", [row for row in _own(Treatment.PASSED) if row.path not in STEERING], ids=_path
)
def test_a_passed_field_travels_and_is_not_read(row: Row) -> None:
    value = VALUES.get(row.path, "x")

    request = asked(**{row.path: value})

    assert read_object(request.for_server("other"))[row.path] == value
    named = (row.unchecked,) if row.unchecked else ()
    assert _read(request) == _read(asked()) | {"not_checked": named}


@pytest.mark.parametrize("row", [row for row in COVERAGE.reply.rows if row.unchecked], ids=_path)
def test_what_is_called_unchecked_in_a_reply_is_named(row: Row) -> None:
    name = row.path.rpartition(".")[2]
    own: JsonObject = {name: "말"}
    in_choice, around = (own, {}) if row.path.startswith("choices[].") else ({}, own)
    body = body_of(choice("네") | in_choice) | around

    reply = DOOR.read_reply(json_bytes(body), "application/json", NOBODY)
    stream = streamed(body)

    assert reply.unseen == stream.unseen == (row.unchecked,)
