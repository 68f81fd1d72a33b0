"""The bench's processes together: model server, callers, and a subject between them."""

import pytest

from tests.bench.figures import Metric
from tests.bench.loads import PACED_8, Load
from tests.bench.own_subjects import Direct
from tests.bench.prepared import Way
from tests.bench.stage import stage
from tests.bench.subjects import Absent
from tests.bench.upstream import CHUNKS, PACE_S

SHORT_S = 0.2


class Missing(Direct):
    """A subject that this machine cannot run."""

    name = "missing"

    def prepare(self) -> str:
        raise Absent("nobody has it")


@pytest.mark.long
def test_measures_what_the_model_server_does_by_itself() -> None:
    with stage([Missing(), Direct()], lambda said: None) as on:
        [direct] = on.started
        on.prime(direct)
        plain = on.measure(direct, Load("plain", Way.PLAIN, 4), SHORT_S)
        paced = on.measure(direct, PACED_8, SHORT_S)
        open_streams = on.model.open_streams()

    assert on.absent == {"missing": "nobody has it"}
    assert plain[Metric.CALLS] > 4
    assert paced[Metric.CALLS] >= 8
    assert paced[Metric.P50_MS] >= (CHUNKS - 1) * PACE_S * 1e3
    assert 0 < paced[Metric.CHUNK_MS] < paced[Metric.SENTENCE_MS] < paced[Metric.P50_MS]
    assert open_streams == 0
