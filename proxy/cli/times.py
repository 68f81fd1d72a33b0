"""Options that say when: so long ago, or a date with or without a time."""

from datetime import datetime
from typing import Annotated

import typer

from proxy.traces.query import UnknownMoment, moment

_SAID = "as in 90m, 24h, 7d, 2026-11-22 or 2026-11-22T09:00"


def _moment(said: str) -> datetime:
    try:
        return moment(said, datetime.now().astimezone())
    except UnknownMoment as unknown:
        raise typer.BadParameter(f"{unknown}.") from None


Since = Annotated[
    datetime | None,
    typer.Option(parser=_moment, metavar="TIME", help=f"Of requests since then only, {_SAID}."),
]
Until = Annotated[
    datetime | None,
    typer.Option(parser=_moment, metavar="TIME", help="Of requests before that time only."),
]


def shown(time: datetime) -> str:
    """Return a time as people here read it, which is also how they may say it."""
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S}"
