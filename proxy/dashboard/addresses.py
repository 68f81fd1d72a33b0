"""Where the dashboard's pages are."""

from urllib.parse import urlsplit

ROOT = "/dashboard"
LOGIN = f"{ROOT}/login"
LOGOUT = f"{ROOT}/logout"
STATIC = f"{ROOT}/static"


def is_ours(path: str) -> bool:
    """Tell whether a path is one of the dashboard's."""
    return path == ROOT or path.startswith(f"{ROOT}/")


def local_page(address: str) -> str:
    """Return an address without its host if it is one of our pages, else the first page.

    Whatever somebody puts into a link to the login, it leads nowhere but to the dashboard.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return ROOT
    path = parts.path
    if not is_ours(path) or path in (LOGIN, LOGOUT) or not address.isprintable() or "\\" in address:
        return ROOT
    return f"{path}?{parts.query}" if parts.query else path
