"""The end of a request: what goes with its answers, written or sent after them."""

from collections.abc import Sequence

from policies.verdict import Verdict
from proxy.attempt import Attempt
from proxy.call import Call, Finished
from proxy.gatekeeping import JSON_VALUES
from proxy.judged import Settled
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.reply import Ending, Written
from proxy.openai_api.sources import FoundContext
from proxy.openai_api.sse import write_comments
from proxy.openai_api.usage import total_usage
from proxy.report import guard_report
from proxy.traces.builder import note_end


def finished(
    call: Call,
    found: FoundContext,
    attempts: Sequence[Attempt],
    settled: Sequence[Settled],
    question: Verdict,
    now_s: float,
) -> Finished:
    """Write the reply, or send what is left of its stream.

    Args:
        call: The request.
        found: What was found in it.
        attempts: The attempts, judged.
        settled: What becomes of each choice.
        question: The verdict over the question.
        now_s: Time of day in Unix seconds.
    """
    not_checked = _not_checked(call, attempts, settled, question)
    asked = len(call.trace.attempts)  # one more than there are replies if the second failed
    policy = call.tenant.policy
    report: JsonObject | None = None
    if call.request.guard.report or policy.report:
        report = guard_report(
            call.trace.id,
            call.tenant.version,
            found,
            settled,
            asked,
            not_checked,
            policy.confidence.threshold,
        )
    ending = Ending(
        id=call.trace.id,
        created=int(now_s),
        finish_reason=policy.replacement.finish_reason,
        report=report,
        as_stream=True if call.outgoing.begun else None,
    )
    headers = attempts[-1].headers if attempts else {}
    live = attempts[0].live if attempts else None
    replies = [attempt.reply for attempt in attempts]
    written: Written | None = None
    with call.trace.step("write"):
        if live is None:
            outcomes = [one.outcome for one in settled]
            written = call.door.write(call.request, replies, outcomes, ending)
        else:
            _send(attempts, settled)
    done = Finished(written, headers, settled, asked, not_checked)
    note_end(call.trace, settled, done.action, done.reasons, done.confidence)
    call.trace.not_checked = not_checked
    call.trace.unknown_fields += tuple(
        dict.fromkeys(f"reply.{path}" for reply in replies for path in reply.unknown)
    )
    if live is not None:
        # Its headers have been sent long ago.
        call.outgoing.put(write_comments(done.headers(policy.confidence.threshold)))
        live.end(total_usage(replies), ending)
    return done


def _send(attempts: Sequence[Attempt], settled: Sequence[Settled]) -> None:
    """Send what was held of each choice until all was known."""
    for one in settled:
        live = attempts[one.attempt - 1].live
        if live is not None:
            live.settle(one)


def _not_checked(
    call: Call, attempts: Sequence[Attempt], settled: Sequence[Settled], question: Verdict
) -> tuple[str, ...]:
    """Return everything that was wanted and not looked at, each with its reason, once."""
    names = [*question.not_run, *call.request.not_checked]
    for one in settled:
        names += one.verdict.not_run if one.verdict else ()
    for attempt in attempts:
        names += [one.unjudged for one in attempt.judged if one.unjudged]
        names += attempt.reply.unseen
        if call.request.structured and any(one.has_bare_values for one in attempt.reply.answers):
            names.append(JSON_VALUES)
    return tuple(dict.fromkeys(names))
