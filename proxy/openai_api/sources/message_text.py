"""Context blocks and the question in the text of one message, whatever they are written in."""

from dataclasses import dataclass
from functools import lru_cache

from guards.core.finding import Span
from proxy.openai_api.sources import Block
from proxy.openai_api.sources.layout import Layout, read_layout
from proxy.openai_api.sources.lines import Kind, Role, read_lines, role_of
from proxy.openai_api.sources.markup import Element, element_passages, has_marks, read_elements
from proxy.openai_api.sources.passages import split_passages
from proxy.openai_api.sources.prompt import Prompt, Region, question_alone
from proxy.openai_api.sources.records import json_prompt, leading_json
from proxy.openai_api.sources.speech import (
    announced_question,
    introduces_context,
    is_instruction,
    points_back,
)

# Together no more than four million characters.
_MOST_KNOWN = 500
_LONGEST_KNOWN_CHARS = 8_000
_QUOTES = ('"""', "'''", "```", '"', "'", "“”", "「」", "`")
# What the originals say; only the name in a trace depends on it.
_SIGNATURES = (
    ("Context information is below", "llamaindex.text_qa"),
    ("numbered sources of information", "llamaindex.citation"),
    ("existing answer", "llamaindex.refine"),
    ("Helpful Answer:", "langchain.stuff"),
    ("REMEMBER: If there is no relevant information", "flowise.conversational"),
    ("knowledge base", "ragflow.knowledge"),
    ("#Context:", "langchain.korean"),
    ("page_content=", "langchain.documents"),
    ("as your learned knowledge", "dify.context"),
    ("标记中的内容作为你的知识", "fastgpt.quote"),
    ("Given these documents", "haystack.documents"),
    ("\nContext:", "langchain.rag_prompt"),
)


@dataclass(frozen=True, slots=True)
class ReadText:
    """The contents of one message.

    Attributes:
        question: The question's words; None if they are not set off from the rest.
        rest: All that is neither context nor question.
    """

    blocks: tuple[Block, ...]
    question: str | None
    rest: str


def read_text(text: str, *, is_user: bool) -> ReadText:
    """Read the text of a message; what apps say again and again is remembered."""
    return _known_text(text, is_user) if len(text) <= _LONGEST_KNOWN_CHARS else _text(text, is_user)


def _text(text: str, is_user: bool) -> ReadText:
    prompt = json_prompt(text) if is_user else None
    if prompt is not None:
        block = Block("json.prompt", Span(0, len(text)), prompt.passages)
        return ReadText((block,), prompt.question, "")
    leading = leading_json(text)
    if leading is not None and (not is_user or points_back(text[leading[1] :])):
        block = Block("json.leading", Span(0, leading[1]), leading[0])
        return _around((block,), text[leading[1] :], is_user=is_user)
    elements = read_elements(text)
    context = [item for item in elements if item.role is Role.CONTEXT]
    if context:
        return _tagged(text, elements, is_user=is_user)
    layout = read_layout(text, is_user=is_user)
    template = _template(text) if layout.context else ""
    read = (_block(text, region, template) for region in layout.context)
    blocks = tuple(block for block in read if block is not None)
    if not blocks:
        layout = Layout((), layout.question)
    cuts = [Region(block.span.start, block.span.end, block.span.start) for block in blocks]
    return _read(text, blocks, cuts, layout.question)


_known_text = lru_cache(maxsize=_MOST_KNOWN)(_text)


def _tagged(text: str, elements: tuple[Element, ...], *, is_user: bool) -> ReadText:
    blocks = tuple(
        Block(
            f"tags.{item.name}",
            Span(item.start, item.end),
            tuple(element_passages(text, item, split_passages)),
        )
        for item in elements
        if item.role is Role.CONTEXT
    )
    cuts = [Region(item.start, item.end, item.start) for item in elements]
    questions = [item for item in elements if item.role is Role.QUESTION]
    if questions:
        last = questions[-1]
        return _read(text, blocks, cuts, Region(last.inner_start, last.inner_end, last.start))
    return _around(blocks, _read(text, blocks, cuts, None).rest, is_user=is_user)


def _around(blocks: tuple[Block, ...], rest: str, *, is_user: bool) -> ReadText:
    """Return blocks together with the question in what stands around them."""
    if not is_user:
        return ReadText(blocks, None, rest)
    question = question_alone(Prompt(rest, is_user=True))
    words = rest[question.start : question.end] if question else rest
    return ReadText(blocks, clean_question(words), rest[: question.outer] if question else "")


def _read(
    text: str, blocks: tuple[Block, ...], cuts: list[Region], question: Region | None
) -> ReadText:
    if question is not None:
        cuts = sorted([*cuts, Region(question.outer, question.end, question.outer)],
                      key=lambda cut: cut.start)  # fmt: skip
    parts: list[str] = []
    at = 0
    for cut in cuts:
        parts.append(text[at : max(at, cut.start)].strip())
        at = max(at, cut.end)
    parts.append(text[at:].strip())
    words = text[question.start : question.end] if question else None
    return ReadText(
        blocks,
        None if words is None else clean_question(words),
        "\n".join(part for part in parts if part),
    )


def _block(text: str, region: Region, template: str) -> Block | None:
    """Return the block in a region; None if nothing in it can be read."""
    inner = text[region.start : region.end]
    passages = split_passages(inner, guessed=region.guessed)
    if inner.strip() and not passages:
        return None
    name = "source_marks" if has_marks(inner) else template or _format(text, region)
    span = Span(region.outer, max(region.outer, region.end))
    return Block(name, span, passages, guessed=region.vague)


def _template(text: str) -> str:
    """Return the name of the template that a text was made with; empty if it is unknown."""
    return next((name for words, name in _SIGNATURES if words in text), "")


def _format(text: str, region: Region) -> str:
    first = next(
        (line for line in read_lines(text[region.outer : region.outer + 200])
         if line.kind is not Kind.BLANK), None,
    )  # fmt: skip
    return f"layout.{first.kind if first else Kind.TEXT}"


def clean_question(words: str) -> str:
    """Return the question without quotes around it and the sentences that set it off."""
    lines = words.strip().split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or _stands_behind(lines[-1])):
        lines.pop()
    while len(lines) > 1 and (not lines[0].strip() or _stands_before(lines[0])):
        lines.pop(0)
    begin = announced_question(lines[0])
    if begin is not None and lines[0][begin:].strip():
        lines[0] = lines[0][begin:]
    return _without_quotes("\n".join(lines).strip())


def _stands_before(line: str) -> bool:
    begin = announced_question(line)
    return is_instruction(line) or (begin is not None and not line[begin:].strip())


def _stands_behind(line: str) -> bool:
    is_label = role_of(line.strip("#*[]:： \t"), strict=True) is Role.ANSWER
    return is_label or is_instruction(line) or introduces_context(line)


def _without_quotes(question: str) -> str:
    for quote in _QUOTES:
        opener, closer = (quote[0], quote[-1]) if quote in ("“”", "「」") else (quote, quote)
        inner = question[len(opener) : -len(closer)]
        if (
            question.startswith(opener)
            and question.endswith(closer)
            and inner.strip()
            and opener not in inner
        ):
            return inner.strip()
    return question
