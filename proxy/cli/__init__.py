"""The command line: `guard-proxy`. Exit status 0 for yes, 1 for no, 2 for input that is wrong."""

import typer

from proxy.cli.demo import demo
from proxy.cli.keys import keys
from proxy.cli.policy import policy
from proxy.cli.serve import serve
from proxy.cli.sources import sources
from proxy.cli.traces import traces
from proxy.cli.verify import verify

app = typer.Typer(
    name="guard-proxy",
    help="An OpenAI-compatible reverse proxy that lets only answerable, cited, Korean and "
    "grounded answers out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(serve)
app.command()(demo)
app.command()(sources)
app.command()(verify)
app.add_typer(policy, name="policy")
app.add_typer(keys, name="keys")
app.add_typer(traces, name="traces")


def main() -> None:
    """Run the command line."""
    app()
