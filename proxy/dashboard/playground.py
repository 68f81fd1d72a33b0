"""`/dashboard/playground`: ask a model or check an answer, and see what the guards say."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from uuid import uuid4

from litestar import Response, get, post
from litestar.datastructures import FormMultiDict
from litestar.di import NamedDependency
from litestar.exceptions import InternalServerException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge

from guards.text.citing.assessment import Status
from policies.schema.policy import Action
from policies.verdict import NOT_WANTED, Band, Cap, GuardOutcome
from policies.verification.shape import ClaimReport, FindingReport, Label, Options, Verification
from proxy.dashboard.access import ROOT
from proxy.dashboard.page import AnyRequest, PageVisit
from proxy.dashboard.playground_form import (
    EXAMPLES,
    NO_ROOM,
    NO_TENANT,
    NOBODYS_KEY,
    NOT_KEPT,
    TOO_LARGE,
    CannotTry,
    Problem,
    TrialForm,
    Way,
    chat_body,
    filled_in,
    from_trace,
    limit_reached,
    problem_of,
    verify_body,
)
from proxy.errors import TooManyRequests, UnknownTrace
from proxy.jobs import Job, ModelJob
from proxy.limits.limiter import Visit
from proxy.openai_api.chat import ChatEndpoint
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import json_bytes
from proxy.replay.judging import exchange_of
from proxy.server.asgi_reply import HttpReply
from proxy.services import Services
from proxy.tenants import Tenant
from proxy.traces.query import Query
from proxy.traces.store import TraceStoreAway
from proxy.traces.trace import Delivery, GuardRun, Step, Trace, changes
from proxy.verify import VerifyJob, verified
from proxy.views import msgid
from proxy.views.findings import Stretch, changed
from proxy.views.trace import STEP_WORDS, split_step
from proxy.views.words import OUTCOMES, VERIFICATIONS, guard_word, reason_word


@dataclass(frozen=True, slots=True)
class Assessment:
    """Assessment of a claim or a check.

    Attributes:
        sign: Tells it apart without colours.
    """

    sign: str
    word: str
    tone: str


ACCURATE = Assessment("✓", msgid("Accurate"), "good")
INACCURATE = Assessment("✗", msgid("Inaccurate"), "bad")
UNCERTAIN = Assessment("?", msgid("Uncertain"), "warn")
NO_CLAIM = Assessment("–", msgid("No claim"), "calm")

CITATIONS: Mapping[Status, Assessment] = {
    Status.ACCURATE: ACCURATE,
    Status.INACCURATE: INACCURATE,
    Status.UNCERTAIN: UNCERTAIN,
}
_CLAIMS: Mapping[Label, Assessment] = {
    Label.SUPPORTED: ACCURATE,
    Label.PARTIAL: UNCERTAIN,
    Label.UNSUPPORTED: INACCURATE,
    Label.CONTRADICTED: INACCURATE,
    Label.NOT_CHECKABLE: UNCERTAIN,
}
BANDS: Mapping[Band, str] = {
    Band.HIGH: msgid("high"),
    Band.MEDIUM: msgid("medium"),
    Band.LOW: msgid("low"),
}
CAPS: Mapping[Cap, str] = {
    Cap.CONTRADICTION: msgid("lowered: something contradicts a source"),
    Cap.CRITICAL: msgid("lowered: a figure, provision, contact or route is in no source"),
    Cap.OBJECTION: msgid("lowered: the judge says that a source contradicts it"),
    Cap.DEGRADED_JUDGE: msgid("lowered: the judge gave no usable opinion"),
}
UNCHECKED: Mapping[str, str] = {
    "no_sources": msgid("there are no sources to compare it with"),
    "no_answer": msgid("there is no answer"),
    "no_claims": msgid("the answer claims nothing that could be checked"),
    "too_short": msgid("the sentence is too short to compare"),
    "not_looked_at": msgid("no guard that compares such sentences ran"),
}


def assessment_of(claim: ClaimReport) -> Assessment:
    """Return how a sentence stands."""
    return _CLAIMS[claim.label] if claim.check_required else NO_CLAIM


_INSPECTION = "inspect_"
_BEFORE_MODEL = "inspect_question"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log.

    Attributes:
        name: A step or a guard, to be translated.
        attempt: Number of the attempt that a step belongs to; empty if to none.
        guard: Id of the guard; empty for a step.
        word: Outcome of a guard's run, to be translated; empty for a step.
        note: Why a guard did not run, to be translated; empty if it did.
        started_ms: From the beginning of the request; None for a guard, whose beginning nobody
            notes.
        duration_ms: Time taken; None for a guard that did not run.
    """

    name: str
    attempt: str = ""
    guard: str = ""
    word: str = ""
    tone: str = "calm"
    note: str = ""
    started_ms: float | None = None
    duration_ms: float | None = None


def log_of(trace: Trace) -> list[Entry]:
    """Return the steps in order, each inspection with its guards' runs behind it."""
    steps = sorted(trace.steps, key=lambda step: step.started_ms)
    return [entry for step in steps for entry in _entries(step, trace)]


def _entries(step: Step, trace: Trace) -> Iterator[Entry]:
    name, attempt = split_step(step.name)
    yield Entry(
        name=STEP_WORDS.get(name, step.name),
        attempt=attempt,
        started_ms=step.started_ms,
        duration_ms=step.duration_ms,
    )
    if name.startswith(_INSPECTION):
        number_of_attempt = 0 if name == _BEFORE_MODEL else int(attempt or 1)
        yield from (_run(run) for run in trace.guards if run.attempt == number_of_attempt)


def _run(run: GuardRun) -> Entry:
    word, tone = OUTCOMES[run.outcome]
    ran = run.outcome is not GuardOutcome.NOT_RUN
    return Entry(
        name=guard_word(run.guard),
        guard=run.guard,
        word=word,
        tone=tone,
        note=reason_word(run.reason),
        duration_ms=run.duration_ms if ran else None,
    )


# A check that nobody wanted is not one that is missing.
_AS_WANTED = NOT_WANTED | {"off", "question_only", "not_configured"}


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """One sentence of the original answer.

    Attributes:
        why_unchecked: Why nobody looked, to be translated; empty if somebody did.
        rests_on: Number of the source that holds most of it; None if none does.
    """

    claim: ClaimReport
    stand: Assessment
    findings: Sequence[FindingReport]
    why_unchecked: str
    rests_on: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Reply to a try.

    Attributes:
        body: What an app would have got, JSON.
        report: The verification of the original answer; None if none was wanted or there was no
            answer.
    """

    way: Way
    trace: Trace
    body: bytes
    report: Verification | None

    @property
    def is_check(self) -> bool:
        """True if a pasted answer was checked without a model."""
        return self.way is Way.CHECK

    @property
    def left(self) -> str | None:
        """The text sent, or the corrected answer; None if too little of it would remain."""
        if self.is_check and self.report is not None:
            return self.report.corrected_answer
        return self.trace.replies[0] if self.trace.replies else ""

    @property
    def original(self) -> str | None:
        """The answer as it was first; None if none is to be shown, or there was none."""
        return self.report.original_answer if self.report is not None else None

    @property
    def is_other_text(self) -> bool:
        """True if the text sent was not made from the original answer."""
        return not self.is_check and self.trace.action is Action.REPLACE

    @property
    def stretches(self) -> list[Stretch]:
        """The original answer with what was changed in it; empty where nothing is compared."""
        if self.original is None or self.left is None or self.is_other_text:
            return []
        return changed(self.original, changes(self.original, self.left))

    @property
    def changed_places(self) -> int:
        """In how many places the two differ."""
        return sum(1 for one in self.stretches if one.gone or one.put_in)

    @property
    def tells_of_citations(self) -> bool:
        """True if citations were removed or renumbered in the text sent."""
        report = self.report
        if report is None or report.corrected_answer != self.left:
            return False
        return bool(report.removed_citations or report.renumbered)

    @property
    def claims(self) -> list[ShownClaim]:
        """The sentences of the original answer."""
        report = self.report
        if report is None:
            return []
        reasons = {one.claim: one.reason for one in report.not_checkable}
        places = {source.id: place for place, source in enumerate(report.sources, start=1)}
        return [
            ShownClaim(
                claim=claim,
                stand=assessment_of(claim),
                findings=[report.findings[number] for number in claim.findings],
                why_unchecked=_why(reasons.get(claim.index)),
                rests_on=places.get(claim.citations[0].source_id) if claim.citations else None,
            )
            for claim in report.claims
        ]

    @property
    def counted(self) -> tuple[int, int]:
        """Number of accurate claims, and of all claims."""
        stands = [one.stand for one in self.claims if one.stand is not NO_CLAIM]
        return stands.count(ACCURATE), len(stands)

    @property
    def unchecked(self) -> list[tuple[str, str]]:
        """Guards that were wanted and did not run, each with why, to be translated."""
        if self.report is not None:
            skipped = self.report.checks.skipped.items()
            return [(name, reason_word(why)) for name, why in skipped if why not in _AS_WANTED]
        named = (one.partition(":") for one in self.trace.not_checked)
        return [(name, reason_word(why)) for name, _, why in named]

    @property
    def whole_unchecked(self) -> str:
        """Reason why the answer as a whole was not checked, to be translated; empty if it was."""
        reasons = self.report.not_checkable if self.report is not None else ()
        return next((_why(one.reason) for one in reasons if one.claim is None), "")

    @property
    def json(self) -> str:
        """The reply that an app would have received, and the report, as JSON."""
        told = {} if self.is_check else {"reply": json.loads(self.body)}
        if self.report is not None:
            told["verification"] = self.report.model_dump(mode="json")
        return json.dumps(told, ensure_ascii=False, indent=2)


def _why(reason: str | None) -> str:
    return UNCHECKED.get(reason, reason) if reason else ""


MOST_AT_ONCE = 4


class TrialSlots:
    """Lets in a few tries at once, each of which counts as a request of its tenant besides."""

    def __init__(self) -> None:
        self._inside = 0

    @asynccontextmanager
    async def place(self, services: Services, tenant: Tenant) -> AsyncGenerator[None, None]:
        """Hold a place while something is tried.

        Raises:
            CannotTry: there is none, or the tenant has reached a limit of its policy.
        """
        if self._inside >= MOST_AT_ONCE:
            raise CannotTry(NO_ROOM)
        self._inside += 1
        visit = Visit(uuid4().hex, tenant.name, tenant.policy.limits)
        try:
            if visit.limits.are_set:
                try:
                    await services.admit(visit)
                except TooManyRequests as error:
                    raise CannotTry(limit_reached(error)) from error
            yield
        finally:
            self._inside -= 1
            await services.limiter.leave(visit)


_CHAT = ChatEndpoint()
_MENDED_BY_POLICY = Options(correction="trim")


async def tried(
    request: AnyRequest, services: Services, tenant: Tenant, filled: TrialForm
) -> Outcome | None:
    """Try it; None if the client has disconnected.

    Raises:
        CannotTry: it cannot be tried, or failed.
    """
    if filled.way is Way.CHECK:
        return await _check_answer(request, services, tenant, filled)
    return await _ask_model(request, services, tenant, filled)


async def _ask_model(
    request: AnyRequest, services: Services, tenant: Tenant, filled: TrialForm
) -> Outcome | None:
    if tenant.upstream.pass_caller_key:
        raise CannotTry(NOBODYS_KEY)
    job = ModelJob(_CHAT, services, tenant, {}, None)
    reply = await _reply_to(request, job, chat_body(filled, tenant.policy))
    if reply is None or job.ended is None:
        return None
    report = None
    if filled.verify:
        report = await _report(services, tenant, job.ended, filled.model)
    return Outcome(Way.ASK, job.ended, reply.body, report)


async def _check_answer(
    request: AnyRequest, services: Services, tenant: Tenant, filled: TrialForm
) -> Outcome | None:
    job = VerifyJob(services, tenant, {}, None)
    reply = await _reply_to(request, job, verify_body(filled))
    if reply is None or job.ended is None:
        return None
    report = Verification.model_validate_json(reply.body)
    return Outcome(Way.CHECK, job.ended, reply.body, report)


async def _reply_to(request: AnyRequest, job: Job, body: JsonObject) -> HttpReply | None:
    """Return the reply to a request; None if the client has disconnected."""
    reply = await job.run(json_bytes(body), request.receive)
    if job.ended is None or job.ended.delivery is Delivery.CLIENT_GONE:
        return None
    if job.ended.error is not None:
        raise CannotTry(problem_of(reply, job.ended.error, job.id))
    return reply


async def _report(
    services: Services, tenant: Tenant, trace: Trace, model: str
) -> Verification | None:
    """Verify the model's first answer, whatever became of it; None if there was none."""
    choices = trace.attempts[0].choices if trace.attempts else ()
    if not choices or choices[0].tool_turn:
        return None
    exchange = exchange_of(trace, trace.asked, tenant.loaded.intents)
    done = await verified(
        services,
        tenant,
        exchange.answered(choices[0].text),
        _MENDED_BY_POLICY,
        spent_s=trace.duration_ms / 1000,
        request_id=trace.id,
        model=model,
    )
    return done.report


PLAYGROUND = f"{ROOT}/playground"
MOST_FORM_BYTES = 2 * 2**20


@dataclass(frozen=True, slots=True)
class Seat:
    """Tenant for which the playground can be used."""

    tenants: Sequence[str]
    tenant: Tenant | None

    @classmethod
    def of(cls, visit: PageVisit, services: Services, wanted: str) -> "Seat":
        """Return the seat of a visitor: a tenant has its own, whatever it asks for."""
        book = services.tenants.book
        names = sorted(filter(visit.may_read, book.snapshot.tenants))
        usual = names[0] if names else ""
        chosen = (wanted or visit.tenant or usual) if visit.is_admin else usual
        return cls(names, book.named(chosen))


@get(PLAYGROUND)
async def show_playground(
    visit: NamedDependency[PageVisit],
    services: NamedDependency[Services],
    first_form: NamedDependency[TrialForm],
) -> Response[str]:
    """Draw the form: as it is at first, with an example, or with what a trace holds."""
    filled, problem = await _first_filled(visit, services, first_form)
    seat = Seat.of(visit, services, filled.tenant)
    if not filled.model:
        filled = replace(filled, model=await _usual_model(services, seat.tenant))
    return _page(visit, seat, filled, problem=problem)


@post(PLAYGROUND, request_max_body_size=MOST_FORM_BYTES, status_code=200)
async def try_out(
    request: AnyRequest,
    visit: NamedDependency[PageVisit],
    services: NamedDependency[Services],
    slots: NamedDependency[TrialSlots],
) -> Response[str]:
    """Ask the model or check the answer, and draw its outcome."""
    try:
        form = await request.form()
    except RequestEntityTooLarge:
        return _page(visit, Seat.of(visit, services, ""), TrialForm(), problem=TOO_LARGE)
    except InternalServerException:  # what the framework makes of a client that disconnected
        form = FormMultiDict()
    filled = filled_in(form)
    seat = Seat.of(visit, services, filled.tenant)
    if seat.tenant is None:
        return _page(visit, seat, filled, problem=NO_TENANT)
    try:
        async with slots.place(services, seat.tenant):
            done = await tried(request, services, seat.tenant, filled)
    except CannotTry as error:
        return _page(visit, seat, filled, problem=error.problem)
    if done is None:
        return _page(visit, seat, filled)
    # A long answer has a long report; other requests must not wait until it is drawn.
    return await asyncio.to_thread(_page, visit, seat, filled, outcome=done)


async def _first_filled(
    visit: PageVisit, services: Services, first_form: TrialForm
) -> tuple[TrialForm, Problem | None]:
    example = EXAMPLES.get(visit.query.get("example", ""))
    if example is not None:
        return example.filled, None
    trace_id = visit.query.get("trace")
    if not trace_id:
        return first_form, None
    trace = await services.traces.get(trace_id)
    if trace is None or not visit.may_read(trace.tenant):
        raise UnknownTrace(trace_id)
    filled = from_trace(trace)
    return (filled, None) if filled else (TrialForm(tenant=trace.tenant), NOT_KEPT)


async def _usual_model(services: Services, tenant: Tenant | None) -> str:
    """Return the model that apps of a tenant ask for; empty if unknown."""
    if tenant is None:
        return ""
    if tenant.upstream.models:
        return next(iter(tenant.upstream.models))
    try:
        newest = await services.traces.page(Query(tenant=tenant.name))
    except TraceStoreAway:
        return ""  # the form does without
    return next((trace.model for trace in newest.traces if trace.model), "")


def _page(
    visit: PageVisit,
    seat: Seat,
    filled: TrialForm,
    *,
    outcome: Outcome | None = None,
    problem: Problem | None = None,
) -> Response[str]:
    template = "playground/result.html" if visit.is_fragment else "playground/page.html"
    return visit.draw(
        template,
        seat=seat,
        filled=filled,
        outcome=outcome,
        problem=problem,
        examples=EXAMPLES,
        bands=BANDS,
        caps=CAPS,
        citation_stands=CITATIONS,
        verifications=VERIFICATIONS,
        log_of=log_of,
    )
