"""Thin handlers: they take a request apart, call the house, and answer."""
