from typing import Any

from guards.core.registry import all_guards
from policies.schema.document import json_schema


def resolved(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
    return node


def test_the_schema_knows_every_guard_and_its_options() -> None:
    schema = json_schema()
    guards = resolved(schema, schema["properties"]["guards"])

    assert list(guards["properties"]) == list(all_guards())
    for name, guard in all_guards().items():
        rule = resolved(schema, guards["properties"][name])
        options = resolved(schema, rule["properties"]["options"])
        assert set(options.get("properties", {})) == set(guard.settings_type.model_fields)


def test_unknown_keys_are_marked_in_editors() -> None:
    schema = json_schema()

    assert schema["additionalProperties"] is False
    assert resolved(schema, schema["properties"]["guards"])["additionalProperties"] is False


def test_the_rule_of_merging_is_said_where_editors_show_it() -> None:
    described = json_schema()["properties"]["extends"]["description"]

    assert "merged key by key, lists and plain values replaced" in described


def test_editors_are_told_the_codes_that_a_guard_may_only_note() -> None:
    schema = json_schema()
    guards = resolved(schema, schema["properties"]["guards"])

    for name, guard in all_guards().items():
        weak = resolved(schema, guards["properties"][name])["properties"]["weak"]
        assert weak["items"]["enum"] == list(guard.codes)
