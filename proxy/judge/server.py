"""The HTTP client of every judge: a JSON body out, a JSON value or an error back."""

import asyncio
import json
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Protocol

import httpx
from pydantic import JsonValue

from policies.judging.judge import JudgeQuestion, Opinions, TokenUse
from proxy.http_client import AiohttpTransport, TlsError
from proxy.logs import logger
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.sse import json_bytes

log = logger(__name__)

_LONGEST_REPLY_BYTES = 1024 * 1024
_BY_INPUT = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)
"""Statuses that say something about the question and nothing about the server's health."""


class JudgeCallFailed(Exception):
    """A judge's server gave no opinion.

    Attributes:
        reason: A snake_case word, perhaps with a status behind a colon.
        by_input: It was the question's fault.
        said: What the server said, to find out which field it did not like.
    """

    def __init__(self, reason: str, *, by_input: bool = False, said: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.by_input = by_input
        self.said = said


_NOT_REPEATED = frozenset({"idempotency-key", "accept", "content-type"})
"""Headers of a request that say something of its own body."""


@dataclass(frozen=True, slots=True)
class OwnServer:
    """The tenant's own model server, as one request reaches it.

    Attributes:
        base_url: Address without a slash at its end.
        headers: Headers that its requests carry, the key among them.
        key_is_ours: The operator configured the key; otherwise it is the caller's own.
        model: The model of the request; empty if it names none.
        query: Query of the request's address, as it came; empty for none.
        callers_choice: The caller chose among several models.
    """

    base_url: str
    headers: Mapping[str, str]
    key_is_ours: bool
    model: str = ""
    query: bytes = b""
    callers_choice: bool = False

    @property
    def caused_by_callers(self) -> frozenset[int]:
        """Statuses that a caller can bring about with a model or a key that is not there."""
        by_key = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS}
        return frozenset({HTTPStatus.NOT_FOUND} | (set() if self.key_is_ours else by_key))


class JudgeServer:
    """One judge's server. How long a call may take is the caller's affair.

    Args:
        client: The connections, shared between judges.
        base_url: Address without a slash at its end.
        key: Bearer key; None for none.
        model: Model to ask where the judge names none.

    Attributes:
        tokens: What its replies cost; None as long as none of them said so.
        callers_choice: The caller chose the model, so that its speed says nothing of the server.
    """

    def __init__(
        self, client: httpx.AsyncClient, base_url: str, key: str | None, model: str = ""
    ) -> None:
        self.model = model
        self.tokens: TokenUse | None = None
        self.callers_choice = False
        self._client = client
        self._base_url = base_url
        self._headers = {"content-type": "application/json", "accept": "application/json"}
        if key:
            self._headers["authorization"] = f"Bearer {key}"
        self._query = b""
        self._by_input: Collection[int] = _BY_INPUT

    @classmethod
    def of(cls, client: httpx.AsyncClient, own: OwnServer) -> "JudgeServer":
        """Return a tenant's own model server as that of its judge."""
        server = cls(client, own.base_url, None, own.model)
        kept = {name: each for name, each in own.headers.items() if name not in _NOT_REPEATED}
        server._headers |= kept
        server._query = own.query
        server.callers_choice = own.callers_choice
        server._by_input = _BY_INPUT | own.caused_by_callers
        return server

    def metered(self) -> "JudgeServer":
        """Return the same server with no tokens counted yet."""
        server = copy(self)
        server.tokens = None
        return server

    async def post(self, path: str, body: JsonObject) -> JsonValue:
        """Send a body and return the JSON value that comes back.

        Raises:
            JudgeCallFailed: no reply, an error status, or no JSON.
        """
        try:
            async with self._client.stream(
                "POST",
                url := httpx.URL(f"{self._base_url}{path}"),
                content=json_bytes(body),
                # The web server reads headers as Latin-1; the same way back gives the same bytes.
                headers=[
                    (name.encode(), each.encode("latin-1")) for name, each in self._headers.items()
                ],
                extensions={"target": url.raw_path + b"?" + self._query} if self._query else {},
            ) as response:
                raw = await _body(response)
        except TlsError as error:
            log.warning("judge.not_secured", server=error.request.url.host, said=str(error))
            raise JudgeCallFailed("unreachable") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise JudgeCallFailed("unreachable") from error
        if response.status_code != HTTPStatus.OK:
            by_input = response.status_code in self._by_input
            said = raw.decode("utf-8", "replace")
            raise JudgeCallFailed(f"refused:{response.status_code}", by_input=by_input, said=said)
        try:
            value: JsonValue = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise JudgeCallFailed("garbage") from error
        self._count(member(value, "usage"))
        return value

    def _count(self, usage: JsonValue) -> None:
        prompt, completion = (
            found if isinstance(found := member(usage, name), int) and found > 0 else 0
            for name in ("prompt_tokens", "completion_tokens")
        )
        if prompt or completion:
            before = self.tokens or TokenUse()
            self.tokens = TokenUse(before.prompt + prompt, before.completion + completion)

    async def post_each(self, path: str, bodies: Iterable[JsonObject]) -> list[JsonValue]:
        """Send several bodies at once; the first that fails ends them all.

        Raises:
            JudgeCallFailed: as in `post`.
        """
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self.post(path, body)) for body in bodies]
        except* JudgeCallFailed as failures:
            failed = failures.exceptions[0]
        else:
            return [task.result() for task in tasks]
        raise failed


class Adapter(Protocol):
    """Speaks to one kind of remote model."""

    async def ask(self, server: JudgeServer, question: JudgeQuestion) -> Opinions:
        """Return the model's opinions.

        Raises:
            JudgeCallFailed: it gave none.
        """
        ...


def judge_client(ca_file: Path | None = None) -> httpx.AsyncClient:
    """Return connections for judges: no redirects, no proxies of the environment, no cookies."""
    return httpx.AsyncClient(
        transport=AiohttpTransport(ca_file=ca_file),
        timeout=None,  # noqa: S113 - each opinion as a whole has its time
        follow_redirects=False,
        trust_env=False,
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
    )


async def _body(response: httpx.Response) -> bytes:
    raw = bytearray()
    async for piece in response.aiter_bytes():
        raw += piece
        if len(raw) > _LONGEST_REPLY_BYTES:
            raise JudgeCallFailed("reply_too_long")
    return bytes(raw)


# A completion that is none is the server's fault. What a model writes into one hangs on the texts
# that it read: anybody who writes a question or a source can make it decline, ramble or never end.
# So a reply without an opinion says nothing about the health of its server.


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion.

    Attributes:
        content: What was written; empty if nothing was.
    """

    choice: JsonObject
    content: str
    is_cut: bool

    def without_opinion(self) -> JudgeCallFailed:
        """Return the failure that a completion is in which no opinion is found."""
        return JudgeCallFailed("cut_short" if self.is_cut else "garbage", by_input=True)


def completion_in(reply: JsonValue) -> Completion:
    """Return the completion that a reply is.

    Raises:
        JudgeCallFailed: it is none.
    """
    choices = objects(member(reply, "choices"))
    message = choices[0].get("message") if choices else None
    if not isinstance(message, dict):
        raise JudgeCallFailed("garbage")
    content = message.get("content")
    is_cut = choices[0].get("finish_reason") == "length"
    return Completion(choices[0], content if isinstance(content, str) else "", is_cut)
