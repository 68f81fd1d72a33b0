"""Traces: what happened in a request, what of it is kept, and where."""
