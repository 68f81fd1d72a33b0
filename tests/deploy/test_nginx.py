"""The shipped nginx in front of replicas: streams as they come, errors as they are."""

import asyncio
import json
import subprocess
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pytest

from policies.schema.sections import Timeouts
from proxy.openai_api.json_body import JsonObject, member
from proxy.server.serving import IDLE_KEPT_S
from proxy.settings import Settings
from tests.deploy.front import (
    RESOLVES_SINCE,
    checked,
    directive,
    directives,
    nginx,
    operators_entrance,
    placed,
    version,
)
from tests.deploy.objects import seconds
from tests.fakes.paced_upstream import PacedUpstream, paced_upstream
from tests.fakes.raw_upstream import RawUpstream
from tests.fakes.running_proxy import (
    RunningProxy,
    chat_body,
    running_proxy,
)
from tests.flow.listening import talking

BODY = chat_body("안녕하세요?", stream=True)
NOBODY = "http://127.0.0.1:9"
"""The port for what is thrown away: nobody listens there."""
LONGEST_ADDRESS = 64 * 1024
"""Bytes of a request line with which the shipped nginx has no more room."""


@pytest.fixture
async def model() -> AsyncGenerator[PacedUpstream, None]:
    async with paced_upstream() as model:
        yield model


@pytest.fixture
async def proxy(tmp_path: Path, model: PacedUpstream) -> AsyncGenerator[RunningProxy, None]:
    """A replica and nginx before it, whose address it is taken to have."""
    policy = "stream: {mode: monitor}"
    async with (
        running_proxy(
            tmp_path, model.raw, policy, max_body_bytes=200_000, dashboard=True
        ) as replica,
        nginx(tmp_path, replica.address) as address,
    ):
        yield replace(replica, address=address)


def test_nginx_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    said = checked(placed(tmp_path, "127.0.0.1:8080", ["127.0.0.1:8081", "127.0.0.1:8082"]))

    assert "test is successful" in said
    assert "[warn]" not in said


def test_only_a_newer_one_looks_replicas_up_again(tmp_path: Path) -> None:
    """What is shipped needs it; one that does not know the word says so instead of going on."""
    path = placed(tmp_path, "127.0.0.1:8080", ["localhost:8081 resolve"])

    if version() >= RESOLVES_SINCE:
        assert "test is successful" in checked(path)
    else:
        with pytest.raises(subprocess.CalledProcessError) as refused:
            checked(path)
        assert 'invalid parameter "resolve"' in refused.value.stderr


def test_each_time_is_longer_than_that_of_whoever_is_behind() -> None:
    model, ours = Timeouts(), Settings()

    assert seconds(directive("proxy_read_timeout")) > model.total_s >= model.first_byte_s
    assert seconds(directive("proxy_read_timeout")) > ours.keep_alive_s
    assert seconds(directive("worker_shutdown_timeout")) > model.total_s
    idle_before_replicas, _ = directives("keepalive_timeout")
    assert seconds(idle_before_replicas) < IDLE_KEPT_S


def test_it_takes_bodies_that_replicas_may_refuse_themselves() -> None:
    most = directive("client_max_body_size")

    assert most.endswith("m")
    assert int(most.removesuffix("m")) * 2**20 > Settings().max_body_bytes


async def test_each_piece_of_a_stream_is_there_before_the_next_is_written(
    proxy: RunningProxy, model: PacedUpstream
) -> None:
    async with talking(proxy, model, BODY) as (listener, writing):
        for word in ("하나", " 둘", " 셋"):
            await writing.say(word)
            await listener.hears(word)
        await writing.finish()
        await listener.rest()

    assert listener.said() == "하나 둘 셋"
    assert listener.is_done
    assert listener.reply.headers["content-type"].startswith("text/event-stream")
    assert (await proxy.trace_of(listener.id)).replies == ("하나 둘 셋",)


async def test_a_client_that_leaves_is_noticed_by_the_model_server(
    proxy: RunningProxy, model: PacedUpstream
) -> None:
    async with talking(proxy, model, BODY) as (listener, writing):
        await writing.say("하나")
        await listener.hears("하나")

    await writing.is_left()


async def test_what_a_proxy_says_of_the_client_stays_between_the_two(
    proxy: RunningProxy, model: PacedUpstream
) -> None:
    async with talking(proxy, model, BODY) as (_, writing):
        names = {name for name, _ in writing.talk.request.headers}
        await writing.finish()

    assert not {name for name in names if name.startswith("x-forwarded-")}


async def test_a_body_that_is_too_large_is_refused_by_the_replica(proxy: RunningProxy) -> None:
    """Also one that fills the sockets on its way, and is refused before it has arrived."""
    for size in (300_000, 8_000_000):
        reply = await proxy.send(b'{"model": "%s"}' % (b"x" * size))

        assert reply.status_code == 413
        assert code_of(reply) == "request_too_large"
        assert "200000" in reply.text


REFUSED: dict[str, dict[str, str]] = {
    "400 Bad Request": {},
    "401 Unauthorized": {"www-authenticate": "Bearer"},
    "404 Not Found": {},
    "413 Content Too Large": {},
    "429 Too Many Requests": {"retry-after": "7"},
    "500 Internal Server Error": {},
    "502 Bad Gateway": {},
    "503 Service Unavailable": {"retry-after": "3"},
    "504 Gateway Timeout": {},
}


async def test_refusals_of_a_replica_pass_as_they_are(tmp_path: Path) -> None:
    body = b'{"error": {"message": "Not now.", "type": "t", "param": null, "code": "of_replica"}}'
    async with (
        RawUpstream().running() as first,
        RawUpstream().running() as second,
        nginx(tmp_path, first.address, second.address) as address,
        httpx.AsyncClient() as client,
    ):
        for status, headers in REFUSED.items():
            for replica in (first, second):
                replica.says(body, status=status, headers=headers)
            asked = len(first.requests) + len(second.requests)
            reply = await client.post(f"{address}/v1/chat/completions", json={})

            assert status.startswith(str(reply.status_code))
            assert reply.content == body
            assert headers.items() <= reply.headers.items()
            assert len(first.requests) + len(second.requests) == asked + 1


@dataclass(frozen=True)
class Own:
    """A request that no replica gets, and what nginx says to it."""

    status: int
    code: str
    path: str = "/v1/chat/completions"
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)


OWN = [
    Own(404, "not_found", path="/metrics"),
    Own(404, "not_found", path="/.refused/400"),
    Own(413, "request_too_large", body=bytes(17 * 2**20)),
    Own(400, "bad_request", headers={"x-much": "x" * 70_000}),
    Own(503, "no_replica"),
]


async def test_what_nginx_refuses_itself_has_the_shape_of_openais_errors(tmp_path: Path) -> None:
    async with nginx(tmp_path, NOBODY) as address, httpx.AsyncClient(base_url=address) as client:
        for own in OWN:
            reply = await client.post(own.path, content=own.body, headers=own.headers)

            assert (reply.status_code, code_of(reply)) == (own.status, own.code)
            assert reply.headers["content-type"] == "application/json"


async def test_an_address_that_is_too_long_is_refused_likewise(tmp_path: Path) -> None:
    async with nginx(tmp_path, NOBODY) as address:
        reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
        # Not a byte more than nginx takes: it resets a connection on which something lies unread.
        writer.write(b"POST /v1/".ljust(LONGEST_ADDRESS, b"x"))
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()

    assert head.startswith(b"HTTP/1.1 414 ")
    assert json.loads(body)["error"]["code"] == "uri_too_long"


async def test_a_replica_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    async with (
        RawUpstream().running() as there,
        nginx(tmp_path, NOBODY, there.address) as address,
        httpx.AsyncClient() as client,
    ):
        there.says(b"{}")
        replies = await asyncio.gather(
            *(client.post(f"{address}/v1/chat/completions", json={}) for _ in range(20))
        )

    assert {reply.status_code for reply in replies} == {200}


async def test_a_request_that_a_replica_may_have_seen_is_not_sent_to_another(
    tmp_path: Path,
) -> None:
    """A broken reply is told to the client, who knows whether asking again does harm."""

    async def hang_up(_: object) -> None:
        """End the connection with nothing said."""

    async with (
        RawUpstream(hang_up).running() as first,
        RawUpstream(hang_up).running() as second,
        nginx(tmp_path, first.address, second.address) as address,
        httpx.AsyncClient() as client,
    ):
        reply = await client.post(f"{address}/v1/chat/completions", json={})

    assert (reply.status_code, code_of(reply)) == (503, "no_replica")
    assert len(first.requests) + len(second.requests) == 1


FOR_OPERATORS = ["/metrics", "/readyz", "/traces", "/dashboard", "/dashboard/login"]


@pytest.mark.parametrize("path", FOR_OPERATORS)
async def test_what_is_for_operators_has_an_entrance_of_its_own(
    tmp_path: Path, proxy: RunningProxy, path: str
) -> None:
    """Spelled otherwise as well, as far as a replica takes it for the same."""
    for spelled in (path, f"{path}/", f"/{path}", path.replace("e", "%65", 1), f"{path}?a=b"):
        reply = await proxy.client.get(f"{proxy.address}{spelled}")

        assert (reply.status_code, code_of(reply)) == (404, "not_found")

    transport = httpx.AsyncHTTPTransport(uds=str(operators_entrance(tmp_path)))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as operator:
        assert (await operator.get(path)).status_code in {200, 303, 401}


async def test_a_probe_in_old_http_is_answered(proxy: RunningProxy) -> None:
    """Load balancers of many makes ask in HTTP/1.0, without saying which host."""
    host, port = proxy.address.removeprefix("http://").split(":")
    for path in (b"/healthz", b"/nginx-health"):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b"GET %s HTTP/1.0\r\n\r\n" % path)
        said = await reader.read()
        writer.close()

        assert b" 200 OK\r\n" in said


async def test_long_headers_of_a_reply_pass(tmp_path: Path) -> None:
    async with (
        RawUpstream().running() as replica,
        nginx(tmp_path, replica.address) as address,
        httpx.AsyncClient() as client,
    ):
        replica.says(b"{}", headers={"x-of-the-model": "x" * 16_000})
        reply = await client.get(f"{address}/v1/models")

    assert reply.status_code == 200
    assert len(reply.headers["x-of-the-model"]) == 16_000


def code_of(reply: httpx.Response) -> str:
    body: JsonObject = json.loads(reply.content)
    assert body.keys() == {"error"}
    error = body["error"]
    assert isinstance(error, dict)
    assert error.keys() == {"message", "type", "param", "code"}
    return str(member(error, "code"))
