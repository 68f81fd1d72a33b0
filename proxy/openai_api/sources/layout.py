"""Finds the context block and the question in a prompt by its layout.

What a template looks like is decided by structure: a heading, a rule or an announcing sentence
opens the context; the question's heading, the same rule again, an end mark or a heading of another
kind closes it. In a user turn the question must stand apart from the context, and everything behind
the question's heading is the user's own, whatever it looks like.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass, replace

from proxy.openai_api.sources.lines import Kind, Line, Role
from proxy.openai_api.sources.markup import opens_passage, speaks_of_source
from proxy.openai_api.sources.prompt import (
    MOST_LEADING_LINES,
    Prompt,
    Region,
    last_question,
    last_words,
    own_words,
    question_alone,
    question_heading,
    question_region,
)
from proxy.openai_api.sources.records import opens_fields
from proxy.openai_api.sources.speech import (
    announces_context,
    has_instruction,
    is_instruction,
    leading_instruction,
    mostly_directions,
    mostly_instructions,
    mostly_orders,
    places_context,
    points_ahead,
    points_back,
)

_BARE_NUMBER_STYLES = ("[", "【", "〔", "<", "(")
_SET_OFF = re.compile(r"[#>|▷▶►▸■□◆◇●○◎★☆※➤•◦‣📄📌📝🔹🔸✔✓\[【〈《『]|\d{1,3}[.)]\s|\*\*")


@dataclass(frozen=True, slots=True)
class Opening:
    """Beginning of the context in a prompt.

    Attributes:
        within: The line is the context's first one, not its heading.
        guessed: Only a sentence beside the context told of it.
        vague: That sentence does not say where the context stands.
        stop: The line behind the context; None if the layout tells.
    """

    line: int
    within: bool = False
    guessed: bool = False
    vague: bool = False
    stop: int | None = None


def find_opening(prompt: Prompt) -> Opening | None:
    """Return where the context begins; None if there is none.

    The clearest sign wins: a heading or a sentence that introduces the context, a rule below an
    instruction that speaks of it, the first numbered passage, the blank line below such an
    instruction, all that stands before one that points back at it, at last what stands below one
    that sends to what follows.

    In a user's text the last but one needs marks, else it may be something that he pasted, and the
    last never counts.
    """
    heading = _heading(prompt)
    if heading is not None and not prompt.lines[heading].is_inline(prompt.text):
        return Opening(heading)
    number = _number(prompt) or _mark(prompt)
    if heading is not None and not _precedes(number, heading):
        announced = _announcement(prompt)
        return announced if _precedes(announced, heading) else Opening(heading)
    rule = _rule(prompt)
    if rule is not None:
        return Opening(rule)
    return (
        number or _fields(prompt) or _announcement(prompt) or _pointed_at(prompt) or _ahead(prompt)
    )


def _precedes(opening: Opening | None, line: int) -> bool:
    return opening is not None and opening.line < line


def _heading(prompt: Prompt) -> int | None:
    introductions = [at for at in prompt.introductions if at not in prompt.examples]
    labels = [at for at in prompt.with_role(Role.CONTEXT) if not prompt.is_amid(at)]
    return min([*labels[:1], *introductions[:1]], default=None)


def _rule(prompt: Prompt) -> int | None:
    """Return the first rule below the sentence that announces the context."""
    told = prompt.announcement
    if told is None:
        return None
    for at in range(told, min(len(prompt.lines), MOST_LEADING_LINES)):
        if prompt.lines[at].kind is Kind.RULE and at not in prompt.examples:
            return at if _can_begin(prompt, prompt.next_line(at)) else None
    return None


def _can_begin(prompt: Prompt, at: int | None) -> bool:
    """Tell whether a line can be the first one of a context."""
    if at is None:
        return False
    if prompt.lines[at].kind is Kind.HEADING:
        return at in prompt.answered
    return not is_instruction(prompt.words(at))


def _number(prompt: Prompt) -> Opening | None:
    items = (
        at
        for at, line in enumerate(prompt.lines)
        if line.kind is Kind.ITEM and at not in prompt.examples
    )
    first = next(items, None)
    if first is None:
        return None
    named = prompt.lines[first].style not in _BARE_NUMBER_STYLES
    if (
        named
        or prompt.with_role(Role.QUESTION)
        or any(_speaks_of_context(prompt, at) for at in prompt.edges())
    ):
        return Opening(first, within=True)
    return None


def _mark(prompt: Prompt) -> Opening | None:
    """Return the first ``[Source: …]`` mark with words below it; one alone shows how to cite."""
    if not speaks_of_source(prompt.text):
        return None
    return next(
        (
            Opening(at, within=True)
            for at, line in enumerate(prompt.lines)
            if line.kind is Kind.TEXT
            and opens_passage(prompt.words(at))
            and _can_begin(prompt, prompt.next_line(at))
        ),
        None,
    )


def _fields(prompt: Prompt) -> Opening | None:
    """Return the first line if it is a passage's title or file and the question has a heading."""
    first = prompt.next_line(-1)
    if first is None or not prompt.with_role(Role.QUESTION):
        return None
    fields = prompt.lines[first].kind is Kind.TEXT and opens_fields(prompt.words(first))
    return Opening(first, within=True) if fields else None


def _speaks_of_context(prompt: Prompt, at: int) -> bool:
    words = prompt.words(at)
    return prompt.lines[at].kind is Kind.TEXT and (points_back(words) or announces_context(words))


def _announcement(prompt: Prompt) -> Opening | None:
    at = prompt.announcement
    blank = None if at is None else _blank_below(prompt, at)
    if at is None or blank is None or not _can_begin(prompt, prompt.next_line(blank)):
        return None
    return Opening(blank, guessed=True, vague=not places_context(prompt.words(at)))


def _ahead(prompt: Prompt) -> Opening | None:
    """Return the blank line below an order of a system message that sends to what follows."""
    if prompt.is_user:
        return None
    for at in prompt.leading:
        if points_ahead(prompt.words(at)):
            blank = _blank_below(prompt, at)
            if blank is not None and _can_begin(prompt, prompt.next_line(blank)):
                return Opening(blank, guessed=True, vague=True)
    return None


def _blank_below(prompt: Prompt, at: int) -> int | None:
    """Return the blank line that ends a paragraph, unless a heading ends it."""
    for below in range(at + 1, len(prompt.lines)):
        if prompt.lines[below].kind is not Kind.TEXT:
            return below if prompt.lines[below].kind is Kind.BLANK else None
    return None


def _pointed_at(prompt: Prompt) -> Opening | None:
    """Return the first line before an instruction that points back: "위 자료로 답해 주세요"."""
    pointing = next(
        (
            at
            for at in reversed(prompt.edges())
            if prompt.lines[at].kind is Kind.TEXT
            and is_instruction(leading_instruction(prompt.words(at)))
            and points_back(leading_instruction(prompt.words(at)))
        ),
        None,
    )
    if pointing is None:
        return None
    first = next(
        (
            at
            for at in range(pointing)
            if prompt.lines[at].kind is not Kind.BLANK and not is_instruction(prompt.words(at))
        ),
        None,
    )
    if first is None:
        return None
    apart = _is_set_off if prompt.is_user else _is_parted
    if not apart(prompt, first, pointing):
        return None
    return Opening(first, within=True, guessed=True, vague=True, stop=pointing)


def _is_parted(prompt: Prompt, first: int, stop: int) -> bool:
    """Tell whether a stretch ends before the paragraph of the instruction that points at it."""
    return any(line.kind in (Kind.BLANK, Kind.RULE) for line in prompt.lines[first:stop])


def _is_set_off(prompt: Prompt, first: int, stop: int) -> bool:
    ruled = any(line.kind is Kind.RULE for line in prompt.lines[first:stop])
    words = prompt.words(first)
    return ruled or bool(_SET_OFF.match(words.lstrip())) or opens_fields(words)


_MOST_TAIL_LINES = 40
_LONGEST_RULES_CHARS = 400


@dataclass(frozen=True, slots=True)
class Layout:
    """The context and the question in one text.

    Attributes:
        question: The question's place; None if it has no place of its own.
    """

    context: tuple[Region, ...] = ()
    question: Region | None = None


def read_layout(text: str, *, is_user: bool) -> Layout:
    """Return where the context and the question stand.

    Args:
        is_user: It is the user's, so it may hold the question.
    """
    prompt = Prompt(text, is_user=is_user)
    opening = find_opening(prompt)
    if opening is None:
        return Layout((), question_alone(prompt) if is_user else None)
    opener = opening.line
    heading = question_heading(prompt, opener) if is_user else last_question(prompt, opener)
    if heading is None:
        return _without_heading(prompt, opening)
    if heading > opener:
        return Layout(_regions(prompt, opening, heading), question_region(prompt, heading))
    opening = replace(opening, line=_last_like(prompt, opener))
    return Layout(_regions(prompt, opening, len(prompt.lines)), question_region(prompt, heading))


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
    words = prompt.text[start:end]
    directing = mostly_directions(words)
    if directing and (mostly_instructions(words) or _are_rules(prompt, opening, words)):
        return None
    end = _without_closing_instructions(prompt.text, start, end)
    vague = opening.vague or (directing and (opening.guessed or has_instruction(words)))
    return Region(start, max(start, end), line.start, opening.guessed, vague)


def _are_rules(prompt: Prompt, opening: Opening, words: str) -> bool:
    """Tell whether directions are the assistant's own; a manual orders its reader about as well."""
    if opening.vague:
        return True
    told = opening.guessed or (not prompt.is_user and has_instruction(words))
    return told and len(words) < _LONGEST_RULES_CHARS


def _closing_line(prompt: Prompt, opener: int, stop: int) -> int:
    """Return the line that ends the context."""
    ruled = _closing_rule(prompt, opener, stop)
    if ruled is not None:
        return ruled
    opening = prompt.lines[opener]
    for at in prompt.headings_behind(opener):
        if at >= stop:
            break
        begins_example = prompt.lines[at].role is Role.EXAMPLE
        if (begins_example or at not in prompt.examples) and _closes(prompt, at, opening):
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
    same = prompt.rules_like(begin)
    before = bisect_left(same, stop)
    last = same[before - 1] if before else begin
    return last if last > begin and not _goes_on(prompt, last, stop) else None


def _goes_on(prompt: Prompt, rule: int, stop: int) -> bool:
    """Tell whether a passage stands below the last rule: then rules part the passages, no more."""
    below = prompt.next_line(rule)
    if below is None or below >= stop:
        return False
    if prompt.lines[below].kind is Kind.ITEM or opens_fields(prompt.words(below)):
        return True
    plain = prompt.lines[below].kind is Kind.TEXT and not is_instruction(prompt.words(below))
    return plain and not prompt.is_user


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


def _without_heading(prompt: Prompt, opening: Opening) -> Layout:
    """Read a prompt whose question has no heading: it stands behind the context or before it."""
    regions = _regions(prompt, opening, opening.stop or len(prompt.lines))
    if not prompt.is_user:
        return Layout(regions)
    if not regions or prompt.lines[opening.line].is_inline(prompt.text):
        return Layout()
    behind = own_words(prompt, regions[-1].end, len(prompt.text))
    before = own_words(prompt, 0, regions[0].outer)
    if behind is None and before is not None and not _is_built(prompt, opening.line):
        return Layout()
    if behind is not None or before is not None:
        return Layout(regions, behind or before)
    last = last_words(prompt, regions[-1])
    if last is None:
        return Layout(regions)
    return Layout((*regions[:-1], replace(regions[-1], end=last.outer)), last)


def _is_built(prompt: Prompt, opener: int) -> bool:
    """Tell whether a block below the question looks built: numbered, ruled, or with instructions.

    Somebody who asks first may well paste a text under a heading of his own.
    """
    below = prompt.next_line(opener)
    if below is None:
        return False
    if prompt.lines[below].kind in (Kind.ITEM, Kind.RULE) or opens_fields(prompt.words(below)):
        return True
    return any(is_instruction(prompt.words(at)) for at in prompt.edges())
