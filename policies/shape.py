"""What the parts of a policy are made of."""

from enum import StrEnum
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict

VARIABLE_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"


class Shape(BaseModel):
    """Base of every part of a policy."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Mode(StrEnum):
    """What a guard's findings may do."""

    ENFORCE = "enforce"
    SHADOW = "shadow"
    OFF = "off"


def _http_address(value: str) -> str:
    address = urlsplit(value)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise ValueError("must begin with http:// or https:// and name a host")
    if "@" in address.netloc or address.query or address.fragment:
        raise ValueError("must end with the path; name the key's variable in api_key_env")
    return value.rstrip("/")


HttpAddress: TypeAlias = Annotated[str, AfterValidator(_http_address)]
"""The address of a server, without a slash at its end."""
