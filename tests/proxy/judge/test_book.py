"""Whose judge is whose, and what outlives a reload."""

from collections.abc import AsyncGenerator

import httpx
import pytest
import respx

from policies.judging.judge import JudgeFailure
from policies.schema.base import Mode
from policies.schema.sections import JudgeKind, JudgeRules
from proxy.judge.book import BreakerState, JudgeBook
from proxy.judge.server import OwnServer
from tests.fakes.mocked_wire import WIRE
from tests.proxy.judge.asking import ASKED, BASE_URL, recorded, route

pytestmark = pytest.mark.respx(using=WIRE)

CHAT = JudgeRules(base_url=BASE_URL, model="judge-ko", api_key_env="JUDGE_KEY")


@pytest.fixture
async def book() -> AsyncGenerator[JudgeBook, None]:
    opened = JudgeBook(lambda: 1000.0, {"JUDGE_KEY": "secret"})
    yield opened
    await opened.close()


async def test_a_judge_stays_the_same_until_its_rules_change(book: JudgeBook) -> None:
    judge = book.of("app", CHAT)

    assert judge is not None
    assert book.of("app", CHAT.model_copy()) is judge
    assert book.of("other", CHAT) is not judge
    assert book.of("app", CHAT.model_copy(update={"model": "judge-2"})) is not judge


@pytest.mark.parametrize("rules", [None, CHAT.model_copy(update={"mode": Mode.OFF})])
async def test_no_judge(book: JudgeBook, rules: JudgeRules | None) -> None:
    assert book.of("app", rules) is None
    assert book.states() == {}


KINDS = [
    pytest.param(JudgeKind.CHAT, "judge_chat", id="chat"),
    pytest.param(JudgeKind.MINICHECK, "judge_minicheck", id="minicheck"),
    pytest.param(JudgeKind.GRANITE_GUARDIAN, "judge_granite_guardian", id="granite-guardian"),
    pytest.param(JudgeKind.TEI_NLI, "judge_tei_predict", id="tei-nli"),
    pytest.param(JudgeKind.VLLM_CLASSIFY, "judge_vllm_classify", id="vllm-classify"),
]


@pytest.mark.parametrize(("kind", "reply"), KINDS)
async def test_each_kind_is_spoken_to_in_its_way(
    book: JudgeBook, kind: JudgeKind, reply: str, respx_mock: respx.MockRouter
) -> None:
    wire = recorded(reply)
    made = route(respx_mock, wire.path).mock(return_value=wire.reply())
    judge = book.of("app", CHAT.model_copy(update={"kind": kind}))

    assert judge is not None
    said = await judge.opinions(ASKED, 3.0)

    assert not isinstance(said, JudgeFailure)
    assert [one.claim for one in said.opinions] == [1, 2]
    assert made.calls[0].request.headers["authorization"] == "Bearer secret"


async def test_on_another_model_server_it_begins_anew(
    book: JudgeBook, respx_mock: respx.MockRouter
) -> None:
    route(respx_mock, "/chat/completions").mock(return_value=httpx.Response(500))
    own = OwnServer(BASE_URL, {}, key_is_ours=True, model="m")
    ill = book.of("app", JudgeRules(), own)

    assert ill is not None
    for _ in range(5):
        await ill.opinions(ASKED, 3.0)

    assert book.states() == {"app": BreakerState.OPEN}
    book.of("app", JudgeRules(), OwnServer("http://other.test/v1", {}, key_is_ours=True))
    assert book.states() == {"app": BreakerState.CLOSED}
