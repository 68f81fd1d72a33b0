"""The form as the body of a request, such as an app would send."""

import json
from collections.abc import Sequence
from dataclasses import replace

from pydantic import JsonValue

from guards.core.exchange import Source
from policies.schema.policy import Policy
from policies.verification.options import BadSources, sources_of
from proxy.dashboard.playground.form import Filled, SourcesAs
from proxy.dashboard.playground.problems import (
    BAD_PAGE,
    NO_ANSWER,
    NO_LIST,
    NO_MODEL,
    NO_QUESTION,
    CannotTry,
)
from proxy.openai_api.json_body import JsonObject


def chat_body(filled: Filled, policy: Policy) -> JsonObject:
    """Return the chat completion that asks the question.

    Raises:
        CannotTry: something is missing, or the sources cannot be read.
    """
    if not filled.question:
        raise CannotTry(NO_QUESTION)
    if not filled.model:
        raise CannotTry(NO_MODEL)
    guard: JsonObject = {"report": True}
    if filled.sources_as is SourcesAs.BLOCK:
        shown = filled.block
    else:
        sources = _sources(filled)
        guard["sources"] = _listed(sources)
        # The policy's own citation prompt brings them along.
        shown = "" if policy.citations.instruct else _context(sources)
    return {
        "model": filled.model,
        "messages": _messages(filled.instructions, shown, filled.question),
        "guard": guard,
    }


def verify_body(filled: Filled) -> JsonObject:
    """Return the request to verify the answer.

    Raises:
        CannotTry: something is missing, or the sources cannot be read.
    """
    if not filled.answer:
        raise CannotTry(NO_ANSWER)
    options: JsonObject = {"correction": filled.correction}
    if filled.sources_as is SourcesAs.BLOCK:
        messages = _messages("", filled.block, filled.question)
        return {"messages": messages, "answer": filled.answer, "options": options}
    return {
        "question": filled.question,
        "answer": filled.answer,
        "sources": _listed(_sources(filled)),
        "options": options,
    }


def _messages(instructions: str, context: str, question: str) -> list[JsonValue]:
    """Return an app's messages: what the model is told with the sources, and the question."""
    told = "\n\n".join(filter(None, (instructions, context.strip())))
    asked: JsonValue = {"role": "user", "content": question}
    return [{"role": "system", "content": told}, asked] if told else [asked]


def _sources(filled: Filled) -> tuple[Source, ...]:
    boxed = filled.sources_as is SourcesAs.BOXES
    given = _boxed(filled) if boxed else _pasted(filled.listed)
    try:
        return sources_of(given)
    except BadSources as bad:
        raise CannotTry(replace(NO_LIST, said=str(bad))) from None


def _boxed(filled: Filled) -> list[Source]:
    return [
        Source(
            id=str(place),
            title=box.title.strip(),
            text=box.text.strip(),
            file=box.file.strip(),
            page=_page(box.page.strip()),
        )
        for place, box in enumerate(filled.boxes, start=1)
    ]


def _page(said: str) -> int | None:
    if not said:
        return None
    if not (said.isascii() and said.isdecimal() and len(said) < 10):
        raise CannotTry(BAD_PAGE)
    return int(said)


def _pasted(listed: str) -> list[JsonObject]:
    if not listed.strip():
        return []
    try:
        given = json.loads(listed)
    except (ValueError, RecursionError) as error:
        raise CannotTry(replace(NO_LIST, said=str(error))) from None
    if not isinstance(given, list):
        raise CannotTry(NO_LIST)
    return given


def _listed(sources: Sequence[Source]) -> list[JsonValue]:
    """Return the sources as ``guard.sources`` holds them."""
    return [
        {
            "id": source.id,
            "section_title": source.title,
            "section_content": source.text,
            "file": source.file,
            "page": source.page,
            "score": source.score,
        }
        for source in sources
    ]


def _context(sources: Sequence[Source]) -> str:
    """Return the sources as a model is shown them, each under the number that citations use."""
    return "\n\n".join(f"[{source.id}] {_name(source)}\n{source.text}" for source in sources)


def _name(source: Source) -> str:
    page = "" if source.page is None else f"p.{source.page}"
    return ", ".join(filter(None, (source.title, source.file, page)))
