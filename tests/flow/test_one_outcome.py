"""One outcome: the same answer has the same end, plain or streamed, however it is cut."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openai import AsyncOpenAI
from pydantic import JsonValue

from policies.schema.keys import new_key
from proxy.openai_api.json_body import JsonObject, member
from proxy.traces.trace import Trace
from tests.fakes.running_proxy import RunningProxy, running_proxy, tenant_yaml
from tests.fakes.scripted_upstream import is_second_attempt
from tests.fakes.wire_style import Spoken, WireStyle, plain, streamed
from tests.fakes.wire_upstream import WireReply, WireUpstream
from tests.flow.heard import Heard, heard
from tests.flow.pool import (
    FEE,
    HOURS,
    LOCKER,
    QUESTION,
    SOURCES,
    WRONG_FEE,
    WRONG_HOURS,
    WRONG_LOCKER,
    asked,
)
from tests.flow.waiting import eventually

PHONE = "010-0000-4321"
COMPLAINT = "왜 자꾸 모른다고만 해? 진짜 답답하네"
HIDING = "guards: {personal_data: {options: {input: mask}}}"
USAGE: JsonObject = {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49}

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Pool:
    """A proxy, the model server behind it and the real client in front of it.

    The tenant ``hiding`` gives the model stand-ins; ``careful`` extends the strict policy.
    """

    def __init__(
        self, proxy: RunningProxy, upstream: WireUpstream, sdk: AsyncOpenAI, keys: dict[str, str]
    ) -> None:
        self.proxy = proxy
        self.upstream = upstream
        self.sdk = sdk
        self.keys = keys


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Pool, None]:
    folder = tmp_path_factory.mktemp("pool")
    async with WireUpstream().running() as upstream:
        careful = _careful_tenant(folder, upstream.address)
        async with (
            running_proxy(folder, upstream, others={"hiding": HIDING}) as proxy,
            proxy.sdk() as sdk,
        ):
            yield Pool(proxy, upstream, sdk, {**proxy.keys, "careful": careful})


def _careful_tenant(folder: Path, address: str) -> str:
    key, key_hash = new_key("careful")
    text = tenant_yaml("careful", key_hash, address).replace("extends: default", "extends: strict")
    (folder / "policies").mkdir()
    (folder / "policies" / "careful.yaml").write_text(text, encoding="utf-8")
    return key


# What is said, and how it is written.

SENTENCES = [
    FEE,
    LOCKER,
    HOURS,
    "월 이용료는 45,000원입니다[1].",
    "이용을 시작하기 7일 전까지 환불을 신청하시면 전액을 돌려드립니다.[†3]",
    "휴관일은 매월 둘째 월요일입니다. [참조: 솔내수영장 운영 규정 제9조(이용 시간)]",
    WRONG_FEE,
    WRONG_LOCKER,
    WRONG_HOURS,
    "보통 약 50,000원 정도입니다.",
    "자세한 내용은 솔내수영장 운영 규정 제31조에 나옵니다.",
    "매월 둘째 월요일에는 쉽니다. [7]",
    "[참조: 없는 문서]",
    "申请书을 내면 됩니다.",
    "请在柜台办理退款手续。",
    "The pool is closed on Mondays.",
    "안녕하세요, 솔내수영장입니다.",
    "문의하신 내용을 안내해 드립니다:",
    "더 궁금한 점이 있으면 말씀해 주세요!",
    f"문의는 {PHONE}로 해 주세요.",
    "## 이용 안내",
    "- 월 이용료: 45,000원 [1]\n- 이용 시간: 평일 06:00~21:00 [2]",
    "1. 환불을 신청합니다.\r\n2. 전액을 돌려받습니다. [3]",
    "| 항목 | 내용 |\n|---|---|\n| 월 이용료 | 57,000원 |\n",
    '```json\n{"monthly_fee": 45000}\n```',
    "🏊 즐겁게 이용해 주세요 👨‍👩‍👧😀",
    "<think>제8조를 보면 된다.</think>",
    "깨진 \ufffd글자입니다.",
]
STAND_INS = [
    "회신은 [전화번호-1]로 드립니다.",
    "번호 [전화번호-1]을 확인했습니다.",
    "다른 번호 [전화번호-2]는 모릅니다.",
]
GAPS = st.sampled_from([" ", "\n", "\n\n", " ", ""])


def answers_of(sentences: Sequence[str]) -> st.SearchStrategy[str]:
    # Half of them are right, so that many answers go wrong late.
    sentence = st.sampled_from([FEE, LOCKER, HOURS]) | st.sampled_from(sentences)
    pieces = st.lists(st.tuples(sentence, GAPS), max_size=5)
    return pieces.map(lambda pairs: "".join(text + gap for text, gap in pairs).strip(" "))


ANSWERS = answers_of(SENTENCES)
BODIES = st.sampled_from(
    [
        *[asked()] * 5,
        asked(guard={}),
        asked(messages=[{"role": "user", "content": "이용료 규정을 알려 주세요"}], guard={}),
        asked(messages=[{"role": "user", "content": COMPLAINT}]),
    ]
)
STYLES = st.builds(
    WireStyle,
    deltas=st.sampled_from(["some", "each", "whole"]),
    pieces=st.sampled_from(["some", "whole", "each"]),
    seed=st.integers(0, 2**20),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    escaped=st.booleans(),
    spread=st.booleans(),
    chatty=st.booleans(),
    mark=st.booleans(),
    done=st.booleans(),
    blank_line=st.booleans(),
    role_alone=st.booleans(),
    ends_with_text=st.booleans(),
    unfinished=st.sampled_from([None, ""]),
    in_turn=st.booleans(),
    encoding=st.sampled_from(["", "gzip", "deflate"]),
    recut=st.booleans(),
)


def often(share: int) -> settings:
    """Return settings for a share of the usual examples, in percent."""
    return settings(
        max_examples=settings().max_examples * share // 100,
        derandomize=settings.get_current_profile_name() == "suite",
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


# The law.


@dataclass(frozen=True)
class Outcome:
    """What became of one request: what the client heard, what the model server was asked."""

    trace_id: str
    said: Heard
    asked: list[JsonObject]


async def outcome(pool: Pool, body: JsonObject, tenant: str = "app") -> Outcome:
    before = len(pool.upstream.requests)
    reply = await pool.proxy.chat(body, key=pool.keys[tenant])
    assert reply.status_code == 200, reply.text
    said = heard(reply)
    assert said.error is None
    requests = pool.upstream.requests[before:]
    return Outcome(reply.headers["x-guard-request-id"], said, requests)


def scripted(
    pool: Pool, first: Sequence[str], second: Sequence[str], style: WireStyle, finish: str = "stop"
) -> None:
    """Let the model server say this, in one piece or in this style, as it is asked."""

    def script(body: JsonObject) -> WireReply:
        texts = second if is_second_attempt(body) else first
        wanted = body.get("n", 1)
        assert isinstance(wanted, int)
        spoken = Spoken([texts[at % len(texts)] for at in range(wanted)], finish, USAGE)
        return streamed(spoken, style) if body.get("stream") else plain(spoken)

    pool.upstream.script = script


def without_stream(body: JsonObject) -> JsonObject:
    return {name: body[name] for name in body if name not in ("stream", "stream_options")}


def decided(trace: Trace) -> dict[str, object]:
    """Return all of a trace that does not depend on when and how it was asked."""
    kept = "action reasons confidence not_checked replies findings status error kept_attempt"
    told = trace.model_dump(include={*kept.split(), "question", "context", "delivery"})
    runs = [(run.guard, run.outcome, run.reason, run.attempt, run.choice) for run in trace.guards]
    return told | {"runs": runs}


def assert_same_attempts(whole: Trace, live: Trace) -> None:
    """Of an attempt that was given up, a stream may have been read as far as to its fault only."""
    assert len(whole.attempts) == len(live.attempts)
    assert [one.error for one in whole.attempts] == [one.error for one in live.attempts]
    for number, (one, other) in enumerate(zip(whole.attempts, live.attempts, strict=True), start=1):
        given_up = number < len(whole.attempts)
        for choice, heard_of in zip(one.choices, other.choices, strict=True):
            assert heard_of.findings == choice.findings
            assert choice.text.startswith(heard_of.text) if given_up else heard_of == choice


async def both_ways(pool: Pool, body: JsonObject, tenant: str = "app") -> tuple[Outcome, Outcome]:
    """Ask plain and as a stream, and compare."""
    options: JsonObject = {"stream": True, "stream_options": {"include_usage": True}}
    whole = await outcome(pool, body, tenant)
    live = await outcome(pool, body | options, tenant)
    traces = [await pool.proxy.trace_of(one.trace_id) for one in (whole, live)]
    assert live.said.texts == whole.said.texts
    assert live.said.finish_reasons == whole.said.finish_reasons
    assert decided(traces[1]) == decided(traces[0])
    assert_same_attempts(*traces)
    assert list(map(without_stream, live.asked)) == list(map(without_stream, whole.asked))
    if all(attempt.usage for attempt in traces[1].attempts):
        assert live.said.usage == whole.said.usage
    return whole, live


@often(100)
@given(first=ANSWERS, second=ANSWERS, style=STYLES, body=BODIES)
async def test_an_answer_has_one_outcome_however_it_is_cut(
    pool: Pool, first: str, second: str, style: WireStyle, body: JsonObject
) -> None:
    scripted(pool, [first], [second], style)

    await both_ways(pool, body)


@often(32)
@given(
    first=st.lists(ANSWERS, min_size=2, max_size=2),
    second=st.lists(ANSWERS, min_size=2, max_size=2),
    style=STYLES,
)
async def test_each_of_two_choices_has_one_outcome(
    pool: Pool, first: list[str], second: list[str], style: WireStyle
) -> None:
    scripted(pool, first, second, style)

    await both_ways(pool, asked(n=2))


@often(32)
@given(
    tenant=st.sampled_from(["hiding", "careful"]),
    first=answers_of([*STAND_INS, *SENTENCES[:8]]),
    second=answers_of([*STAND_INS, FEE]),
    style=STYLES,
)
async def test_stand_ins_become_the_users_own_words_however_they_are_cut(
    pool: Pool, tenant: str, first: str, second: str, style: WireStyle
) -> None:
    scripted(pool, [first], [second], style)
    body = asked(messages=[{"role": "user", "content": f"제 번호는 {PHONE}입니다. {QUESTION}"}])

    for one in await both_ways(pool, body, tenant):
        assert "[전화번호-1]" not in "".join(one.said.texts)
        assert PHONE not in json.dumps(one.asked)


@often(24)
@given(first=ANSWERS, second=ANSWERS, style=STYLES)
async def test_a_json_answer_has_one_outcome_and_stays_json(
    pool: Pool, first: str, second: str, style: WireStyle
) -> None:
    written = [json.dumps({"answer": text}, ensure_ascii=False) for text in (first, second)]
    scripted(pool, written[:1], written[1:], style)

    for one in await both_ways(pool, asked(response_format={"type": "json_object"})):
        [text] = one.said.texts
        # A refusal stands beside the content, never in it.
        assert not text or isinstance(json.loads(text), dict)


TOOLS: list[JsonValue] = [{"type": "function", "function": {"name": "find", "parameters": {}}}]
CALL: JsonObject = {
    "index": 0,
    "id": "call-1",
    "type": "function",
    "function": {"name": "find", "arguments": "{}"},
}


@often(32)
@given(
    first=st.lists(ANSWERS, min_size=1, max_size=2),
    second=ANSWERS,
    style=STYLES,
)
async def test_what_is_said_before_calls_of_tools_has_one_outcome(
    pool: Pool, first: list[str], second: str, style: WireStyle
) -> None:
    def script(body: JsonObject) -> WireReply:
        said = [second] * len(first) if is_second_attempt(body) else first
        spoken = Spoken(said, "tool_calls", USAGE, [CALL])
        return streamed(spoken, style) if body.get("stream") else plain(spoken)

    pool.upstream.script = script

    await both_ways(pool, asked(tools=TOOLS, n=len(first)))


# A mark at the start, and a last event without its blank line, are lost on the real client.
READABLE = STYLES.map(lambda style: replace(style, mark=False, blank_line=True))


@often(24)
@given(first=ANSWERS, second=ANSWERS, style=READABLE)
async def test_the_real_client_hears_what_a_plain_reply_says(
    pool: Pool, first: str, second: str, style: WireStyle
) -> None:
    scripted(pool, [first], [second], style)
    whole = await outcome(pool, asked())

    stream = await pool.sdk.chat.completions.create(
        model="scripted-ko",
        messages=[{"role": "user", "content": QUESTION}],
        stream=True,
        extra_body={"guard": {"sources": SOURCES}},
    )
    said = Heard()
    async for chunk in stream:
        said.add(cast("JsonObject", chunk.to_dict()))

    assert said.texts == whole.said.texts
    assert said.finish_reasons == whole.said.finish_reasons
    live_id = stream.response.headers["x-guard-request-id"]
    traces = [await pool.proxy.trace_of(trace_id) for trace_id in (whole.trace_id, live_id)]
    assert decided(traces[1]) == decided(traces[0])


async def test_streams_that_cross_do_not_mix(pool: Pool) -> None:
    slow = streamed(Spoken([f"{FEE} {LOCKER} 🏊"]), WireStyle(deltas="some", pieces="some", seed=2))
    quick = streamed(Spoken([HOURS]), WireStyle())
    go_on = asyncio.Event()
    replies = [replace(slow, pauses={len(slow.pieces) // 2: go_on}), quick]
    pool.upstream.script = lambda _: replies.pop(0)
    before = len(pool.upstream.requests)

    async def has_come() -> bool:
        return len(pool.upstream.requests) > before

    first = asyncio.create_task(pool.proxy.chat(asked(stream=True)))
    await eventually(has_come)
    second = await pool.proxy.chat(asked(stream=True))
    go_on.set()

    assert heard(second).texts == [HOURS]
    assert heard(await first).texts == [f"{FEE} {LOCKER} 🏊"]


# How streams end.


@pytest.mark.parametrize("text", [f"{FEE} {HOURS}", f"{WRONG_FEE} {HOURS}"], ids=["good", "wrong"])
async def test_a_complete_stream_says_so_where_the_server_forgets(pool: Pool, text: str) -> None:
    pool.upstream.says(streamed(Spoken([text]), WireStyle(deltas="each", done=False)))

    reply = await pool.proxy.chat(asked(stream=True))

    assert heard(reply).done
    assert heard(reply).finish_reasons == ["stop"]


@pytest.mark.parametrize("good", [True, False], ids=["good", "wrong"])
async def test_a_plain_reply_to_a_request_for_a_stream_is_guarded(pool: Pool, good: bool) -> None:
    said = Spoken([f"{FEE if good else WRONG_FEE} {HOURS}"], usage=USAGE)
    pool.upstream.says(plain(said))

    reply = await pool.proxy.chat(asked(stream=True))

    [text] = heard(reply).texts
    assert heard(reply).finish_reasons == ["stop"]
    assert (text == f"{FEE} {HOURS}") == good
    assert "57,000" not in text
    assert (await pool.proxy.trace(reply)).replies == (text,)


def cut_off(*, lost: bool, after: bytes = b"", keep: float = 1.0) -> WireReply:
    """Return a stream of a good answer that never says how it ended."""
    style = WireStyle(deltas="some", seed=1, done=False)
    body = b"".join(streamed(Spoken([f"{FEE} {LOCKER} {HOURS}"], None), style).pieces)
    return WireReply([body[: int(len(body) * keep)] + after], lost=lost)


ERROR = json.dumps({"error": {"message": "out of memory", "code": 500}}).encode()
BROKEN_OFF = [
    pytest.param(cut_off(lost=True), id="connection-lost"),
    pytest.param(cut_off(lost=True, keep=0.7), id="connection-lost-within-an-event"),
    pytest.param(cut_off(lost=False), id="ended-without-a-reason"),
    pytest.param(cut_off(lost=False, keep=0.7), id="ended-within-an-event"),
    pytest.param(
        cut_off(lost=False, after=b"data: " + ERROR + b"\n\n"), id="ended-with-an-error-object"
    ),
    pytest.param(
        cut_off(lost=False, after=b"data: " + ERROR + b"\n\ndata: [DONE]\n\n"),
        id="ended-with-an-error-object-and-done",
    ),
    pytest.param(
        cut_off(lost=False, after=b"event: error\ndata: " + ERROR + b"\n\n"), id="an-error-event"
    ),
    pytest.param(
        cut_off(lost=False, after=b"error: " + ERROR + b"\n\n"), id="an-error-in-its-own-field"
    ),
]


@pytest.mark.parametrize("reply", BROKEN_OFF)
async def test_a_stream_that_breaks_off_stays_visibly_cut(pool: Pool, reply: WireReply) -> None:
    pool.upstream.says(reply)

    answer = await pool.proxy.chat(asked(stream=True))

    said = heard(answer)
    assert isinstance(member(said.error, "message"), str)
    assert not said.done
    assert not any(said.finish_reasons)
    assert "out of memory" not in answer.text
    trace = await pool.proxy.trace(answer)
    assert trace.error is not None
    assert trace.status >= 500
    assert "".join(trace.replies) == "".join(said.texts)
    assert f"{FEE} {LOCKER} {HOURS}".startswith("".join(said.texts))


# Answers that ran out of tokens.

CUT_SENTENCES = [
    pytest.param("사물함 보증금은 10,0", id="within-a-number"),
    pytest.param("평일에는 06:00부터 2", id="within-a-time"),
    pytest.param("자세한 내용은 솔내수영장 운영 규정 제3", id="within-a-law"),
    pytest.param("평일에는 06:00부터 21:00까지 엽니다. [", id="within-a-citation"),
    pytest.param("사물함을 비울", id="within-words"),
    pytest.param("사물함 보증금은 30,000원이", id="behind-a-wrong-number"),
    pytest.param("자세한 내용은 솔내수영장 운영 규정 제31조에", id="behind-a-wrong-law"),
    pytest.param("申请书을", id="behind-a-foreign-word"),
    pytest.param("휴관일은 매월 둘째 월요일입니다. [참조: 없는", id="within-a-wrong-citation"),
]


@pytest.mark.parametrize("end", CUT_SENTENCES)
async def test_a_cut_last_sentence_is_no_violation(pool: Pool, end: str, stream: bool) -> None:
    scripted(pool, [f"{FEE} {end}"], ["두 번째 답변입니다."], WireStyle(), finish="length")

    reply = await pool.proxy.chat(asked(stream=stream))

    trace = await pool.proxy.trace(reply)
    assert trace.action in ("pass", "fix")
    assert trace.reasons in ((), ("answer.cut",))
    assert len(trace.attempts) == 1
    [text] = heard(reply).texts
    assert text.rstrip() == FEE or text == f"{FEE} {end}"
    assert heard(reply).finish_reasons == ["length"]


@often(24)
@given(
    answer=ANSWERS, style=STYLES, end=st.sampled_from([case.values[0] for case in CUT_SENTENCES])
)
async def test_a_cut_answer_has_one_outcome(
    pool: Pool, answer: str, style: WireStyle, end: object
) -> None:
    scripted(pool, [f"{answer} {end}"], [FEE], style, finish="length")

    await both_ways(pool, asked())


async def test_a_whole_sentence_before_the_cut_is_still_checked(pool: Pool, stream: bool) -> None:
    said = f"{WRONG_FEE} {HOURS} 사물함 보증금은 10,0"
    scripted(pool, [said], [said], WireStyle(), finish="length")

    reply = await pool.proxy.chat(asked(stream=stream))

    assert "57,000" not in reply.text


# Content encodings.


@pytest.mark.parametrize("keep", [0.5, 0.95])
async def test_an_encoding_that_breaks_off_stays_visibly_cut(pool: Pool, keep: float) -> None:
    style = WireStyle(encoding="gzip", deltas="each")
    packed = b"".join(streamed(Spoken([f"{FEE} {LOCKER} {HOURS}"]), style).pieces)
    pool.upstream.says(WireReply([packed[: int(len(packed) * keep)]], encoding="gzip"))

    said = heard(await pool.proxy.chat(asked(stream=True)))

    assert said.error is not None
    assert not said.done
