"""What a case expects, what it scored, and how that is written for other programs."""

from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

from proxy.golden.client import GuardedReply
from proxy.golden.results import Outcome, TurnResult, junit_xml
from proxy.golden.runner import judged
from proxy.golden.shape import is_visible, says, says_any
from tests.fakes.growth import assert_grows_with_its_input
from tests.proxy.golden.sets import case_of, result_of, run_of
from tests.tables import each_row


@each_row("text, word", "said")
def test_is_said(text: str, word: str) -> None:
    assert says(text, word)


@each_row("text, word", "not_said")
def test_is_not_said(text: str, word: str) -> None:
    assert not says(text, word)


def test_one_way_of_saying_it_is_enough() -> None:
    assert says_any("요금은 23,000원입니다.", ("2만 3천원", "23,000원"))
    assert not says_any("요금은 무료입니다.", ("2만 3천원", "23,000원"))


@each_row("word", ["", "  ", "\u200b", "\t\n"])
def test_what_cannot_be_seen_is_no_keyword(word: str) -> None:
    assert not is_visible(word)


@given(st.text(alphabet="가나다 1,.az-", min_size=1).filter(is_visible))
def test_every_text_says_itself(text: str) -> None:
    assert says(text, text)


@each_row("char", [" ", "1", "a", "가"])
def test_long_texts_cost_little(char: str) -> None:
    def look(chars: int) -> None:
        assert not says(char * chars, f"{char.strip()}{char.strip()}끝 아님")

    assert_grows_with_its_input(look, 100_000)


REPLY = "대출 기간은 16일이고 한 번에 7권까지 빌릴 수 있습니다."


def came(yaml: str, text: str = REPLY, action: str = "pass", *reasons: str) -> TurnResult:
    [turn] = case_of(yaml).asked
    return judged(turn, GuardedReply(text, action, reasons, 1, "trace", 12.5))


@each_row("expected, score", "scores")
def test_the_score_is_the_share_of_what_was_expected(expected: str, score: float) -> None:
    assert came(expected).score == score


@each_row("expected, faults", "faults")
def test_what_is_not_as_expected_is_named(expected: str, faults: list[str]) -> None:
    result = came(expected)

    assert list(result.faults) == faults
    assert result.outcome is (Outcome.FAILED if faults else Outcome.PASSED)


def test_one_reason_that_begins_as_expected_is_enough() -> None:
    expected = "expected_reason: [estimates., numbers.]"

    assert came(expected, REPLY, "replace", "names.x", "numbers.value_differs").faults == ()
    assert came(expected, REPLY, "replace", "names.x", "phrases.numbers.").faults == (
        "reasons names.x, phrases.numbers., expected estimates. or numbers.",
    )


def test_a_server_that_names_no_action_is_not_as_expected() -> None:
    assert came("expected_action: pass", REPLY, "").faults == ("action none, expected pass",)


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
