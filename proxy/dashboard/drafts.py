"""`/dashboard/policies/<name>/draft`: checks and tries a draft of a policy; never saves it."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.params import FromPath

from policies.schema.base import Problem
from policies.schema.loader import LoadedPolicy
from proxy.dashboard.draft_trials import (
    LONGEST_CHARS,
    Crowded,
    DraftProcess,
    LabelledMoves,
    Moves,
    Preview,
    TookTooLong,
    checked,
    file_of,
    text_of,
    tried,
    with_keys,
)
from proxy.dashboard.page import AnyRequest, PageVisit
from proxy.dashboard.policies import (
    POLICIES,
    SettingDifference,
    Visibility,
    differences_between,
    without_folders,
)
from proxy.replay.judging import WITHOUT_MODEL
from proxy.services import Services
from proxy.traces.query import Query
from proxy.traces.store import TraceStoreAway
from proxy.traces.trace import ANY_LABEL, Trace

_AROUND_LINES = 1


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a draft.

    Attributes:
        said: What there is to say about it, each with the key that it is about.
        follows_gap: Lines before it are left out.
    """

    number: int
    text: str
    said: Sequence[tuple[str, str]]
    follows_gap: bool


@dataclass(frozen=True, slots=True)
class Result:
    """Result of checking or trying a draft.

    Attributes:
        policy: The policy that the draft stands for; None if it cannot be used.
        changes: Where the draft differs from the policy in force.
        lines: Lines that there is something to say about, with those around them.
        elsewhere: What is about no line.
        preview: The draft tried on one request.
        moves: The draft tried on many.
        labelled: The draft tried on those that are labelled.
        failure: Why it was not read, ``too_long``, ``took_too_long`` or ``crowded``, or not tried,
            ``no_trace`` or ``no_label``; empty otherwise.
    """

    policy: LoadedPolicy | None = None
    changes: Sequence[SettingDifference] = ()
    lines: Sequence[Line] = ()
    elsewhere: Sequence[Problem] = ()
    preview: Preview | None = None
    moves: Moves | None = None
    labelled: LabelledMoves | None = None
    failure: str = ""


def lines_of(text: str, problems: Iterable[Problem]) -> list[Line]:
    """Return the lines of a draft that problems are about, each with those around it."""
    lines = text.split("\n")
    said: dict[int, list[tuple[str, str]]] = {}
    for problem in problems:
        about = (problem.key, without_folders(problem.message))
        said.setdefault(problem.place.line, []).append(about)
    wanted = {
        near
        for number in said
        for near in range(number - _AROUND_LINES, number + _AROUND_LINES + 1)
        if 1 <= near <= len(lines)
    }
    return [
        Line(number, lines[number - 1], said.get(number, ()), number - 1 not in wanted)
        for number in sorted(wanted)
    ]


MOST_FORM_BYTES = 2 * 2**20
TRACES_TO_CHOOSE = 30
TRACES_TO_TRY = 100
ON_ONE = "one"
ON_MANY = "many"
ON_LABELLED = "labelled"


class Draft:
    """The draft of one policy, for the admin.

    Raises:
        NotFoundException: there is no such policy, or somebody else asks.
    """

    def __init__(self, visit: PageVisit, services: Services, name: str) -> None:
        path = file_of(name, services.policies) if visit.is_admin else None
        if path is None:
            raise NotFoundException
        self.visit = visit
        self.services = services
        self.name = name
        self.path: Path = path
        self.in_force = services.policies.snapshot.policies.get(name)

    @property
    def tenant(self) -> str | None:
        """The tenant whose requests it would judge; None for a policy that others extend."""
        return self.in_force.policy.tenant if self.in_force else None

    async def traces(self, most: int, label: str | None = None) -> Sequence[Trace] | None:
        """Return the newest requests that it can be tried on; None if the store is away.

        Args:
            most: At most so many.
            label: With this label only, one of `LABEL_FILTERS`.
        """
        query = Query(tenant=self.tenant, label=label, limit=most)
        try:
            page = await self.services.traces.page(query)
        except TraceStoreAway:
            return None
        return [trace for trace in page.traces if trace.door not in WITHOUT_MODEL]

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
        if self.visit.is_fragment:
            return self.visit.draw("policies/draft_result.html", draft=self, result=result)
        return self.visit.draw(
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
    visit: NamedDependency[PageVisit], services: NamedDependency[Services], name: FromPath[str]
) -> Response[str]:
    """Draw a policy's file, to be changed here and nowhere else."""
    draft = Draft(visit, services, name)
    try:
        text = await asyncio.to_thread(text_of, draft.path)
    except OSError as error:
        raise NotFoundException from error
    return await draft.drawn(text, visit.query.get("trace", ""), None)


@post(f"{POLICIES}/{{name:str}}/draft", request_max_body_size=MOST_FORM_BYTES, status_code=200)
async def try_draft(
    request: AnyRequest,
    visit: NamedDependency[PageVisit],
    services: NamedDependency[Services],
    draft_process: NamedDependency[DraftProcess],
    name: FromPath[str],
) -> Response[str]:
    """Check a draft, and try it on one request or on many."""
    draft = Draft(visit, services, name)
    try:
        form = await request.form()
    except RequestEntityTooLarge:
        return await draft.drawn("", "", Result(failure="too_long"))
    text = str(form.get("text", "")).replace("\r\n", "\n")
    chosen = str(form.get("trace", ""))
    if len(text) > LONGEST_CHARS:
        return await draft.drawn(text, chosen, Result(failure="too_long"))
    try:
        result = await _draft_checked(draft, draft_process, text)
        if result.policy is not None:
            result = await _tried(draft, draft_process, result, str(form.get("do", "")), chosen)
    except TookTooLong:
        result = Result(failure="took_too_long")
    except Crowded:
        result = Result(failure="crowded")
    return await draft.drawn(text, chosen, result)


async def _draft_checked(draft: Draft, draft_process: DraftProcess, text: str) -> Result:
    """Read a draft, and say what is wrong or odd, and what it changes."""
    found = await checked(draft_process, with_keys(text, draft.path), draft.path)
    file, last = str(draft.path.with_suffix(".yaml")), text.count("\n") + 1
    own = {one for one in found.problems if one.place.file == file and 1 <= one.place.line <= last}
    visibility = Visibility(draft.visit, draft.services.policies)
    return Result(
        policy=found.loaded,
        changes=differences_between(draft.in_force, found.loaded, visibility)
        if draft.in_force and found.loaded
        else (),
        lines=lines_of(text, (one for one in found.problems if one in own)),
        elsewhere=[visibility.problem(one) for one in found.problems if one not in own],
    )


async def _tried(
    draft: Draft, draft_process: DraftProcess, result: Result, do: str, chosen: str
) -> Result:
    """Try a draft that can be used on one request, on many, or on labelled ones, if it is asked."""
    if result.policy is None or do not in (ON_ONE, ON_MANY, ON_LABELLED):
        return result
    traces: Sequence[Trace] | None
    if do == ON_ONE:
        traces = await draft.one(chosen)
    else:
        traces = await draft.traces(TRACES_TO_TRY, ANY_LABEL if do == ON_LABELLED else None)
    if not traces:
        no_label = do == ON_LABELLED and traces is not None
        return replace(result, failure="no_label" if no_label else "no_trace")
    done = await tried(draft_process, result.policy, traces)
    if do == ON_MANY:
        return replace(result, moves=Moves.of(done))
    if do == ON_LABELLED:
        return replace(result, labelled=LabelledMoves.of(done))
    return replace(result, preview=Preview(*done.pairs[0]))
