"""Policies decide: the YAML's shape, its loading, and the verdict over what the guards found.

`verify` and `quick_verify` are the door for programs: an answer held against its sources, without
any server. They are imported when they are asked for, as they bring every guard with them, and
whoever needs only a part of this package should not wait for that.
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
