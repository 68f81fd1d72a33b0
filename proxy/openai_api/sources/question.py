"""Finds the question's own words in a prompt: behind its heading, else around the context."""

from dataclasses import dataclass

from proxy.openai_api.sources.lines import Kind, Line, Role
from proxy.openai_api.sources.prompt import Prompt
from proxy.openai_api.sources.speech import (
    is_earlier_answer,
    is_instruction,
    leading_instruction,
    prompted_question,
)

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
        vague: That sentence does not say where the context stands, or this reads like directions.
    """

    start: int
    end: int
    outer: int
    guessed: bool = False
    vague: bool = False


def question_alone(prompt: Prompt) -> Region | None:
    """Return the question of a text without context: behind its heading or an instruction."""
    headings = prompt.with_role(Role.QUESTION)
    if headings:
        return question_region(prompt, headings[-1])
    first = prompt.next_line(-1)
    words = "" if first is None else prompt.words(first)
    begin = prompted_question(words)
    if first is None or begin is None or not is_instruction(leading_instruction(words)):
        return None
    start = prompt.lines[first].start
    return Region(start + begin, len(prompt.text), start)


def question_heading(prompt: Prompt, opener: int) -> int | None:
    """Return the heading of the question, behind the context or before it.

    An answered question below the opener is content, as in a list of questions. But where it is
    worded like the template's own it may be the user's doing, so then it is content only if the
    context begins with such a pair.
    """
    below = prompt.next_line(opener)
    while below is not None and prompt.lines[below].kind is Kind.ITEM:
        below = prompt.next_line(below)
    headings = prompt.with_role(Role.QUESTION)
    own = {prompt.lines[at].label for at in headings if at not in prompt.answered}
    if below in prompt.answered:
        own = set()
    headings = [at for at in headings if at not in prompt.answered or prompt.lines[at].label in own]
    before = [at for at in headings if at < opener]
    behind = [at for at in headings if at > opener]
    same = [at for at in behind if prompt.lines[at].style == prompt.lines[opener].style]
    return next(iter(same[:1] or before[-1:] or behind[:1]), None)


def last_question(prompt: Prompt, opener: int) -> int | None:
    """Return the heading of a question that ends a system message, as some templates repeat it."""
    last = [at for at in prompt.headings if prompt.lines[at].role is not Role.ANSWER][-1:]
    if not last or last[0] <= opener or last[0] in prompt.answered:
        return None
    line = prompt.lines[last[0]]
    fits = line.role is Role.QUESTION and line.style == prompt.lines[opener].style
    return last[0] if fits else None


def question_region(prompt: Prompt, heading: int) -> Region:
    """Return the words below a question's heading, up to what ends them."""
    line = prompt.lines[heading]
    end = len(prompt.text)
    for at in range(heading + 1, len(prompt.lines)):
        if _endsquestion_region(prompt, at, line):
            end = prompt.lines[at].start
            break
    return Region(line.rest_start, max(line.rest_start, end), line.start)


def _endsquestion_region(prompt: Prompt, at: int, heading: Line) -> bool:
    line = prompt.lines[at]
    if line.kind is not Kind.HEADING:
        return line.kind is Kind.RULE
    if line.role is Role.ANSWER:
        if is_earlier_answer(prompt.words(at)):
            return True
        return not prompt.content(at) or is_instruction(prompt.content(at))
    return line.style == heading.style or line.role in (Role.END, Role.CONTEXT)


def own_words(prompt: Prompt, start: int, end: int) -> Region | None:
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


def last_words(prompt: Prompt, region: Region) -> Region | None:
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
    short = region.end - start < _LONGEST_QUESTION_CHARS
    return Region(start, region.end, start) if short else None
