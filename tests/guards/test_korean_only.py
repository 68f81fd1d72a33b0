import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Span
from guards.core.guard import Scope, Stage
from guards.core.reading import read
from guards.korean_only import KoreanOnly, KoreanOnlySettings
from policies.edits import apply, fixes
from tests.tables import each_row

SOURCE = Source("1", "제3조 수수료", "수수료(手數料)는 3일 안에 낸다. 目的은 별도로 정한다.")
ENGLISH = "Your request will be answered within three days."


@pytest.fixture
def guard() -> KoreanOnly:
    return KoreanOnly(KoreanOnlySettings())


@each_row("answer, kind, observed", "flagged")
def test_flags(guard: KoreanOnly, answer: str, kind: str, observed: str) -> None:
    exchange = Exchange("수수료가 얼마인가요?", (SOURCE,), answer=answer)

    [finding] = guard.check(read(exchange))

    assert finding.code == f"korean_only.{kind}"
    assert finding.observed == observed
    assert answer[finding.span.start : finding.span.end] == observed


@each_row("answer", "clean")
def test_passes(guard: KoreanOnly, answer: str) -> None:
    exchange = Exchange("漢城 지점 수수료는요?", (SOURCE,), answer=answer, echo="표기: 東亞")

    assert guard.check(read(exchange)) == []


FEES = Source(
    "1",
    "제3조 수수료",
    "신청 기한은 3월 5일까지이고 비용은 의료기관이 수속을 마치면 낸다. 진료는 의원에서 받는다.",
)


@each_row("answer, mended", "mended")
def test_han_words_that_the_sources_have_in_hangul_are_mended(
    guard: KoreanOnly, answer: str, mended: str | None
) -> None:
    exchange = Exchange("지하철로 가면 되나요?", (FEES,), answer=answer)

    findings = guard.check(read(exchange))

    assert findings
    assert all((finding.fix is None) is (mended is None) for finding in findings)
    if mended is not None:
        assert apply(answer, fixes(findings)) == mended
        assert guard.check(read(exchange.answered(mended))) == []


def test_what_a_word_is_in_hangul_is_what_the_sources_say_instead(guard: KoreanOnly) -> None:
    exchange = Exchange("비용은요?", (FEES,), answer="费用은 许可 뒤에 냅니다.")

    known, unknown = guard.check(read(exchange))

    assert (known.observed, known.expected) == ("费用", ("비용",))
    assert (unknown.observed, unknown.expected) == ("许可", ())


@each_row("question, answer, clean", "originals")
def test_who_asks_for_the_original_gets_it_in_quotation_marks(
    guard: KoreanOnly, question: str, answer: str, *, clean: bool
) -> None:
    strict = KoreanOnly(KoreanOnlySettings(allow_on_request=False))
    reading = read(Exchange(question, answer=answer))

    assert (guard.check(reading) == []) is clean
    assert strict.check(reading)


def test_a_quotation_of_a_source_may_be_english(guard: KoreanOnly) -> None:
    source = Source("1", "안내", f"자동 회신: {ENGLISH}")
    answer = "Your request will be answered\nwithin three days."

    assert guard.check(read(Exchange("회신은요?", (source,), answer=ENGLISH))) == []
    assert guard.check(read(Exchange("회신은요?", (source,), answer=answer))) == []


def test_hanja_in_its_two_encodings_is_one(guard: KoreanOnly) -> None:
    source = Source("1", "안내", "행락지는 \uf914園이다.")

    assert guard.check(read(Exchange("어디인가요?", (source,), answer="樂園입니다."))) == []


@each_row("question, answer", "what_the_question_asks_for_is_allowed_unless_the_policy_says_no")
def test_what_the_question_asks_for_is_allowed_unless_the_policy_says_no(
    guard: KoreanOnly, question: str, answer: str
) -> None:
    strict = KoreanOnly(KoreanOnlySettings(allow_on_request=False))
    reading = read(Exchange(question, answer=answer))

    assert guard.check(reading) == []
    assert strict.check(reading)


def test_a_request_for_one_language_allows_no_other(guard: KoreanOnly) -> None:
    exchange = Exchange("영어로 답해 주세요", answer=f"{ENGLISH} 请注意")

    [finding] = guard.check(read(exchange))

    assert finding.code == "korean_only.han"


@each_row("least, count", [(1, 2), (4, 2), (5, 0)])
def test_han_counts_from_the_policys_number_on(least: int, count: int) -> None:
    guard = KoreanOnly(KoreanOnlySettings(min_han_chars=least))
    exchange = Exchange("비용은요?", answer="費用은 3만 원, 期間은 3일입니다.")

    assert len(guard.check(read(exchange))) == count


def test_latin_sentences_can_be_switched_off() -> None:
    guard = KoreanOnly(KoreanOnlySettings(latin_sentences=False))

    assert guard.check(read(Exchange("언제요?", answer=ENGLISH))) == []


def test_findings_stand_in_order_with_their_places(guard: KoreanOnly) -> None:
    answer = f"{ENGLISH} 그 다음 費用은 договор에 있습니다."

    findings = guard.check(read(Exchange("언제요?", answer=answer)))

    assert [finding.code.split(".")[1] for finding in findings] == [
        "latin_sentence",
        "han",
        "other_script",
    ]
    assert findings == sorted(findings, key=lambda finding: finding.span)
    assert findings[1].span == Span(answer.index("費"), answer.index("費") + 2)


@each_row("answer, reason", [(None, "no_answer"), ("", "empty_answer"), (" \n", "empty_answer")])
def test_says_when_there_is_nothing_to_check(
    guard: KoreanOnly, answer: str | None, reason: str
) -> None:
    assert guard.not_checkable(read(Exchange("언제요?", answer=answer))) == reason


def test_looks_at_answers_sentence_by_sentence() -> None:
    assert KoreanOnly.stages == {Stage.OUTPUT}
    assert KoreanOnly.scope is Scope.SEGMENT


@given(st.text(alphabet="가나 费用カд()a.`\n"))
def test_what_stands_in_a_source_is_never_reported(text: str) -> None:
    guard = KoreanOnly(KoreanOnlySettings())
    exchange = Exchange("무엇인가요?", (Source("1", "", text),), answer=text)

    assert guard.check(read(exchange)) == []
