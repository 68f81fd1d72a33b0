"""How often guards run over answers that are looked at again."""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading, RequestReading, forget_sources
from policies.inspection import Inspector
from policies.schema.loader import load_shipped

ASKED = Exchange("언제 쉬나요?", (Source("1", "안내", "월요일에 쉽니다."),))


class Reader(Guard[GuardSettings]):
    """Finds nothing, and keeps what it read."""

    id = "numbers"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = GuardSettings
    codes: ClassVar[dict[str, Code]] = {}

    def __init__(self) -> None:
        super().__init__(GuardSettings())
        self.read: list[tuple[str | None, int]] = []

    def check(self, reading: Reading) -> list[Finding]:
        self.read.append((reading.exchange.answer, reading.judged_from))
        return []


@pytest.fixture
def guard() -> Reader:
    return Reader()


@pytest.fixture
def inspector(guard: Reader) -> Inspector:
    return Inspector(load_shipped("default").policy, [guard])


def test_of_two_looks_at_the_same_answer_the_second_reads_nothing(
    guard: Reader, inspector: Inspector
) -> None:
    answered = ASKED.answered("월요일에 쉽니다.")

    first = inspector.of_segments.inspect(answered, Stage.OUTPUT)
    second = inspector.inspect(answered, Stage.OUTPUT)

    assert guard.read == [("월요일에 쉽니다.", 0)]
    assert first.reports == second.reports


class Foreseeing(Reader):
    """Keeps what was asked when it reads ahead, and breaks afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.request: list[str] = []

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        self.request.append(request.exchange.question)
        yield
        raise ValueError("an odd source")


def test_a_guard_that_breaks_while_it_reads_ahead_stops_no_other() -> None:
    guards = [Foreseeing(), Foreseeing()]

    pauses = len([*Inspector(load_shipped("default").policy, guards).read_ahead(ASKED)])

    assert pauses == len(guards)
    assert [one.request for one in guards] == [[ASKED.question]] * 2


def test_sources_are_known_once_an_answer_was_held_against_them() -> None:
    forget_sources()
    inspector = Inspector(load_shipped("default").policy)
    asked = replace(ASKED)
    inspector.inspect(asked, Stage.INPUT)
    knew = inspector.knows_sources(asked)
    inspector.inspect(asked.answered("월요일에 쉽니다[1]."), Stage.OUTPUT)

    assert (knew, inspector.knows_sources(replace(ASKED))) == (False, True)
