"""What the guards alone take over an exchange, without a proxy around them."""

import itertools
import statistics
import time

from guards.core.exchange import Exchange, Source
from guards.core.guard import Stage
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from policies.schema.policy import Action
from proxy.cli.serve import freeze_heap
from tests.bench.corpus import (
    ANSWERS_OF_EACH,
    RECURRING_SETS,
    SINGLE,
    STAMP,
    Case,
    case,
    numbered,
)

CALLS = 60


class GuardPass:
    """Measures the guards; no answer comes twice, in none of its rounds."""

    def __init__(self) -> None:
        self._inspector = Inspector(load_shipped("default").policy)
        self._answers = itertools.count(ANSWERS_OF_EACH)
        self._stamps = itertools.count(1)
        # The collector of garbage as the service sets it.
        freeze_heap()

    def seen_ms(self) -> float:
        """Return the median over answers from sources that were seen before."""
        sets = range(RECURRING_SETS)
        first = next(self._answers)
        for number in sets:
            self._took_ms(case(number, first), STAMP)
        answers = [next(self._answers) for _ in range(CALLS // RECURRING_SETS)]
        return statistics.median(
            self._took_ms(case(number, answer), STAMP) for answer in answers for number in sets
        )

    def new_ms(self) -> float:
        """Return the median over answers from sources that nobody saw."""
        return statistics.median(
            self._took_ms(numbered(number), f"{next(self._stamps):09}") for number in SINGLE[:CALLS]
        )

    def _took_ms(self, said: Case, stamp: str) -> float:
        sources = (
            Source(str(number), source.title, source.text.replace(STAMP, stamp))
            for number, source in enumerate(said.sources, start=1)
        )
        exchange = Exchange(said.question, tuple(sources), answer=said.answer)
        began_s = time.process_time()
        verdict = self._inspector.inspect(exchange, Stage.OUTPUT)
        took_ms = (time.process_time() - began_s) * 1e3
        if verdict.action is not Action.PASS:
            raise ValueError(f"{verdict.action} instead of pass: {said.answer[:100]}")
        return took_ms
