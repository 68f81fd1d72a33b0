"""Edits to an answer's text, and positions in the edited text.

Positions are given in three units. Python counts code points; Go, Rust and C count UTF-8 bytes;
JavaScript, Java and C# count UTF-16 units. A Hangul syllable is one, three and one of these; an
emoji usually one, four and two.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import itemgetter

from pydantic import BaseModel, ConfigDict, Field

from guards.core.finding import Finding, Severity, Span
from guards.core.guard import GuardReport, Outcome


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A span of the answer and the text that replaces it; empty to take it out."""

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
    """Return the edits that mend the findings which can be corrected in place."""
    return without_overlaps(
        Edit(finding.span, finding.fix)
        for finding in findings
        if finding.fix is not None and finding.part == "answer"
    )


def then(first: Iterable[Edit], second: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits of a text that do what two rounds of edits do."""
    rounds = [_RoundEdit(edit, left) for edit, left in left_by(first)]
    rounds += [_RoundEdit(edit, edit, is_second=True) for edit in second]
    joined: list[Edit] = []
    grown = 0
    for group in _touching(rounds):
        start, end = group[0].seen.span.start, max(one.seen.span.end for one in group)
        # Whatever stands between the group's first edits is replaced by its second ones.
        text = " " * (end - start)
        for second_round in (False, True):
            made = [one.seen for one in group if one.is_second is second_round]
            text = apply(text, (Edit(_moved(edit.span, -start), edit.text) for edit in made))
        before, grown = grown, grown + sum(one.growth for one in group)
        joined.append(Edit(Span(start - before, end - grown), text))
    return tuple(joined)


def left_by(edits: Iterable[Edit]) -> list[tuple[Edit, Edit]]:
    """Return each edit with itself as it is seen afterwards, on what it left in its place."""
    pairs = []
    grown = 0
    for edit in sorted(edits):
        start = edit.span.start + grown
        pairs.append((edit, Edit(Span(start, start + len(edit.text)), edit.text)))
        grown += len(edit.text) - (edit.span.end - edit.span.start)
    return pairs


def original_span(span: Span, places: Sequence[tuple[Edit, Edit]]) -> Span:
    """Return where something stood in the original of an edited text.

    What was put in stands for all that it replaced. What was taken out right beside it belongs to
    neither end.

    Args:
        span: Its place in the edited text.
        places: The edits as `left_by` returns them.
    """
    start = _original(span.start, places, is_end=False)
    return Span(start, max(start, _original(span.end, places, is_end=True)))


def _original(position: int, places: Sequence[tuple[Edit, Edit]], *, is_end: bool) -> int:
    grown = 0
    for edit, seen in places:
        if position < seen.span.start or (is_end and position == seen.span.start):
            break
        if position < seen.span.end:
            return edit.span.end if is_end else edit.span.start
        grown = seen.span.end - edit.span.end
    return position - grown


@dataclass(frozen=True, slots=True)
class _RoundEdit:
    """An edit of either round.

    Attributes:
        seen: The edit in places of the text between the two rounds.
    """

    edit: Edit
    seen: Edit
    is_second: bool = False

    @property
    def growth(self) -> int:
        """By how much it made the text between longer than the original."""
        span = self.edit.span
        return 0 if self.is_second else len(self.edit.text) - (span.end - span.start)


def _touching(placed: Iterable[_RoundEdit]) -> list[list[_RoundEdit]]:
    """Return the edits in order, those together that overlap or stand side by side."""
    groups: list[list[_RoundEdit]] = []
    end = -1
    for one in sorted(placed, key=lambda each: each.seen.span):
        if one.seen.span.start > end:
            groups.append([])
        groups[-1].append(one)
        end = max(end, one.seen.span.end)
    return groups


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def too_late_to_mend(reports: Sequence[GuardReport], left_chars: int) -> tuple[GuardReport, ...]:
    """Return the reports with what could be corrected, had it not left, as weak findings.

    A mark that one would have taken out is no reason to take an answer back.
    """
    reports = _mended_together(reports)

    def weighed(found: Finding) -> Finding:
        mendable = found.fix is not None and _has_left(found, left_chars)
        return replace(found, severity=Severity.WEAK) if mendable else found

    return _changed(reports, weighed) if left_chars else reports


def about_the_rest(reports: Sequence[GuardReport], left_chars: int) -> tuple[GuardReport, ...]:
    """Return the reports without findings in what has been sent: those are for the end to judge."""
    return _changed(
        _mended_together(reports), lambda found: None if _has_left(found, left_chars) else found
    )


def edits_of_the_rest(
    edits: Iterable[Edit], answer: str, left_chars: int
) -> tuple[Edit, ...] | None:
    """Return the edits as far as they change what has not left; None if they change more.

    White space before a sentence that is taken out may have been sent; it stays then.
    """
    kept: list[Edit] = []
    for edit in edits:
        if edit.span.start >= left_chars:
            kept.append(edit)
        elif edit.text or answer[edit.span.start : min(edit.span.end, left_chars)].strip():
            return None
        elif edit.span.end > left_chars:
            kept.append(Edit(Span(left_chars, edit.span.end)))
    return tuple(kept)


def _mended_together(reports: Sequence[GuardReport]) -> tuple[GuardReport, ...]:
    """Return the reports with what stands inside a place that goes anyway as going with it.

    An invented article in a line of the list of references whose number no source has.
    """
    going = [
        found
        for report in reports
        for found in report.findings
        if found.fix == "" and found.severity is Severity.STRONG and found.part == "answer"
    ]

    places = _Places(going)

    def joined(found: Finding) -> Finding:
        mendable = found.fix is not None or found.part != "answer"
        around = None if mendable else places.around(found)
        if around is None:
            return found
        return replace(found, span=around.span, observed=around.observed, fix="")

    return _changed(reports, joined) if going else tuple(reports)


class _Places:
    """The places of some findings."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._found = sorted(enumerate(findings), key=lambda one: one[1].span.start)
        self._starts = [one.span.start for _, one in self._found]
        # Up to where what begins so early reaches.
        self._reach = [*accumulate((one.span.end for _, one in self._found), max)]

    def around(self, found: Finding) -> Finding | None:
        """Return the first of the findings in whose place another stands."""
        holding: list[tuple[int, Finding]] = []
        at = bisect_right(self._starts, found.span.start) - 1
        while at >= 0 and self._reach[at] >= found.span.end:
            if self._found[at][1].span.end >= found.span.end:
                holding.append(self._found[at])
            at -= 1
        return min(holding, key=itemgetter(0))[1] if holding else None


def _has_left(finding: Finding, left_chars: int) -> bool:
    return finding.part == "answer" and finding.span.start < left_chars


def _changed(
    reports: Sequence[GuardReport], change: Callable[[Finding], Finding | None]
) -> tuple[GuardReport, ...]:
    return tuple(
        _report(report, change) if report.outcome is Outcome.FOUND else report for report in reports
    )


def _report(report: GuardReport, change: Callable[[Finding], Finding | None]) -> GuardReport:
    # Of a sentence that stands there a thousand times, a thousand findings may become the same one.
    changed = tuple(dict.fromkeys(filter(None, map(change, report.findings))))
    outcome = Outcome.FOUND if changed else Outcome.CLEAN
    return replace(report, findings=changed, outcome=outcome)


_Pair = tuple[int, int]


class Place(BaseModel):
    """A half-open place in a text, counted in three ways."""

    model_config = ConfigDict(frozen=True)

    cp: _Pair = Field(description="Start and end in Unicode code points.")
    utf8: _Pair = Field(description="Start and end in bytes of UTF-8.")
    utf16: _Pair = Field(description="Start and end in units of UTF-16.")


class Offsets:
    """The places of one text; the text is gone through once, however many places are asked for.

    Half of a surrogate pair, which UTF-8 cannot hold, counts as three bytes and one unit.
    """

    def __init__(self, text: str) -> None:
        self._utf8 = tuple(accumulate(map(_utf8_bytes, text), initial=0))
        self._utf16 = tuple(accumulate((1 + (char > "\uffff") for char in text), initial=0))

    def place(self, span: Span) -> Place:
        """Return a span of the text in all three counts."""
        start, end = span.start, span.end
        return Place(
            cp=(start, end),
            utf8=(self._utf8[start], self._utf8[end]),
            utf16=(self._utf16[start], self._utf16[end]),
        )


def _utf8_bytes(char: str) -> int:
    if char < "\x80":
        return 1
    if char < "\u0800":
        return 2
    return 4 if char > "\uffff" else 3
