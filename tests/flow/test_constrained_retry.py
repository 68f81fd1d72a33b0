"""The second attempt against model servers that can constrain what they write."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pydantic import JsonValue

from proxy.openai_api.json_body import JsonObject
from proxy.pipeline.constraints import ServerKind
from tests.fakes.constrained_server import CONSTRAINTS, ConstrainedServer
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.flow.replies import both_ways, said

ASKED = "수영 강습료는 얼마인가요?"
SOURCES: list[JsonValue] = [
    {
        "section_title": "제4조(강습료)",
        "section_content": "수영 강습료는 한 달에 61,000원이며, 첫날까지 물빛체육관에 낸다.",
    }
]
LEAKED = "수영 讲习费는 一个月 61,000원입니다."
# What the model would rather write again stands first.
STUBBORN = ("수영 ", ("讲习费", "강습료"), "는 ", ("一个月에", "한 달에"), " 61,000원입니다.")
HEALED = "수영 강습료는 한 달에 61,000원입니다."


@pytest.fixture
async def server() -> AsyncGenerator[ConstrainedServer, None]:
    async with ConstrainedServer(first=LEAKED, second=STUBBORN).running() as running:
        yield running


@pytest.fixture
async def proxy(tmp_path: Path, server: ConstrainedServer) -> AsyncGenerator[RunningProxy, None]:
    async with running_proxy(tmp_path, server) as running:
        yield running


def constraints_of(body: JsonObject) -> list[str]:
    return [name for name in CONSTRAINTS if body.get(name)]


KINDS = [
    pytest.param(ServerKind.VLLM, ["structured_outputs", "bad_words"], id="vllm"),
    pytest.param(ServerKind.SGLANG, ["regex"], id="sglang"),
    pytest.param(ServerKind.LLAMACPP, ["grammar"], id="llamacpp"),
]


@pytest.mark.parametrize(("kind", "fields"), KINDS)
async def test_a_server_that_says_what_it_is_is_left_no_room_for_chinese(
    proxy: RunningProxy, server: ConstrainedServer, kind: ServerKind, fields: list[str]
) -> None:
    server.kind = kind

    text = await both_ways(proxy, chat_body(ASKED, SOURCES), "regenerate", "korean_only.han")

    assert text == HEALED
    assert [constraints_of(body) for body in server.requests] == [[], fields] * 2
    assert server.probes == 1


async def test_requests_that_come_together_ask_once_what_the_server_is(
    proxy: RunningProxy, server: ConstrainedServer
) -> None:
    server.kind = ServerKind.VLLM

    asked = (proxy.chat(chat_body(ASKED, SOURCES)) for _ in range(8))
    replies = await asyncio.gather(*asked)

    assert {reply.headers["x-guard-action"] for reply in replies} == {"regenerate"}
    assert server.probes == 1


async def test_the_policy_may_say_what_the_server_is(
    tmp_path: Path, server: ConstrainedServer
) -> None:
    server.kind = "somebody"
    policy = "regeneration:\n  constraint: sglang\n"
    async with running_proxy(tmp_path, server, policy) as proxy:
        reply = await proxy.chat(chat_body(ASKED, SOURCES))
        trace = await proxy.trace(reply)

    assert said(reply) == HEALED
    assert server.probes == 0
    assert trace.constrained_by == "sglang"
    assert reply.json()["usage"]["total_tokens"] == sum(
        attempt.usage.total_tokens for attempt in trace.attempts if attempt.usage
    )


async def test_another_server_is_only_told(proxy: RunningProxy, server: ConstrainedServer) -> None:
    server.kind = "system"

    reply = await proxy.chat(chat_body(ASKED, SOURCES))
    again = await proxy.chat(chat_body(ASKED, SOURCES))

    assert reply.headers["x-guard-action"] == again.headers["x-guard-action"] == "replace"
    assert [constraints_of(body) for body in server.requests] == [[]] * 4
    assert server.probes == 1
    assert (await proxy.trace(reply)).constrained_by == ""


REFUSALS = [
    pytest.param(422, '{"detail": [{"loc": ["body", "regex"]}]}', id="validation"),
    pytest.param(
        400,
        '{"error": {"message": "Unrecognized argument: structured_outputs", "type": "x"}}',
        id="names-the-field",
    ),
    pytest.param(400, '{"object": "error", "message": "bad regex"}', id="another-form"),
    pytest.param(400, '{"error": {"message": "bad request"}}', id="without-a-reason"),
    pytest.param(500, '{"error": {"message": "grammar compile failed"}}', id="breaks-over-it"),
    pytest.param(501, '{"error": {"message": "not implemented"}}', id="not-implemented"),
]


@pytest.mark.parametrize(("status", "error"), REFUSALS)
async def test_a_server_that_refuses_is_asked_without_and_that_costs_nothing(
    proxy: RunningProxy, server: ConstrainedServer, status: int, error: str
) -> None:
    server.refuses = (status, error)
    server.second = (HEALED,)

    for _ in range(2):
        reply = await proxy.chat(chat_body(ASKED, SOURCES))
        assert (said(reply), reply.headers["x-guard-attempts"]) == (HEALED, "2")

    asked = [bool(constraints_of(body)) for body in server.requests]
    assert asked == [False, True, False, False, False]
    assert [attempt.error for attempt in (await proxy.trace(reply)).attempts] == [None, None]


async def test_a_server_that_fails_without_it_too_is_not_blamed_for_it(
    proxy: RunningProxy, server: ConstrainedServer
) -> None:
    server.fails_again = (500, '{"error": {"message": "out of memory"}}')

    for _ in range(2):
        reply = await proxy.chat(chat_body(ASKED, SOURCES))
        assert reply.headers["x-guard-action"] == "replace"

    asked = [bool(constraints_of(body)) for body in server.requests]
    assert asked == [False, True, False] * 2
    assert (await proxy.trace(reply)).attempts[-1].error == "upstream_refused"


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_server_with_too_much_to_do_is_not_asked_again(
    proxy: RunningProxy, server: ConstrainedServer, status: int
) -> None:
    server.fails_again = (status, '{"error": {"message": "overloaded"}}')

    reply = await proxy.chat(chat_body(ASKED, SOURCES))

    assert reply.headers["x-guard-action"] == "replace"
    assert [bool(constraints_of(body)) for body in server.requests] == [False, True]


SEEDS = [
    pytest.param("vllm", None, True, id="known-server"),
    pytest.param("system", None, False, id="unknown-server"),
    pytest.param("vllm", 7, True, id="clients-own-moves-on"),
    pytest.param("system", 7, True, id="clients-own-moves-on-anywhere"),
]


@pytest.mark.parametrize(("kind", "own", "sent"), SEEDS)
async def test_the_second_attempt_gets_a_new_seed(
    proxy: RunningProxy, server: ConstrainedServer, kind: str, own: int | None, *, sent: bool
) -> None:
    server.kind = kind
    server.first = "수영 강습료는 99,000원입니다."
    seed: JsonObject = {} if own is None else {"seed": own}

    for _ in range(2):
        await proxy.chat(chat_body(ASKED, SOURCES) | seed)

    first, second, _, fourth = (body.get("seed") for body in server.requests)
    assert first == own
    assert isinstance(second, int) is sent
    assert (second == fourth) is (own is not None or not sent)


async def test_a_server_that_takes_no_seed_is_asked_without_one(
    proxy: RunningProxy, server: ConstrainedServer
) -> None:
    server.refuses = (400, '{"error": {"message": "Unrecognized argument: seed"}}')
    server.refused = ("seed",)
    server.second = (HEALED,)

    reply = await proxy.chat(chat_body(ASKED, SOURCES))

    assert said(reply) == HEALED
    assert ["seed" in body for body in server.requests] == [False, True, False]


async def test_a_server_that_ignores_it_is_noticed(
    proxy: RunningProxy, server: ConstrainedServer
) -> None:
    server.ignores = True

    for _ in range(2):
        reply = await proxy.chat(chat_body(ASKED, SOURCES))
        assert reply.headers["x-guard-action"] == "replace"

    asked = [bool(constraints_of(body)) for body in server.requests]
    assert asked == [False, True, False, False]


async def test_an_invented_name_is_barred(proxy: RunningProxy, server: ConstrainedServer) -> None:
    server.first = "수영 강습료는 가온체육관에 냅니다."
    server.second = ("수영 강습료는 첫날까지 ", ("가온체육관", "물빛체육관"), "에 냅니다.")

    reply = await proxy.chat(chat_body(ASKED, SOURCES))

    assert server.requests[1]["bad_words"] == ["가온체육관"]
    assert "structured_outputs" not in server.requests[1]
    assert said(reply) == "수영 강습료는 첫날까지 물빛체육관에 냅니다."


async def test_words_of_the_sources_may_be_written_in_their_own_letters(
    proxy: RunningProxy, server: ConstrainedServer
) -> None:
    sources: list[JsonValue] = [
        {"section_content": "수영 강습료(講習料)는 한 달에 61,000원이며 體育振興法에 따른다."}
    ]
    server.second = ("體育振興法", "에 따라 ", ("一个月", "한 달"), " 61,000원입니다.")

    reply = await proxy.chat(chat_body(ASKED, sources))

    assert said(reply) == "體育振興法에 따라 한 달 61,000원입니다."


async def test_a_han_word_that_the_sources_have_in_hangul_needs_no_second_attempt(
    proxy: RunningProxy, server: ConstrainedServer
) -> None:
    server.first = "수영 講習料는 한 달에 61,000원입니다."

    text = await both_ways(proxy, chat_body(ASKED, SOURCES), "fix", "korean_only.han")

    assert text == HEALED
    assert len(server.requests) == 2


async def test_the_time_that_a_client_waits_bounds_the_second_attempt_too(
    proxy: RunningProxy, server: ConstrainedServer
) -> None:
    reply = await proxy.chat(chat_body(ASKED, SOURCES), x_stainless_read_timeout="0.000001")

    assert reply.headers["x-guard-action"] == "replace"
    assert len(server.requests) == 1
    assert (await proxy.trace(reply)).attempts[-1].error == "upstream_timeout"
