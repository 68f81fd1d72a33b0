"""Base classes for the sections of a policy."""

import re
from enum import StrEnum
from typing import Annotated, TypeAlias
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict

VARIABLE_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"


_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?")


class Shape(BaseModel):
    """Base of every part of a policy."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Mode(StrEnum):
    """Effect of a guard's findings."""

    ENFORCE = "enforce"
    SHADOW = "shadow"
    OFF = "off"


def _http_address(value: str) -> str:
    if not re.fullmatch("[!-~]{1,2000}", value):
        raise ValueError(
            "must be written in visible characters of ASCII: a host's name as xn--…, a path's "
            "other letters as %…"
        )
    address = urlsplit(value)
    if address.scheme not in {"http", "https"} or not address.hostname:
        raise ValueError("must begin with http:// or https:// and name a host")
    if "@" in address.netloc or address.query or address.fragment:
        raise ValueError("must end with the path; name the key's variable in api_key_env")
    if ":" not in address.hostname and not _HOST.fullmatch(address.hostname):
        raise ValueError("names no host: letters, digits and hyphens between single dots")
    _check_port(address)
    return value.rstrip("/")


def _check_port(address: SplitResult) -> None:
    try:
        is_one = address.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise ValueError("names no port: a number from 1 to 65535")


HttpAddress: TypeAlias = Annotated[str, AfterValidator(_http_address)]
"""The address of a server, without a slash at its end."""
