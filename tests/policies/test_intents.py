import unicodedata

import pytest

from policies.patterns import BadPattern, Intents, tenant_pattern
from policies.schema.policy import IntentRule
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

RULES = [
    IntentRule(intent="policy", patterns=("연차|휴가", r"제\d+조")),
    IntentRule(intent="stay", patterns=("객실", "휴가", "vip")),
]


@each_row("question, intent", "found")
def test_finds_the_intent(question: str, intent: str | None) -> None:
    assert Intents(RULES).intent_of(question).intent == intent


@each_row("question", [unicodedata.normalize("NFD", "연차"), "\ud800 연차"])
def test_odd_characters_hide_no_intent(question: str) -> None:
    assert Intents(RULES).intent_of(question).intent == "policy"


def test_says_which_pattern_and_never_words_of_the_question() -> None:
    assert Intents(RULES).intent_of("제771조").why == r"pattern '제\\d+조'"
    assert Intents(RULES).intent_of("비밀").why == "no pattern matched"
    assert Intents([]).intent_of("비밀").why == "no intent rules"


@each_row(
    "pattern",
    [r"(\w)\1", "(?=a)", "(?<!a)b", "(a", "a{1001}", "(?:[가-힣]{500}){2}[가-힣]{1000}x?" * 9],
)
def test_refuses_what_cannot_run_in_linear_time_or_grows_too_large(pattern: str) -> None:
    with pytest.raises(BadPattern, match="RE2"):
        tenant_pattern(pattern)


@each_row("pattern", "patterns_that_explode_elsewhere_end_soon")
def test_patterns_that_explode_elsewhere_end_soon(pattern: str) -> None:
    rules = Intents([IntentRule(intent="x", patterns=(pattern,))])

    def look(chars: int) -> None:
        assert rules.intent_of("a" * chars + "b").intent is None

    assert_grows_with_its_input(look, 20_000)
