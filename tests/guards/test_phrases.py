import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from guards.core.exchange import Exchange
from guards.core.finding import Finding
from guards.core.reading import read
from guards.phrases import Phrases, PhrasesSettings
from policies.edits import apply, fixes

FACT = "체크인은 오후 3시입니다."


@pytest.fixture
def guard() -> Phrases:
    return Phrases(PhrasesSettings())


def findings(guard: Phrases, answer: str) -> list[Finding]:
    return guard.check(read(Exchange("몇 시인가요?", answer=answer)))


def left_by(guard: Phrases, answer: str) -> str:
    return apply(answer, fixes(findings(guard, answer)))


FLAGGED = [
    pytest.param(f"{FACT} 도움이 되셨길 바랍니다.", FACT, id="wish"),
    pytest.param(f"{FACT} 안내드린 내용이 도움이 되었으면 좋겠습니다.", FACT, id="long-wish"),
    pytest.param(
        f"{FACT}\n\n더 궁금하신 점이 있으시면 언제든지 문의해 주세요! 😊",
        FACT,
        id="offer-and-emoji",
    ),
    pytest.param(f"{FACT} 추가로 필요하신 사항이 있으신가요?", FACT, id="asks-back"),
    pytest.param(f"문의해 주셔서 감사합니다.\n\n{FACT}", FACT, id="thanks-first"),
    pytest.param(f"이용에 불편을 드려 대단히 죄송합니다. {FACT}", FACT, id="apology"),
    pytest.param(f"{FACT} 좋은 하루 되세요! 더 도와드릴 일이 있을까요?", FACT, id="two-in-a-row"),
    pytest.param(
        f"{FACT}\n\n도움이 되셨길 바랍니다.\n\n- 조식은 7시입니다.",
        f"{FACT}\n\n- 조식은 7시입니다.",
        id="paragraph-between",
    ),
    pytest.param(
        f"{FACT} 도움이 되셨길 바랍니다.  조식은 7시입니다.",
        f"{FACT} 조식은 7시입니다.",
        id="sentence-between",
    ),
    pytest.param(f"{FACT} **도움이 되셨길 바랍니다.**", FACT, id="in-bold"),
    pytest.param(f"{FACT} 도움이  되셨 길 바랍니다\n", f"{FACT}\n", id="odd-spacing"),
]
CLEAN = [
    pytest.param("도움이 되셨길 바랍니다.", id="nothing-else-to-say"),
    pytest.param("문의해 주셔서 감사합니다. 좋은 하루 되세요.", id="nothing-but-phrases"),
    pytest.param(f"{FACT} 자세한 내용은 프런트에 문의해 주세요.", id="advice-where-to-ask"),
    pytest.param(
        f"{FACT} 궁금하신 점이 있으시면 033-000-1234로 문의해 주세요.", id="with-a-number"
    ),
    pytest.param(f"{FACT} 조식은 7시이니 도움이 되셨길 바랍니다.", id="behind-a-fact"),
    pytest.param(f"{FACT} 안내문은 “도움이 되셨길 바랍니다.”로 끝납니다.", id="quoted"),
    pytest.param(
        f"{FACT} “안내입니다.\n도움이 되셨길 바랍니다.\n끝.”", id="inside-a-long-quotation"
    ),
    pytest.param(f"{FACT}\n> 도움이 되셨길 바랍니다.", id="block-quotation"),
    pytest.param(f"{FACT}\n```\n도움이 되셨길 바랍니다.\n```", id="code"),
    pytest.param("죄송하지만 자료에서 확인되지 않습니다. 프런트에 문의해 주세요.", id="abstention"),
]


@pytest.mark.parametrize(("answer", "left"), FLAGGED)
def test_flags(guard: Phrases, answer: str, left: str) -> None:
    [finding] = findings(guard, answer)

    assert finding.code == "phrases.forbidden"
    assert finding.fix == ""
    assert finding.observed == answer[finding.span.start : finding.span.end]
    assert left_by(guard, answer) == left


@pytest.mark.parametrize("answer", CLEAN)
def test_passes(guard: Phrases, answer: str) -> None:
    assert findings(guard, answer) == []


@pytest.mark.parametrize(
    ("phrase", "sentence"),
    [
        pytest.param("해별이 늘 함께합니다.", "해별이 늘 함께합니다!", id="plain"),
        pytest.param("고객님의 * 응원합니다", "고객님의 편안한 3박을 응원합니다.", id="gap"),
        pytest.param("*별빛 포인트*", "지금 별빛 포인트를 모아 보세요!", id="anything-around"),
        pytest.param("see you *", "See you in Gangneung!", id="upper-case"),
    ],
)
def test_tenants_add_their_own(phrase: str, sentence: str) -> None:
    guard = Phrases(PhrasesSettings(phrases=(phrase,)))

    assert left_by(guard, f"{FACT} {sentence}") == FACT


@pytest.mark.parametrize(
    ("phrase", "sentence"),
    [
        pytest.param("해별이 함께합니다", "해별이 늘 함께합니다.", id="other-words-between"),
        pytest.param("가나*나가", "가나가.", id="pieces-do-not-overlap"),
        pytest.param("하나*둘*셋", "하나 셋 둘.", id="order"),
    ],
)
def test_own_phrase_must_be_the_whole_sentence(phrase: str, sentence: str) -> None:
    guard = Phrases(PhrasesSettings(phrases=(phrase,)))

    assert findings(guard, f"{FACT} {sentence}") == []


def test_shipped_phrases_can_be_left_out() -> None:
    guard = Phrases(PhrasesSettings(use_defaults=False))

    assert findings(guard, f"{FACT} 도움이 되셨길 바랍니다.") == []


@pytest.mark.parametrize("phrase", ["", "*", " * ", "!!"])
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
