"""`guard-proxy health`: what a container's health check calls, so that it needs no curl."""

import http.client
from typing import Annotated, NoReturn

import typer

READY = 200
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what is listened on, not listening
_SHOWN_CHARS = 200


def health(
    host: Annotated[
        str, typer.Option(envvar="GUARD_PROXY_HOST", help="Address that is listened on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(envvar="GUARD_PROXY_PORT", min=1, max=65535, help="Its port.")
    ] = 8080,
    timeout_s: Annotated[
        float, typer.Option(min=0.1, help="How long the answer may take, in seconds.")
    ] = 3.0,
) -> None:
    """Ask the service on this machine whether it is ready. Exit status 0 if it is, 1 if not."""
    # The settings' own class is not read: it costs more than the question, and is asked for a
    # container every few seconds. A service that is up has shown that they are good.
    asked = _LOOPBACK.get(host, host)
    connection = http.client.HTTPConnection(asked, port, timeout=timeout_s)
    try:
        connection.request("GET", "/readyz")
        reply = connection.getresponse()
        status, said = reply.status, reply.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        _not_ready(f"{asked}:{port}: {error}")
    finally:
        connection.close()
    if status != READY:
        _not_ready(f"{status}: {said[:_SHOWN_CHARS]}")
    typer.echo("ready")


def _not_ready(why: str) -> NoReturn:
    typer.echo(f"not ready: {why}", err=True)
    raise typer.Exit(1)
