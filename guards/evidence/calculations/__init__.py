"""Calculations of an answer: what it shows, what follows from the figures at hand."""
