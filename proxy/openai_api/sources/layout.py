"""Reads a prompt's layout: where its context stands, and where the question.

What a template looks like is decided by structure: a heading, a rule or an announcing sentence opens
the context; the question's heading, the same rule again, an end mark or a heading of another kind
closes it. In a user turn the question must stand apart from the context, and everything behind the
question's heading is the user's own, whatever it looks like.
"""

from dataclasses import dataclass, replace

from proxy.openai_api.sources.lines import Kind, Line
from proxy.openai_api.sources.opening import Opening, find_opening
from proxy.openai_api.sources.prompt import Prompt
from proxy.openai_api.sources.speech import (
    is_earlier_answer,
    is_instruction,
    leading_instruction,
    mostly_orders,
    prompted_question,
)
from proxy.openai_api.sources.vocabulary import Role

_MOST_TAIL_LINES = 40
_LONGEST_QUESTION_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a text.

    Attributes:
        start: Where its own words begin.
        end: Where they end.
        outer: Where its heading begins.
        guessed: Only a sentence announced it: no heading, rule or number.
    """

    start: int
    end: int
    outer: int
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The context and the question in one text.

    Attributes:
        context: The context blocks, in order.
        question: The question's place; None if it has no place of its own.
    """

    context: tuple[Region, ...] = ()
    question: Region | None = None


def read_layout(text: str, *, asked: bool) -> Layout:
    """Return where the context and the question stand.

    Args:
        text: The text of a message.
        asked: It is the user's, so it may hold the question.
    """
    prompt = Prompt(text)
    opening = find_opening(prompt, asked=asked)
    if opening is None:
        return Layout((), _question_alone(prompt) if asked else None)
    opener = opening.line
    heading = _question_heading(prompt, opener) if asked else _last_question(prompt, opener)
    if heading is None:
        return _without_heading(prompt, opening, asked=asked)
    if heading > opener:
        return Layout(_regions(prompt, opening, heading), _question(prompt, heading))
    opening = replace(opening, line=_last_like(prompt, opener))
    return Layout(_regions(prompt, opening, len(prompt.lines)), _question(prompt, heading))


def _question_alone(prompt: Prompt) -> Region | None:
    """Return the question of a text without context: behind its heading or an instruction."""
    headings = prompt.with_role(Role.QUESTION)
    if headings:
        return _question(prompt, headings[-1])
    first = prompt.next_line(-1)
    words = "" if first is None else prompt.words(first)
    begin = prompted_question(words)
    if first is None or begin is None or not is_instruction(leading_instruction(words)):
        return None
    start = prompt.lines[first].start
    return Region(start + begin, len(prompt.text), start)


def question_alone(text: str) -> Region | None:
    """Return the question of a text whose context stands elsewhere."""
    return _question_alone(Prompt(text))


def _question_heading(prompt: Prompt, opener: int) -> int | None:
    """Return the heading of the question, behind the context or before it."""
    headings = prompt.with_role(Role.QUESTION)
    headings = [at for at in headings if not _is_content(prompt, opener, at, headings)]
    before = [at for at in headings if at < opener]
    behind = [at for at in headings if at > opener]
    same = [at for at in behind if prompt.lines[at].style == prompt.lines[opener].style]
    return next(iter(same[:1] or before[-1:] or behind[:1]), None)


def _is_content(prompt: Prompt, opener: int, at: int, headings: list[int]) -> bool:
    """Tell whether an answered question is part of the context, as in a list of questions.

    An answered one that is worded like the template's own may be the user's doing: it counts as
    content only where the context begins with such a pair.
    """
    if at not in prompt.answered:
        return False
    below = prompt.next_line(opener)
    while below is not None and prompt.lines[below].kind is Kind.ITEM:
        below = prompt.next_line(below)
    own = [prompt.lines[one].label for one in headings if one not in prompt.answered]
    return below in prompt.answered or prompt.lines[at].label not in own


def _last_question(prompt: Prompt, opener: int) -> int | None:
    """Return the heading of a question that ends a system message, as some templates repeat it."""
    last = [at for at in prompt.headings if prompt.lines[at].role is not Role.ANSWER][-1:]
    if not last or last[0] <= opener or last[0] in prompt.answered:
        return None
    line = prompt.lines[last[0]]
    return (
        last[0] if (line.role, line.style) == (Role.QUESTION, prompt.lines[opener].style) else None
    )


def _last_like(prompt: Prompt, opener: int) -> int:
    """Return the last heading worded like this one.

    Where the question comes first, the user's words stand before the template's own heading, so
    one that looks the same may be his.
    """
    wanted = prompt.lines[opener]
    like = [
        at
        for at in prompt.with_role(Role.CONTEXT)
        if (prompt.lines[at].label, prompt.lines[at].style) == (wanted.label, wanted.style)
    ]
    return like[-1] if like else opener


def _question(prompt: Prompt, heading: int) -> Region:
    line = prompt.lines[heading]
    end = len(prompt.text)
    for at in range(heading + 1, len(prompt.lines)):
        if _ends_question(prompt, at, line):
            end = prompt.lines[at].start
            break
    return Region(line.rest_start, max(line.rest_start, end), line.start)


def _ends_question(prompt: Prompt, at: int, heading: Line) -> bool:
    line = prompt.lines[at]
    if line.kind is not Kind.HEADING:
        return line.kind is Kind.RULE
    if line.role is Role.ANSWER:
        return not prompt.content(at) or is_instruction(prompt.content(at))
    return line.style == heading.style or line.role in (Role.END, Role.CONTEXT)


def _regions(prompt: Prompt, opening: Opening, stop: int) -> tuple[Region, ...]:
    """Return the context up to the line `stop`, parted where something else stands in between."""
    style = prompt.lines[opening.line].style
    openings = [opening] + [
        Opening(at)
        for at in prompt.with_role(Role.CONTEXT)
        if opening.line < at < stop and prompt.lines[at].style == style
    ]
    regions: list[Region] = []
    closed = 0
    for one in openings:
        if one.line >= closed:
            closed = _closing_line(prompt, one.line, stop)
            region = _region(prompt, one, closed)
            regions += [region] if region else []
    return tuple(regions)


def _region(prompt: Prompt, opening: Opening, closing: int) -> Region | None:
    """Return a context block; None if it turns out to be instructions."""
    line = prompt.lines[opening.line]
    if opening.within:
        start = line.start
    else:
        start = line.rest_start if line.kind is Kind.HEADING else line.end
    end = prompt.lines[closing].start if closing < len(prompt.lines) else len(prompt.text)
    if mostly_orders(prompt.text[start:end]):
        return None
    end = _without_closing_instructions(prompt.text, start, end)
    return Region(start, max(start, end), line.start, opening.guessed)


def _closing_line(prompt: Prompt, opener: int, stop: int) -> int:
    """Return the line that ends the context."""
    ruled = _closing_rule(prompt, opener, stop)
    if ruled is not None:
        return ruled
    opening = prompt.lines[opener]
    for at in prompt.all_headings:
        begins_example = prompt.lines[at].role is Role.EXAMPLE
        if at in prompt.examples and not begins_example:
            continue
        if opener < at < stop and _closes(prompt, at, opening):
            return at
    return stop


def _closes(prompt: Prompt, at: int, opening: Line) -> bool:
    """Tell whether a heading ends the context; passages have headings and notes of their own."""
    line = prompt.lines[at]
    if line.role is Role.END:
        return True
    if line.role is Role.ANSWER:
        return not prompt.content(at) or is_instruction(prompt.content(at))
    if opening.kind is Kind.HEADING and line.style != opening.style:
        return False
    if line.role is Role.INSTRUCTION:
        return is_instruction(line.rest(prompt.text)) or mostly_orders(prompt.section(at))
    return line.role in (Role.HISTORY, Role.EXAMPLE) and not line.rest(prompt.text)


def _closing_rule(prompt: Prompt, opener: int, stop: int) -> int | None:
    """Return the last rule like the one right behind the opener; None if there is no such pair."""
    begin: int | None = opener
    if prompt.lines[opener].kind is not Kind.RULE:
        begin = prompt.next_line(opener)
    if begin is None or prompt.lines[begin].kind is not Kind.RULE:
        return None
    rule = prompt.words(begin).strip()
    same = [
        at
        for at in range(begin + 1, min(stop, len(prompt.lines)))
        if prompt.lines[at].kind is Kind.RULE and prompt.words(at).strip() == rule
    ]
    return same[-1] if same else None


def _without_closing_instructions(text: str, start: int, end: int) -> int:
    """Return the end of a context block without the instructions that close it."""
    for _ in range(_MOST_TAIL_LINES):
        while end > start and text[end - 1].isspace():
            end -= 1
        line_start = max(start, text.rfind("\n", start, end) + 1)
        if line_start == start or not is_instruction(text[line_start:end]):
            break
        end = line_start
    return end


def _without_heading(prompt: Prompt, opening: Opening, *, asked: bool) -> Layout:
    """Read a prompt whose question has no heading: it stands behind the context or before it."""
    regions = _regions(prompt, opening, opening.stop or len(prompt.lines))
    if not asked:
        return Layout(regions)
    if not regions or prompt.lines[opening.line].is_inline(prompt.text):
        return Layout()
    behind = _own_words(prompt, regions[-1].end, len(prompt.text))
    before = _own_words(prompt, 0, regions[0].outer)
    if behind is not None or before is not None:
        return Layout(regions, behind or before)
    last = _last_words(prompt, regions[-1])
    if last is None:
        return Layout(regions)
    return Layout((*regions[:-1], replace(regions[-1], end=last.outer)), last)


def _own_words(prompt: Prompt, start: int, end: int) -> Region | None:
    """Return the part of a stretch that is neither instruction nor heading."""
    kept: list[Line] = []
    told = False
    for at, line in enumerate(prompt.lines):
        if line.start < start or line.end > end or line.kind is not Kind.TEXT:
            continue
        words = prompt.words(at)
        begin = prompted_question(words)
        if begin is not None and words[begin:].strip():
            return Region(line.start + begin, _own_end(prompt, at, end), line.start)
        goes_on = told and not _ends_sentence(prompt.words(at - 1))
        told = is_instruction(words) or is_earlier_answer(words) or goes_on
        if not told:
            kept.append(line)
    return Region(kept[0].start, kept[-1].end, kept[0].start) if kept else None


def _own_end(prompt: Prompt, begin: int, end: int) -> int:
    """Return where the words that begin on a line end: before the next instruction."""
    for at in range(begin + 1, len(prompt.lines)):
        line = prompt.lines[at]
        if line.start >= end or line.kind in (Kind.HEADING, Kind.RULE):
            return min(end, line.start)
        if is_instruction(prompt.words(at)) or is_earlier_answer(prompt.words(at)):
            return line.start
    return end


def _ends_sentence(line: str) -> bool:
    return not line.strip() or line.rstrip()[-1] in ".!?:。：다요"


def _last_words(prompt: Prompt, region: Region) -> Region | None:
    """Return a question that ends the context block: asked for, or a paragraph of its own."""
    inside = [
        at
        for at, line in enumerate(prompt.lines)
        if line.start >= region.start and line.end <= region.end
    ][-_MOST_TAIL_LINES:]
    for at in reversed(inside):
        words = prompt.words(at)
        begin = prompted_question(words)
        if begin is not None and words[begin:].strip() and prompt.lines[at].kind is Kind.TEXT:
            return Region(prompt.lines[at].start + begin, region.end, prompt.lines[at].start)
    parted = [at for at in inside[1:] if prompt.lines[at - 1].kind in (Kind.BLANK, Kind.RULE)]
    if not parted or prompt.lines[parted[-1]].kind is not Kind.TEXT:
        return None
    start = prompt.lines[parted[-1]].start
    return (
        Region(start, region.end, start) if region.end - start < _LONGEST_QUESTION_CHARS else None
    )
