"""Typed slots of a text: one kind of slot a file."""
