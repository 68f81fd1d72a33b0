"""The report for CI servers, read back by the library that others read it with."""

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

from proxy.golden.results import Outcome, TurnResult, junit_xml
from tests.proxy.golden.sets import result_of, run_of

ODD = "답변\x00에 ]]> <b>와 \ud800 가 있다"
WRONG = TurnResult(
    query="며칠인가요?",
    reply=ODD,
    action="replace",
    reasons=("numbers.value_differs",),
    trace_id="0a1b",
    faults=("action replace, expected pass",),
    took_ms=1500,
)
BROKEN = TurnResult(query="며칠인가요?", error="status 429: slow down")
REPORT = JUnitXml.fromstring(
    junit_xml(
        run_of(
            result_of("right", turns=(TurnResult(query="네?", took_ms=250),)),
            result_of("wrong", Outcome.FAILED, 0, turns=(WRONG,)),
            result_of("broken", Outcome.ERROR, 0, category="연체", turns=(BROKEN,)),
            result_of("later", Outcome.NOT_RUN, 0, category="연체"),
        )
    )
)
TESTS = {str(test.name): test for suite in REPORT for test in suite}


def test_each_category_is_a_suite_with_its_counts() -> None:
    assert [(suite.name, suite.tests, suite.failures) for suite in REPORT] == [
        ("대출", 2, 1),
        ("연체", 2, 0),
    ]
    assert (REPORT.tests, REPORT.failures, REPORT.errors, REPORT.skipped) == (4, 1, 1, 1)


def test_each_case_is_a_test_with_its_time() -> None:
    right = TESTS["right"]

    assert right.is_passed
    assert (right.classname, right.time) == ("library.대출", 0.25)


def test_a_failure_tells_what_was_expected_and_what_came() -> None:
    [failure] = _results(TESTS["wrong"])

    assert isinstance(failure, Failure)
    assert failure.message == "action replace, expected pass"
    for told in ("며칠인가요?", "numbers.value_differs", "0a1b", "]]> <b>와"):
        assert told in str(failure.text)


def test_a_request_that_failed_is_an_error_and_what_did_not_run_is_skipped() -> None:
    [error] = _results(TESTS["broken"])
    [skipped] = _results(TESTS["later"])

    assert isinstance(error, Error)
    assert error.message == "status 429: slow down"
    assert isinstance(skipped, Skipped)


def _results(test: TestCase) -> list[object]:
    return list(test.result)
