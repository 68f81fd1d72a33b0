"""Runs the cases of a golden set: asks each turn and scores the reply.

The evidence stands in the system message, where a model reads it, and in ``guard.sources``, where
the proxy takes it from exactly; a `context` written out stands in the system message alone.

The score of a reply is the share of its expected keywords that it says (1 where none is expected),
and 0 as soon as it says a forbidden one; `shape` tells when a keyword is said. The score of a
case is the mean of its turns. A reply passes with a score of at least `min_score`, no forbidden
keyword, an expected action, and a reason that begins as expected; a case passes if all of its
replies do.

A set can be run against a server (`Player`), against a proxy of our own before a scripted model
(`scripted`), or without any server (`replayed_cases`): then the policy judges what the cases have
the model say.
"""

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from time import perf_counter

import httpx
from pydantic import JsonValue

from policies.schema.keys import new_key
from policies.schema.policy import Policy
from policies.schema.sections import StoredText
from proxy.demo import MODEL, Said, Script, model_server
from proxy.errors import GuardProxyError
from proxy.golden.client import GuardedReply, NoReply, Target, ask
from proxy.golden.results import CaseResult, Outcome, TurnResult, worst_of
from proxy.golden.shape import Case, Expectation, GoldenSet, Passage, Turn, says, says_any
from proxy.openai_api.chat.endpoint import ChatEndpoint
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.sources import SourceFormatError
from proxy.openai_api.sources.finder import find_sources
from proxy.openai_api.sse import json_bytes
from proxy.pipeline.regeneration import OPENING
from proxy.replay.judging import replay
from proxy.server.serving import served
from proxy.settings import Settings
from proxy.tenants import Judging
from proxy.traces.builder import request_details
from proxy.traces.trace import Attempt, Choice, PolicyUsed, ReplayResult, Trace, Unknown

TENANT = "golden"
_TAG = "golden_turn"
_LEFT_OUT = {"extends", "tenant", "keys", "upstream", "judge", "shadow_policy", "limits"}


def tagged(body: JsonObject, case: str, turn: int) -> JsonObject:
    """Return a request's body with the mark by which the script knows its turn."""
    own = body.get("metadata")
    known = own if isinstance(own, dict) else {}
    return body | {"metadata": known | {_TAG: _tag_of(case, turn)}}


def script_of(golden: GoldenSet) -> Script:
    """Return what the model says in each turn of a set."""
    lines: Mapping[str, Sequence[str]] = {
        _tag_of(case.id, number): turn.model or ("",)
        for case in golden.cases
        for number, turn in enumerate(case.asked)
    }

    def say(body: JsonObject) -> Said:
        texts = lines[str(member(body.get("metadata"), _TAG))]
        asked = str(member(objects(body.get("messages"))[-1], "content"))
        return Said((texts[-1 if OPENING in asked else 0],))

    return say


@contextlib.asynccontextmanager
async def scripted(
    golden: GoldenSet, policy: Policy, timeout_s: float
) -> AsyncGenerator[Target, None]:
    """Run a scripted model server and a proxy on loopback inside this block; yield the proxy.

    The model says what each case says that it says; a case is known by a tag in the request's
    `metadata`, and the second attempt by the note that the proxy adds. The policy is what it would
    be for its tenant, without what asks other servers (a judge) or counts requests.

    Raises:
        PolicyError: the policy cannot serve a tenant.
    """
    # The web app takes a second to import, and only such a run needs it.
    from proxy.app import create_app, open_services

    key, hashed = new_key(TENANT)
    with tempfile.TemporaryDirectory(prefix="guard-proxy-eval-") as name:
        async with served(model_server(script_of(golden))) as model:
            folder = Path(name) / "policies"
            folder.mkdir()
            text = _tenant_file(policy, hashed, model)
            (folder / f"{TENANT}.yaml").write_text(text, encoding="utf-8")
            # The machine's own settings are those of its service, not of this one.
            settings = Settings.model_construct(
                policies=folder, sqlite_path=Path(name) / "traces.sqlite3"
            )
            async with (
                open_services(settings, telemetry_wanted=False) as services,
                served(create_app(services)) as proxy,
            ):
                yield Target(f"{proxy}/v1", MODEL, key, timeout_s)


def _tag_of(case: str, turn: int) -> str:
    return f"{turn}:{case}"


def _tenant_file(policy: Policy, hashed: str, model: str) -> str:
    own = policy.model_dump(mode="json", exclude=_LEFT_OUT)
    serving = {"tenant": TENANT, "keys": [hashed], "upstream": {"base_url": f"{model}/v1"}}
    return json.dumps(own | serving, ensure_ascii=False)  # which is YAML as well


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A question that was asked before, and the reply."""

    query: str
    reply: str


def body_of(
    golden: GoldenSet, case: Case, turn: Turn, before: Sequence[EarlierTurn], model: str
) -> JsonObject:
    """Return the body of one turn's request."""
    passages = _passages(golden, turn)
    body: JsonObject = {"model": model, "messages": _messages(golden, case, turn, before, passages)}
    if turn.stream:
        body["stream"] = True
    body |= turn.request
    if passages is not None:
        x = turn.request.get("guard")
        guard: JsonObject = {"sources": [_exact(passage) for passage in passages]}
        body["guard"] = guard | (x if isinstance(x, dict) else {})
    return body


def _passages(golden: GoldenSet, turn: Turn) -> list[Passage] | None:
    if turn.passages is None and turn.sources is None:
        return None
    return [*(golden.passages[name] for name in turn.passages or ()), *(turn.sources or ())]


def _messages(
    golden: GoldenSet,
    case: Case,
    turn: Turn,
    before: Sequence[EarlierTurn],
    passages: list[Passage] | None,
) -> list[JsonValue]:
    context = turn.context if passages is None else _block(passages)
    instructions = golden.instructions if case.instructions is None else case.instructions
    system = "\n\n".join(filter(None, (instructions, context)))
    messages: list[JsonValue] = [_message("system", system)] if system else []
    for said in before:
        messages += [_message("user", said.query), _message("assistant", said.reply)]
    return [*messages, _message("user", turn.query)]


def _message(role: str, content: str) -> JsonObject:
    return {"role": role, "content": content}


def _block(passages: Sequence[Passage]) -> str:
    written = [
        f'<source id="{passage.id or number}" name="{passage.title}">\n{passage.text}\n</source>'
        for number, passage in enumerate(passages, 1)
    ]
    return "\n".join(["<context>", *written, "</context>"])


def _exact(passage: Passage) -> JsonObject:
    given: JsonObject = {"section_title": passage.title, "section_content": passage.text}
    more: JsonObject = passage.model_dump(include={"file", "page", "score", "id"})
    return given | {name: value for name, value in more.items() if value not in (None, "")}


def judged(turn: Turn, reply: GuardedReply) -> TurnResult:
    """Return the outcome of a question that was answered."""
    forbidden = [word for word in turn.forbidden_keywords if says(reply.text, word)]
    missing = [each for each in turn.expected_keywords if not says_any(reply.text, each)]
    score = 0.0 if forbidden else 1 - len(missing) / max(1, len(turn.expected_keywords))
    faults = []
    if forbidden:
        faults.append(f"contains forbidden text: {', '.join(forbidden)}")
    elif score < turn.min_score:
        unsaid = ", ".join("|".join(each) for each in missing)
        faults.append(f"score {score:.2f}, expected {turn.min_score:.2f} or more; unsaid: {unsaid}")
    return TurnResult(
        query=turn.query,
        reply=reply.text,
        action=reply.action,
        reasons=reply.reasons,
        attempts=reply.attempts,
        trace_id=reply.trace_id,
        score=score,
        faults=(*faults, *_about_verdict(turn, reply)),
        took_ms=reply.took_ms,
    )


def _about_verdict(expected: Expectation, reply: GuardedReply) -> list[str]:
    faults = []
    actions = expected.expected_action
    if actions and reply.action not in actions:
        faults.append(f"action {reply.action or 'none'}, expected {' or '.join(actions)}")
    beginnings = expected.expected_reason
    if beginnings and not any(reason.startswith(beginnings) for reason in reply.reasons):
        came = ", ".join(reply.reasons) or "none"
        faults.append(f"reasons {came}, expected {' or '.join(beginnings)}")
    unwanted = [one for one in reply.reasons if one.startswith(expected.forbidden_reason or ())]
    if unwanted:
        faults.append(f"reasons {', '.join(unwanted)}, which are forbidden here")
    return faults


Play = Callable[[Case], Awaitable[CaseResult]]
UNSCRIPTED = "the model was called, and the case does not say what it answers (`model`)"


@dataclass(frozen=True, slots=True)
class Player:
    """Asks one target the cases of one set.

    Attributes:
        scripted: The model says what the cases say that it says.
        repeat: How often each case runs.
    """

    client: httpx.AsyncClient
    target: Target
    golden: GoldenSet
    scripted: bool = False
    repeat: int = 1

    async def play(self, case: Case) -> CaseResult:
        """Return the outcome of a case, in all of its runs."""
        return worst_of([await self._run(case) for _ in range(self.repeat)])

    async def _run(self, case: Case) -> CaseResult:
        before: list[EarlierTurn] = []
        results: list[TurnResult] = []
        for number, turn in enumerate(case.asked):
            body = body_of(self.golden, case, turn, before, self.target.model)
            if self.scripted:
                body = tagged(body, case.id, number)
            try:
                reply = await ask(self.client, self.target, body)
            except NoReply as error:
                # Without its reply the conversation cannot go on.
                results.append(
                    TurnResult(query=turn.query, error=str(error), trace_id=error.trace_id)
                )
                break
            results.append(self._turn_result(turn, reply))
            before.append(EarlierTurn(turn.query, reply.text))
        return case_result(case, results)

    def _turn_result(self, turn: Turn, reply: GuardedReply) -> TurnResult:
        result = judged(turn, reply)
        if self.scripted and turn.model is None and reply.attempts:
            return result.model_copy(update={"error": UNSCRIPTED})
        return result


def not_run(case: Case) -> CaseResult:
    """Return the result of a case that was not asked."""
    return CaseResult(
        id=case.id, category=case.category, scope=case.scope, outcome=Outcome.NOT_RUN, runs=0
    )


def case_result(case: Case, turns: Sequence[TurnResult]) -> CaseResult:
    """Return the outcome of a case whose turns were asked, up to one that ended in an error."""
    outcome = min((turn.outcome for turn in turns), key=lambda one: one.rank)
    # Turns that an error kept from being asked count as nothing.
    asked = len(case.asked)
    scores = [turn.score for turn in turns] + [0.0] * (asked - len(turns))
    return CaseResult(
        id=case.id,
        category=case.category,
        scope=case.scope,
        outcome=outcome,
        score=fmean(scores),
        turns=tuple(turns),
    )


async def run_cases(
    cases: Sequence[Case],
    play: Play,
    *,
    concurrency: int,
    stop: asyncio.Event,
    fail_fast: bool = False,
    on_result: Callable[[CaseResult], None],
) -> tuple[CaseResult, ...]:
    """Return the outcome of each case, in their order.

    Args:
        concurrency: How many run at once.
        stop: Set to end early: what is in progress is given up, and counts as not run.
        fail_fast: End early at the first case that does not pass.
    """
    found: dict[str, CaseResult] = {}
    enough = asyncio.Event()
    waiting = iter(cases)

    async def work() -> None:
        for case in waiting:
            result = found[case.id] = await play(case)
            on_result(result)
            if fail_fast and result.outcome is not Outcome.PASSED:
                enough.set()
            if enough.is_set():
                return

    async def work_all() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(cases))):
                group.create_task(work())

    tasks = [asyncio.create_task(one) for one in (work_all(), _set(stop), _set(enough))]
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
    return tuple(found.get(case.id) or not_run(case) for case in cases)


async def _set(event: asyncio.Event) -> None:
    await event.wait()


_NOT_KNOWN = {
    Unknown.MODEL_NOT_ASKED: UNSCRIPTED,
    Unknown.NO_ANSWER: "nothing could be judged",
}


def replayed_cases(
    golden: GoldenSet, cases: Iterable[Case], judging: Judging
) -> tuple[CaseResult, ...]:
    """Return what comes of each case when a policy judges what its `model` says."""
    return tuple(_result(golden, case, judging) for case in cases)


def _result(golden: GoldenSet, case: Case, judging: Judging) -> CaseResult:
    before: list[EarlierTurn] = []
    results: list[TurnResult] = []
    for turn in case.asked:
        began = perf_counter()
        try:
            tried = replay(_trace(golden, case, turn, before, judging), judging)
        except (GuardProxyError, SourceFormatError) as error:
            results.append(TurnResult(query=turn.query, error=str(error)))
            break
        if tried.not_run or tried.unknown:
            results.append(TurnResult(query=turn.query, error=_why(tried)))
            break
        took_ms = round((perf_counter() - began) * 1000, 1)
        results.append(judged(turn, _reply(tried, took_ms)))
        before.append(EarlierTurn(turn.query, tried.replies[0]))
    return case_result(case, results)


def _trace(
    golden: GoldenSet, case: Case, turn: Turn, before: Sequence[EarlierTurn], judging: Judging
) -> Trace:
    """Return the trace that a turn would leave if the model said what the set has it say."""
    request = ChatEndpoint().read_request(json_bytes(body_of(golden, case, turn, before, "")))
    found = find_sources(request.conversation, judging.policy.sources)
    guard_field = request.guard
    exchange = found.exchange(
        (), last_error_reason=guard_field.last_error_reason, may_fetch=request.offers_tools
    )
    said = turn.model or ()
    return Trace(
        id=case.id,
        tenant="",
        policy=PolicyUsed(name=judging.loaded.name, version=judging.loaded.version),
        door=ChatEndpoint.name,
        text=StoredText.FULL,
        started_at=datetime.now(UTC),
        duration_ms=0.0,
        question=exchange.question,
        sources=exchange.sources,
        context=exchange.context,
        asked=request_details(
            exchange, guard_field, intent=guard_field.intent, structured=request.structured
        ),
        # Whatever it is told, the model says what it says last.
        attempts=tuple(
            Attempt(choices=(Choice(text=text, finish_reason="stop"),))
            for text in (said[:1] + said[-1:])
        ),
        status=200,
    )


def _why(tried: ReplayResult) -> str:
    if tried.unknown:
        return _NOT_KNOWN.get(tried.unknown, tried.unknown.value)
    return tried.not_run.value if tried.not_run else ""


def _reply(tried: ReplayResult, took_ms: float) -> GuardedReply:
    return GuardedReply(
        text=tried.replies[0],
        action=tried.action_name,
        reasons=tried.reasons,
        attempts=None,
        trace_id="",
        took_ms=took_ms,
    )
