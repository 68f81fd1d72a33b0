"""Changes to an answer's text: mended places and sentences taken out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from guards.core.finding import Finding, Span


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A place in the answer and what stands there afterwards; empty to take it out."""

    span: Span
    text: str = ""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with every edit made. The edits' places must not overlap."""
    pieces = []
    position = 0
    for edit in sorted(edits):
        pieces += [text[position : edit.span.start], edit.text]
        position = edit.span.end
    return "".join([*pieces, text[position:]])


def without_overlaps(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits in order; of those whose places overlap, the first one that is longest."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.span.start, -each.span.end)):
        if not kept or edit.span.start >= kept[-1].span.end:
            kept.append(edit)
    return tuple(kept)


def fixes(findings: Sequence[Finding]) -> tuple[Edit, ...]:
    """Return the edits that mend the findings which can be mended in place."""
    return without_overlaps(
        Edit(finding.span, finding.fix)
        for finding in findings
        if finding.fix is not None and finding.part == "answer"
    )
