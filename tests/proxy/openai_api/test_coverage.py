"""The tables of the wire, against what the installed `openai` package says there is."""

import collections.abc
import types
import typing

import pytest
import typing_extensions
from hypothesis import given
from hypothesis import strategies as st
from openai.types import Completion
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming as ChatPlain,
)
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsStreaming as ChatStreaming,
)
from openai.types.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
)
from pydantic import BaseModel, JsonValue

from proxy.errors import BadRequest
from proxy.openai_api.coverage import (
    CHAT,
    COMPLETIONS,
    MOST_UNKNOWN,
    Coverage,
    FieldTable,
    Node,
    Origin,
    Row,
    Treatment,
    rows,
    steps,
    walk,
)
from proxy.openai_api.json_body import JsonObject
from tests.tables import each_row

DEEPEST = 8
ENDPOINTS = [pytest.param(door, id=door.endpoint) for door in (CHAT, COMPLETIONS)]
WIRE: list[tuple[str, FieldTable, list[object]]] = [
    ("chat-request", CHAT.request, [ChatPlain, ChatStreaming]),
    ("chat-reply", CHAT.reply, [ChatCompletion]),
    ("chat-chunk", CHAT.chunk, [ChatCompletionChunk]),
    (
        "completions-request",
        COMPLETIONS.request,
        [CompletionCreateParamsNonStreaming, CompletionCreateParamsStreaming],
    ),
    ("completions-reply", COMPLETIONS.reply, [Completion]),
    ("completions-chunk", COMPLETIONS.chunk, [Completion]),
]
TABLES = [pytest.param(table, types_, id=name) for name, table, types_ in WIRE]


@each_row("table, types_", TABLES)
def test_every_field_of_the_openai_types_has_a_row(table: FieldTable, types_: list[object]) -> None:
    assert not [path for path in _paths(types_) if not table.covers(path)]


@each_row("table, types_", TABLES)
def test_a_row_says_whose_field_it_is(table: FieldTable, types_: list[object]) -> None:
    own = _paths(types_)

    for row in table.rows:
        if row.origin is Origin.OPENAI:
            assert row.path in own or _is_part_of_a_text(row.path, own), row.path
        else:
            assert row.path not in own, f"{row.path} has become OpenAI's"


@each_row("door", ENDPOINTS)
def test_only_what_passes_unlooked_at_is_called_unchecked(door: Coverage) -> None:
    for table in (door.request, door.reply, door.chunk):
        assert not [r for r in table.rows if r.unchecked and r.treatment is not Treatment.PASSED]


def test_unknown_members_are_named_and_never_shown() -> None:
    body: JsonObject = {
        "model": "m",
        "tone": "secret one",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "?", "mood": "secret two"}]}
        ],
    }

    assert CHAT.request.unknown(body) == ("tone", "messages[].content[].mood")


def test_a_member_with_somebodys_words_for_a_name_is_not_shown() -> None:
    assert CHAT.request.unknown({"김하늘 010-0000-0000": 1}) == ("?",)


def test_schemas_and_arguments_are_not_searched() -> None:
    body: JsonObject = {
        "response_format": {"type": "json_schema", "json_schema": {"schema": {"any": {}}}},
        "tools": [{"type": "function", "function": {"parameters": {"whatever": 1}}}],
        "metadata": {"floor": "3"},
        "logit_bias": {"50256": -100},
        "guided_json": {"properties": {"x": {}}},
    }

    assert CHAT.request.unknown(body) == ()


def test_no_more_than_a_few_short_names_are_given() -> None:
    body: JsonObject = {f"field_{number}_{'x' * 200}": 1 for number in range(100)}
    many: JsonObject = {f"field_{number}": 1 for number in range(100)}

    assert CHAT.request.unknown(body) == ("?",)
    assert len(CHAT.request.unknown(many)) == MOST_UNKNOWN
    assert all(len(name) <= 80 for name in CHAT.request.unknown(many))


@each_row("door", ENDPOINTS)
def test_all_that_is_refused_names_the_field_and_the_reason(door: Coverage) -> None:
    refused = [row for row in door.request.rows if row.treatment is Treatment.REFUSED]
    assert refused

    for row in refused:
        with pytest.raises(BadRequest) as error:
            door.request.refuse(_body_with(row))
        assert error.value.param == row.path.replace("[]", "")
        assert row.note in str(error.value)


def test_what_carries_words_unlooked_at_is_named_once() -> None:
    body: JsonObject = {
        "continue_final_message": True,
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": "data:,"}},
                    {"type": "image_url", "image_url": {"url": "data:,"}},
                    {"type": "input_audio", "input_audio": {"data": ""}},
                ],
            },
        ],
    }

    names = CHAT.request.unchecked(body)

    assert set(names) == {"prefill", "image_parts", "audio_parts"}
    assert len(names) == 3


def test_what_is_empty_is_not_called_unchecked() -> None:
    message: JsonObject = {"role": "assistant", "content": "네", "refusal": None, "annotations": []}

    assert CHAT.reply.unchecked({"choices": [{"message": message}]}) == ()


def test_the_members_beside_a_changed_text_say_it_no_second_time() -> None:
    silent = CHAT.reply.silent("choices[].message")

    assert {"role", "content", "reasoning_content", "tool_calls", "refusal"} <= silent
    assert not {"audio", "annotations", "provider_specific_fields"} & silent
    assert not {"logprobs", "token_ids"} & CHAT.reply.silent("choices[]")
    assert "__verbose" not in CHAT.reply.silent()
    assert {"id", "created", "model", "usage"} <= CHAT.reply.silent()


def test_the_table_for_readers_has_every_field_and_no_broken_cell() -> None:
    shown = rows(CHAT)

    assert all(f"`{row.path}`" in shown for row in CHAT.request.rows)
    assert all(line.count("|") == 5 for line in shown.split("\n"))


def _body_with(row: Row) -> JsonObject:
    value: JsonValue = row.refused_at[0] if row.refused_at else [1]
    if row.path.endswith("[][]"):
        return {row.path.removesuffix("[][]"): [[value]]}
    if row.path.endswith("[]"):
        return {row.path.removesuffix("[]"): [value]}
    return {row.path: value}


def _is_part_of_a_text(path: str, own: set[str]) -> bool:
    """OpenAI's replies have no content in parts; other servers' have OpenAI's own parts."""
    text, _, _ = path.partition("[].type")
    text, _, _ = text.partition("[].text")
    return text != path and text in own


def _paths(types_: list[object]) -> set[str]:
    found: set[str] = set()
    for type_ in types_:
        found |= set(_within(type_, "", DEEPEST))
    return found


def _within(type_: object, path: str, depth: int) -> collections.abc.Iterator[str]:
    """Yield the place of a type and of everything in it, as far as it has names."""
    if path:
        yield path
    if not depth:
        return
    origin = typing.get_origin(type_)
    for name, member in _members(type_).items():
        yield from _within(member, f"{path}.{name}" if path else name, depth - 1)
    if origin is typing.Annotated:
        yield from _within(typing.get_args(type_)[0], path, depth)
    elif origin in (typing.Union, types.UnionType):
        for option in typing.get_args(type_):
            yield from _within(option, path, depth)
    elif _is_list(origin):
        yield from _within(typing.get_args(type_)[0], f"{path}[]", depth - 1)


def _is_list(origin: object) -> bool:
    is_mapping = isinstance(origin, type) and issubclass(origin, collections.abc.Mapping)
    named = getattr(origin, "__name__", "")
    iterable = isinstance(origin, type) and issubclass(origin, collections.abc.Iterable)
    return (iterable or named == "SequenceNotStr") and not is_mapping


def _members(type_: object) -> dict[str, object]:
    if not isinstance(type_, type):
        return {}
    if typing_extensions.is_typeddict(type_):
        return dict(typing.get_type_hints(type_))
    if issubclass(type_, BaseModel):
        return {name: member.annotation for name, member in type_.model_fields.items()}
    return {}


NAMED = "messages role content modalities tools web_search store x_new type".split()
VALUES = st.recursive(
    st.sampled_from([None, "", "말", 0, True, "audio"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMED), inner, max_size=4)
    ),
    max_leaves=8,
)


def tree_of(listed: collections.abc.Iterable[Row]) -> Node:
    root = Node()
    for row in listed:
        node = root
        for step in steps(row.path):
            node = node.below.setdefault(step, Node())
        node.row = row
    root.settle()
    return root


@given(st.dictionaries(st.sampled_from(NAMED), VALUES, max_size=4))
def test_of_what_a_quick_look_lets_pass_a_close_one_has_nothing_to_say(body: JsonObject) -> None:
    tree = tree_of(CHAT.request.rows)

    rows_met = [(met.node.row if met.node else None, met) for met in walk(tree, body, "")]
    says = any(
        met.node is None
        or (row and (row.refuses(met.value) or (row.unchecked and bool(met.value))))
        for row, met in rows_met
    )
    assert not (tree.is_quiet(body) and says)
