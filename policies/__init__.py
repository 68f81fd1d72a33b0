"""Policies decide: the YAML's shape, its loading, and the verdict over what the guards found.

`verify` and `quick_verify` are the door for programs: an answer held against its sources, without
any server.
"""

from policies.verification.verifying import quick_verify, verify

__all__ = ["quick_verify", "verify"]
