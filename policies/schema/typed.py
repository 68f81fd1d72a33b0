"""The shape of a policy with every guard's own options in it: to check files, and for editors."""

import difflib
import json
import re
from collections.abc import Iterable
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import ErrorDetails

from guards.core.registry import all_guards
from policies.schema.base import Shape
from policies.schema.document import Plain
from policies.schema.errors import Key, Remark
from policies.schema.policy import GuardRule, Policy

LONGEST_SHOWN_CHARS = 60
WORDING = (
    (r"^(Input|String|Tuple) should", "must"),
    (r"\ban object\b", "a map"),
    (r"\ba valid array\b", "a list"),
    (r"<\w+\.\w+: ('\w+')>", r"\1"),
)
"""Pydantic's wording in JSON's terms -> ours, in YAML's."""
SECRET_KEYS = frozenset({"keys", "api_key_env"})
"""Fields where a key may be pasted by mistake; an error never repeats their values."""


@cache
def typed_policy() -> type[Policy]:
    """Return `Policy` with exactly the guards that exist, each with its own options."""
    rules: dict[str, Any] = {}
    for name in all_guards():
        rule = _typed_rule(name)
        rules[name] = (rule, Field(default_factory=rule))
    guards = create_model("Guards", __base__=Shape, **rules)
    guards.__doc__ = "A rule for each guard; one that is not named does not run."
    fields: dict[str, Any] = {"guards": (guards, Field(default_factory=guards))}
    typed = create_model("TypedPolicy", __base__=Policy, **fields)
    typed.__doc__ = Policy.__doc__
    return typed


def _typed_rule(guard: str) -> type[GuardRule]:
    guard_type = all_guards()[guard]
    codes = [*guard_type.codes]

    def known(code: str) -> str:
        if code not in codes:
            raise ValueError(f"{code!r} is no code of this guard; {suggestion(code, codes)}")
        return code

    listed = WithJsonSchema({"type": "string", "enum": codes})
    code = Annotated[str, AfterValidator(known), listed]
    options = Field(default_factory=dict, validate_default=True)
    fields: dict[str, Any] = {
        "options": (guard_type.settings_type, options),
        "weak": (tuple[code, ...], GuardRule.model_fields["weak"]),
    }
    rule = create_model(f"Rule_{guard}", __base__=GuardRule, **fields)
    rule.__doc__ = f"What a tenant wants of the guard `{guard}`."
    return rule


def json_schema() -> JsonSchemaValue:
    """Return the JSON Schema of policy files, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **typed_policy().model_json_schema(),
        "title": "Policy of guard-proxy",
    }


def validated(values: Plain) -> Policy:
    """Return the policy that the bare values of a file stand for.

    Strict as JSON is: the text ``"5"`` is not a number, and ``yes`` is a word.

    Raises:
        ValidationError: `remarks_on` says it in our words.
    """
    typed_policy().model_validate_json(json.dumps(values), strict=True)
    return Policy.model_validate_json(json.dumps(values), strict=True)


def remarks_on(error: ValidationError, shape: type[BaseModel] | None = None) -> list[Remark]:
    """Say what is wrong, one remark for each value.

    Args:
        error: What is wrong.
        shape: What was to be read; None for a policy.
    """
    root = shape or typed_policy()
    return [
        Remark(tuple(details["loc"]), _message(details, root))
        for details in error.errors(include_url=False)
    ]


def _message(details: ErrorDetails, root: type[BaseModel]) -> str:
    kind, key, said = details["type"], tuple(details["loc"]), details["msg"]
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return "is not a known key; " + suggestion(str(key[-1]), _names_at(root, key[:-1]))
    if kind == "value_error":
        return said.removeprefix("Value error, ")
    if kind == "string_pattern_mismatch" and key[:1] == ("keys",):
        return (
            "is no salted hash of a key; paste the line that `guard-proxy keys new TENANT` prints"
        )
    for theirs, ours in WORDING:
        said = re.sub(theirs, ours, said)
    found = details["input"]
    shown = "nothing" if found is None else repr(found)
    if SECRET_KEYS & set(key) or len(shown) > LONGEST_SHOWN_CHARS or isinstance(found, dict | list):
        return said
    return f"{said}, not {shown}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """Say which known word was probably meant, or which there are."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]!r}?" if close else "known here: " + ", ".join(names or ["none"])


def _names_at(root: type[BaseModel], key: Key) -> list[str]:
    kind: object = root
    for step in key:
        kind = _inside(kind, step)
    return list(kind.model_fields) if _is_shape(kind) else []


def _inside(kind: object, step: str | int) -> object:
    """Return the type of the value at a key of a model, of a map or of a list."""
    if _is_shape(kind):
        field = kind.model_fields.get(str(step))
        inside: object = field.annotation if field else None
    else:
        types = get_args(kind) or (None,)
        inside = types[-1] if get_origin(kind) is dict else types[0]
    is_optional = get_origin(inside) in {Union, UnionType} and type(None) in get_args(inside)
    return get_args(inside)[0] if is_optional else inside


def _is_shape(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
