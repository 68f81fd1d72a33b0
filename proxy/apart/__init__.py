"""Judging very long texts apart, in a process of its own, so that nobody else waits for them."""
