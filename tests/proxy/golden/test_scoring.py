"""What a case expects, what it scored, and how that is written for other programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

from proxy.golden.client import GuardedReply
from proxy.golden.keywords import is_visible, says, says_any
from proxy.golden.results import Outcome, TurnResult, junit_xml
from proxy.golden.runner import judged
from tests.fakes.growth import assert_grows_with_its_input
from tests.proxy.golden.sets import case_of, result_of, run_of

SAID = [
    pytest.param("체크인은 오후 3시입니다.", "오후 3시", id="as-it-is"),
    pytest.param("체크 인은 오후3시 입니다.", "체크인은 오후 3시입니다", id="spacing"),
    pytest.param("요금은 ２만 ３천원입니다.", "2만 3천원", id="full-width"),
    pytest.param("Wi-Fi가 됩니다.", "wi‑fi", id="case-and-dash"),
    pytest.param("대출 기간은 16일입니다.", "16일", id="particle-behind"),
    pytest.param("모두 16일, 늘리면 24일", "16일", id="comma-behind-a-word"),
    pytest.param("5, 15, 25", "15", id="listed-figure"),
    pytest.param("요금은 1,200원.", "1,200", id="grouped-figure"),
    pytest.param("요금은 15,000원입니다.", "15000원", id="grouped-where-the-keyword-is-not"),
    pytest.param("요금은 1250000원입니다.", "1,250,000원", id="not-grouped-where-the-keyword-is"),
    pytest.param("제3조 5항을 보세요.", "5항", id="behind-the-number-of-an-article"),
    pytest.param("연차만 5일 남았습니다.", "5일", id="behind-a-particle-like-a-magnitude"),
    pytest.param("환불가능 여부", "가능", id="end-of-a-longer-word"),
    pytest.param("연차휴가 신청은 메일로 합니다.", "휴가신청", id="from-within-a-longer-word"),
    pytest.param("그건 안 돼요.", "안돼", id="one-syllable-before-the-space"),
    pytest.param("연차휴가 는 15일", "휴가는", id="space-before-the-particle"),
]
NOT_SAID = [
    pytest.param("휴가는 15일입니다.", "5일", id="end-of-a-longer-figure"),
    pytest.param("휴가는 2.5일입니다.", "5일", id="behind-a-decimal-point"),
    pytest.param("요금은 1,200원입니다.", "200원", id="behind-a-grouping-comma"),
    pytest.param("방 번호는 1204", "120", id="beginning-of-a-longer-figure"),
    pytest.param("요금은 12.5", "12", id="before-a-decimal-point"),
    pytest.param("TRAINING", "rain", id="inside-a-latin-word"),
    pytest.param("요금은 3만 5천원입니다.", "5천원", id="end-of-a-figure-in-words"),
    pytest.param("요금은 3만5천원입니다.", "5천원", id="end-of-a-figure-in-words-without-a-space"),
    pytest.param("요금은 1,200,000원입니다.", "1,200원", id="another-magnitude"),
    pytest.param("환불은 불가능합니다.", "가능합니다", id="denied-by-a-prefix"),
    pytest.param("무제한으로 쓸 수 있습니다.", "제한", id="without-by-a-prefix"),
    pytest.param("환불 가능합니다.", "불가능", id="last-syllable-of-the-word-before"),
    pytest.param("회사 회의실", "사회", id="over-the-edge-of-two-words"),
    pytest.param("", "네", id="empty-text"),
]


@pytest.mark.parametrize(("text", "word"), SAID)
def test_is_said(text: str, word: str) -> None:
    assert says(text, word)


@pytest.mark.parametrize(("text", "word"), NOT_SAID)
def test_is_not_said(text: str, word: str) -> None:
    assert not says(text, word)


def test_one_way_of_saying_it_is_enough() -> None:
    assert says_any("요금은 23,000원입니다.", ("2만 3천원", "23,000원"))
    assert not says_any("요금은 무료입니다.", ("2만 3천원", "23,000원"))


@pytest.mark.parametrize("word", ["", "  ", "\u200b", "\t\n"])
def test_what_cannot_be_seen_is_no_keyword(word: str) -> None:
    assert not is_visible(word)


@given(st.text(alphabet="가나다 1,.az-", min_size=1).filter(is_visible))
def test_every_text_says_itself(text: str) -> None:
    assert says(text, text)


@pytest.mark.parametrize("char", [" ", "1", "a", "가"])
def test_long_texts_cost_little(char: str) -> None:
    def look(chars: int) -> None:
        assert not says(char * chars, f"{char.strip()}{char.strip()}끝 아님")

    assert_grows_with_its_input(look, 100_000)


REPLY = "대출 기간은 16일이고 한 번에 7권까지 빌릴 수 있습니다."


def came(yaml: str, text: str = REPLY, action: str = "pass", *reasons: str) -> TurnResult:
    [turn] = case_of(yaml).asked
    return judged(turn, GuardedReply(text, action, reasons, 1, "trace", 12.5))


SCORES = [
    pytest.param("", 1.0, id="nothing-expected"),
    pytest.param("expected_keywords: [16일, 7권]", 1.0, id="all"),
    pytest.param("expected_keywords: [16일, 8권]", 0.5, id="half"),
    pytest.param("expected_keywords: [[열엿새, 16일]]", 1.0, id="one-of-the-ways-to-say-it"),
    pytest.param("expected_keywords: [6일]", 0.0, id="none"),
    pytest.param("expected_keywords: [16일]\nforbidden_keywords: [7권]", 0.0, id="forbidden"),
]
FAULTS = [
    pytest.param("expected_keywords: [16일]\nexpected_action: pass", [], id="as-expected"),
    pytest.param("min_score: 0.5\nexpected_keywords: [16일, 8권]", [], id="enough"),
    pytest.param("min_score: 0\nexpected_keywords: [30일]", [], id="any-reply-will-do"),
    pytest.param(
        "min_score: 0.6\nexpected_keywords: [16일, [8권, 여덟 권]]",
        ["score 0.50, expected 0.60 or more; unsaid: 8권|여덟 권"],
        id="too-little",
    ),
    pytest.param(
        "min_score: 0\nforbidden_keywords: [7권, 9권]",
        ["contains forbidden text: 7권"],
        id="forbidden-whatever-the-least-score",
    ),
    pytest.param("expected_action: [fix, pass]", [], id="one-of-the-actions"),
    pytest.param(
        "expected_action: [fix, replace]", ["action pass, expected fix or replace"], id="action"
    ),
    pytest.param("expected_reason: numbers.", ["reasons none, expected numbers."], id="reason"),
]


@pytest.mark.parametrize(("expected", "score"), SCORES)
def test_the_score_is_the_share_of_what_was_expected(expected: str, score: float) -> None:
    assert came(expected).score == score


@pytest.mark.parametrize(("expected", "faults"), FAULTS)
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
