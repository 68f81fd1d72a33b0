"""One attempt per network error before any byte, one budget shared with the regeneration; 429 and
`retry-after` pass to the client."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.proxy.wire.talking import Line, Talking, talking

QUESTION = "회의실은 몇 층에 있나요?"
GOOD, CHINESE = "회의실은 3층입니다.", "会议室在三楼。"
PASSED = "passthrough: [POST /embeddings, GET /files/**]"
HASTY = "timeouts: {first_byte_s: 0.3, idle_s: 0.3, total_s: 2}"

Act = Callable[[Line], Awaitable[None]]


def saying(status: str, body: JsonObject, *headers: str) -> Act:
    """Return what answers a request, and keeps the connection."""
    content = json.dumps(body).encode()
    lines = [
        f"HTTP/1.1 {status}",
        "content-type: application/json",
        f"content-length: {len(content)}",
        *headers,
    ]
    reply = "\r\n".join([*lines, "", ""]).encode() + content
    return lambda line: line.say(reply)


def answering(text: str) -> Act:
    message: JsonObject = {"role": "assistant", "content": text}
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": "stop"}
    body: JsonObject = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    return saying("200 OK", body | {"choices": [choice]})


def refusing(status: str, *headers: str) -> Act:
    error: JsonObject = {"message": "no", "type": "busy", "param": None, "code": "slow_down"}
    return saying(status, {"error": error}, *headers)


async def reset(line: Line) -> None:
    """Break the connection."""
    line.writer.transport.abort()
    raise ConnectionResetError


async def close(line: Line) -> None:
    """End the connection as if all had been said."""
    line.writer.close()
    raise ConnectionResetError


async def hang(line: Line) -> None:
    await line.reader.read()


async def half_a_head(line: Line) -> None:
    await line.say(b"HTTP/1.1 200 OK\r\ncontent-ty")
    await close(line)


async def half_a_body(line: Line) -> None:
    await line.say(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{")
    await close(line)


LIMITED = refusing("429 Too Many Requests", "retry-after: 7", "x-ratelimit-reset-requests: 7s")
FAILURES = [
    pytest.param(reset, 502, id="reset"),
    pytest.param(close, 502, id="closed"),
    pytest.param(hang, 504, id="hangs"),
    pytest.param(half_a_head, 502, id="half-a-head"),
    pytest.param(half_a_body, 502, id="half-a-body"),
    pytest.param(saying("200 OK", {}), 502, id="no-answer-in-it"),
    pytest.param(LIMITED, 429, id="limited"),
    pytest.param(refusing("400 Bad Request"), 400, id="refused"),
    pytest.param(refusing("500 Internal Server Error"), 500, id="breaks"),
    pytest.param(refusing("503 Service Unavailable", "retry-after: 7"), 503, id="unavailable"),
]


class Model:
    """A model server that does one thing with one request after the other, the last for good.

    Attributes:
        lines: The first lines of what it was asked.
    """

    def __init__(self, server: Talking) -> None:
        self.address = server.address
        self.lines: list[str] = []
        self._acts: Sequence[Act] = ()
        server.act = self._serve

    def will(self, *acts: Act) -> None:
        self.lines, self._acts = [], acts

    async def _serve(self, line: Line) -> None:
        while True:
            request = await line.request()
            act = self._acts[min(len(self.lines), len(self._acts) - 1)]
            self.lines.append(request.partition(b"\r\n")[0].decode())
            await act(line)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncGenerator[Model, None]:
    async with talking() as server:
        yield Model(server)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(
    tmp_path_factory: pytest.TempPathFactory, model: Model
) -> AsyncGenerator[RunningProxy, None]:
    folder: Path = tmp_path_factory.mktemp("rig")
    # The constraint of the second attempt is refused where a server fails it, and left out.
    policy = f"{PASSED}\nregeneration: {{constraint: vllm}}\n"
    hasty = f"upstream:\n  base_url: {model.address}/v1\n  {HASTY}\n{policy}"
    async with running_proxy(folder, model, policy, others={"hasty": hasty}) as running:
        yield running


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def ask(
    proxy: RunningProxy, fails: Act | None = None, *, stream: bool = False
) -> httpx.Response:
    """Ask as a tenant who waits, or as the hasty one where the server would say nothing."""
    key = proxy.keys["hasty" if fails is hang else "app"]
    return await proxy.chat(chat_body(QUESTION, stream=stream), key=key)


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize(("fails", "status"), FAILURES)
async def test_a_server_that_fails_is_asked_once_for_each_request(
    proxy: RunningProxy, model: Model, fails: Act, status: int, stream: bool
) -> None:
    model.will(fails)

    replies = await asyncio.gather(*(ask(proxy, fails, stream=stream) for _ in range(10)))

    assert {reply.status_code for reply in replies} == {status}
    # Those of them that came over connections which are known to be good may be lost with these.
    assert len(model.lines) == len(replies)


@pytest.mark.parametrize(("fails", "_"), FAILURES)
async def test_with_the_second_attempt_a_request_costs_three_at_most(
    proxy: RunningProxy, model: Model, fails: Act, _: int
) -> None:
    """The first answer, the second attempt, and one of these again."""
    model.will(answering(CHINESE), fails)

    reply = await ask(proxy, fails)

    assert reply.status_code == 200
    assert reply.headers["x-guard-action"] == "replace"
    assert 2 <= len(model.lines) <= 3


@pytest.mark.parametrize("lost", [reset, close])
async def test_a_kept_connection_that_turns_out_dead_costs_one_more(
    proxy: RunningProxy, model: Model, lost: Act
) -> None:
    model.will(answering(GOOD), lost, answering(GOOD))
    await ask(proxy)

    again = await ask(proxy)

    assert again.json()["choices"][0]["message"]["content"] == GOOD
    assert len(model.lines) == 3


async def test_what_is_sent_once_more_is_not_sent_a_third_time(
    proxy: RunningProxy, model: Model
) -> None:
    model.will(answering(GOOD), reset)
    await ask(proxy)

    again = await ask(proxy)

    assert again.status_code == 502
    assert len(model.lines) == 1 + 2


async def test_one_request_more_is_all_that_both_attempts_have(
    proxy: RunningProxy, model: Model
) -> None:
    """Spent on a connection of the first attempt, it is not there for the second one."""
    model.will(answering(GOOD), reset, answering(CHINESE), reset, answering(GOOD))
    await ask(proxy)

    again = await ask(proxy)

    assert again.headers["x-guard-action"] == "replace"
    assert len(model.lines) == 1 + 3


@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [("POST", "/embeddings", 1), ("GET", "/files/a", 2)],
    ids=["may-do-something-twice", "does-nothing"],
)
async def test_what_is_handed_through_is_sent_again_only_where_that_does_nothing(
    proxy: RunningProxy, model: Model, method: str, path: str, sent: int
) -> None:
    model.will(answering(GOOD), reset)
    await ask(proxy)
    headers = {"authorization": f"Bearer {proxy.key}"}

    reply = await proxy.client.request(method, f"{proxy.base_url}{path}", headers=headers)

    assert reply.status_code == 502
    assert len(model.lines) == 1 + sent


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_a_limit_of_the_server_is_passed_on_with_when_to_come_again(
    proxy: RunningProxy, model: Model, stream: bool
) -> None:
    model.will(LIMITED)

    reply = await ask(proxy, stream=stream)

    assert reply.status_code == 429
    assert reply.headers["retry-after"] == "7"
    assert reply.headers["x-ratelimit-reset-requests"] == "7s"
    assert reply.json()["error"]["code"] == "slow_down"
    assert len(model.lines) == 1


async def test_a_client_that_does_as_it_is_told_finds_the_answer(
    proxy: RunningProxy, model: Model
) -> None:
    soon = refusing("429 Too Many Requests", "retry-after-ms: 20")
    model.will(soon, answering(GOOD))

    async with proxy.sdk().with_options(max_retries=2) as client:
        answered = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": QUESTION}]
        )

    assert answered.choices[0].message.content == GOOD
    assert len(model.lines) == 2
