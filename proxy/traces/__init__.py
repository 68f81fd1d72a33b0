"""Traces: the record of each request, how much of it is kept, and where."""
