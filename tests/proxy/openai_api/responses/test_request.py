"""What a request for a response has to be; its table against the installed client."""

import json
from collections.abc import Iterable, Iterator
from typing import get_args

import pytest
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_create_params import ResponseCreateParamsBase
from openai.types.responses.response_input_item_param import ResponseInputItemParam
from openai.types.responses.response_output_item import ResponseOutputItem
from pydantic import BaseModel, JsonValue

from guards.core.exchange import Source
from policies.schema.policy import SourceRules
from proxy.errors import BadRequest
from proxy.openai_api.coverage import FieldTable
from proxy.openai_api.json_body import JsonObject, objects
from proxy.openai_api.responses import COVERAGE, ResponsesEndpoint
from proxy.openai_api.sources import FoundContext
from proxy.openai_api.sources.finder import find_sources
from proxy.openai_api.sse import json_bytes
from tests.proxy.openai_api.responses.wire import DOOR, NAMES, events_of, recorded, request_of
from tests.tables import each_row

ASKED = "경조 휴가는 며칠인가요?"
RULE = "제7조(경조 휴가) 본인 결혼은 5일, 자녀 결혼은 2일의 휴가를 준다."
USER: JsonObject = {"role": "user", "content": ASKED}
SOURCE = Source(id="1", text=RULE, title="경조 휴가", file="규정.pdf")


def found_in(**members: JsonValue) -> FoundContext:
    return find_sources(request_of(**members).conversation, SourceRules())


def text_item(role: str, kind: str, text: str) -> JsonObject:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def call(kind: str = "function_call", **members: JsonValue) -> JsonObject:
    return {"type": kind, "call_id": "c1", "name": "find", "arguments": "{}"} | members


def output(said: JsonValue, kind: str = "function_call_output") -> JsonObject:
    return {"type": kind, "call_id": "c1", "output": said}


RECORD: JsonValue = {"title": "경조 휴가", "text": RULE}
RECORDS = json.dumps([RECORD], ensure_ascii=False)


def test_the_last_user_turn_is_the_question_and_the_answer_before_it_is_known() -> None:
    before = text_item("assistant", "output_text", "결혼은 5일입니다.")

    found = found_in(input=[text_item("user", "input_text", "결혼은?"), before, USER])

    assert (found.question, found.previous_answer) == (ASKED, "결혼은 5일입니다.")


def test_a_call_of_a_tool_and_its_result_are_known_by_the_calls_id() -> None:
    messages = objects(request_of(input=[USER, call(), output("5일")]).conversation["messages"])

    assert objects(messages[1]["tool_calls"])[0]["id"] == "c1"
    assert (messages[2]["role"], messages[2]["tool_call_id"]) == ("tool", "c1")


@each_row("members, names", "what_no_guard_can_look_at_is_named")
def test_what_no_guard_can_look_at_is_named(members: JsonObject, names: tuple[str, ...]) -> None:
    assert request_of(**members).not_checked == names


def refused(members: JsonObject) -> BadRequest:
    body: JsonObject = {"model": "m", "input": "안녕하세요"}
    with pytest.raises(BadRequest) as caught:
        DOOR.read_request(json_bytes(body | members))
    return caught.value


@each_row("members, param", "kept_there")
def test_what_only_the_model_server_keeps_is_named_and_not_checked(
    members: JsonObject, param: str
) -> None:
    body: JsonObject = {"model": "m", "input": "안녕하세요"}

    request = ResponsesEndpoint().read_request(json_bytes(body | members))

    name = param if "[" not in param else "item_reference"
    assert request.server_state == (param,)
    assert request.not_checked == (name,)
    assert request.for_server("m") == json_bytes(body | members)


def test_with_state_at_the_model_server_a_request_may_have_no_input_of_its_own() -> None:
    request = ResponsesEndpoint().read_request(json_bytes({"model": "m", "prompt": {"id": "p"}}))

    assert request.offers_tools
    assert request.conversation["messages"] == []


@each_row("members, param", "malformed")
def test_what_cannot_be_served_is_refused_by_name(members: JsonObject, param: str) -> None:
    error = refused(members)

    assert (error.status, str(error.param).partition("[0].content[")[0]) == (400, param)


@each_row("members, structured", "an_answer_in_json_is_known_as_such")
def test_an_answer_in_json_is_known_as_such(members: JsonObject, *, structured: bool) -> None:
    assert request_of(**members).structured is structured


def test_the_server_gets_the_callers_own_bytes_or_all_but_our_member() -> None:
    raw = b'{ "model":"m", "input":"x", "top_k": 5 }'
    told = b'{"model":"m","input":"x","top_k":5,"guard":{"report":true}}'

    assert DOOR.read_request(raw).for_server("m") == raw
    assert DOOR.read_request(told).for_server("m") == b'{"model":"m","input":"x","top_k":5}'
    assert DOOR.read_request(told).guard.report


@each_row("members", "prompted")
def test_the_citation_prompt_goes_into_the_instructions_once(members: JsonObject) -> None:
    body = request_of(**members).body

    told = DOOR.prompted(body, [SOURCE])

    assert told is not None
    instructions = str(told["instructions"])
    assert instructions.startswith(str(body.get("instructions") or "출처는"))
    assert "[†1]" in instructions
    assert f"\n{RULE}\n" in instructions
    assert told["input"] == body["input"]
    assert DOOR.prompted(told, [SOURCE]) is None


def test_a_source_that_the_input_holds_is_only_named_in_the_prompt() -> None:
    told = DOOR.prompted(request_of(input=[USER, call(), output(RECORDS)]).body, [SOURCE])

    assert told is not None
    assert f"\n{RULE}\n" not in str(told["instructions"])
    assert "규정.pdf" in str(told["instructions"])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param(ASKED, f"{ASKED}\n\n고치세요.", id="string"),
        pytest.param(
            [USER], [{"role": "user", "content": f"{ASKED}\n\n고치세요."}], id="last-user-turn"
        ),
        pytest.param(
            [text_item("user", "input_text", ASKED)],
            [text_item("user", "input_text", ASKED)
             | {"content": [{"type": "input_text", "text": ASKED},
                            {"type": "input_text", "text": "고치세요."}]}],
            id="parts",
        ),
        pytest.param(
            [USER, call(), output("5일")],
            [USER, call(), output("5일"), {"role": "user", "content": "고치세요."}],
            id="after-the-result-of-a-tool",
        ),
    ],
)  # fmt: skip
def test_the_note_stands_at_the_end_of_the_last_user_turn(
    given: JsonValue, told: JsonValue
) -> None:
    body = request_of(input=given).body

    assert DOOR.noted(body, "고치세요.", 1) == body | {"input": told}
    assert body["input"] == given


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


@each_row("table, fields", PLACES)
def test_every_field_of_the_real_types_has_a_row(table: FieldTable, fields: set[str]) -> None:
    assert {path for path in fields if not table.covers(path)} == set()


@each_row("name", NAMES)
def test_a_recorded_stream_holds_nothing_unknown(name: str) -> None:
    for event in events_of(recorded(name)):
        assert COVERAGE.chunk.unknown(event) == ()


@each_row("body, named", "an_unknown_field_is_named")
def test_an_unknown_field_is_named(body: JsonObject, named: tuple[str, ...]) -> None:
    assert COVERAGE.request.unknown(body) == named
