"""How long the place of a worker that died stays empty."""

from proxy.workers.supervisor import Backoff


def test_pauses_double_while_workers_die_young_up_to_the_longest() -> None:
    backoff = Backoff(first_s=1.0, longest_s=5.0, steady_s=60.0)

    assert [backoff.pause_s(lived_s=2.0) for _ in range(5)] == [1.0, 2.0, 4.0, 5.0, 5.0]


def test_after_one_that_lived_long_there_is_no_pause_and_all_begins_anew() -> None:
    backoff = Backoff(first_s=1.0, longest_s=5.0, steady_s=60.0)
    for _ in range(3):
        backoff.pause_s(lived_s=0.0)

    assert backoff.pause_s(lived_s=60.0) == 0.0
    assert backoff.pause_s(lived_s=0.0) == 1.0
