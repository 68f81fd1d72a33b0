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

FOUND = [
    pytest.param("연차는 며칠인가요?", "policy", id="word"),
    pytest.param("제10조를 알려 주세요", "policy", id="second-pattern"),
    pytest.param("객실 예약이요", "stay", id="second-rule"),
    pytest.param("휴가 객실", "policy", id="first-rule-wins"),
    pytest.param("VIP 라운지", "stay", id="upper-case"),
    pytest.param("제１０조", "policy", id="full-width-digits"),
    pytest.param(unicodedata.normalize("NFD", "연차"), "policy", id="decomposed-hangul"),
    pytest.param("오늘 날씨 어때?", None, id="nothing"),
    pytest.param("", None, id="empty"),
    pytest.param("\ud800 연차", "policy", id="half-of-a-surrogate-pair"),
]


@each_row("question, intent", FOUND)
def test_finds_the_intent(question: str, intent: str | None) -> None:
    assert Intents(RULES).intent_of(question).intent == intent


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
