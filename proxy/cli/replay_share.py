"""The share of requests that a policy may change, as people say it and as it turned out."""

import re
from dataclasses import dataclass
from typing import Annotated

import typer

from proxy.rejudging.totals import Totals

_SAID = re.compile(r"(\d{1,3}(?:\.\d{1,9})?|\.\d{1,9})\s?(%?)", re.ASCII)


def _share(said: str) -> float:
    read = _SAID.fullmatch(said.strip())
    if read is None:
        raise typer.BadParameter(f"{said!r} is no share; say it as in 2% or 0.02.")
    share = float(read[1]) / (100 if read[2] else 1)
    if share > 1 or (share == 1 and not read[2]):  # nobody knows whether 1 is all or 1 %
        raise typer.BadParameter(f"{said!r} is not clear; say it as in 2% or 0.02.")
    return share


Share = Annotated[
    float | None,
    typer.Option(
        parser=_share,
        metavar="SHARE",
        help="How many of the judged requests may change, as in 2% or 0.02.",
    ),
]


@dataclass(frozen=True, slots=True)
class Limit:
    """How much may change, and how much does.

    Attributes:
        most: Share of the judged requests that may change; None if any may.
        totals: What does.
    """

    most: float | None
    totals: Totals

    @property
    def is_passed(self) -> bool:
        """Whether more changes than may."""
        return self.most is not None and self.totals.share > self.most

    @property
    def is_empty(self) -> bool:
        """Whether there is a limit and nothing to hold against it."""
        return self.most is not None and self.totals.judged == 0


def percent(share: float) -> str:
    """Return a share as people read it, never as nothing if it is something."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return f"{share:.1%}".replace("%", " %")
