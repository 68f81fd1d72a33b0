"""The bench's arithmetic."""

import pytest

from tests.bench.corpus import numbered
from tests.bench.crew import shared_out
from tests.bench.figures import (
    Metric,
    added,
    exponent,
    of_calls,
    of_streams,
    percentile,
    ratio,
    spread,
)
from tests.bench.goals import GOALS
from tests.bench.heard import Call
from tests.bench.job import Job
from tests.bench.lineup import DIRECT, NGINX, OFF
from tests.bench.loads import PLAIN_1, PLAIN_32
from tests.bench.prepared import Seed, Way
from tests.bench.results import Results, SubjectRow
from tests.bench.soak import Sample, growth
from tests.bench.subjects import Reached
from tests.bench.tables import goals, markdown
from tests.bench.upstream import CHUNKS, chunk_ends

MS = 10**6


@pytest.mark.parametrize(
    ("values", "percent", "wanted"),
    [
        pytest.param([3.0], 99, 3.0, id="one"),
        pytest.param([4.0, 1.0, 3.0, 2.0], 50, 2.5, id="between-two"),
        pytest.param([float(n) for n in range(101)], 99, 99.0, id="on-a-rank"),
        pytest.param([1.0, 2.0], 100, 2.0, id="most"),
        pytest.param([1.0, 2.0], 0, 1.0, id="least"),
    ],
)
def test_percentile(values: list[float], percent: float, wanted: float) -> None:
    assert percentile(values, percent) == pytest.approx(wanted)


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_exponent_of_a_power(power: float) -> None:
    assert exponent([(n, 7 * n**power) for n in (1, 3, 10, 100)]) == pytest.approx(power)


def test_rounds_are_compared_with_the_same_round() -> None:
    assert added([11.0, 25.0, 31.0], [10.0, 20.0, 30.0]) == pytest.approx(1.0)
    assert ratio([2.0, 4.0, 9.0], [1.0, 2.0, 3.0]) == pytest.approx(2.0)
    assert spread([9.0, 10.0, 12.0]) == pytest.approx(0.15)


def test_figures_of_calls() -> None:
    calls = [Call(1, start * MS, (start + 1) * MS, (start + 2) * MS) for start in (0, 2, 8)]

    found = of_calls(calls)

    assert found[Metric.P50_MS] == pytest.approx(2.0)
    assert found[Metric.PER_S] == pytest.approx(300.0)


def test_figures_of_a_stream_that_shows_each_chunk_1_ms_after_it_was_written() -> None:
    seed = Seed(Way.PACED, 0, 1).number
    case = numbered(0)
    ends = chunk_ends(case.answer)
    sent = [10 * MS * number for number in range(CHUNKS)]
    visible = [(at + MS, end) for at, end in zip(sent, ends, strict=True)]
    sentence = next(n for n, end in enumerate(ends) if end >= case.first_sentence_chars)

    found = of_streams([Call(seed, 0, MS, 1000 * MS, visible)], {seed: sent})

    assert found[Metric.CHUNK_MS] == pytest.approx(1.0)
    assert found[Metric.CHUNK_P99_MS] == pytest.approx(1.0)
    assert found[Metric.SENTENCE_MS] == pytest.approx(10.0 * sentence + 1)
    assert found[Metric.SENTENCE_LATER_MS] <= 1.0


def test_figures_of_a_stream_that_shows_all_at_the_end() -> None:
    seed = Seed(Way.STREAM, 0, 1).number
    visible = [(500 * MS, len(numbered(0).answer))]

    found = of_streams([Call(seed, 0, MS, 500 * MS, visible)], {seed: [100 * MS]})

    assert found[Metric.CHUNK_MS] == pytest.approx(400.0)
    assert found[Metric.SENTENCE_LATER_MS] == pytest.approx(400.0)


def test_the_chunks_of_an_answer_are_all_of_it() -> None:
    ends = chunk_ends("가" * 430)

    assert len(ends) == CHUNKS
    assert ends[-1] == 430
    assert ends == sorted(set(ends))


def test_seeds_tell_what_was_asked() -> None:
    seed = Seed(Way.SLOW, 719, 987_654_321)

    assert Seed.read(seed.number) == seed
    assert len(str(seed.number)) == 15


@pytest.mark.parametrize(
    ("connections", "wanted"), [(1, [1]), (8, [4, 4]), (32, [11, 11, 10]), (1000, [334, 333, 333])]
)
def test_a_job_is_shared_out(connections: int, wanted: list[int]) -> None:
    parts = shared_out(Job(Reached(1), Way.PLAIN, connections, 100, 1.0), 3)

    assert [part.connections for part in parts] == wanted
    assert sum(part.most for part in parts) == 100


def results() -> Results:
    made = Results(machine="a machine", date="2026-01-01", seconds=1.0)
    made.subjects = [
        SubjectRow(name=name, workers=1, guarded=False) for name in (DIRECT, NGINX, OFF)
    ]
    for name, p50 in ((DIRECT, 1.0), (NGINX, 2.0), (OFF, 6.0)):
        made.add(name, PLAIN_1.name, {Metric.P50_MS: p50, Metric.PER_S: 1000 / p50})
        made.add(name, PLAIN_32.name, {Metric.PER_S: 1000 / p50, Metric.CPU_MS: p50 / 10})
    return made


def test_goals_are_compared_with_what_was_measured() -> None:
    rows = {row[0]: row[2:] for row in goals(results()).rows}

    assert rows["guards off: CPU of a stream of 100 chunks"] == ["not measured", "–"]
    assert rows["guards off: CPU of a plain request"] == ["0.60 ms", "missed"]
    assert rows["guards off: requests/s, to LiteLLM"] == ["not measured", "–"]
    assert len(rows) == len(GOALS)


def test_a_problem_takes_the_place_of_figures() -> None:
    made = results()
    made.measurement(OFF, PLAIN_32.name).problem = "status 500"

    assert made.median(OFF, PLAIN_32.name, Metric.PER_S) is None
    assert made.problems == [f"{OFF}, {PLAIN_32.name}: status 500"]
    assert f"| {OFF}: status 500 |" in markdown(made)


def test_results_survive_their_file() -> None:
    made = results()
    made.subjects[1].absent = "nginx is not installed"

    again = Results.model_validate_json(made.model_dump_json(exclude_defaults=True))

    assert again == made
    assert "absent: nginx is not installed" in markdown(again)


def samples(memory_mb: float, descriptors: int, in_flight: float) -> list[Sample]:
    calm = Sample(
        at_s=10,
        calls=100,
        p99_ms=1,
        cpu_ms=1,
        memory_mb=100,
        descriptors=50,
        threads=5,
        in_flight=0,
    )
    last = {"memory_mb": memory_mb, "descriptors": descriptors, "in_flight": in_flight}
    return [calm] * 8 + [calm.model_copy(update=last)] * 2


@pytest.mark.parametrize(
    ("end", "grown"),
    [
        pytest.param(samples(109, 60, 0), [], id="steady"),
        pytest.param(samples(130, 50, 0), ["memory grew by 30 MB"], id="memory"),
        pytest.param(samples(100, 90, 0), ["90 descriptors, not 50"], id="descriptors"),
        pytest.param(samples(100, 50, 2), ["2 requests or streams never ended"], id="in-flight"),
    ],
)
def test_a_soak_tells_what_grew(end: list[Sample], grown: list[str]) -> None:
    assert growth(end) == grown
