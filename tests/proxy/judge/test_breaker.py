"""When a judge is left alone, and how it comes back."""

from dataclasses import dataclass

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from policies.schema.sections import BreakerRules
from proxy.judge.book import Breaker, BreakerState, Ticket

RULES = BreakerRules()
CLOSED, HALF_OPEN, OPEN = BreakerState.CLOSED, BreakerState.HALF_OPEN, BreakerState.OPEN


@dataclass
class Clock:
    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(RULES, clock, lambda: 0.0)


def entered(breaker: Breaker) -> Ticket:
    ticket = breaker.enter()
    assert ticket is not None
    return ticket


def fail(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        breaker.failed(entered(breaker))


def succeed(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        breaker.succeeded(entered(breaker))


def test_more_than_half_of_ten_recent_calls_open_it(breaker: Breaker) -> None:
    for _ in range(4):
        fail(breaker)
        succeed(breaker)
    fail(breaker)
    assert breaker.state is CLOSED  # five of nine
    fail(breaker)

    assert breaker.state is OPEN  # six of ten


def test_input_made_failures_never_open_it(breaker: Breaker) -> None:
    for _ in range(100):
        breaker.dropped(entered(breaker))

    assert breaker.state is CLOSED


def test_after_a_while_one_probe_goes_through(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 5)
    clock.now_s += 14.9
    assert (breaker.state, breaker.enter()) == (OPEN, None)
    clock.now_s += 0.1
    assert breaker.state is HALF_OPEN

    probe = entered(breaker)

    assert probe.is_probe
    assert breaker.enter() is None
    breaker.succeeded(probe)
    assert breaker.state is CLOSED


def test_each_failed_probe_doubles_the_pause_up_to_the_longest(
    breaker: Breaker, clock: Clock
) -> None:
    fail(breaker, 5)
    pauses = []
    for _ in range(6):
        pauses.append(breaker.opens_for_s)
        clock.now_s += breaker.opens_for_s
        fail(breaker)

    assert pauses == [15, 30, 60, 120, 240, 240]


def test_calls_from_before_tell_nothing(breaker: Breaker, clock: Clock) -> None:
    late_good, late_bad = entered(breaker), entered(breaker)
    fail(breaker, 5)
    clock.now_s += 15
    probe = entered(breaker)

    breaker.succeeded(late_good)
    breaker.failed(late_bad)
    breaker.dropped(late_bad)

    assert breaker.state is HALF_OPEN
    assert breaker.enter() is None
    breaker.succeeded(probe)
    assert breaker.state is CLOSED


def test_a_late_success_excuses_no_failure_of_today(breaker: Breaker, clock: Clock) -> None:
    late = entered(breaker)
    fail(breaker, 5)
    clock.now_s += 15
    succeed(breaker)
    fail(breaker, 4)

    breaker.succeeded(late)
    fail(breaker)

    assert breaker.state is OPEN


class AnyOrder(RuleBasedStateMachine):
    """Calls begin, end and are given up in any order, while time passes."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.breaker = Breaker(RULES, self.clock, lambda: 1.0)
        self.under_way: list[Ticket] = []

    @rule(seconds=st.floats(0, 300))
    def wait(self, seconds: float) -> None:
        self.clock.now_s += seconds

    @rule()
    def begin(self) -> None:
        before = self.breaker.state
        ticket = self.breaker.enter()
        if before is CLOSED:
            assert ticket is not None
        if before is OPEN:
            assert ticket is None
        if ticket is not None:
            assert ticket.is_probe == (before is HALF_OPEN)
            self.under_way.append(ticket)

    @precondition(lambda self: self.under_way)
    @rule(data=st.data(), end=st.sampled_from(["succeeded", "failed", "dropped"]))
    def end(self, data: st.DataObject, end: str) -> None:
        ticket = data.draw(st.sampled_from(self.under_way))
        self.under_way.remove(ticket)
        was_closed = self.breaker.state is CLOSED
        getattr(self.breaker, end)(ticket)
        if was_closed and end != "failed":
            assert self.breaker.state is CLOSED

    @rule()
    def everybody_hangs_up(self) -> None:
        for ticket in self.under_way:
            self.breaker.dropped(ticket)
        self.under_way.clear()

    @invariant()
    def never_two_probes_of_one_era(self) -> None:
        probes = [ticket.era for ticket in self.under_way if ticket.is_probe]
        assert len(probes) == len(set(probes))

    @invariant()
    def never_open_for_longer_than_the_longest(self) -> None:
        assert 0 <= self.breaker.opens_for_s <= RULES.longest_open_s
        assert (self.breaker.opens_for_s > 0) == (self.breaker.state is OPEN)

    def teardown(self) -> None:
        """Whatever happened, it closes again once the backend is well and nobody is under way."""
        self.everybody_hangs_up()
        self.clock.now_s += RULES.longest_open_s + 1
        succeed(self.breaker)
        assert self.breaker.state is CLOSED


TestAnyOrder = AnyOrder.TestCase
