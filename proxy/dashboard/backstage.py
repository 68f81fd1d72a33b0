"""What all pages share, built once with the web app."""

from dataclasses import dataclass

from litestar import Litestar
from litestar.types import Scope

from proxy.dashboard.assets import Assets
from proxy.dashboard.drawing import Drawing
from proxy.dashboard.playground.room import Room
from proxy.dashboard.policies.workshop import Workshop
from proxy.dashboard.sessions import Sessions


@dataclass(frozen=True)
class Backstage:
    """Everything behind the pages."""

    assets: Assets
    drawing: Drawing
    sessions: Sessions
    room: Room
    workshop: Workshop


def backstage(scope: Scope) -> Backstage:
    """Return what the pages of a connection's app share."""
    found: Backstage = Litestar.from_scope(scope).state.dashboard
    return found
