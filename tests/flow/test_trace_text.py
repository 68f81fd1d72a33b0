"""What of a request's words its trace keeps: none, masked or full, in either store."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import redis
from pydantic import JsonValue

from policies.schema.sections import StoredText
from proxy.openai_api.json_body import JsonObject
from proxy.traces.trace import Trace
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream

# Nobody's: a birthday that has not been, a number of no network, an address of no domain.
RESIDENT = "991231-3123455"
PHONE = "010-0000-4321"
MAIL = "nobody@example.invalid"
QUESTION = f"제 번호는 {RESIDENT}, 연락처는 {PHONE}입니다. 가온별 신청서는 누구에게 내나요?"
SOURCES: list[JsonValue] = [
    {
        "section_title": "한빛달 규정",
        "section_content": f"가온별 신청서는 소속 팀장에게 제출한다. 문의는 {MAIL}으로 보낸다.",
        "file": "은하솔.pdf",
        "id": "누리봄",
    }
]
LEAKED = "예비물결, 가온별 申报表는 팀장에게 제출합니다."
ANSWER = f"가온별 신청서는 소속 팀장에게 제출합니다. 회신은 {PHONE}으로 드립니다. 마루결."
WORDS = ("가온별", "한빛달", "은하솔", "누리봄", "예비물결", "마루결", "신청서", "팀장")
SECRETS = (RESIDENT, PHONE, MAIL)

pytestmark = pytest.mark.asyncio(loop_scope="module")


def policy(text: StoredText | None) -> str:
    return "" if text is None else f"tracing:\n  text: {text}\n"


def body() -> JsonObject:
    asked = chat_body(QUESTION, SOURCES)
    guard = asked["guard"]
    assert isinstance(guard, dict)
    return asked | {"guard": guard | {"last_error_reason": "저녁놀"}}


Start = Callable[[StoredText | None], AbstractAsyncContextManager[RunningProxy]]


@pytest.fixture(params=["embedded", "redis"])
def start(
    request: pytest.FixtureRequest, tmp_path: Path, upstream: ScriptedUpstream, redis_url: str
) -> Start:
    """Start a proxy whose policy keeps so much of a text; None for the default."""
    upstream.says(LEAKED, ANSWER)
    url = redis_url if request.param == "redis" else None
    return lambda text: running_proxy(tmp_path, upstream, policy(text), redis_url=url)


@pytest.fixture
def everything_kept(tmp_path: Path, redis_url: str) -> Callable[[], str]:
    """Read all that either store holds, as text."""

    def read() -> str:
        files = b"".join(path.read_bytes() for path in tmp_path.glob("traces.sqlite3*"))
        with redis.Redis.from_url(redis_url, decode_responses=True) as server:
            values = [f"{key} {contents(server, key)}" for key in server.scan_iter()]
        return "\n".join([files.decode("utf-8", "replace"), *values])

    return read


def contents(server: redis.Redis, key: str) -> object:
    match server.type(key):
        case "string":
            return server.get(key)
        case "stream":
            return server.xrange(key)
        case "hash":
            return server.hgetall(key)
        case _:
            return server.smembers(key)


async def trace_of_one_request(proxy: RunningProxy) -> Trace:
    reply = await proxy.chat(body())
    assert reply.headers["x-guard-action"] == "regenerate"
    return await proxy.trace(reply)


async def test_full_keeps_every_word(start: Start, everything_kept: Callable[[], str]) -> None:
    async with start(StoredText.FULL) as proxy:
        trace = await trace_of_one_request(proxy)

    assert trace.text is StoredText.FULL
    assert trace.question == QUESTION
    assert [attempt.choices[0].text for attempt in trace.attempts] == [LEAKED, ANSWER]
    assert trace.replies == (ANSWER,)
    assert trace.sources[0].file == "은하솔.pdf"
    kept = everything_kept()
    assert [word for word in (*WORDS, *SECRETS) if word not in kept] == []


@pytest.mark.parametrize("text", [StoredText.MASKED, None], ids=["masked", "by-default"])
async def test_masked_keeps_the_words_and_no_personal_identifier(
    start: Start, everything_kept: Callable[[], str], text: StoredText | None
) -> None:
    async with start(text) as proxy:
        trace = await trace_of_one_request(proxy)

    assert trace.text is StoredText.MASKED
    assert trace.question.endswith("입니다. 가온별 신청서는 누구에게 내나요?")
    kept = everything_kept()
    assert [word for word in WORDS if word not in kept] == []
    assert [secret for secret in SECRETS if secret in kept] == []


async def test_none_keeps_no_word_of_the_request_or_the_answers(
    start: Start, everything_kept: Callable[[], str]
) -> None:
    async with start(StoredText.NONE) as proxy:
        trace = await trace_of_one_request(proxy)

    assert trace.text is StoredText.NONE
    kept = everything_kept()
    assert trace.id in kept
    assert [word for word in (*WORDS, *SECRETS, "저녁놀") if word in kept] == []
    # What happened is still told: in codes, places and counts.
    assert trace.reasons == ("korean_only.han",)
    assert len(trace.sources) == 1
    assert len(trace.attempts) == 2
    [found] = [one for one in trace.attempts[0].choices[0].findings if one.guard == "korean_only"]
    assert LEAKED[found.span.start : found.span.end] == "申报表"
    assert trace.attempts[0].usage is not None
