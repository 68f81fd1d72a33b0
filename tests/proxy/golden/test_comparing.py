"""What changed since a saved run."""

from proxy.golden.results import CaseResult, Comparison, Outcome, Run, compared
from tests.proxy.golden.sets import result_of, run_of

PASSED, FAILED, ERROR, NOT_RUN = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.NOT_RUN


def change(before: CaseResult, after: CaseResult) -> Comparison:
    return compared(run_of(after), run_of(before), {after.id})


def test_outcomes_are_better_or_worse_in_their_order() -> None:
    names = {"fell", "broke", "rose", "stayed"}
    before = run_of(
        result_of("fell"),
        result_of("broke", FAILED, 0),
        result_of("rose", ERROR, 0),
        result_of("stayed", FAILED, 0.5),
    )
    after = run_of(
        result_of("fell", FAILED, 0),
        result_of("broke", ERROR, 0),
        result_of("rose"),
        result_of("stayed", FAILED, 0.5),
    )

    found = compared(after, before, names)

    assert [str(one) for one in found.better] == ["rose: error → passed"]
    assert [str(one) for one in found.worse] == ["fell: passed → failed", "broke: failed → error"]
    assert (found.new, found.gone) == ((), ())


def test_the_score_decides_where_the_outcome_is_the_same() -> None:
    worse = change(result_of("a", PASSED, 1.0), result_of("a", PASSED, 0.75))
    better = change(result_of("a", FAILED, 0.25), result_of("a", FAILED, 0.5))

    assert [str(one) for one in worse.worse] == ["a: score 1.00 → 0.75"]
    assert [str(one) for one in better.better] == ["a: score 0.25 → 0.50"]


def test_a_pass_with_less_than_the_failure_before_is_better() -> None:
    found = change(result_of("a", FAILED, 0.9), result_of("a", PASSED, 0.5))

    assert [one.id for one in found.better] == ["a"]
    assert found.worse == ()


def test_cases_that_came_and_went_are_named() -> None:
    before = run_of(result_of("kept"), result_of("dropped"), result_of("unasked"))
    after = run_of(result_of("kept"), result_of("added"))

    found = compared(after, before, {"kept", "added", "unasked"})

    assert (found.new, found.gone) == (("added",), ("dropped",))


def test_what_did_not_run_is_neither() -> None:
    found = change(result_of("a"), result_of("a", NOT_RUN, 0))

    assert found == Comparison(better=(), worse=(), new=(), gone=())


def test_a_saved_run_reads_back_as_it_was() -> None:
    run = run_of(result_of("a"), result_of("b", ERROR, 0))

    assert Run.model_validate_json(run.model_dump_json()) == run
