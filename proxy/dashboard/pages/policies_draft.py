"""`/dashboard/policies/<name>/draft`: a policy as it could be, checked and tried, never written."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.params import FromPath

from proxy.dashboard.backstage import Backstage
from proxy.dashboard.desk import AnyRequest, Desk
from proxy.dashboard.pages.policies import POLICIES
from proxy.dashboard.policies.drafting import (
    LONGEST_CHARS,
    checked,
    file_of,
    text_of,
    tried,
    with_keys,
)
from proxy.dashboard.policies.preview import Moves, Preview
from proxy.dashboard.policies.result import Result, elsewhere_of, lines_of, problems_in
from proxy.dashboard.policies.settings import apart
from proxy.dashboard.policies.sight import Sight
from proxy.dashboard.policies.workshop import Crowded, TookTooLong, Workshop
from proxy.services import Services
from proxy.traces.query import Query
from proxy.traces.store import TraceStoreAway
from proxy.traces.trace import Trace
from proxy.verify_job import VerifyJob

MOST_FORM_BYTES = 2 * 2**20
TRACES_TO_CHOOSE = 30
TRACES_TO_TRY = 100
ON_ONE = "one"
ON_MANY = "many"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a draft is to be tried on: ``do`` is `ON_ONE`, `ON_MANY` or anything for nothing."""

    do: str
    trace: str


class Draft:
    """The draft of one policy, for the admin.

    Raises:
        NotFoundException: there is no such policy, or somebody else asks.
    """

    def __init__(self, desk: Desk, services: Services, name: str) -> None:
        path = file_of(name, services.policies) if desk.is_admin else None
        if path is None:
            raise NotFoundException
        self.desk = desk
        self.services = services
        self.name = name
        self.path: Path = path
        self.in_force = services.policies.snapshot.policies.get(name)

    @property
    def tenant(self) -> str | None:
        """The tenant whose requests it would judge; None for a policy that others extend."""
        return self.in_force.policy.tenant if self.in_force else None

    async def traces(self, most: int) -> Sequence[Trace] | None:
        """Return the newest requests that it can be tried on; None if the store is away."""
        try:
            page = await self.services.traces.page(Query(tenant=self.tenant, limit=most))
        except TraceStoreAway:
            return None
        return [trace for trace in page.traces if trace.door != VerifyJob.door]

    async def one(self, trace_id: str) -> Sequence[Trace]:
        """Return the request with an id; nothing if there is none."""
        try:
            trace = await self.services.traces.get(trace_id)
        except TraceStoreAway:
            return ()
        return (trace,) if trace else ()

    async def _choices(self, chosen: str) -> Sequence[Trace] | None:
        """Return the newest requests, and the chosen one if it is none of them."""
        newest = await self.traces(TRACES_TO_CHOOSE)
        if newest is None or not chosen or any(trace.id == chosen for trace in newest):
            return newest
        return [*await self.one(chosen), *newest]

    async def drawn(self, text: str, chosen: str, result: Result | None) -> Response[str]:
        """Return the page, or its part below the form."""
        if self.desk.is_fragment:
            return self.desk.draw("policies/draft_result.html", draft=self, result=result)
        return self.desk.draw(
            "policies/draft.html",
            draft=self,
            text=text,
            chosen=chosen,
            traces=await self._choices(chosen),
            most=TRACES_TO_TRY,
            result=result,
        )


@get(f"{POLICIES}/{{name:str}}/draft")
async def show_draft(
    desk: NamedDependency[Desk], services: NamedDependency[Services], name: FromPath[str]
) -> Response[str]:
    """Draw a policy's file, to be changed here and nowhere else."""
    draft = Draft(desk, services, name)
    try:
        text = await asyncio.to_thread(text_of, draft.path)
    except OSError as error:
        raise NotFoundException from error
    return await draft.drawn(text, desk.query.get("trace", ""), None)


@post(f"{POLICIES}/{{name:str}}/draft", request_max_body_size=MOST_FORM_BYTES, status_code=200)
async def try_draft(
    request: AnyRequest,
    desk: NamedDependency[Desk],
    services: NamedDependency[Services],
    shared: NamedDependency[Backstage],
    name: FromPath[str],
) -> Response[str]:
    """Check a draft, and try it on one request or on many."""
    draft = Draft(desk, services, name)
    try:
        form = await request.form()
    except RequestEntityTooLarge:
        return await draft.drawn("", "", Result(is_too_long=True))
    text = str(form.get("text", "")).replace("\r\n", "\n")
    chosen = str(form.get("trace", ""))
    if len(text) > LONGEST_CHARS:
        return await draft.drawn(text, chosen, Result(is_too_long=True))
    try:
        result = await _checked(draft, shared.workshop, text)
        if result.draft is not None:
            wanted = Wanted(str(form.get("do", "")), chosen)
            result = await _tried(draft, shared.workshop, result, wanted)
    except TookTooLong:
        result = Result(took_too_long=True)
    except Crowded:
        result = Result(is_crowded=True)
    return await draft.drawn(text, chosen, result)


async def _checked(draft: Draft, workshop: Workshop, text: str) -> Result:
    """Read a draft, and say what is wrong or odd, and what it changes."""
    found = await checked(workshop, with_keys(text, draft.path), draft.path)
    problems, file = problems_in(found), str(draft.path.with_suffix(".yaml"))
    in_force = draft.in_force
    sight = Sight(draft.desk, draft.services.policies)
    return Result(
        checked=found,
        in_force=in_force,
        changes=apart(in_force, found.loaded, sight) if in_force and found.loaded else (),
        lines=lines_of(text, problems, file),
        elsewhere=elsewhere_of(text, problems, file),
    )


async def _tried(draft: Draft, workshop: Workshop, result: Result, wanted: Wanted) -> Result:
    """Try a draft that can be used on what is wanted."""
    if result.draft is None or wanted.do not in (ON_ONE, ON_MANY):
        return result
    traces = (
        await draft.traces(TRACES_TO_TRY) if wanted.do == ON_MANY else await draft.one(wanted.trace)
    )
    if not traces:
        return replace(result, no_trace=True)
    done = await tried(workshop, result.draft, traces)
    if wanted.do == ON_MANY:
        return replace(result, moves=Moves.of(done))
    return replace(result, preview=Preview(*done.pairs[0]))
