"""What the user gives of himself: hidden from the model, given back, written down nowhere."""

import json
import logging
import re
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import re2
import redis
from pydantic import JsonValue

from proxy.demo import Said
from proxy.openai_api.json_body import JsonObject
from tests.fakes.identifiers import KINDS, invented, otherwise_written
from tests.fakes.log_lines import json_logs
from tests.fakes.raw_upstream import RawUpstream
from tests.fakes.rig import Rig, upstream_yaml
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import said, sent_to_model

PHONE, MAIL = "010-0000-4321", "nobody@gaon.invalid"
OFFICE, STRANGER = "02-000-1234", "010-0000-9876"
QUESTION = f"제 번호는 {PHONE}, 메일은 {MAIL}입니다. 신청서는 누구에게 내나요?"
SOURCES: list[JsonValue] = [
    {
        "section_title": "신청 안내",
        "section_content": f"신청서는 소속 팀장에게 낸다. 문의는 {OFFICE}로 한다.",
    }
]


def handling(**options: str) -> str:
    lines = [f"      {name}: {value}" for name, value in options.items()]
    return "\n".join(["guards:", "  personal_data:", "    options:", *lines])


WITH_BUSINESS = handling(input="mask", business_numbers="true")
TENANTS = {
    "masking": handling(input="mask"),
    "blocking": handling(input="block"),
    "careless": handling(output="off"),
}

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def masking(proxy: RunningProxy) -> RunningProxy:
    return proxy.as_tenant("masking")


def repeating(body: JsonObject) -> Said:
    return Said((f"접수한 내용은 다음과 같습니다. {sent_to_model(body)}",))


async def test_the_model_sees_placeholders_and_the_user_his_own(
    masking: RunningProxy, upstream: ScriptedUpstream, stream: bool
) -> None:
    upstream.says("신청서는 소속 팀장에게 냅니다. 회신은 [전화번호-1]과 [이메일-1]로 드립니다.")

    reply = await masking.chat(chat_body(QUESTION, SOURCES, stream=stream))

    assert said(reply) == (f"신청서는 소속 팀장에게 냅니다. 회신은 {PHONE}과 {MAIL}로 드립니다.")
    assert reply.headers["x-guard-action"] == "pass"
    [asked] = upstream.requests
    assert sent_to_model(asked) == (
        "제 번호는 [전화번호-1], 메일은 [이메일-1]입니다. 신청서는 누구에게 내나요?"
    )


async def test_a_call_of_a_tool_gets_the_users_own(
    masking: RunningProxy, upstream: ScriptedUpstream, stream: bool
) -> None:
    call: JsonObject = {
        "index": 0,
        "id": "call-1",
        "type": "function",
        "function": {"name": "book", "arguments": '{"phone": "[전화번호-1]"}'},
    }
    upstream.script = lambda _: Said(tool_calls=[call], finish_reason="tool_calls")
    tool: JsonObject = {"type": "function", "function": {"name": "book", "parameters": {}}}

    reply = await masking.chat(chat_body(QUESTION, stream=stream, tools=[tool]))

    assert "[전화번호-1]" not in reply.text
    assert json.dumps(json.dumps({"phone": PHONE}))[1:-1] in reply.text


async def test_the_second_attempt_hides_them_too(
    masking: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(
        "신청서는 수수료 9,900원을 내고 [전화번호-1]로 냅니다.", "신청서는 소속 팀장에게 냅니다."
    )

    reply = await masking.chat(chat_body(QUESTION, SOURCES))

    assert reply.headers["x-guard-action"] == "regenerate"
    assert len(upstream.requests) == 2
    assert not any(PHONE in json.dumps(body) for body in upstream.requests)


async def test_an_office_that_a_source_publishes_is_named_to_the_model(
    masking: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"신청서에 관한 문의는 {OFFICE}로 합니다.")

    reply = await masking.chat(chat_body(f"{OFFICE}는 무슨 문의 번호인가요?", SOURCES))

    assert OFFICE in sent_to_model(upstream.requests[0])
    assert reply.headers["x-guard-action"] == "pass"


async def test_a_blocked_question_is_not_asked(
    proxy: RunningProxy, upstream: ScriptedUpstream, stream: bool
) -> None:
    proxy = proxy.as_tenant("blocking")
    reply = await proxy.chat(chat_body(QUESTION, SOURCES, stream=stream))

    assert "개인정보는 빼고 다시 질문해 주시기 바랍니다" in said(reply)
    assert reply.headers["x-guard-reasons"] == "personal_data.in_question"
    assert upstream.requests == []


async def test_an_identifier_that_nobody_gave_is_masked_in_the_answer(
    proxy: RunningProxy, upstream: ScriptedUpstream, stream: bool
) -> None:
    upstream.says(f"신청이 접수되었습니다. 접수자 전화번호는 {STRANGER}입니다.")

    reply = await proxy.chat(chat_body("신청이 되었나요?", stream=stream))

    assert said(reply) == "신청이 접수되었습니다. 접수자 전화번호는 [전화번호]입니다."
    assert reply.headers["x-guard-action"] == "fix"
    assert reply.headers["x-guard-reasons"] == "personal_data.unlicensed"


COPIED = [
    pytest.param("관리번호는 240115-3234567입니다.", id="file"),
    pytest.param("자산번호는 M20240115입니다.", id="asset"),
    pytest.param("바코드는 9912313123462입니다.", id="barcode"),
    pytest.param("견인 차량은 000가0000입니다.", id="plate"),
    pytest.param("관리번호는 4000-0000-0000-0002입니다.", id="card-length"),
]


@pytest.mark.parametrize("sentence", COPIED)
async def test_what_a_source_says_of_things_is_said_as_it_stands(
    proxy: RunningProxy, upstream: ScriptedUpstream, sentence: str
) -> None:
    upstream.says(sentence)
    sources: list[JsonValue] = [{"section_title": "대장", "section_content": sentence}]

    reply = await proxy.chat(chat_body("무엇으로 적혀 있나요?", sources))

    assert (said(reply), reply.headers["x-guard-action"]) == (sentence, "pass")


async def test_the_number_of_an_order_blocks_no_question(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    proxy = proxy.as_tenant("blocking")
    upstream.says("신청서는 소속 팀장에게 냅니다.")
    question = "주문번호 240115-3234567, 바코드 9912313123462입니다. 신청서는 누구에게 내나요?"

    reply = await proxy.chat(chat_body(question, SOURCES))

    assert reply.headers["x-guard-action"] == "pass"


async def test_by_default_the_model_sees_what_the_user_wrote(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.script = repeating

    reply = await proxy.chat(chat_body(QUESTION))

    assert sent_to_model(upstream.requests[0]) == QUESTION
    assert QUESTION in said(reply)
    assert reply.headers["x-guard-action"] == "pass"


async def test_a_policy_may_leave_answers_alone(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    proxy = proxy.as_tenant("careless")
    upstream.says(f"접수자 전화번호는 {STRANGER}입니다.")

    reply = await proxy.chat(chat_body("신청이 되었나요?"))

    assert STRANGER in said(reply)
    assert "personal_data" not in reply.headers["x-guard-not-checked"]


IDENTIFIERS = list(invented())
Round = list[tuple[str, str]]
ROUNDS = [IDENTIFIERS[at : at + KINDS] for at in range(0, len(IDENTIFIERS), KINDS)]


def asked(number: int) -> str:
    """Return the question of a round: each identifier with its name, and once more without."""
    given = ", ".join(f"{called} {value}" for called, value in ROUNDS[number])
    again = ", ".join(_again(value, number) for _, value in ROUNDS[number])
    return f"제 정보는 {given}입니다. 이렇게도 쓴 적이 있습니다: {again}. 신청이 접수되었나요?"


def given_back(number: int) -> str:
    """Return the question as the user gets it back: one notation of each identifier."""
    question = asked(number)
    for _, value in ROUNDS[number]:
        other = _again(value, number)
        question = question.replace(other, other[0] + value if other[0] == "①" else value)
    return question


def _again(value: str, number: int) -> str:
    others = otherwise_written(value)
    return others[number % len(others)]


NOTATIONS = [
    notation
    for _, value in IDENTIFIERS
    for notation in (value, *(one.removeprefix("①") for one in otherwise_written(value)))
]
# RE2 looks for all of them in one go, where Python would read megabytes once for each.
ANY_NOTATION = re2.compile("|".join(map(re2.escape, NOTATIONS)))


@pytest.fixture
def written_down(tmp_path: Path, redis_url: str) -> Callable[[], str]:
    """Read all that either store holds, as text."""

    def read() -> str:
        files = b"".join(path.read_bytes() for path in tmp_path.glob("traces.sqlite3*"))
        return "\n".join([files.decode("utf-8", "replace"), *_redis_values(redis_url)])

    return read


def _redis_values(url: str) -> Iterator[str]:
    with redis.Redis.from_url(url, decode_responses=True) as server:
        for key in server.scan_iter():
            readers = {
                "string": server.get,
                "stream": server.xrange,
                "hash": server.hgetall,
                "set": server.smembers,
                "zset": lambda name: server.zrange(name, 0, -1),
            }
            yield f"{key} {readers[server.type(key)](key)}"


WORKING = ("masking", "blocking", "unmasked")
BROKEN = ("masking-broken", "unmasked-broken")


@pytest.mark.parametrize(
    ("store", "rounds"),
    [
        pytest.param("redis", ROUNDS[::5], id="redis"),
        pytest.param("embedded", ROUNDS[2::5], id="embedded"),
        pytest.param("redis", ROUNDS, id="redis-all", marks=pytest.mark.long),
        pytest.param("embedded", ROUNDS, id="embedded-all", marks=pytest.mark.long),
    ],
)
async def test_no_identifier_is_written_down_anywhere(
    store: str,
    rounds: list[Round],
    tmp_path: Path,
    redis_url: str,
    written_down: Callable[[], str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert len({value for _, value in IDENTIFIERS}) == 240
    assert ANY_NOTATION.search(asked(0))
    requests = len(rounds) * (len(WORKING) + 2 * len(BROKEN))
    with json_logs():
        logging.getLogger().setLevel(logging.DEBUG)
        async with _rig(tmp_path, redis_url if store == "redis" else None) as rig:
            metrics = await _ask_all(rig, rounds)
    logged = _without_figures(capsys.readouterr().err)
    kept, metrics = _without_figures(written_down()), _without_figures(metrics)

    assert logged.count("request.decided") == requests
    assert kept.count("신청이 접수되었나요?") >= requests
    for written in (logged, kept, metrics):
        assert ANY_NOTATION.search(written) is None


def _without_figures(text: str) -> str:
    """Return a text without measured times, whose digits may be anything."""
    return re.sub(r"(?<=[: ])\d+\.\d+(?:e-?\d+)?(?=[,}\]\s])", "", text)


@asynccontextmanager
async def _rig(folder: Path, redis_url: str | None) -> AsyncGenerator[Rig, None]:
    async with ScriptedUpstream().running() as scripted, RawUpstream().running() as raw:
        broken = upstream_yaml(raw.address)
        tenants = {
            "masking": WITH_BUSINESS,
            "blocking": handling(input="block"),
            "masking-broken": f"{broken}\n{WITH_BUSINESS}",
            "unmasked": "",
            "unmasked-broken": broken,
        }
        async with running_proxy(
            folder, scripted, others=tenants, redis_url=redis_url, debug=True
        ) as proxy:
            yield Rig(proxy, scripted, raw)


async def _ask_all(rig: Rig, rounds: list[Round]) -> str:
    """Ask these rounds of every tenant, half of them as streams; return the metrics."""
    rig.scripted.script = repeating
    for number in map(ROUNDS.index, rounds):
        body = chat_body(asked(number), stream=number % 2 == 1)
        for tenant in WORKING:
            reply = await rig.proxy.chat(body, key=rig.proxy.keys[tenant])
            assert reply.status_code == 200
            if tenant == "masking":
                assert given_back(number) in said(reply)
                told = sent_to_model(rig.scripted.requests[-1])
                assert ANY_NOTATION.search(told) is None
        refusal = json.dumps({"error": {"message": asked(number)}}, ensure_ascii=False).encode()
        for tenant in BROKEN:
            rig.raw.says(refusal, status="500 Internal Server Error")
            refused = await rig.proxy.chat(body, key=rig.proxy.keys[tenant])
            rig.raw.says(refusal[:-9])
            cut_off = await rig.proxy.chat(body, key=rig.proxy.keys[tenant])
            assert (refused.status_code, cut_off.status_code) == (500, 502)
    exposed = await rig.proxy.client.get(f"{rig.proxy.address}/metrics")
    return exposed.text
