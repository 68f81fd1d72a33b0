"""The cost of a text grows with its length, and long texts hold nothing that others need.

`make faults` also holds it to seconds, for which a machine must not be busy: any 100 KB text costs
under one of processor time and delays no other caller by more. Thousands of short lines, each
another, cost under two, where they are source and answer at once.
"""

import asyncio
import gc
import json
import re
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from functools import lru_cache

import pytest
import pytest_asyncio
from pydantic import JsonValue

from guards.core.exchange import Exchange, Source
from guards.core.guard import Stage
from policies.inspection import NOTHING, Inspector
from policies.schema.loader import load_shipped
from proxy.cli.serve import freeze_heap
from proxy.offload import LARGE_BYTES, LONG_TEXT_CHARS, read_offloaded, run_offloaded
from proxy.tenants import judging_by
from tests.fakes.growth import assert_grows_with_its_input
from tests.fakes.rig import Rig, open_rig
from tests.fakes.running_proxy import chat_body
from tests.faults.odd_texts import ODD, OF_MANY, ONE_UNIT, PAIRS, SIZE_BYTES
from tests.tables import each_row

PROMISED_S = 1.0
OF_EACH_OTHER_S = 2.0
"""What a source and an answer may cost that have thousands of short lines each."""
YARDSTICK_ROUNDS = 300_000
YARDSTICK_S = 0.05
"""How long they take on an idle processor; one that several tests share does less in a second."""
DIGITS = re.compile(r"\d+")
QUESTION = "월 이용료는 얼마인가요?"
ANSWER = "월 이용료는 45,000원입니다."
SOURCE = "월 이용료는 45,000원으로 한다."
DELAYED_S = 1.0
DEADLINE_S = 20.0
MANY = 40


@lru_cache
def inspector() -> Inspector:
    return judging_by(load_shipped("default")).inspector


def exchange(question: str = QUESTION, source: str = SOURCE, answer: str = ANSWER) -> Exchange:
    return Exchange(question, (Source("1", "제8조(이용료)", source),), answer=answer)


def placed(text: str) -> list[Exchange]:
    return [exchange(question=text), exchange(source=text), exchange(answer=text)]


def look_at(exchange: Exchange) -> None:
    for stage in (Stage.INPUT, Stage.OUTPUT):
        inspector().inspect(exchange, stage, NOTHING)


def costs_s(looked_at: Exchange) -> float:
    """Return what all costs that is looked at, on the way in and out, by an idle processor."""
    with as_in_a_service():
        before_s = yardstick_s()
        began_s = time.process_time()
        look_at(looked_at)
        spent_s = time.process_time() - began_s
        return spent_s * YARDSTICK_S / max(YARDSTICK_S, before_s, yardstick_s())


@contextmanager
def as_in_a_service() -> Iterator[None]:
    """Let the collector of garbage pass over what the tests before have left."""
    collected_after = gc.get_threshold()
    freeze_heap()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*collected_after)


def yardstick_s() -> float:
    began_s = time.process_time()
    for number in range(YARDSTICK_ROUNDS):
        assert DIGITS.fullmatch(f"{number}") is not None
    return time.process_time() - began_s


@each_row("name", ["ranges", "numbered-lines", "open-marks"])
def test_the_cost_of_an_answer_grows_with_its_length(name: str) -> None:
    assert_grows_with_its_input(lambda chars: look_at(exchange(answer=ODD[name][:chars])), 8_000)


@each_row("name", ["headings", "numbered-prices"])
def test_the_cost_of_a_source_grows_with_its_length(name: str) -> None:
    assert_grows_with_its_input(lambda chars: look_at(exchange(source=ODD[name][:chars])), 8_000)


@each_row("name", ["telephones", "links"])
def test_the_cost_of_finding_a_source_again_grows_with_its_length(name: str) -> None:
    def look(chars: int) -> None:
        given = PAIRS[name][0][:chars]
        look_at(exchange(source=given, answer=given))

    assert_grows_with_its_input(look, 8_000)


@pytest.mark.long
@pytest.mark.parametrize(("source", "answer"), OF_MANY.values(), ids=OF_MANY)
def test_what_sources_say_of_thousands_costs_under_two_seconds(source: str, answer: str) -> None:
    assert costs_s(exchange(source=source, answer=answer)) < OF_EACH_OTHER_S


@pytest.mark.long
def test_thousands_of_questions_at_once_cost_under_a_second() -> None:
    asked = "어떻게 될까요? " * (SIZE_BYTES // 40)

    assert costs_s(exchange(question=asked, answer=asked)) < PROMISED_S


@pytest.mark.long
@each_row("name", ["telephones", "links"])
def test_what_is_found_again_by_the_hundred_costs_under_a_second(name: str) -> None:
    given, other = PAIRS[name]

    assert costs_s(exchange(source=given, answer=given)) < PROMISED_S
    assert costs_s(exchange(question=given, answer=given)) < PROMISED_S
    assert costs_s(exchange(question=given, answer=other)) < PROMISED_S


@pytest.mark.long
@pytest.mark.parametrize(("source", "answer"), PAIRS.values(), ids=PAIRS)
def test_a_source_and_an_answer_made_for_each_other_cost_under_two_seconds(
    source: str, answer: str
) -> None:
    assert costs_s(exchange(source=source, answer=answer)) < OF_EACH_OTHER_S


@pytest.mark.long
@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_any_text_costs_under_a_second_wherever_it_stands(text: str) -> None:
    assert SIZE_BYTES / 3 <= len(text.encode()) <= SIZE_BYTES * 1.1
    for looked_at in placed(text):
        assert costs_s(looked_at) < PROMISED_S


# Others.


async def test_long_texts_hold_no_thread_that_others_wait_for() -> None:
    """Not the threads in which names of servers are looked up, and traces written."""
    long = exchange(source="가" * (LONG_TEXT_CHARS + 1))
    go_on = threading.Event()
    at_once = 0
    most_at_once = 0
    counting = threading.Lock()

    def work() -> None:
        nonlocal at_once, most_at_once
        with counting:
            at_once += 1
            most_at_once = max(most_at_once, at_once)
        go_on.wait()
        with counting:
            at_once -= 1

    reading = [asyncio.create_task(run_offloaded(inspector(), long, work)) for _ in range(MANY)]
    try:
        async with asyncio.timeout(DEADLINE_S):
            await asyncio.gather(*(asyncio.to_thread(time.monotonic) for _ in range(MANY)))
    finally:
        go_on.set()
        await asyncio.gather(*reading)

    assert 1 <= most_at_once <= 2


@each_row("size, apart", [(LARGE_BYTES, False), (LARGE_BYTES + 1, True)])
async def test_large_bodies_are_read_in_a_thread(size: int, *, apart: bool) -> None:
    read_in = await read_offloaded(size, threading.get_ident)

    assert (read_in != threading.get_ident()) is apart


@pytest.mark.parametrize(
    ("answer", "apart"),
    [
        (ANSWER, False),
        ("가" * (LONG_TEXT_CHARS // 3), True),
        ("1원 - " * 40, True),
    ],
    ids=["short", "long", "many-figures"],
)
async def test_answers_that_take_long_are_judged_in_a_thread(answer: str, *, apart: bool) -> None:
    judged_in = await run_offloaded(inspector(), exchange(answer=answer), threading.get_ident)

    assert (judged_in != threading.get_ident()) is apart


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    async with open_rig(tmp_path_factory.mktemp("rig")) as opened:
        yield opened


async def longest_wait_s(rig: Rig, sent: list[tuple[str, bytes]]) -> float:
    """Send bodies all at once; return how long the slowest of many short requests took meanwhile.

    The short ones are answered by the model server and judged, one after the other.
    """
    under_way = [asyncio.create_task(rig.proxy.send(body, path=path)) for path, body in sent]
    waited_s: list[float] = []
    while not waited_s or not all(task.done() for task in under_way):
        began_s = time.perf_counter()
        reply = await rig.proxy.chat(chat_body("안녕하세요"))
        waited_s.append(time.perf_counter() - began_s)
        assert reply.status_code == 200
    for task in under_way:
        assert (await task).status_code in (200, 503)
    return max(waited_s)


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("chars", [15_000, 33_000], ids=["in-threads", "in-processes"])
async def test_long_texts_at_every_door_delay_nobody(rig: Rig, chars: int) -> None:
    rig.scripted.says(ANSWER)
    text = (ONE_UNIT["sentences"] * chars)[:chars]
    sources: list[JsonValue] = [{"section_title": "제8조", "section_content": text}]
    chat = chat_body(QUESTION, sources)
    bodies: list[tuple[str, object]] = [
        ("/v1/chat/completions", chat),
        ("/v1/chat/completions", chat_body(text)),
        ("/v1/chat/completions", chat | {"stream": True}),
        ("/v1/verify", {"question": QUESTION, "answer": text, "sources": sources}),
    ]
    sent = [(path, json.dumps(body).encode()) for path, body in bodies]

    assert await longest_wait_s(rig, sent) < DELAYED_S


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("chars", [15_000, 33_000], ids=["in-threads", "in-processes"])
async def test_a_crowd_of_long_texts_delays_nobody(rig: Rig, chars: int) -> None:
    rig.scripted.says(ANSWER)
    for name in ("sentences", "ranges", "random-lines"):
        text = (ODD[name] * 2)[:chars]
        body = chat_body(QUESTION, [{"section_title": "제8조", "section_content": text}])
        sent = [("/v1/chat/completions", json.dumps(body).encode())] * MANY

        assert await longest_wait_s(rig, sent) < DELAYED_S
