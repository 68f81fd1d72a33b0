"""Puts findings of a piece of a text at their place in the whole."""

from collections.abc import Sequence
from dataclasses import replace

from guards.core.finding import Finding, Span
from guards.text.sentences import Sentence


def within(finding: Finding, sentence: Sentence) -> Finding:
    """Return a finding of a sentence's own text at its place in the text around it."""
    span = Span(sentence.start + finding.span.start, sentence.start + finding.span.end)
    return replace(finding, span=span)


def marked(finding: Finding, text: str, places: Sequence[int]) -> Finding:
    """Return a finding of a text without its marks of emphasis at its place in the text with them.

    Args:
        finding: The finding; its span is a place in the text without the marks.
        text: The text with them.
        places: Where each character of the text without them stands in it.
    """
    start, end = places[finding.span.start], places[finding.span.end - 1] + 1
    return replace(finding, span=Span(start, end), observed=text[start:end])
