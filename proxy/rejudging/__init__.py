"""Judges requests that were served again, by another policy and without asking any model."""
