"""What counts as taking a reply, and what as a body that drips."""

from proxy.server.client_limits import LEAST_BYTES_PER_S, DownloadRate, UploadRate

LIMIT_S = 60.0


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_who_takes_nothing_stalls_however_much_comes_on_top() -> None:
    clock = Clock()
    pace = DownloadRate(clock)
    pace.stalls(100, LIMIT_S)
    clock.now_s = LIMIT_S + 1

    assert pace.stalls(200, LIMIT_S)


def test_who_takes_some_does_not() -> None:
    clock = Clock()
    pace = DownloadRate(clock)
    for waiting in range(100, 0, -1):
        assert not pace.stalls(waiting, LIMIT_S)
        clock.now_s += LIMIT_S - 1


def test_who_takes_much_at_once_does_not_though_as_much_waits_again() -> None:
    """As who reads now and then does; nobody may look in between."""
    clock = Clock()
    pace = DownloadRate(clock)
    for _ in range(5):
        assert not pace.stalls(100, LIMIT_S)
        clock.now_s += LIMIT_S - 1
        pace.take()


def test_a_large_body_over_a_slow_line_does_not_drip() -> None:
    clock = Clock()
    pace = UploadRate(clock)
    pace.begin()
    for _ in range(3600):
        pace.take(20_000)
        clock.now_s += 1.0
        assert not pace.is_too_slow(LIMIT_S)


def test_a_body_below_the_least_pace_drips_in_the_end() -> None:
    clock = Clock()
    pace = UploadRate(clock)
    pace.begin()
    while not pace.is_too_slow(LIMIT_S):
        pace.take(LEAST_BYTES_PER_S // 2)
        clock.now_s += 1.0

    assert 5 * LIMIT_S < clock.now_s < 11 * LIMIT_S
