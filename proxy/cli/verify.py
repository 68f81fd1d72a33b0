"""`guard-proxy verify FILE.json` and `guard-proxy sources FILE.json`."""

import codecs
import sys
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from guards.core.exchange import ContextState
from guards.core.finding import Severity
from guards.text.citing.assessment import Status
from policies.schema.loader import load_shipped
from policies.schema.policy import SourceRules
from policies.verification.shape import (
    CitationCheck,
    ClaimReport,
    FindingReport,
    Label,
    NotCheckable,
    Options,
    Verification,
)
from policies.verification.verifying import ChosenPolicy, UnknownGuard, Verifier, ready
from proxy.cli.policy import NAMED, NamedPolicies
from proxy.cli.settings import Directory
from proxy.cli.terminal import AsJson, excerpt, fail, out, print_json
from proxy.errors import BadRequest
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.openai_api.json_body import JsonObject, read_object
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.sources import FoundContext, SourceFormatError
from proxy.openai_api.sources.finder import find_sources
from proxy.openai_api.sse import json_bytes
from proxy.verify import read_verify_request, to_verify

_MOST_CHARS = 200
_LONGEST_LINE_CHARS = 10_000
_LABELS = {
    Label.SUPPORTED: ("✓", "green"),
    Label.PARTIAL: ("~", "yellow"),
    Label.UNSUPPORTED: ("✗", "red"),
    Label.CONTRADICTED: ("✗", "red"),
    Label.NOT_CHECKABLE: ("?", "yellow"),
}
_STATUSES = {
    Status.ACCURATE: ("✓", "green"),
    Status.INACCURATE: ("✗", "red"),
    Status.UNCERTAIN: ("?", "yellow"),
}
_REMARK = "  "
_DETAIL = "      "


def page(report: Verification) -> Iterator[Text]:
    """Yield the page's lines."""
    yield _headline(report)
    yield Text(excerpt(report.reasoning, _MOST_CHARS))
    for issue in report.issues:
        yield Text(f"- {excerpt(issue, _MOST_CHARS)}")
    yield from _claims(report)
    yield from _citations(report)
    yield from _unchecked(report)
    yield from _corrected(report)


def _headline(report: Verification) -> Text:
    confidence = "unknown"
    if report.confidence is not None:
        notes = [str(report.confidence_band), *map(str, report.confidence_caps)]
        confidence = f"{report.confidence:.2f} ({', '.join(notes)})"
    mark, style = ("✓ verified", "green") if report.verified else ("✗ not verified", "red")
    line = f"   verdict {report.verdict.value}, confidence {confidence}, policy {report.policy}"
    return Text.assemble((mark, f"bold {style}"), line)


def _claims(report: Verification) -> Iterator[Text]:
    shown = [claim for claim in report.claims if claim.check_required or claim.findings]
    if not shown:
        return
    yield _heading("claims")
    reasons = {one.claim: one for one in report.not_checkable}
    for claim in shown:
        yield from _claim(claim, report, reasons.get(claim.index))


def _claim(
    claim: ClaimReport, report: Verification, unchecked: NotCheckable | None
) -> Iterator[Text]:
    mark, style = _LABELS[claim.label]
    label = claim.label.value if unchecked is None else f"{claim.label.value}: {unchecked.reason}"
    text = excerpt(claim.text, _MOST_CHARS)
    yield Text.assemble(_REMARK, (mark, style), f" {text}  ", (f"({label})", "dim"))
    findings = [report.findings[number] for number in claim.findings]
    for finding in findings:
        yield from _finding(finding)
    if not findings and claim.citations:
        best = claim.citations[0]
        yield _quote(best.source_id, best.quote)


def _finding(finding: FindingReport) -> Iterator[Text]:
    said = f"{finding.code}: {excerpt(finding.observed, _MOST_CHARS)}"
    expected = excerpt(", ".join(finding.expected), _MOST_CHARS)
    style = "red" if finding.severity is Severity.STRONG else "yellow"
    yield Text.assemble(_DETAIL, (said, style), f" → {expected}" if expected else "")
    for evidence in finding.evidence[:1]:
        yield _quote(evidence.source_id, evidence.quote)


def _quote(source_id: str, quote: str) -> Text:
    where = excerpt(source_id, _MOST_CHARS)
    return Text(f'{_DETAIL}source {where}: "{excerpt(quote, _MOST_CHARS)}"', style="dim")


def _citations(report: Verification) -> Iterator[Text]:
    if not report.verification_log:
        return
    rate = report.accuracy_rate
    yield _heading("citations" if rate is None else f"citations ({rate:.0%} accurate)")
    for check in report.verification_log:
        yield _citation(check)


def _citation(check: CitationCheck) -> Text:
    mark, style = _STATUSES[check.status]
    page_number = "" if check.source_page is None else f", p.{check.source_page}"
    where = f"{excerpt(check.source_file, _MOST_CHARS)}{page_number}"
    number = "-" if check.citation_number is None else str(check.citation_number)
    line = f" [{number}] {where}: {check.explanation}"
    return Text.assemble(_REMARK, (mark, style), line, (f" {check.confidence:.2f}", "dim"))


def _unchecked(report: Verification) -> Iterator[Text]:
    missing = {
        name: reason
        for name, reason in report.checks.skipped.items()
        if reason not in ("off", "question_only", "no_evidence_demanded")
    }
    if missing:
        line = ", ".join(f"{name} ({reason})" for name, reason in missing.items())
        yield Text(f"\nnot run: {line}", style="dim")
    if report.degraded:
        yield Text(f"degraded: {', '.join(report.degraded)}", style="red")


def _corrected(report: Verification) -> Iterator[Text]:
    if report.corrected_answer is None:
        yield Text("\nno corrected answer: too little of this one would remain", style="dim")
        return
    if report.corrected_answer == report.original_answer:
        return
    yield _heading("corrected answer")
    for line in report.corrected_answer.splitlines():
        yield Text(f"{_REMARK}{excerpt(line, _LONGEST_LINE_CHARS)}")
    if report.removed_citations:
        yield Text(f"removed citations: {', '.join(map(str, report.removed_citations))}")
    if report.renumbered:
        pairs = ", ".join(f"{one.before} → {one.after}" for one in report.renumbered)
        yield Text(f"renumbered: {pairs}")


def _heading(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


NOT_VERIFIED = 1
DEFAULT = "default"


class CorrectionChoice(StrEnum):
    """Kinds of fixes in the corrected answer."""

    NONE = "none"
    CITATIONS = "citations"
    TRIM = "trim"


def verify(
    file: Annotated[str, typer.Argument(help="Body of a /v1/verify request as JSON; - for stdin.")],
    policy: Annotated[
        str | None, typer.Option(help=f"{NAMED} Without one, the shipped `default`.")
    ] = None,
    policies: Directory = None,
    correction: Annotated[
        CorrectionChoice | None, typer.Option(help="Instead of the body's own option.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare an answer with its sources. Exit status 0 if it is verified, 1 if not."""
    chosen = ready(NamedPolicies(policies).called(policy) if policy else load_shipped(DEFAULT))
    report = _verified(file, _read(file), chosen, correction)
    if as_json:
        print_json(report.model_dump(mode="json"))
    else:
        for line in page(report):
            out.print(line)
    raise typer.Exit(0 if report.verified else NOT_VERIFIED)


def _read(file: str) -> bytes:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    # Editors on Windows put it before a text in UTF-8.
    return raw.removeprefix(codecs.BOM_UTF8)


def _verified(
    file: str, raw: bytes, chosen: ChosenPolicy, correction: CorrectionChoice | None
) -> Verification:
    try:
        request = read_verify_request(raw)
        wanted = to_verify(request, chosen.inspector.policy.sources, chosen.intents)
        options = _with_correction(wanted.options, correction)
        return Verifier(chosen.inspector, chosen.name).verify(wanted.exchange, options).report
    except BadRequest as error:
        fail(f"{file}: {error}")
    except UnknownGuard as error:
        fail(f"{file}: options.guards: {error}")


def _with_correction(options: Options, correction: CorrectionChoice | None) -> Options:
    if correction is None:
        return options
    return options.model_copy(update={"correction": correction.value})


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
        typer.Option(help="Endpoint of the body; by default recognised by its fields."),
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
