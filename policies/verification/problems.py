"""Says in words of our own what is wrong with a value that was given."""

from collections.abc import Mapping

from pydantic_core import ErrorDetails

_SAID: Mapping[str, str] = {
    "missing": "it is required",
    "extra_forbidden": "there is no such member",
    "string_type": "it must be a string",
    "bool_type": "it must be true or false",
    "int_type": "it must be an integer",
    "float_type": "it must be a number",
    "finite_number": "it must be a finite number",
    "none_required": "it must be null",
    "greater_than_equal": "it must be at least {ge}",
    "less_than_equal": "it must be at most {le}",
    "too_short": "it must have at least {min_length} item",
    "literal_error": "it must be {expected}",
    "string_too_short": "it must have at least {min_length} character",
    "string_too_long": "it must have at most {max_length} characters",
    "string_pattern_mismatch": "it must match {pattern}",
    "value_error": "{error}",
    **dict.fromkeys(("list_type", "tuple_type"), "it must be an array"),
    **dict.fromkeys(
        ("dict_type", "model_type", "model_attributes_type", "dataclass_type"),
        "it must be an object",
    ),
}


def problem(error: ErrorDetails) -> str:
    """Return what is wrong, as the rest of a sentence."""
    said = _SAID.get(error["type"], "it cannot be used")
    return said.format(**error.get("ctx", {}))
