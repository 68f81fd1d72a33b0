"""Twelve kinds of invention that a hotel's bot is prone to: none gets out, each true twin does."""

import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import httpx
import pytest
import pytest_asyncio

from guards.core.guard import Stage
from policies.schema.guard_rule import Action
from policies.schema.loader import load_shipped
from policies.verdict import GuardOutcome
from proxy.openai_api.json_body import JsonObject
from proxy.traces.trace import Trace
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream, is_second_attempt
from tests.flow.hotel import (
    NOTHING_TO_REST_ON,
    SAID_AND_STOPPED,
    SAID_OF_WHAT_IS_NOT_THERE,
    SOURCE,
    Attack,
    shipped_rules,
)
from tests.flow.replies import assert_untouched, said

SAID = SAID_AND_STOPPED | SAID_OF_WHAT_IS_NOT_THERE
TOOLS: JsonObject = {
    "tools": [{"type": "function", "function": {"name": "search", "parameters": {}}}]
}

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxies(
    tmp_path_factory: pytest.TempPathFactory, model: ScriptedUpstream
) -> AsyncGenerator[dict[str, RunningProxy], None]:
    async with AsyncExitStack() as stack:
        yield {
            policy: await stack.enter_async_context(
                running_proxy(tmp_path_factory.mktemp(policy), model, shipped_rules(policy))
            )
            for policy in ("hotel", "strict")
        }


@pytest.fixture
def upstream(model: ScriptedUpstream) -> ScriptedUpstream:
    model.requests.clear()
    return model


@pytest.fixture
def hotel(proxies: dict[str, RunningProxy]) -> RunningProxy:
    return proxies["hotel"]


@pytest.fixture
def strict(proxies: dict[str, RunningProxy]) -> RunningProxy:
    return proxies["strict"]


def cases(attacks: dict[str, Attack]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "attack", [pytest.param(attack, id=kind) for kind, attack in attacks.items()]
    )


def asking(attack: Attack, sources: tuple[SOURCE, ...]) -> JsonObject:
    return chat_body(attack.asked, [*sources])


def assert_replaced(reply: httpx.Response, trace: Trace, attack: Attack, policy: str) -> None:
    """A template, or what the sources say themselves, stands in the lie's place, and header and
    trace name the guard that stopped it.
    """
    text = said(reply)
    reasons = reply.headers["x-guard-reasons"].split(",")
    leading = reasons[0].split(".")[0]
    assert leading in attack.guards
    recognised = load_shipped(policy).templates.recognise(text)
    assert recognised == leading or is_quoted_from(attack.sources, text)
    assert reply.headers["x-guard-action"] == trace.action == Action.REPLACE
    assert list(trace.reasons) == reasons
    assert {run.guard for run in trace.guards if run.outcome is GuardOutcome.ACTED} >= {leading}
    assert [word for word in attack.forbidden if word in text] == []


def is_quoted_from(sources: tuple[SOURCE, ...], text: str) -> bool:
    """Tell whether every sentence that the text quotes stands in a source, and there is one."""
    quoted = re.findall("“([^”]+)”", text)
    return bool(quoted) and all(
        any(sentence in str(source) for source in sources) for sentence in quoted
    )


def acting(trace: Trace, stage: Stage) -> list[int]:
    """Return the attempts over which a guard acted, each once, in order; 0 for the question."""
    acted = [run for run in trace.guards if run.outcome is GuardOutcome.ACTED]
    return sorted({run.attempt for run in acted if run.stage is stage})


@cases(SAID)
async def test_what_the_sources_do_not_say_never_leaves(
    hotel: RunningProxy, upstream: ScriptedUpstream, attack: Attack
) -> None:
    upstream.says(attack.lie)
    body = asking(attack, attack.sources)

    texts = []
    for streamed in (False, True):
        upstream.requests.clear()
        reply = await hotel.chat(body | {"stream": streamed})
        trace = await hotel.trace(reply)
        assert_replaced(reply, trace, attack, "hotel")
        assert [is_second_attempt(request) for request in upstream.requests] == [False, True]
        assert acting(trace, Stage.OUTPUT) == [1, 2]
        texts.append(said(reply))
    assert texts[0] == texts[1]


@cases(SAID)
async def test_the_second_answer_leaves_if_it_is_true(
    hotel: RunningProxy, upstream: ScriptedUpstream, attack: Attack
) -> None:
    upstream.says(attack.lie, attack.truth)

    for streamed in (False, True):
        reply = await hotel.chat(asking(attack, attack.known) | {"stream": streamed})

        assert said(reply) == attack.truth
        done, attempts = ("fix", "1") if attack.mended else ("regenerate", "2")
        assert reply.headers["x-guard-action"] == done
        assert reply.headers["x-guard-attempts"] == attempts


@cases(SAID)
async def test_the_faithful_answer_passes_byte_for_byte(
    hotel: RunningProxy, upstream: ScriptedUpstream, attack: Attack
) -> None:
    upstream.says(attack.truth)

    await assert_untouched(hotel, upstream, asking(attack, attack.known))


@cases(NOTHING_TO_REST_ON)
async def test_what_no_source_speaks_of_is_not_even_asked(
    strict: RunningProxy, upstream: ScriptedUpstream, attack: Attack
) -> None:
    upstream.says(attack.lie)
    body = asking(attack, attack.sources)

    texts = []
    for streamed in (False, True):
        reply = await strict.chat(body | {"stream": streamed})
        trace = await strict.trace(reply)
        assert_replaced(reply, trace, attack, "strict")
        assert acting(trace, Stage.INPUT) == [0]
        texts.append(said(reply))
    assert texts[0] == texts[1]
    assert upstream.requests == []


@cases(NOTHING_TO_REST_ON)
async def test_what_no_source_speaks_of_does_not_leave_a_model_that_could_have_searched(
    strict: RunningProxy, upstream: ScriptedUpstream, attack: Attack
) -> None:
    upstream.says(attack.lie)
    body = asking(attack, attack.sources) | TOOLS

    texts = []
    for streamed in (False, True):
        reply = await strict.chat(body | {"stream": streamed})
        trace = await strict.trace(reply)
        assert_replaced(reply, trace, attack, "strict")
        assert acting(trace, Stage.INPUT) == []
        assert acting(trace, Stage.OUTPUT) == [1]
        texts.append(said(reply))
    assert texts[0] == texts[1]
    assert len(upstream.requests) == 2


@cases(NOTHING_TO_REST_ON)
async def test_once_a_source_speaks_of_it_the_answer_passes_byte_for_byte(
    strict: RunningProxy, upstream: ScriptedUpstream, attack: Attack
) -> None:
    upstream.says(attack.truth)

    await assert_untouched(strict, upstream, asking(attack, attack.known))
    await assert_untouched(strict, upstream, asking(attack, attack.known) | TOOLS)
