"""The settings of commands, from the environment."""

from pydantic import ValidationError

from proxy.cli.output import fail
from proxy.settings import Settings


def read_settings() -> Settings:
    """Read the settings from the environment."""
    try:
        return Settings()
    except ValidationError as error:
        fail(
            "The settings cannot be used:",
            *(
                f"GUARD_PROXY_{'_'.join(map(str, item['loc'])).upper()}: "
                f"{item['msg'].removeprefix('Value error, ')}"
                for item in error.errors()
            ),
        )
