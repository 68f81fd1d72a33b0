"""`/dashboard/static/…`: scripts, styles and pictures."""

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from proxy.dashboard.addresses import STATIC
from proxy.dashboard.backstage import Backstage

_FOR_GOOD = "public, max-age=31536000, immutable"


@get(f"{STATIC}/{{version:str}}/{{name:path}}", sync_to_thread=False)
def show_asset(
    shared: NamedDependency[Backstage], version: FromPath[str], name: FromPath[str]
) -> Response[bytes]:
    """Return a file; for good only if it is the one that the address means."""
    asset = shared.assets.get(name.removeprefix("/"))
    if asset is None:
        raise NotFoundException
    # During an upgrade an older or newer page may ask for what this process has in its own version.
    keep = _FOR_GOOD if version == shared.assets.version else "no-store"
    return Response(asset.content, media_type=asset.media_type, headers={"cache-control": keep})
