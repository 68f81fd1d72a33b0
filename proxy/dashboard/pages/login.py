"""`/dashboard/login` and `/dashboard/logout`."""

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.response import Redirect

from proxy.dashboard.addresses import LOGIN, LOGOUT, ROOT, local_page
from proxy.dashboard.backstage import Backstage
from proxy.dashboard.desk import AnyRequest, Desk, is_https
from proxy.dashboard.languages import msgid
from proxy.dashboard.signing_in import ended_cookie, session_cookie, session_token
from proxy.errors import TooManyWrongKeys
from proxy.readers import recognised
from proxy.services import Services

MOST_FORM_BYTES = 8 * 2**10
_WRONG = msgid("This key is not known here. Please check that it was copied whole.")
_TOO_OFTEN = msgid("Too many wrong keys. Please try again in a minute.")


@get(LOGIN)
async def show_login(desk: NamedDependency[Desk]) -> Response[str]:
    """Ask for a key."""
    return _form(desk, local_page(desk.query.get("next", "")))


@post(LOGIN, request_max_body_size=MOST_FORM_BYTES)
async def sign_in(
    request: AnyRequest,
    desk: NamedDependency[Desk],
    services: NamedDependency[Services],
    shared: NamedDependency[Backstage],
) -> Response[str] | Redirect:
    """Open a session for whoever gives a key that may read traces."""
    form = await request.form()
    key, wanted = str(form.get("key", "")).strip(), local_page(str(form.get("next", "")))
    address = request.client.host if request.client else ""
    try:
        viewer = await recognised(key, address, services)
    except TooManyWrongKeys as error:
        page = _form(desk, wanted, status_code=error.status, problem=_TOO_OFTEN)
        page.headers.update(error.headers)
        return page
    token = await shared.sessions.begin(key) if viewer else None
    if token is None:
        return _form(desk, wanted, status_code=401, problem=_WRONG)
    await _end(request, shared)
    cookie = session_cookie(token, https=is_https(request, services))
    return Redirect(wanted, status_code=303, cookies=[cookie])


@post(LOGOUT, request_max_body_size=MOST_FORM_BYTES)
async def sign_out(
    request: AnyRequest,
    services: NamedDependency[Services],
    shared: NamedDependency[Backstage],
) -> Redirect:
    """End the session."""
    await _end(request, shared)
    cookie = ended_cookie(https=is_https(request, services))
    return Redirect(LOGIN, status_code=303, cookies=[cookie])


async def _end(request: AnyRequest, shared: Backstage) -> None:
    """End the session that a request brings, if it brings one."""
    token = session_token(request)
    if token:
        await shared.sessions.end(token)


def _form(
    desk: Desk, wanted: str, *, status_code: int = 200, problem: str | None = None
) -> Response[str]:
    shown = None if wanted == ROOT else wanted
    return desk.draw("login.html", status_code=status_code, wanted=shown, problem=problem)
