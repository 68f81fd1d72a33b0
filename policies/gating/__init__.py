"""Lets an answer out sentence by sentence, each one judged."""
