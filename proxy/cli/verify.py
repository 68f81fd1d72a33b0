"""`guard-proxy verify FILE.json`."""

import codecs
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from policies.schema.loader import load_shipped
from policies.verification.options import Options
from policies.verification.policies import ChosenPolicy, ready
from policies.verification.shape import Verification
from policies.verification.verifying import UnknownGuard, Verifier
from proxy.cli.output import fail, out, print_json
from proxy.cli.policy_names import NAMED, Directory, NamedPolicies
from proxy.cli.verify_page import page
from proxy.errors import BadRequest
from proxy.verify_request import read_verify_request, to_verify

NOT_VERIFIED = 1
DEFAULT = "default"


class CorrectionChoice(StrEnum):
    """What is mended in the corrected answer."""

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
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Hold an answer against its sources. Exit status 0 if it is verified, 1 if not."""
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
