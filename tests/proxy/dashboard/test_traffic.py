"""What the overview makes of the counts."""

from datetime import UTC, datetime, timedelta

import pytest

from proxy.dashboard.overview import USUAL, Traffic
from proxy.traces.tally import TallyBucket

START = datetime(2031, 5, 6, tzinfo=UTC)


def traffic(*counts: dict[str, int]) -> Traffic:
    hour = timedelta(hours=1)
    return Traffic(USUAL, [TallyBucket(START + hour * at, one) for at, one in enumerate(counts)])


def test_shares_are_those_of_all_requests() -> None:
    seen = traffic(
        {"requests": 6, "action:pass": 5, "action:replace": 1, "not_checked": 2},
        {"requests": 4, "action:pass": 3, "action:none": 1, "status:5xx": 1},
    )
    shares = {part.name: (part.count, part.share) for part in seen.actions}
    assert shares["pass"] == (8, 0.8)
    assert shares["replace"] == (1, 0.1)
    assert shares["trim"] == (0, 0.0)
    assert (seen.not_checked.share, seen.errors.share) == (0.2, 0.1)


def test_guards_that_acted_most_come_first() -> None:
    seen = traffic(
        {
            "requests": 10,
            "guard:numbers:acted": 3,
            "guard:names:acted": 1,
            "guard:names:would_act": 2,
            "guard:places:would_act": 5,
            "guard:quality:clean": 10,
            "guard:overlap:noted": 1,
        }
    )
    assert [line.guard for line in seen.guards] == ["numbers", "names", "places", "overlap"]
    assert seen.silent_guards == ("quality",)
    first, second, *_ = seen.guards
    assert (first.acted, first.share) == (3, 0.3)
    assert (second.acted, second.would_act, second.noted, second.not_run) == (1, 2, 0, 0)


def test_the_most_frequent_reason_comes_first() -> None:
    seen = traffic({"requests": 9, "not_run:timeout": 1, "not_run:image_parts": 2})
    parts = [(part.name, part.count) for part in seen.not_run_reasons]
    assert parts == [("image_parts", 2), ("timeout", 1)]


def test_a_shadow_policy_disagrees_about_what_it_judged() -> None:
    seen = traffic({"requests": 9, "shadow:pass": 3, "shadow:trim": 1, "shadow_changed": 1})
    assert seen.tally.shadow.changed_share == pytest.approx(0.25)


def test_times_are_told_for_each_part_of_a_request() -> None:
    seen = traffic({"requests": 2, "whole_ms:100": 2, "guards_ms:10": 2})
    times = {line.title: line.p95_ms for line in seen.latencies}
    whole, guards = times["Whole request"], times["Guards"]
    assert whole is not None
    assert guards is not None
    assert 70 < whole <= 100
    assert 7 < guards <= 10
    assert times["Model server"] is None


def test_most_used_models_are_named_and_all_others_are_one() -> None:
    seen = traffic(
        {"model:a": 1, "model:b": 9, "model:c": 3, "model_tokens:b": 800},
        {"model:d": 4, "model:e": 2, "model:f": 1, "model:other": 5},
    )
    models = seen.trends[2]

    assert models.series == ("b", "d", "c", "e", "Other models")
    assert [values for _, values in models.rows] == [(9, 0, 3, 0, 1), (0, 4, 0, 2, 6)]
    assert [(one.name, one.requests, one.tokens) for one in seen.models[:2]] == [
        ("b", 9, 800),
        ("other", 5, 0),
    ]
    assert sum(one.share or 0 for one in seen.models) == pytest.approx(1)
