import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from guards.core.exchange import Exchange
from guards.core.finding import Finding
from guards.core.reading import read
from guards.phrases import Phrases, PhrasesSettings
from policies.edits import apply, fixes
from tests.tables import each_row

FACT = "체크인은 오후 3시입니다."


@pytest.fixture
def guard() -> Phrases:
    return Phrases(PhrasesSettings())


def findings(guard: Phrases, answer: str) -> list[Finding]:
    return guard.check(read(Exchange("몇 시인가요?", answer=answer)))


def left_by(guard: Phrases, answer: str) -> str:
    return apply(answer, fixes(findings(guard, answer)))


@each_row("answer, left", "flagged")
def test_flags(guard: Phrases, answer: str, left: str) -> None:
    [finding] = findings(guard, answer)

    assert finding.code == "phrases.forbidden"
    assert finding.fix == ""
    assert finding.observed == answer[finding.span.start : finding.span.end]
    assert left_by(guard, answer) == left


@each_row("answer", "clean")
def test_passes(guard: Phrases, answer: str) -> None:
    assert findings(guard, answer) == []


@each_row("phrase, sentence", "tenants_add_their_own")
def test_tenants_add_their_own(phrase: str, sentence: str) -> None:
    guard = Phrases(PhrasesSettings(phrases=(phrase,)))

    assert left_by(guard, f"{FACT} {sentence}") == FACT


@each_row("phrase, sentence", "own_phrase_must_be_the_whole_sentence")
def test_own_phrase_must_be_the_whole_sentence(phrase: str, sentence: str) -> None:
    guard = Phrases(PhrasesSettings(phrases=(phrase,)))

    assert findings(guard, f"{FACT} {sentence}") == []


def test_shipped_phrases_can_be_left_out() -> None:
    guard = Phrases(PhrasesSettings(use_defaults=False))

    assert findings(guard, f"{FACT} 도움이 되셨길 바랍니다.") == []


@each_row("phrase", "phrase_without_a_word_is_refused")
def test_phrase_without_a_word_is_refused(phrase: str) -> None:
    with pytest.raises(ValidationError):
        PhrasesSettings(phrases=(phrase,))


@given(
    st.lists(
        st.sampled_from(
            ["도움이 되셨길 바랍니다.", FACT, "조식은 7시입니다.", "좋은 하루 되세요!"]
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([" ", "\n", "\n\n"]),
)
def test_what_is_left_is_the_other_sentences(sentences: list[str], gap: str) -> None:
    kept = [one for one in sentences if one in {FACT, "조식은 7시입니다."}]

    left = left_by(Phrases(PhrasesSettings()), gap.join(sentences))

    assert left == gap.join(kept or sentences)


def test_says_why_it_cannot_check(guard: Phrases) -> None:
    assert guard.not_checkable(read(Exchange("?"))) == "no_answer"
