import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.quality import Quality, QualitySettings
from policies.edits import apply, fixes
from tests.tables import each_row


@pytest.fixture
def guard() -> Quality:
    return Quality(QualitySettings())


def findings(guard: Quality, answer: str, source: str = "연차휴가는 15일로 한다.") -> list[Finding]:
    return guard.check(read(Exchange("규정?", (Source("1", "", source),), answer=answer)))


def as_read_in(text: str, written: str, read_as: str) -> str:
    return text.encode(written).decode(read_as)


LONG = (
    "신청서는 사용일 사흘 전까지 총무팀에 제출하셔야 하며, 승인 결과는 메일로 안내합니다. "
    "반려되면 사유를 확인하신 뒤에 다시 신청하실 수 있습니다. "
)
ROUND = "신청은 총무팀에 합니다. "


BROKEN = [
    ("연차\ud83d입니다.", "\ud83d", None),
    (
        f"{as_read_in('휴가', 'utf-8', 'latin-1')}는 15일입니다.",
        as_read_in("휴가", "utf-8", "latin-1"),
        "휴가",
    ),
    (
        f"{as_read_in('연차휴가', 'cp949', 'latin-1')}는 15일입니다.",
        as_read_in("연차휴가", "cp949", "latin-1"),
        "연차휴가",
    ),
]


@each_row("answer, observed, fix", BROKEN)
def test_flags_words_that_were_read_in_another_encoding(
    guard: Quality, answer: str, observed: str, fix: str | None
) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.observed) == ("quality.broken_characters", observed)
    assert finding.fix == fix


@each_row("answer, kind, observed, fix", "flagged")
def test_flags(guard: Quality, answer: str, kind: str, observed: str, fix: str | None) -> None:
    [finding] = findings(guard, answer)

    assert finding.code == f"quality.{kind}"
    assert finding.observed == observed
    assert finding.fix == fix
    assert finding.severity is Severity.STRONG
    assert answer[finding.span.start : finding.span.end] == observed


@each_row("answer", "clean")
def test_passes(guard: Quality, answer: str) -> None:
    assert findings(guard, answer) == []


@each_row("end", "long_answer_that_stops_in_mid_sentence_is_weak")
def test_long_answer_that_stops_in_mid_sentence_is_weak(guard: Quality, end: str) -> None:
    [finding] = findings(guard, LONG + end)

    assert (finding.code, finding.severity) == ("quality.cut_off", Severity.WEAK)


def test_fixes_leave_a_whole_answer(guard: Quality) -> None:
    answer = f"<s> 연차는 15일입니다. {ROUND * 3}끝입니다.\n<|im_end|>\n"

    assert (
        apply(answer, fixes(findings(guard, answer)))
        == "연차는 15일입니다. 신청은 총무팀에 합니다. 끝입니다."
    )


def test_sentence_that_makes_up_half_of_an_answer_is_a_loop(guard: Quality) -> None:
    again = "신청서는 반드시 총무팀 담당자에게 제출해야 합니다."
    answer = f"{again} 가. {again} 나입니다. {again}"

    [finding] = findings(guard, answer)

    assert (finding.code, finding.observed) == ("quality.repetition", again)


def test_what_the_source_holds_as_it_stands_is_weak(guard: Quality) -> None:
    answer = "연차는 15\ufffd일입니다."

    [finding] = findings(guard, answer, source=f"규정: {answer}")

    assert finding.severity is Severity.WEAK


def test_policy_sets_how_often_a_sentence_may_stand() -> None:
    patient = Quality(QualitySettings(sentence_times=6))

    assert findings(patient, ROUND * 4) == []


def test_turn_that_asks_a_tool_needs_no_words(guard: Quality) -> None:
    assert guard.not_checkable(read(Exchange("?", answer="", may_fetch=True))) == "empty_answer"
    assert guard.not_checkable(read(Exchange("?", answer=""))) is None
    assert guard.not_checkable(read(Exchange("?"))) == "no_answer"


@given(st.text(alphabet=[chr(code) for code in range(ord("가"), ord("힣") + 1, 97)], min_size=2))
def test_misread_hangul_is_always_read_back(text: str) -> None:
    misread = as_read_in(text, "utf-8", "latin-1")
    found = findings(Quality(QualitySettings()), f"앞 {misread} 뒤")

    broken = [one for one in found if one.code == "quality.broken_characters"]
    assert "".join(one.fix or "" for one in broken) == text
