"""`guard-proxy golden export`: labelled requests as a golden set."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from proxy.cli.eval import must_be_writable, write_file
from proxy.cli.output import err, fail
from proxy.cli.traces import LabelOption, SinceOption, TenantOption, UntilOption, with_store
from proxy.golden.export import Exported, exported
from proxy.traces.query import Query
from proxy.traces.store import TraceStore, walk
from proxy.traces.trace import ANY_LABEL, Trace

golden = typer.Typer(help="Golden sets.", no_args_is_help=True)


@golden.callback()
def _golden() -> None:
    """Golden sets."""


@golden.command()
def export(
    tenant: TenantOption = None,
    label: LabelOption = ANY_LABEL,
    since: SinceOption = None,
    until: UntilOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the set here, as JSON.")
    ] = None,
) -> None:
    """Write labelled requests as a golden set, which `eval` and `replay` run.

    A false alarm becomes a case that has to pass, a missed error one that must not get through, and
    what was right has to stay. Words are those of the traces, masked as the policy says.
    """
    if output is not None:
        if output.suffix.lower() != ".json":
            fail(f"{output}: the set is written as JSON; give the file a name that ends in .json.")
        must_be_writable(output)
    query = Query(tenant=tenant, label=label, since=since, until=until)

    async def read(store: TraceStore) -> list[Trace]:
        return [trace async for trace in walk(store, query)]

    found = exported(with_store(read))
    _tell(found)
    if not found.cases:
        fail("There is nothing to export: no labelled request can become a case.")
    about = f"Labelled requests{f' of {tenant}' if tenant else ''}, exported {_today()}."
    text = json.dumps({"about": about, "cases": found.cases}, ensure_ascii=False, indent=2) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_file(output, text.encode())


def _tell(found: Exported) -> None:
    err.print(f"{len(found.cases)} cases", markup=False)
    for reason, many in found.left_out.most_common():
        err.print(f"{many} left out: {reason}", markup=False)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
