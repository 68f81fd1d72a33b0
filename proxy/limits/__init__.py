"""Limits on the requests of a tenant: per minute, and at the same time."""
