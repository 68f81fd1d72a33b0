"""Policies decide: the YAML's shape, its loading, and the verdict over what the guards found.

`verify` and `quick_verify` are the interface for programs: they check an answer against its sources
without a server. They are imported on first use, because they load every guard.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from policies.verification.verifying import quick_verify, verify

__all__ = ["quick_verify", "verify"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from policies.verification import verifying

        return getattr(verifying, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
