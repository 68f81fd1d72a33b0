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

FLAGGED = [
    pytest.param("연차는 15\ufffd일입니다.", "broken_characters", "\ufffd", None, id="lost"),
    pytest.param("연차는\x00 15일입니다.", "broken_characters", "\x00", "", id="control"),
    pytest.param("정보가 占쏙옙 있습니다.", "broken_characters", "占쏙옙", None, id="lost-twice"),
    pytest.param("연차ㄹㅡㄹ 씁니다.", "broken_characters", "ㄹㅡㄹ", None, id="split-syllable"),
    pytest.param("\u1112 연차입니다.", "broken_characters", "\u1112", None, id="loose-conjoining"),
    pytest.param(
        "연차\ud83d입니다.", "broken_characters", "\ud83d", None, id="half-a-surrogate-pair"
    ),
    pytest.param(
        f"{as_read_in('휴가', 'utf-8', 'latin-1')}는 15일입니다.",
        "broken_characters",
        as_read_in("휴가", "utf-8", "latin-1"),
        "휴가",
        id="utf-8-read-as-latin",
    ),
    pytest.param(
        f"{as_read_in('연차휴가', 'cp949', 'latin-1')}는 15일입니다.",
        "broken_characters",
        as_read_in("연차휴가", "cp949", "latin-1"),
        "연차휴가",
        id="cp949-read-as-latin",
    ),
    pytest.param(
        f"먼저 읽으세요. {ROUND * 4}끝입니다.",
        "repetition",
        f" {ROUND * 3}".rstrip(),
        "",
        id="sentence-in-a-loop",
    ),
    pytest.param(
        "1. 신청서를 냅니다.\n2. 신청서를 냅니다.\n3. 신청서를 냅니다.",
        "repetition",
        "\n2. 신청서를 냅니다.\n3. 신청서를 냅니다.",
        "",
        id="numbered-loop",
    ),
    pytest.param(
        "정말로 그렇게 그렇게 그렇게 그렇게 그렇게 그렇게 그렇게 합니다.",
        "repetition",
        " 그렇게 그렇게 그렇게 그렇게 그렇게 그렇게",
        None,
        id="word-in-a-loop",
    ),
    pytest.param(f"휴가{'입니다' * 8}", "repetition", "입니다" * 7, None, id="syllables-in-a-loop"),
    pytest.param("15일입니다.<|im_end|>", "special_token", "<|im_end|>", "", id="trailing-token"),
    pytest.param("<s> 15일입니다.", "special_token", "<s> ", "", id="leading-token"),
    pytest.param(
        "15일입니다. <|im_start|> 다음 질문은 무엇인가요?",
        "special_token",
        "<|im_start|>",
        None,
        id="token-in-between",
    ),
    pytest.param("", "placeholder", "", None, id="empty"),
    pytest.param("...", "placeholder", "...", None, id="dots"),
    pytest.param("[답변]", "placeholder", "[답변]", None, id="bracket"),
    pytest.param("TODO", "placeholder", "TODO", None, id="todo"),
    pytest.param("</s>", "placeholder", "</s>", None, id="nothing-but-a-token"),
    pytest.param("{{ name }}님, 15일입니다.", "placeholder", "{{ name }}", None, id="template"),
    pytest.param(
        "요금은 [여기에 금액 입력]입니다.",
        "placeholder",
        "[여기에 금액 입력]",
        None,
        id="blank-to-fill",
    ),
]


@each_row("answer, kind, observed, fix", FLAGGED)
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
