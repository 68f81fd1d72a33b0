"""Finds the line that opens the context of a prompt."""

import re
from dataclasses import dataclass

from proxy.openai_api.sources.fields import opens_fields
from proxy.openai_api.sources.lines import Kind
from proxy.openai_api.sources.prompt import MOST_LEADING_LINES, Prompt
from proxy.openai_api.sources.source_marks import opens_passage, speaks_of_source
from proxy.openai_api.sources.speech import (
    announces_context,
    is_instruction,
    leading_instruction,
    places_context,
    points_ahead,
    points_back,
)
from proxy.openai_api.sources.vocabulary import Role

_BARE_NUMBER_STYLES = ("[", "【", "〔", "<", "(")
_SET_OFF = re.compile(r"[#>|▷▶►▸■□◆◇●○◎★☆※➤•◦‣📄📌📝🔹🔸✔✓\[【〈《『]|\d{1,3}[.)]\s|\*\*")


@dataclass(frozen=True, slots=True)
class Opening:
    """Where the context of a prompt begins.

    Attributes:
        line: The line.
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
    if heading is not None and not _is_inline(prompt, heading):
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


def _is_inline(prompt: Prompt, at: int) -> bool:
    return prompt.lines[at].is_inline(prompt.text)


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
    if prompt.asked:
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
    apart = _is_set_off if prompt.asked else _is_parted
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
