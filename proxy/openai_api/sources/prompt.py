"""A prompt's lines, with the examples and answered questions in them, and the question's words."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from guards.core.keeping import lazy
from proxy.openai_api.sources.lines import Kind, Line, Role, read_lines
from proxy.openai_api.sources.speech import (
    LEADS,
    announces_context,
    introduces_context,
    is_earlier_answer,
    is_instruction,
    leading_instruction,
    prompted_question,
    small_letters,
)

MOST_LEADING_LINES = 80
_MOST_TEXT_LINES = 400
_EDGE_LINES = 5
_LONGEST_EXAMPLE_INTRODUCTION_CHARS = 200
_SENTENCE_END = re.compile(r"[.!?。]\s+")
_EXAMPLE_ENDINGS = ("for example", "예시", "예를 들어", "examples", "예시입니다", "예시이다")
_EXAMPLE_WORDS = re.compile("예시|예를 들어|example")


class Prompt:
    """One text, read line by line; blank lines are joined, so at most one stands between two.

    Attributes:
        is_user: It is the user's, so it may hold the question.
    """

    def __init__(self, text: str, *, is_user: bool) -> None:
        self.text = text
        self.is_user = is_user
        self.lines = read_lines(text)

    def words(self, at: int) -> str:
        """Return a line as it stands."""
        return self.text[self.lines[at].start : self.lines[at].end]

    def next_line(self, at: int) -> int | None:
        """Return the next line that is not blank."""
        for following in (at + 1, at + 2):
            if following < len(self.lines) and self.lines[following].kind is not Kind.BLANK:
                return following
        return None

    def words_below(self, at: int) -> str:
        """Return the words of the next line if it is plain text."""
        following = self.next_line(at)
        if following is None or self.lines[following].kind is not Kind.TEXT:
            return ""
        return self.words(following).strip()

    def content(self, at: int) -> str:
        """Return the words that a heading stands for: beside it, else on the next line."""
        return self.lines[at].rest(self.text) or self.words_below(at)

    def edges(self) -> list[int]:
        """Return the first and the last few lines, where instructions stand."""
        last = len(self.lines)
        return sorted({*range(min(last, _EDGE_LINES)), *range(max(0, last - _EDGE_LINES), last)})

    def is_amid(self, at: int) -> bool:
        """Tell whether a label with text behind it stands amid a paragraph, as in passages."""
        line = self.lines[at]
        if not at or not line.is_inline(self.text) or self.lines[at - 1].kind is not Kind.TEXT:
            return False
        return not is_instruction(self.words(at - 1))

    def stretch(self, opener: int, closing: int) -> str:
        """Return the text behind a heading, up to the line `closing`."""
        line = self.lines[opener]
        start = line.rest_start if line.kind is Kind.HEADING else line.end
        end = self.lines[closing].start if closing < len(self.lines) else len(self.text)
        return self.text[start:end]

    def section(self, at: int) -> str:
        """Return the text behind a heading, up to the next one."""
        return self.stretch(at, next(self.headings_behind(at), len(self.lines)))

    @lazy
    def all_headings(self) -> list[int]:
        """The lines that are headings, examples included."""
        return [at for at, line in enumerate(self.lines) if line.kind is Kind.HEADING]

    def headings_behind(self, at: int) -> Iterator[int]:
        """Iterate over the headings below a line, examples included."""
        headings = self.all_headings
        return (headings[k] for k in range(bisect_right(headings, at), len(headings)))

    def rules_like(self, at: int) -> list[int]:
        """Return the lines that are the same rule as this line, itself included."""
        return self._rules[self.words(at).strip()]

    @lazy
    def _rules(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, line in enumerate(self.lines):
            if line.kind is Kind.RULE:
                found.setdefault(self.words(at).strip(), []).append(at)
        return found

    @lazy
    def answered(self) -> frozenset[int]:
        """The questions whose answer stands below them, as in examples and lists of questions."""
        headings = self.all_headings
        return frozenset(
            question
            for question, answer in pairwise(headings)
            if self.lines[question].role is Role.QUESTION
            and self.lines[answer].role is Role.ANSWER
            and self.content(answer)
            and not is_instruction(self.content(answer))
            and not is_earlier_answer(self.words(answer))
        )

    @lazy
    def introductions(self) -> list[int]:
        """The lines that only say that the context follows."""
        return [at for at in self._text_lines_with(LEADS) if introduces_context(self.words(at))]

    @lazy
    def leading(self) -> list[int]:
        """The lines at the top that may send to what follows, examples left out."""
        lines = self._text_lines_with(LEADS)
        return [at for at in lines if at < MOST_LEADING_LINES and at not in self.examples]

    @lazy
    def announcement(self) -> int | None:
        """The first of them that says that the context follows."""
        return next((at for at in self.leading if announces_context(self.words(at))), None)

    def _text_lines_with(self, words: re.Pattern[str]) -> list[int]:
        """Return the first lines of plain text with one of some words, given in small letters.

        Most lines have none, so the text is searched as a whole and not line by line.
        """
        starts, small = self._beginning
        lines: list[int] = []
        found = words.search(small)
        while found:
            at = bisect_right(starts, found.start()) - 1
            if self.lines[at].kind is Kind.TEXT:
                lines.append(at)
            found = words.search(small, self.lines[at].end)
        return lines

    @lazy
    def _beginning(self) -> tuple[list[int], str]:
        """Starts of the searched lines, and their text in lower case."""
        lines = self.lines[:_MOST_TEXT_LINES]
        return [line.start for line in lines], small_letters(self.text[: lines[-1].end])

    @lazy
    def examples(self) -> frozenset[int]:
        """The lines of few-shot examples, from their heading to where the real thing begins."""
        inside: set[int] = set()
        headings = [at for at in self.all_headings if self.lines[at].role is Role.EXAMPLE]
        lines = [at for at in self._text_lines_with(_EXAMPLE_WORDS) if self._ends_with_example(at)]
        for at in sorted(headings + lines):
            if at < _MOST_TEXT_LINES and at not in inside:
                inside.update(range(at, self._example_end(at)))
        return frozenset(inside)

    @lazy
    def headings(self) -> list[int]:
        """The lines that are headings outside of examples."""
        return [at for at in self.all_headings if at not in self.examples]

    def with_role(self, role: Role) -> list[int]:
        """Return the headings of one role outside of examples."""
        return [at for at in self.headings if self.lines[at].role is role]

    def _ends_with_example(self, at: int) -> bool:
        """Tell whether a line leads to examples: "예시:", "For example:"."""
        *_, words = _SENTENCE_END.split(self.words(at))
        short = len(words) < _LONGEST_EXAMPLE_INTRODUCTION_CHARS
        return short and words.lower().rstrip(" :.)").endswith(_EXAMPLE_ENDINGS)

    def _example_end(self, begin: int) -> int:
        """Return the first line behind an example: a new introduction or an unanswered heading."""
        introduced = self.introductions[bisect_right(self.introductions, begin) :][:1]
        opening = self.lines[begin]
        for at in self.headings_behind(begin):
            line = self.lines[at]
            if line.role in (Role.ANSWER, Role.EXAMPLE) or at in self.answered:
                continue
            if line.role is Role.CONTEXT and self._belongs_to_answered(at):
                continue
            if line.style == opening.style or line.role in (Role.CONTEXT, Role.QUESTION):
                return min([at, *introduced])
        return min([len(self.lines), *introduced])

    def _belongs_to_answered(self, context: int) -> bool:
        """Tell whether this is an example's: its question is answered, another context follows."""
        behind = bisect_right(self._questions, context)
        if behind == len(self._questions) or context >= self._last_context:
            return False
        return self._questions[behind] in self.answered

    @lazy
    def _questions(self) -> list[int]:
        return [at for at in self.all_headings if self.lines[at].role is Role.QUESTION]

    @lazy
    def _last_context(self) -> int:
        contexts = (
            at
            for at in reversed(self.all_headings)
            if self.lines[at].role is Role.CONTEXT and not self.is_amid(at)
        )
        return next(contexts, -1)


_MOST_TAIL_LINES = 40
_LONGEST_QUESTION_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a text.

    Attributes:
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
        if _ends_question(prompt, at, line):
            end = prompt.lines[at].start
            break
    return Region(line.rest_start, max(line.rest_start, end), line.start)


def _ends_question(prompt: Prompt, at: int, heading: Line) -> bool:
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
