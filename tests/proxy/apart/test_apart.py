"""What is judged in a process apart comes to the same; what goes wrong there is said."""

import json
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from guards.core.exchange import Exchange, Source
from guards.core.guard import Stage
from policies.decision import Possible
from policies.inspection import Inspector
from policies.schema.base import Mode
from policies.schema.loader import load_shipped
from policies.schema.policy import Action, GuardRule
from policies.schema.sections import Upstream
from policies.verdict import Verdict
from policies.verification.shape import Options
from policies.verification.verifying import Verifier
from proxy.errors import CannotJudgeNow
from proxy.offload import InspectorRef, LongTextPool, PoolProcess, RemoteInspector, log_failures
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.pseudonyms import hidden, pseudonyms_for
from proxy.openai_api.sources import SourceFormatError
from proxy.pipeline.call import found_in
from proxy.replay.workers import Workers, packed
from proxy.tenants import Tenant
from tests.fakes.processes import is_there
from tests.proxy.apart.works import dies, half_said, hangs, number, with_broken_guard

DEFAULT = load_shipped("default")
WHICH = InspectorRef(packed(DEFAULT))
TENANT = Tenant(
    loaded=DEFAULT,
    inspector=Inspector(DEFAULT.policy),
    name="app",
    upstream=Upstream(base_url="http://127.0.0.1:9/v1"),
    server_key=None,
)
SENTENCES = [
    "배송은 평일 2일 안에 됩니다.",
    "배송은 평일 5일 안에 됩니다.[1]",
    "반품은 받은 날부터 7일 안에 신청합니다.[2]",
    "자세한 사항은 제12조를 참고하세요.",
    "대략 3만원쯤 듭니다.",
    "配送日程을 확인하세요.",
]
SOURCES = (
    Source(id="1", title="배송 안내", text="배송은 평일 2일 안에 됩니다. 섬 지역은 5일 걸립니다."),
    Source(id="2", title="반품 안내", text="반품은 받은 날부터 7일 안에 신청합니다."),
)


@pytest.fixture(scope="module")
def lane() -> Iterator[PoolProcess]:
    lane = PoolProcess()
    lane.open()
    yield lane
    lane.close()


@pytest.fixture
def here() -> Inspector:
    return Inspector(DEFAULT.policy)


@pytest.fixture
def apart(lane: PoolProcess) -> RemoteInspector:
    return RemoteInspector(DEFAULT.policy, lane, WHICH)


def exchange(said: str) -> Exchange:
    return Exchange(question="배송은 며칠 걸리나요?", sources=SOURCES, answer=said)


def without_times(verdict: Verdict) -> Verdict:
    return replace(
        verdict,
        results=tuple(replace(one, duration_ms=0.0) for one in verdict.results),
        reports=tuple(replace(one, duration_ms=0.0) for one in verdict.reports),
    )


@given(
    said=st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4),
    regenerate=st.booleans(),
    edit=st.booleans(),
    segments=st.booleans(),
)
def test_its_verdict_is_the_one_that_would_be_come_to_here(
    lane: PoolProcess, said: list[str], regenerate: bool, edit: bool, segments: bool
) -> None:
    asked, possible = exchange(" ".join(said)), Possible(regenerate=regenerate, edit=edit)
    verdicts = []
    for inspector in (Inspector(DEFAULT.policy), RemoteInspector(DEFAULT.policy, lane, WHICH)):
        judging = inspector.of_segments if segments else inspector
        verdict = judging.inspect(asked, Stage.OUTPUT, possible)
        last_word = inspector.settled(asked, verdict, may_edit=edit)
        verdicts.append([without_times(verdict), without_times(last_word)])

    assert verdicts[0] == verdicts[1]


def test_the_question_and_the_sources_own_answer_are_judged_there_too(
    here: Inspector, apart: RemoteInspector
) -> None:
    rude = Exchange(question="이 챗봇 정말 쓰레기네요, 답변이 형편없어요.", sources=SOURCES)

    verdict = apart.inspect(rude, Stage.INPUT)

    assert verdict.action is Action.REPLACE
    assert without_times(verdict) == without_times(here.inspect(rude, Stage.INPUT))
    assert apart.direct_answer(exchange("")) == here.direct_answer(exchange(""))


def test_what_is_decided_already_waits_for_no_process(here: Inspector) -> None:
    verdict = here.inspect(exchange(SENTENCES[0]), Stage.OUTPUT)
    replacement = DEFAULT.policy.replacement.model_copy(update={"direct_answer": False})
    policy = DEFAULT.policy.model_copy(update={"replacement": replacement})
    away = RemoteInspector(policy, PoolProcess(), WHICH)  # which would raise if it were asked

    assert verdict.action is not Action.REGENERATE
    assert away.settled(exchange(SENTENCES[0]), verdict, may_edit=True) == verdict
    assert away.direct_answer(exchange("")) is None


@pytest.mark.parametrize("guards", [("*",), ("numbers", "citations")])
def test_a_verification_says_the_same(
    here: Inspector, apart: RemoteInspector, guards: tuple[str, ...]
) -> None:
    asked, options = exchange(" ".join(SENTENCES)), Options(guards=guards)
    untimed = {"timings_ms": {}, "processing_time_ms": 0.0}

    by_us, by_others = (
        Verifier(one, "default").verify(asked, options, request_id="one").report
        for one in (here, apart)
    )

    assert by_us.issues
    assert by_others.model_copy(update=untimed) == by_us.model_copy(update=untimed)


def test_a_guard_that_breaks_there_is_logged_here_without_its_words(lane: PoolProcess) -> None:
    verdict = lane.done(WHICH, with_broken_guard, exchange("네."))

    with capture_logs() as logs:
        log_failures("request", verdict)

    [line] = logs
    assert (line["event"], line["guard"]) == ("guard.failed", "numbers")
    assert line["error"] == "LookupError"
    assert line["raised_at"][-1].startswith("works.py:")
    assert "배송" not in str(line)
    assert pickle.loads(pickle.dumps(verdict)).reports[0].reason == "failed:LookupError"


@pytest.mark.parametrize(
    ("work", "event"),
    [
        pytest.param(dies, "long_text.process_died", marks=pytest.mark.long),
        (hangs, "long_text.stuck"),
    ],
)
def test_a_process_that_is_lost_is_an_error_and_the_next_request_gets_another(
    work: Callable[[Inspector], None], event: str
) -> None:
    lane = PoolProcess(patience_s=30.0 if work is dies else 0.2)
    lane.open()

    with capture_logs() as logs, pytest.raises(CannotJudgeNow) as caught:
        lane.done(WHICH, work)
    assert [line["event"] for line in logs] == [event]
    assert (caught.value.status, caught.value.headers) == (503, {"retry-after": "2"})
    with pytest.raises(CannotJudgeNow):  # the same request goes on asking
        lane.done(WHICH, number)
    lane.close()


def test_one_that_is_ended_in_the_middle_of_telling_a_result_holds_nobody_up(
    tmp_path: Path,
) -> None:
    workers = Workers.start(1)
    said = tmp_path / "said"
    result = workers.pool.submit(half_said, said)
    while not said.exists():
        time.sleep(0.001)

    ending = Thread(target=workers.end, daemon=True)
    ending.start()

    with pytest.raises(BrokenProcessPool):
        result.result(timeout=60)
    ending.join(timeout=60)
    assert not ending.is_alive()


@pytest.mark.long
def test_one_that_died_while_nobody_needed_it_costs_nobody_anything() -> None:
    lane = PoolProcess()
    lane.open()
    first = lane.done(WHICH, number)
    os.kill(first, signal.SIGKILL)
    while Path(f"/proc/{first}").exists():  # until the pool has noticed
        time.sleep(0.001)

    lane.open()
    second = lane.done(WHICH, number)
    lane.close()

    assert second != first
    assert not is_there(second)


def test_only_very_long_requests_are_judged_apart_and_no_more_than_there_is_room_for(
    lane: PoolProcess,
) -> None:
    tenant, just, more = TENANT, exchange(""), exchange("네")
    most = len(just.question) + sum(len(source.text) for source in SOURCES)
    apart = LongTextPool([lane], more_than_chars=most, most_in_flight=2)

    with apart.acquire(tenant, just) as same, apart.acquire(tenant, more) as one:
        assert same is tenant
        assert isinstance(one.inspector, RemoteInspector)
        with (
            apart.acquire(tenant, more),
            pytest.raises(CannotJudgeNow) as caught,
            apart.acquire(tenant, more),
        ):
            pass
        with apart.acquire(tenant, more) as again:  # somebody has left
            assert isinstance(again.inspector, RemoteInspector)
    assert caught.value.headers == {"retry-after": "5"}


def test_without_processes_all_is_judged_here() -> None:
    with LongTextPool([], more_than_chars=0).acquire(TENANT, exchange("네")) as same:
        assert same is TENANT


def test_the_answer_of_a_short_request_may_be_what_is_very_long(lane: PoolProcess) -> None:
    pool = LongTextPool([lane], more_than_chars=1_000, most_in_flight=1)
    short, long = exchange("네"), exchange("네, 그렇습니다. " * 200)

    with pool.seat() as seat, pool.seat() as other:
        assert not seat.judging(TENANT, short).inspector.waits
        assert seat.judging(TENANT, long).inspector.waits
        assert not other.judging(TENANT, long, may_stay=True).inspector.waits
        with pytest.raises(CannotJudgeNow):
            other.judging(TENANT, long)
        assert seat.is_taken
        assert lane.in_flight == 1

    assert lane.in_flight == 0


async def test_a_request_is_read_there_as_here(lane: PoolProcess) -> None:
    policy = DEFAULT.policy.model_copy(
        update={
            "guards": {
                **DEFAULT.policy.guards,
                "personal_data": GuardRule(mode=Mode.ENFORCE, options={"input": "mask"}),
            }
        }
    )
    said = "제 번호는 010-1234-5678입니다. 배송은 며칠 걸리나요?"
    body: JsonObject = {"model": "m", "messages": [{"role": "user", "content": said}]}
    raw = json.dumps(body, ensure_ascii=False).encode()

    with LongTextPool([lane]).seat() as seat:
        pseudonyms = await seat.run(partial(pseudonyms_for, body, (), policy))
        sent = await seat.run(partial(hidden, raw, pseudonyms))

    assert b"010-1234-5678" not in sent
    assert pseudonyms.restore("[전화번호-1]") == "010-1234-5678"


async def test_what_is_wrong_with_a_request_is_said_there_as_here(lane: PoolProcess) -> None:
    body: JsonObject = {"messages": [], "guard": {"sources": ["문장"]}}

    with LongTextPool([lane]).seat() as seat, pytest.raises(SourceFormatError) as raised:
        await seat.with_policy(DEFAULT, partial(found_in, body))

    with pytest.raises(SourceFormatError) as here:
        found_in(body, DEFAULT)
    assert str(raised.value) == str(here.value)
    assert raised.value.field == here.value.field
