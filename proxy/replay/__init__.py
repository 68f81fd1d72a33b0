"""Replays served requests under another policy, without asking any model."""
