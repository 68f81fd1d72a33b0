"""Verification of an answer against its sources: the report of `/v1/verify` and the library."""
