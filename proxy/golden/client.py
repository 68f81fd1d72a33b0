"""Client for a chat completions endpoint that also reads what the proxy adds to the reply."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

import httpx

from proxy.errors import GuardProxyError
from proxy.openai_api.chat import read_reply
from proxy.openai_api.json_body import JsonObject, member, objects, read_object
from proxy.openai_api.reply import Reply, choices_of, with_whole_characters
from proxy.openai_api.sse import read_comments

MOST_WAITED_S = 120.0
"""In all, for one reply: limits that count by the minute have room again by then."""
_LEAST_S = 1.0
_FULL = frozenset({httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE})


def asked_to_wait_s(reply: httpx.Response) -> float | None:
    """Return how long a reply asks to wait before the next try; None if it asks for none."""
    said = reply.headers.get("retry-after")
    if said is None or reply.status_code not in _FULL:
        return None
    try:
        wait_s = float(said) if said.isdecimal() else _until(said, reply.headers.get("date", ""))
    except (ValueError, TypeError):  # no date, or one with a zone and one without
        return None
    return max(_LEAST_S, wait_s)


def _until(moment: str, now: str) -> float:
    """Return the time from one date to another, both by the server's own clock."""
    return (parsedate_to_datetime(moment) - parsedate_to_datetime(now)).total_seconds()


LONGEST_REASON_CHARS = 300
Pause = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""


@dataclass(frozen=True, slots=True)
class Target:
    """Service under evaluation.

    Attributes:
        base_url: Address up to and including the version.
        key: Bearer key; None sends none.
        timeout_s: Longest time for one whole reply, without the wait that a full server asks for.
    """

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class GuardedReply:
    """A reply; see `TurnResult`."""

    text: str
    action: str
    reasons: tuple[str, ...]
    attempts: int | None
    trace_id: str
    took_ms: float


class NoReply(Exception):
    """There is no reply to judge; its text says why, without the key."""

    def __init__(self, reason: str, trace_id: str = "") -> None:
        super().__init__(reason)
        self.trace_id = trace_id


class KeyRefused(NoReply):
    """The server wants a key, and another one than was sent."""


async def ask(
    client: httpx.AsyncClient, target: Target, body: JsonObject, *, pause: Pause = asyncio.sleep
) -> GuardedReply:
    """Ask one question, again as long as the server asks to wait, up to `MOST_WAITED_S` in all.

    Raises:
        NoReply: no connection, an error status, a timeout, or a reply that cannot be read.
    """
    waited_s = 0.0
    while True:
        began = time.perf_counter()
        reply = await _send(client, target, "POST", "chat/completions", body)
        took_ms = 1000 * (time.perf_counter() - began)
        wait_s = asked_to_wait_s(reply)
        if wait_s is None or waited_s + wait_s > MOST_WAITED_S:
            break
        await pause(wait_s)
        waited_s += wait_s
    _refuse_failure(reply, target)
    # A stream tells in comments what its headers were sent too early for.
    x = dict(reply.headers) | read_comments(reply.content)
    trace_id = x.get("x-guard-request-id", "")
    try:
        read = read_reply(reply.content, reply.headers.get("content-type", ""))
    except GuardProxyError as error:
        raise NoReply(_without_key(str(error), target), trace_id) from None
    attempts = x.get("x-guard-attempts", "")
    return GuardedReply(
        text=with_whole_characters(_read_by_the_user(read)),
        action=x.get("x-guard-action", ""),
        reasons=tuple(filter(None, x.get("x-guard-reasons", "").split(","))),
        attempts=int(attempts) if attempts.isdecimal() else None,
        trace_id=trace_id,
        took_ms=round(took_ms, 1),
    )


async def first_model(client: httpx.AsyncClient, target: Target) -> str | None:
    """Return the first model that the server lists; None if it lists none.

    Raises:
        NoReply: it could not be asked.
    """
    reply = await _send(client, target, "GET", "models")
    _refuse_failure(reply, target)
    try:
        listed = objects(read_object(reply.content).get("data"))
    except ValueError:
        return None
    name = listed[0].get("id") if listed else None
    return name if isinstance(name, str) else None


async def _send(
    client: httpx.AsyncClient,
    target: Target,
    method: str,
    path: str,
    body: JsonObject | None = None,
) -> httpx.Response:
    headers = {"authorization": f"Bearer {target.key}"} if target.key else {}
    try:
        async with asyncio.timeout(target.timeout_s):
            return await client.request(
                method, f"{target.base_url}/{path}", json=body, headers=headers, timeout=None
            )
    except TimeoutError:
        raise NoReply(f"no reply within {target.timeout_s:g} s") from None
    except httpx.HTTPError as error:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise NoReply(_without_key(said, target)) from None


def _refuse_failure(reply: httpx.Response, target: Target) -> None:
    if reply.status_code != httpx.codes.OK:
        said = f"status {reply.status_code}: {_error_message(reply)}"
        kind = KeyRefused if reply.status_code == httpx.codes.UNAUTHORIZED else NoReply
        raise kind(_without_key(said, target), reply.headers.get("x-guard-request-id", ""))


def _read_by_the_user(reply: Reply) -> str:
    """Return what the first choice says; a refusal where there is nothing else."""
    if content := reply.answers[0].content:
        return content
    choices = [choice for body in reply.bodies for choice in choices_of(body)]
    said = [member(choice.get("message", choice.get("delta")), "refusal") for choice in choices]
    return "".join(text for text in said if isinstance(text, str))


def _error_message(reply: httpx.Response) -> str:
    """Return what an OpenAI error object says, else the beginning of the body."""
    try:
        message = member(read_object(reply.content).get("error"), "message")
    except ValueError:
        message = None
    said = message if isinstance(message, str) else reply.text
    return " ".join(said.split())[:LONGEST_REASON_CHARS] or reply.reason_phrase


def _without_key(said: str, target: Target) -> str:
    """Some servers quote the key that they refuse."""
    return said.replace(target.key, "<key>") if target.key else said
