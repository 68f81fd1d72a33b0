"""What the figures of several replicas say of more of them."""

import pytest

from tests.bench.figures import Metric
from tests.bench.replicas import COUNTS, Count, Fleet, Replicas


def fleet(per_s: list[float]) -> Fleet:
    counts = [
        Count(replicas=replicas, requests_per_s=[rate], cpu_ms_per_request=[10])
        for replicas, rate in zip(COUNTS, per_s, strict=True)
    ]
    return Fleet(machine="", cores=4, counts=counts)


@pytest.mark.parametrize(
    ("per_s", "exponent", "serial_share"),
    [
        pytest.param([100, 200, 400], 1, 0, id="as-many-times-as-replicas"),
        pytest.param([100, 100, 100], 0, 1, id="no-more-than-one"),
        # After Amdahl, one part in ten that does not spread.
        pytest.param([100, 200 / 1.1, 400 / 1.3], 0.81, 0.1, id="a-tenth-stays-behind"),
    ],
)
def test_growth_is_told_by_exponent_and_serial_share(
    per_s: list[float], exponent: float, serial_share: float
) -> None:
    found = fleet(per_s)
    assert found.exponent == pytest.approx(exponent, abs=0.01)
    assert found.serial_share == pytest.approx(serial_share)


def test_cores_are_what_requests_took_each_second() -> None:
    count = fleet([100, 200, 300]).counts[2]
    assert count.cores == pytest.approx(3)


def test_a_round_is_kept_with_what_the_bench_itself_used() -> None:
    count = Count(replicas=1)
    count.add(
        {
            Metric.PER_S: 50,
            Metric.CPU_MS: 12,
            Metric.P99_MS: 80,
            Metric.CALLER_BUSY: 0.1,
            Metric.MODEL_BUSY: 0.2,
        }
    )
    assert (count.per_s, count.cpu_ms, count.p99_ms) == (50, 12, [80])
    # Three callers and two processes of the model server, each as busy as the busiest at most.
    assert count.bench_cores == [pytest.approx(0.7)]


def test_replicas_that_never_started_stop_in_peace() -> None:
    replicas = Replicas(4)
    replicas.stop()
    assert replicas.pids() == []


def test_a_fleet_is_kept_and_read_again() -> None:
    found = fleet([100, 200, 300])
    assert Fleet.model_validate_json(found.model_dump_json()) == found
