"""`guard-proxy health`: what a container's health check calls, so that it needs no curl."""

import http.client
import json
from typing import Annotated, NoReturn

import typer

READY = 200
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what is listened on, not listening


def health(
    host: Annotated[
        str, typer.Option(envvar="GUARD_PROXY_HOST", help="Address that the service listens on.")
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
        said = _read(reply.read())
    except (OSError, http.client.HTTPException) as error:
        _not_ready(f"{asked}:{port}: {error}")
    finally:
        connection.close()
    if reply.status != READY:
        _not_ready(_reason(said) or f"{reply.status} {reply.reason}".rstrip())
    typer.echo(f"ready{_staleness(said)}")


def _reason(said: object) -> str:
    return _line(_member(said, "status") or _member(_member(said, "error"), "message"))


def _staleness(said: object) -> str:
    policies = _member(said, "policies")
    errors = _member(policies, "errors")
    if not _member(policies, "stale") or not isinstance(errors, list) or not errors:
        return ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f", policies are stale: {_line(errors[0])}{more}"


def _read(body: bytes) -> object:
    try:
        said: object = json.loads(body)
    except ValueError:
        return None
    return said


def _member(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None


def _line(said: object) -> str:
    return " ".join(said.split()) if isinstance(said, str) else ""


def _not_ready(why: str) -> NoReturn:
    typer.echo(f"not ready: {_line(why)}", err=True)
    raise typer.Exit(1)
