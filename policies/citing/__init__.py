"""Keeps an answer true around its citations: marks, the text about them, numbers, the list."""
