"""`guard-proxy sources FILE.json`."""

import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from guards.core.exchange import ContextState
from policies.schema.policy import SourceRules
from proxy.cli.output import AsJson, excerpt, fail, out, print_json
from proxy.errors import BadRequest
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.openai_api.json_body import JsonObject, read_object
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.sources import FoundContext, SourceFormatError, find_sources
from proxy.openai_api.sse import json_bytes


class EndpointChoice(StrEnum):
    """The endpoints whose requests are read, by their paths."""

    CHAT = "chat/completions"
    RESPONSES = "responses"
    COMPLETIONS = "completions"


_TELLING = {
    "messages": EndpointChoice.CHAT,
    "input": EndpointChoice.RESPONSES,
    "prompt": EndpointChoice.COMPLETIONS,
}
_EXCERPT_CHARS = 60
_QUESTION_CHARS = 2000
_STATES = {
    "found": "sources found",
    "empty": "a context block, and nothing usable in it",
    "absent": "no context block",
}
_HOW_TO_MARK = "put a heading or <context> around the sources, or name them in guard.sources"


def sources(
    file: Annotated[str, typer.Argument(help="Body of a request as JSON; - for stdin.")],
    endpoint: Annotated[
        EndpointChoice | None,
        typer.Option(help="Endpoint of the body; without it, its members tell."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the question and the sources that would be found in a request."""
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        found = find_sources(_conversation(read_object(raw), endpoint), SourceRules())
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    except (SourceFormatError, BadRequest) as error:
        fail(f"{file}: {error}")
    except ValueError as error:
        fail(f"{file}: not a JSON object: {error}")
    if as_json:
        print_json(asdict(found))
        return
    _show(found)


def _conversation(body: JsonObject, chosen: EndpointChoice | None) -> JsonObject:
    """Return what a request says, as messages.

    Raises:
        BadRequest: it is no request of its endpoint.
    """
    guessed = (choice for member, choice in _TELLING.items() if member in body)
    path = chosen or next(guessed, EndpointChoice.CHAT)
    [endpoint] = [endpoint for endpoint in ENDPOINTS if endpoint.path == path]
    # Which model is asked makes no difference to what is found.
    request: ModelRequest = endpoint.read_request(json_bytes({"model": "any"} | body))
    return request.conversation


def _show(found: FoundContext) -> None:
    question = excerpt(found.question, _QUESTION_CHARS) or "(none)"
    out.print(f"question: {question}", markup=False)
    out.print(f"context:  {_STATES[found.context.value]}", markup=False)
    if found.context is ContextState.ABSENT:
        out.print(f"  {_HOW_TO_MARK}", markup=False)
    for place in found.found:
        where = place.field if place.message is None else f"{place.field}[{place.message}]"
        out.print(f"  {place.format} in {where}: {place.sources} source(s)", markup=False)
    if found.sources:
        out.print(_table(found), markup=False)
    for dropped in found.dropped:
        title = excerpt(dropped.title, _EXCERPT_CHARS)
        out.print(f"left out ({dropped.reason}): {title}", markup=False)


def _table(found: FoundContext) -> Table:
    table = Table("id", "title", "file", "page", "score", "text")
    for source in found.sources:
        table.add_row(
            excerpt(source.id, _EXCERPT_CHARS),
            excerpt(source.title, _EXCERPT_CHARS),
            excerpt(source.file, _EXCERPT_CHARS),
            "" if source.page is None else str(source.page),
            "" if source.score is None else f"{source.score:.2f}",
            excerpt(source.text, _EXCERPT_CHARS),
        )
    return table
