"""Which version of the service runs."""

from importlib.metadata import PackageNotFoundError, version

NAME = "guard-proxy"


def product_version() -> str:
    """Return the version that is installed; ``unknown`` where only the sources are there."""
    try:
        return version(NAME)
    except PackageNotFoundError:
        return "unknown"
