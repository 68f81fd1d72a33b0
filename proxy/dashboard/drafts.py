"""`/dashboard/policies/<name>/draft`: a policy as it could be, checked and tried, never written."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.params import FromPath

from guards.core.finding import Finding
from policies.schema.errors import Problem
from policies.schema.loader import LoadedPolicy
from proxy.dashboard.draft_trials import (
    LONGEST_CHARS,
    Checked,
    Crowded,
    DraftProcess,
    TookTooLong,
    Tried,
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
from proxy.traces.trace import Replayed, Trace
from proxy.views import msgid
from proxy.views.words import NOT_REPLAYED, UNKNOWN, action_word, code_word

_NOT_KNOWN = msgid("Not known")


@dataclass(frozen=True, slots=True)
class PreviewFinding:
    """A finding.

    Attributes:
        attempt: Number of the attempt whose answer it is about; 0 for the question.
        finding: The finding.
    """

    attempt: int
    finding: Finding

    @property
    def title(self) -> str:
        """What it says, to be translated."""
        return code_word(self.finding.code)


@dataclass(frozen=True, slots=True)
class Preview:
    """One request under a draft.

    Attributes:
        trace: The request as it was served.
        tried: What the draft would have made of it.
    """

    trace: Trace
    tried: Replayed

    @property
    def not_tried(self) -> str:
        """Why it cannot be tried, to be translated; empty if it can."""
        return NOT_REPLAYED[self.tried.not_run] if self.tried.not_run else ""

    @property
    def not_known(self) -> str:
        """Why nobody knows what would leave, to be translated; empty if it is known."""
        return UNKNOWN[self.tried.unknown] if self.tried.unknown else ""

    @property
    def word(self) -> str:
        """What the draft would do, in a word to be translated."""
        return word_of(self.tried.action_name)

    @property
    def changes_action(self) -> bool:
        """Whether the draft would do something else."""
        return self.tried.action_name != self.trace.action_name

    @property
    def comes(self) -> list[PreviewFinding]:
        """Findings that only the draft has."""
        known = {_key(seen) for seen in _recorded(self.trace)}
        return [seen for seen in _found(self.tried) if _key(seen) not in known]

    @property
    def goes(self) -> list[PreviewFinding]:
        """Findings that the draft does not have."""
        known = {_key(seen) for seen in _found(self.tried)}
        return [seen for seen in _recorded(self.trace) if _key(seen) not in known]


@dataclass(frozen=True, slots=True)
class Move:
    """Requests of which the same was made, and of which a draft would make the same.

    Attributes:
        before: The action.
        after: What it would be.
        count: How many there are.
        example: Id of the newest.
    """

    before: str
    after: str
    count: int
    example: str

    @property
    def changes(self) -> bool:
        """Whether the draft would do something else."""
        return self.before != self.after

    @property
    def after_word(self) -> str:
        """What the draft would do, in a word to be translated."""
        return word_of(self.after)


@dataclass(frozen=True, slots=True)
class Moves:
    """Many requests under a draft.

    Attributes:
        moves: What changes first, then the most frequent.
        untried: How many could not be tried, by why, to be translated.
        left_out: For how many there was no time.
    """

    moves: Sequence[Move]
    untried: Sequence[tuple[str, int]]
    left_out: int

    @classmethod
    def of(cls, tried: Tried) -> "Moves":
        """Count what changes."""
        counts: Counter[tuple[str, str]] = Counter()
        examples: dict[tuple[str, str], str] = {}
        untried: Counter[str] = Counter()
        for trace, judged in tried.pairs:
            if judged.not_run is not None:
                untried[NOT_REPLAYED[judged.not_run]] += 1
                continue
            pair = trace.action_name, judged.action_name
            counts[pair] += 1
            examples.setdefault(pair, trace.id)
        moves = [Move(*pair, count, examples[pair]) for pair, count in counts.items()]
        moves.sort(key=lambda move: (not move.changes, -move.count))
        return cls(moves, untried.most_common(), tried.left_out)

    @property
    def judged(self) -> int:
        """How many were tried."""
        return sum(move.count for move in self.moves)

    @property
    def changed(self) -> int:
        """Of how many the draft would make something else."""
        return sum(move.count for move in self.moves if move.changes)


def word_of(action_name: str) -> str:
    """Return the word for an action, or that it is not known, to be translated."""
    return _NOT_KNOWN if action_name == "unknown" else action_word(action_name)


def _recorded(trace: Trace) -> list[PreviewFinding]:
    about_question = [PreviewFinding(0, finding) for finding in trace.findings]
    return about_question + [
        PreviewFinding(number, finding)
        for number, attempt in enumerate(trace.attempts, start=1)
        for choice in attempt.choices
        for finding in choice.findings
    ]


def _found(tried: Replayed) -> list[PreviewFinding]:
    return [
        PreviewFinding(one.attempt, finding) for one in tried.choices for finding in one.findings
    ]


def _key(seen: PreviewFinding) -> tuple[object, ...]:
    finding = seen.finding
    return seen.attempt, finding.code, finding.part, finding.span.start, finding.span.end


_AROUND_LINES = 1


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a draft.

    Attributes:
        number: From 1.
        text: The line.
        said: What there is to say about it, each with the key that it is about.
        follows_gap: Lines before it are left out.
    """

    number: int
    text: str
    said: Sequence[tuple[str, str]]
    follows_gap: bool


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Something to say that is about no line of the draft."""

    place: str
    key: str
    said: str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a draft.

    Attributes:
        checked: The draft as it was read; None if it could not be.
        in_force: The policy of this name that is in force; None if there is none.
        changes: Where the draft differs from it.
        lines: Lines that there is something to say about, with those around them.
        elsewhere: What is about no line.
        preview: The draft tried on one request.
        moves: The draft tried on many.
        is_too_long: It is longer than what is read here.
        took_too_long: Reading or trying it took too long.
        is_crowded: Others are read or tried, and several wait already.
        no_trace: There was no such request, or none at all.
    """

    checked: Checked | None = None
    in_force: LoadedPolicy | None = None
    changes: Sequence[SettingDifference] = ()
    lines: Sequence[Line] = ()
    elsewhere: Sequence[Elsewhere] = ()
    preview: Preview | None = None
    moves: Moves | None = None
    is_too_long: bool = False
    took_too_long: bool = False
    is_crowded: bool = False
    no_trace: bool = False

    @property
    def draft(self) -> LoadedPolicy | None:
        """The policy that the draft stands for; None if it cannot be used."""
        return self.checked.loaded if self.checked else None


def problems_in(checked: Checked) -> tuple[Problem, ...]:
    """Return what is wrong with a draft, or what is odd about one that can be used."""
    return checked.loaded.warnings if checked.loaded else checked.problems


def lines_of(text: str, problems: Iterable[Problem], file: str) -> list[Line]:
    """Return the lines of a draft that problems are about, each with those around it.

    Args:
        text: The draft.
        problems: What there is to say.
        file: What problems call the draft.
    """
    lines = text.split("\n")
    said: dict[int, list[tuple[str, str]]] = {}
    for problem in problems:
        if problem.place.file == file and 1 <= problem.place.line <= len(lines):
            told = (problem.key, without_folders(problem.message))
            said.setdefault(problem.place.line, []).append(told)
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


def elsewhere_of(text: str, problems: Iterable[Problem], file: str) -> list[Elsewhere]:
    """Return what there is to say that is about no line of a draft."""
    last = text.count("\n") + 1
    return [
        Elsewhere(_place(problem), problem.key, without_folders(problem.message))
        for problem in problems
        if problem.place.file != file or not 1 <= problem.place.line <= last
    ]


def _place(problem: Problem) -> str:
    name, line = PurePath(problem.place.file).name, problem.place.line
    return f"{name}:{line}" if line else name


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

    async def traces(self, most: int) -> Sequence[Trace] | None:
        """Return the newest requests that it can be tried on; None if the store is away."""
        try:
            page = await self.services.traces.page(Query(tenant=self.tenant, limit=most))
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
        return await draft.drawn("", "", Result(is_too_long=True))
    text = str(form.get("text", "")).replace("\r\n", "\n")
    chosen = str(form.get("trace", ""))
    if len(text) > LONGEST_CHARS:
        return await draft.drawn(text, chosen, Result(is_too_long=True))
    try:
        result = await _checked(draft, draft_process, text)
        if result.draft is not None:
            wanted = Wanted(str(form.get("do", "")), chosen)
            result = await _tried(draft, draft_process, result, wanted)
    except TookTooLong:
        result = Result(took_too_long=True)
    except Crowded:
        result = Result(is_crowded=True)
    return await draft.drawn(text, chosen, result)


async def _checked(draft: Draft, draft_process: DraftProcess, text: str) -> Result:
    """Read a draft, and say what is wrong or odd, and what it changes."""
    found = await checked(draft_process, with_keys(text, draft.path), draft.path)
    problems, file = problems_in(found), str(draft.path.with_suffix(".yaml"))
    in_force = draft.in_force
    visibility = Visibility(draft.visit, draft.services.policies)
    return Result(
        checked=found,
        in_force=in_force,
        changes=differences_between(in_force, found.loaded, visibility)
        if in_force and found.loaded
        else (),
        lines=lines_of(text, problems, file),
        elsewhere=elsewhere_of(text, problems, file),
    )


async def _tried(
    draft: Draft, draft_process: DraftProcess, result: Result, wanted: Wanted
) -> Result:
    """Try a draft that can be used on what is wanted."""
    if result.draft is None or wanted.do not in (ON_ONE, ON_MANY):
        return result
    traces = (
        await draft.traces(TRACES_TO_TRY) if wanted.do == ON_MANY else await draft.one(wanted.trace)
    )
    if not traces:
        return replace(result, no_trace=True)
    done = await tried(draft_process, result.draft, traces)
    if wanted.do == ON_MANY:
        return replace(result, moves=Moves.of(done))
    return replace(result, preview=Preview(*done.pairs[0]))
