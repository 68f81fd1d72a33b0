"""Finds the line that opens the context of a prompt."""

from proxy.openai_api.sources.lines import Kind
from proxy.openai_api.sources.prompt import Prompt
from proxy.openai_api.sources.speech import announces_context, is_instruction, points_back
from proxy.openai_api.sources.vocabulary import Role

_MOST_EDGE_LINES = 80
_BARE_NUMBER_STYLES = ("[", "【", "〔", "<", "(")


def opening_line(prompt: Prompt) -> int | None:
    """Return the line that opens the context; None if nothing does.

    The clearest sign wins: a heading or a sentence that introduces the context, a rule below an
    instruction that speaks of it, the first numbered passage, at last the blank line below such an
    instruction.
    """
    for find in (_heading, _rule, _number, _announcement):
        found = find(prompt)
        if found is not None:
            return found
    return None


def _heading(prompt: Prompt) -> int | None:
    introductions = [at for at in prompt.introductions if at not in prompt.examples]
    labels = [at for at in prompt.with_role(Role.CONTEXT) if not _is_within(prompt, at)]
    found = min([*labels[:1], *introductions[:1]], default=None)
    if found is None or not _is_inline(prompt, found):
        return found
    announced = _announcement(prompt)
    return found if announced is None or announced > found else announced


def _is_inline(prompt: Prompt, at: int) -> bool:
    line = prompt.lines[at]
    return line.style.startswith(":") and bool(line.rest(prompt.text))


def _is_within(prompt: Prompt, at: int) -> bool:
    """Tell whether a label with text behind it stands amid a paragraph, as passages have them too."""
    if not at or not _is_inline(prompt, at) or prompt.lines[at - 1].kind is not Kind.TEXT:
        return False
    return not is_instruction(prompt.words(at - 1))


def _rule(prompt: Prompt) -> int | None:
    told = False
    for at, line in enumerate(prompt.lines[:_MOST_EDGE_LINES]):
        if at in prompt.examples:
            continue
        if line.kind is Kind.TEXT:
            told = told or announces_context(prompt.words(at))
        elif line.kind is Kind.RULE and told:
            below = prompt.words_below(at)
            return at if below and not is_instruction(below) else None
    return None


def _number(prompt: Prompt) -> int | None:
    items = [
        at
        for at, line in enumerate(prompt.lines)
        if line.kind is Kind.ITEM and at not in prompt.examples
    ]
    if not items:
        return None
    named = prompt.lines[items[0]].style not in _BARE_NUMBER_STYLES
    told = any(_speaks_of_context(prompt, at) for at in _edges(prompt))
    return items[0] if named or told or prompt.with_role(Role.QUESTION) else None


def _edges(prompt: Prompt) -> list[int]:
    last = len(prompt.lines)
    return sorted({*range(min(last, 5)), *range(max(0, last - 5), last)})


def _speaks_of_context(prompt: Prompt, at: int) -> bool:
    words = prompt.words(at)
    return prompt.lines[at].kind is Kind.TEXT and (points_back(words) or announces_context(words))


def _announcement(prompt: Prompt) -> int | None:
    for at, line in enumerate(prompt.lines[:_MOST_EDGE_LINES]):
        if line.kind is not Kind.TEXT or at in prompt.examples:
            continue
        if announces_context(prompt.words(at)):
            blank = _blank_below(prompt, at)
            below = "" if blank is None else prompt.words_below(blank)
            return None if not below or is_instruction(below) else blank
    return None


def _blank_below(prompt: Prompt, at: int) -> int | None:
    """Return the blank line that ends a paragraph, unless a heading ends it."""
    for below in range(at + 1, len(prompt.lines)):
        if prompt.lines[below].kind is not Kind.TEXT:
            return below if prompt.lines[below].kind is Kind.BLANK else None
    return None
