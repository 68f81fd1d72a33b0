"""`/v1/completions` through the whole proxy, asked by the real client."""

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
from litestar import Litestar, Request, Response, post
from litestar.datastructures import State
from openai import BadRequestError

from proxy.openai_api.json_body import JSON_TYPE, JsonObject
from proxy.openai_api.sse import DONE, STREAM_TYPE, json_bytes, write_event
from proxy.server.serving import served
from tests.fakes.running_proxy import RunningProxy, running_proxy

FACTS = "직원 식당은 평일 오전 11시 40분에 문을 엽니다. 점심값은 6,500원입니다."
WRONG = "점심값은 9,900원입니다."
RIGHT = "점심값은 6,500원입니다."
PROMPT = f"문맥만 보고 답하세요.\n\n문맥:\n{FACTS}\n\n질문: 점심값은 얼마인가요?\n답변:"
MASKED = "guards:\n  personal_data:\n    mode: enforce\n    options: {input: mask}\n"


@dataclass
class CompletionServer:
    """A model server for completions; `requests` holds every body it was sent."""

    texts: Callable[[int], Sequence[str]] = field(default=lambda attempt: [RIGHT])
    requests: list[JsonObject] = field(default_factory=list)
    address: str = ""

    def says(self, *attempts: Sequence[str]) -> None:
        """Say the choices of the first attempt, then those of the second."""
        self.texts = lambda attempt: attempts[min(attempt, len(attempts) - 1)]

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["CompletionServer", None]:
        @post("/v1/completions", status_code=200)
        async def completions(request: Request[object, object, State]) -> Response[bytes]:
            body: JsonObject = json.loads(await request.body())
            self.requests.append(body)
            texts = self.texts(len(self.requests) - 1)
            return _streamed(texts) if body.get("stream") else _plain(texts)

        async with served(Litestar([completions])) as self.address:
            yield self


def _plain(texts: Sequence[str]) -> Response[bytes]:
    usage: JsonObject = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    choices = [_choice(at, text, "stop") for at, text in enumerate(texts)]
    body = _frame() | {"choices": [*choices], "usage": usage}
    return Response(json_bytes(body), media_type=JSON_TYPE)


def _streamed(texts: Sequence[str]) -> Response[bytes]:
    events = [
        write_event(_frame() | {"choices": [_choice(at, text[start : start + 3], None)]})
        for at, text in enumerate(texts)
        for start in range(0, len(text), 3)
    ]
    ends = [
        write_event(_frame() | {"choices": [_choice(at, "", "stop")]}) for at in range(len(texts))
    ]
    return Response(b"".join([*events, *ends, DONE]), media_type=STREAM_TYPE)


def _frame() -> JsonObject:
    return {"id": "cmpl-up", "object": "text_completion", "created": 5, "model": "m"}


def _choice(index: int, text: str, finish: str | None) -> JsonObject:
    return {"index": index, "text": text, "logprobs": None, "finish_reason": finish}


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_server() -> AsyncGenerator[CompletionServer, None]:
    async with CompletionServer().running() as running:
        yield running


@pytest.fixture
def server(shared_server: CompletionServer) -> CompletionServer:
    shared_server.requests.clear()
    shared_server.says([RIGHT])
    return shared_server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def door(
    tmp_path_factory: pytest.TempPathFactory, shared_server: CompletionServer
) -> AsyncGenerator[RunningProxy, None]:
    async with running_proxy(tmp_path_factory.mktemp("door"), shared_server, MASKED) as running:
        yield running


async def said(
    proxy: RunningProxy, prompt: str, *, stream: bool, n: int = 1, echo: bool = False
) -> list[str]:
    """Return what a client reads of each choice."""
    texts = [""] * n
    async with proxy.sdk() as client:
        if not stream:
            reply = await client.completions.create(model="m", prompt=prompt, n=n, echo=echo)
            return [choice.text for choice in reply.choices]
        chunks = await client.completions.create(
            model="m", prompt=prompt, n=n, echo=echo, stream=True
        )
        async for chunk in chunks:
            for choice in chunk.choices:
                texts[choice.index] += choice.text
    return texts


async def test_a_grounded_answer_passes(
    door: RunningProxy, server: CompletionServer, stream: bool
) -> None:
    assert await said(door, PROMPT, stream=stream) == [RIGHT]
    assert [body["prompt"] for body in server.requests] == [PROMPT]


async def test_a_wrong_answer_is_written_again_before_the_cue(
    door: RunningProxy, server: CompletionServer, stream: bool
) -> None:
    server.says([WRONG], [RIGHT])

    assert await said(door, PROMPT, stream=stream) == [RIGHT]

    again = str(server.requests[1]["prompt"])
    assert again.startswith(PROMPT.removesuffix("\n답변:"))
    assert "6,500원" in again.removeprefix(PROMPT.removesuffix("\n답변:"))
    assert again.endswith("\n\n답변:")


async def test_only_the_choices_that_failed_are_written_again(
    door: RunningProxy, server: CompletionServer, stream: bool
) -> None:
    server.says([RIGHT, WRONG], [FACTS])

    assert await said(door, PROMPT, stream=stream, n=2) == [RIGHT, FACTS]
    assert [body.get("n") for body in server.requests] == [2, 1]


async def test_the_prompt_is_no_part_of_the_answer_where_it_is_echoed(
    door: RunningProxy, server: CompletionServer, stream: bool
) -> None:
    assert await said(door, PROMPT, stream=stream, echo=True) == [f"{PROMPT}{RIGHT}"]
    assert "echo" not in server.requests[0]


async def test_an_empty_context_never_reaches_the_model(
    door: RunningProxy, server: CompletionServer, stream: bool
) -> None:
    prompt = "문맥만 보고 답하세요.\n\n문맥:\n\n질문: 휴가 규정은 어떻게 되나요?\n답변:"

    [text] = await said(door, prompt, stream=stream)

    assert text
    assert server.requests == []


async def test_an_identifier_of_the_user_never_reaches_the_model(
    door: RunningProxy, server: CompletionServer, stream: bool
) -> None:
    phone = "010-9912-3456"
    server.says(["[전화번호-1]로 연락드리겠습니다. 점심값은 6,500원입니다."])
    prompt = PROMPT.replace("질문: ", f"질문: 제 번호는 {phone}입니다. ")

    [text] = await said(door, prompt, stream=stream)

    assert text == f"{phone}으로 연락드리겠습니다. 점심값은 6,500원입니다."
    assert phone not in str(server.requests[0]["prompt"])


async def test_token_ids_are_refused(door: RunningProxy, server: CompletionServer) -> None:
    async with door.sdk() as client:
        with pytest.raises(BadRequestError) as error:
            await client.completions.create(model="m", prompt=[1, 2, 3])

    assert error.value.param == "prompt"
    assert server.requests == []
