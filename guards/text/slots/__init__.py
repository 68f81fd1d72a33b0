"""Typed slots of a text: one module per kind of slot."""
