"""The tables name every field of the real types, so that a new one is noticed."""

from collections.abc import Iterable, Iterator
from typing import get_args

import pytest
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_create_params import ResponseCreateParamsBase
from openai.types.responses.response_input_item_param import ResponseInputItemParam
from openai.types.responses.response_output_item import ResponseOutputItem
from pydantic import BaseModel, JsonValue

from proxy.openai_api.coverage import FieldTable
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.responses import COVERAGE
from tests.proxy.openai_api.responses.wire import NAMES, events_of, recorded


def models(union: object) -> Iterator[type[BaseModel]]:
    for member in get_args(get_args(union)[0]):
        assert issubclass(member, BaseModel)
        yield member


def paths(prefix: str, found: Iterable[type[BaseModel]]) -> set[str]:
    return {f"{prefix}{field.alias or name}" for one in found
            for name, field in one.model_fields.items()}  # fmt: skip


PLACES: list[object] = [
    pytest.param(COVERAGE.request, set(ResponseCreateParamsBase.__annotations__), id="request"),
    pytest.param(
        COVERAGE.request,
        {f"input[].{name}" for item in get_args(ResponseInputItemParam)
         for name in item.__annotations__},
        id="input-items",
    ),
    pytest.param(COVERAGE.reply, paths("", [Response]), id="reply"),
    pytest.param(COVERAGE.reply, paths("output[].", models(ResponseOutputItem)), id="output-items"),
    pytest.param(COVERAGE.chunk, paths("", models(ResponseStreamEvent)), id="events"),
    pytest.param(COVERAGE.chunk, paths("response.", [Response]), id="response-in-an-event"),
    pytest.param(COVERAGE.chunk, paths("item.", models(ResponseOutputItem)), id="item-in-an-event"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "fields"), PLACES)
def test_every_field_of_the_real_types_has_a_row(table: FieldTable, fields: set[str]) -> None:
    assert {path for path in fields if not table.covers(path)} == set()


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_stream_holds_nothing_unknown(name: str) -> None:
    for event in events_of(recorded(name)):
        assert COVERAGE.chunk.unknown(event) == ()


ODD: JsonValue = {"x": 1}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        pytest.param({"model": "m", "odd": ODD}, ("odd",), id="beside-all-else"),
        pytest.param({"input": [{"role": "user", "odd": 1}]}, ("input[].odd",), id="in-an-item"),
        pytest.param({"tools": [{"type": "function", "odd": 1}]}, (), id="tools-are-anybodys"),
    ],
)
def test_an_unknown_field_is_named(body: JsonObject, named: tuple[str, ...]) -> None:
    assert COVERAGE.request.unknown(body) == named
