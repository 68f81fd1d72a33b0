"""Words that could leave although no guard looked at them: told twice, told beside, told early."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import JsonValue

from guards.text.citing.references import read_references
from proxy.openai_api.json_body import JsonObject, member, objects
from tests.fakes.fake_judge import chat_judge
from tests.fakes.growth import assert_grows_with_its_input
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.fakes.wire_upstream import JSON_TYPE, WireReply, WireUpstream
from tests.flow.heard import heard
from tests.flow.pool import FEE, HOURS, LOCKER, WRONG_FEE, WRONG_LOCKER, asked
from tests.policies.courses import COURSES, DENIED, KNOWN, NO_REFUND, POOL
from tests.tables import each_row

WRONG = "30,000"


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_server() -> AsyncGenerator[WireUpstream, None]:
    async with WireUpstream().running() as running:
        yield running


@pytest.fixture
def server(shared_server: WireUpstream) -> WireUpstream:
    shared_server.requests.clear()
    return shared_server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool(
    tmp_path_factory: pytest.TempPathFactory, shared_server: WireUpstream
) -> AsyncGenerator[RunningProxy, None]:
    async with running_proxy(tmp_path_factory.mktemp("pool"), shared_server) as running:
        yield running


def events(*chunks: JsonObject) -> WireReply:
    said = [f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode() for chunk in chunks]
    return WireReply([*said, b"data: [DONE]\n\n"])


def chunk(
    said: str = "", finish_reason: str | None = None, index: int = 0, **more: JsonValue
) -> JsonObject:
    choice: JsonObject = {
        "index": index,
        "delta": {"content": said} if said else {},
        "finish_reason": finish_reason,
        **more,
    }
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}


def plain(text: str, index: int = 0) -> WireReply:
    choice: JsonObject = {
        "index": index,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    return WireReply([json.dumps({"id": "c", "choices": [choice]}).encode()], JSON_TYPE)


async def test_a_stream_that_counts_choices_from_one_says_what_the_plain_reply_says(
    pool: RunningProxy, server: WireUpstream
) -> None:
    """A gate is to be found by the number of its choice: not every number asked for comes."""
    server.says(plain(f"{FEE} {LOCKER}", 1))
    whole = await pool.chat(asked())
    server.says(events(chunk(f"{FEE} ", None, 1), chunk(LOCKER, None, 1), chunk("", "stop", 1)))
    streamed = await pool.chat(asked(stream=True))

    assert heard(streamed).texts == heard(whole).texts == [f"{FEE} {LOCKER}"]
    assert streamed.headers["x-guard-action"] == whole.headers["x-guard-action"] == "pass"


async def test_a_bad_stream_that_counts_choices_from_one_is_settled(
    pool: RunningProxy, server: WireUpstream
) -> None:
    chunks = (chunk(f"{WRONG_FEE} ", None, 1), chunk(LOCKER, None, 1), chunk("", "stop", 1))
    server.says(events(*chunks))

    reply = await pool.chat(asked(stream=True))

    assert reply.headers["x-guard-action"] == "replace"
    assert len(server.requests) == 2
    assert heard(reply).texts != [""]


RETOLD = [
    pytest.param(chunk("", "stop", message={"content": WRONG_LOCKER}), id="message-in-the-last"),
    pytest.param(chunk("", None, text=WRONG_LOCKER), id="text-in-a-choice"),
    pytest.param({"id": "c", "message": {"content": WRONG_LOCKER}}, id="message-without-choices"),
    pytest.param(
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": WRONG_LOCKER}},
        id="event-of-another-endpoint",
    ),
    pytest.param(
        chunk("", None, logprobs={"content": [{"token": WRONG_LOCKER, "logprob": -1}]}),
        id="tokens-before-their-text",
    ),
]


@pytest.mark.parametrize("telling", RETOLD)
async def test_no_event_tells_what_is_taken_out_beside_the_text(
    pool: RunningProxy, server: WireUpstream, telling: JsonObject
) -> None:
    """Servers exist whose last chunk says the whole message once more."""
    said = [chunk(f"{FEE} "), chunk(f"{WRONG_LOCKER} "), chunk(HOURS)]
    server.says(events(*said, telling, chunk("", "stop")))

    reply = await pool.chat(asked(stream=True))

    assert reply.headers["x-guard-action"] == "trim"
    assert WRONG not in reply.text


@pytest.mark.parametrize(
    "telling",
    [
        {"choices": [{"index": 0, "text": "", "content": WRONG_LOCKER}]},
        {"choices": [{"index": 0, "text": "", "logprobs": {"tokens": [WRONG_LOCKER]}}]},
        {"choices": [], "x_whole": WRONG_LOCKER},
    ],
    ids=["content-in-a-choice", "tokens-before-their-text", "whole-beside-no-choice"],
)
async def test_no_event_of_a_completion_does_either(
    pool: RunningProxy, server: WireUpstream, telling: JsonObject
) -> None:
    texts = (f"{FEE} ", f"{WRONG_LOCKER} ", HOURS)
    said: list[JsonObject] = [{"choices": [{"index": 0, "text": text}]} for text in texts]
    server.says(events(*said, telling, {"choices": [{"text": "", "finish_reason": "stop"}]}))
    body = asked(stream=True)
    prompt = "\n\n".join(str(one["content"]) for one in objects(body["messages"]))
    whole = {"model": "m", "prompt": prompt, "guard": body.get("guard"), "stream": True}

    reply = await pool.send(json.dumps(whole).encode(), path="/v1/completions")

    assert reply.headers["x-guard-action"] == "trim"
    assert WRONG not in reply.text


@pytest.mark.parametrize("member", ["provider_specific_fields", "x_own"])
async def test_what_is_taken_out_of_a_stream_goes_with_what_tells_it_again(
    pool: RunningProxy, server: WireUpstream, member: str
) -> None:
    told = chunk()
    told["choices"] = [
        {
            "index": 0,
            "delta": {"content": f"{WRONG_LOCKER} {HOURS}", member: {"said": WRONG_LOCKER}},
        }
    ]
    server.says(events(chunk(f"{FEE} "), told, chunk("", "stop")))

    reply = await pool.chat(asked(stream=True))

    assert reply.headers["x-guard-action"] == "trim"
    assert WRONG not in reply.text


async def test_members_of_the_first_chunk_are_not_said_again_in_those_made_of_it(
    pool: RunningProxy, server: WireUpstream
) -> None:
    """The frame of what the proxy writes holds what is known to frame, and nothing else."""
    first = chunk(f"{FEE} ") | {"x_own": "once"}
    server.says(events(first, chunk(f"{LOCKER} "), chunk("", "stop")))

    reply = await pool.chat(asked(stream=True))

    assert reply.text.count('"once"') == 1


async def test_a_second_attempt_that_came_plainly_is_counted(
    pool: RunningProxy, server: WireUpstream
) -> None:
    server.says(events(chunk(f"{WRONG_FEE} "), chunk(LOCKER), chunk("", "stop")), plain(FEE))

    reply = await pool.chat(asked(stream=True))

    assert len(server.requests) == 2
    assert reply.headers["x-guard-attempts"] == "2"


async def test_a_stream_whose_choice_never_ends_says_at_its_end_what_was_changed(
    pool: RunningProxy, server: WireUpstream
) -> None:
    server.says(events(chunk(f"{FEE} "), chunk(f"{WRONG_LOCKER} "), chunk(HOURS)))

    reply = await pool.chat(asked(stream=True))

    *others, last = heard(reply).chunks
    assert [one for one in others if "guard" in one] == []
    assert last["choices"] == []
    assert member(last["guard"], "action") == reply.headers["x-guard-action"] == "trim"


async def test_no_header_keeps_the_judge_from_being_asked(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    """Nothing on the wire makes a guard weaker: a stream is judged whatever the header says."""
    given: list[JsonValue] = [
        {"section_title": one.title, "section_content": one.text} for one in (COURSES, POOL)
    ]
    upstream.says(f"{KNOWN} {DENIED}")
    against = chat_judge("contradictory", NO_REFUND, matter="negation")
    async with ScriptedUpstream(against).running() as judge:
        yaml = f"judge:\n  base_url: {judge.address}/v1\n  model: judge-ko\n"
        async with running_proxy(tmp_path, upstream, yaml) as proxy:
            body = chat_body("수강료는 언제까지 환불되나요?", given)
            told = ("x_stainless_timeout", "x_stainless_read_timeout")
            replies = [await proxy.chat(body, **{name: "0"}) for name in told]

    assert len(judge.requests) == 2
    assert not any(DENIED in reply.text for reply in replies)


@each_row("before, behind", [("", "수영장은 엽니다."), ("출처", "가")])
async def test_reading_the_references_takes_no_longer_for_spaces(before: str, behind: str) -> None:
    """Where thoughts or JSON stand before an answer, guards see as many spaces."""
    assert_grows_with_its_input(lambda count: read_references(before + " " * count + behind), 5_000)
