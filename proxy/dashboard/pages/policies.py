"""`/dashboard/policies`: the policies in force, what each comes to, and what tells two apart."""

from collections.abc import Sequence

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from policies.explaining import explained
from policies.schema.loader import LoadedPolicy, load_shipped
from proxy.dashboard.addresses import ROOT
from proxy.dashboard.desk import Desk
from proxy.dashboard.policies.drafting import file_of
from proxy.dashboard.policies.settings import apart, sections
from proxy.dashboard.policies.shown import Shown, broken_lines
from proxy.dashboard.policies.sight import Sight
from proxy.services import Services

POLICIES = f"{ROOT}/policies"
_USUAL = "default"


@get(POLICIES)
async def show_policies(
    desk: NamedDependency[Desk], services: NamedDependency[Services]
) -> Response[str] | Redirect:
    """Draw the policies in force; a link from a trace leads on to a draft of its policy."""
    wanted = await _draft_for(desk, services)
    if wanted is not None:
        return Redirect(wanted, status_code=303)
    store = services.policies
    sight = Sight(desk, store)
    return desk.draw(
        "policies/list.html",
        policies=[Shown.of(loaded, store, sight) for loaded in sight.policies],
        loaded_at=store.snapshot.loaded_at,
        error=store.last_error,
        problems=broken_lines(store, sight) if desk.is_admin else [],
        folder=store.directory if desk.is_admin else None,
    )


@get(f"{POLICIES}/{{name:str}}")
async def show_policy(
    desk: NamedDependency[Desk], services: NamedDependency[Services], name: FromPath[str]
) -> Response[str]:
    """Draw what a policy comes to, and where it differs from another one."""
    store = services.policies
    sight = Sight(desk, store)
    loaded = sight.called(name)
    if loaded is None:
        raise NotFoundException
    values = sections(explained(loaded), sight)
    others = [other for other in sight.names if other != name]
    against = _against(desk, sight, others)
    return desk.draw(
        "policies/one.html",
        shown=Shown.of(loaded, store, sight),
        sections=values,
        values=sum(len(section.rows) for section in values),
        names=others,
        against=against,
        differences=apart(loaded, against, sight),
    )


async def _draft_for(desk: Desk, services: Services) -> str | None:
    """Return the address of a draft to try on the trace that the address names."""
    trace_id = desk.query.get("trace")
    if not trace_id or not desk.is_admin:
        return None
    trace = await services.traces.get(trace_id)
    if trace is None:
        return None
    for name in (trace.policy.name, _policy_of(trace.tenant, services)):
        if name and file_of(name, services.policies):
            return desk.page_of(f"{POLICIES}/{name}/draft", trace=trace_id)
    return None


def _policy_of(tenant: str, services: Services) -> str:
    loaded = services.policies.snapshot.tenants.get(tenant)
    return loaded.name if loaded else ""


def _against(desk: Desk, sight: Sight, names: Sequence[str]) -> LoadedPolicy:
    """Return the policy that the address asks for, else the one that others begin with."""
    asked = desk.query.get("against", _USUAL)
    name = next((name for name in (asked, _USUAL) if name in names), names[0])
    return sight.called(name) or load_shipped(name)
