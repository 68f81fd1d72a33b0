import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Strength
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from guards.text.sentences import split_sentences

RULES = (
    "연차휴가는 15일로 한다. 신청은 사용일 3일 전까지 총무팀(031-200-1234)에 한다.\n"
    "경조금은 50만원으로 하고, 이 규정은 2024. 3. 5.부터 시행한다.\n"
    "체크인은 오후 3시부터이며 정원은 49명 이하로 한다. 수당은 기본급의 100분의 30을 지급한다."
)
SOURCES = (Source("1", "제5조 (휴가와 수당)", RULES),)


@pytest.fixture
def guard() -> Numbers:
    return Numbers(NumbersSettings())


def findings(guard: Numbers, answer: str, question: str = "규정을 알려 주세요") -> list[Finding]:
    return guard.check(read(Exchange(question, SOURCES, answer=answer)))


FLAGGED = [
    pytest.param("연차휴가는 16일입니다.", "16일", "value_differs", "15일", id="days"),
    pytest.param("연차휴가는 15개월입니다.", "15개월", "value_differs", "15일", id="unit"),
    pytest.param("경조금은 500만원입니다.", "500만원", "value_differs", "50만원", id="money"),
    pytest.param(
        "경조금은 50만 달러입니다.", "50만 달러", "value_differs", "50만원", id="currency"
    ),
    pytest.param(
        "이 규정은 2024년 3월 6일부터 시행합니다.",
        "2024년 3월 6일",
        "value_differs",
        "2024. 3. 5. 부터",
        id="date",
    ),
    pytest.param(
        "체크인은 16:00부터입니다.", "16:00", "value_differs", "오후 3시 부터", id="clock"
    ),
    pytest.param(
        "신청은 총무팀(031-200-1243)에 합니다.",
        "031-200-1243",
        "value_differs",
        "031-200-1234",
        id="phone",
    ),
    pytest.param("정원은 오십 명입니다.", "오십 명", "value_differs", "49명 이하", id="in-words"),
    pytest.param(
        "수당은 기본급의 30%포인트입니다.", "30%포인트", "value_differs", "100분의 30", id="points"
    ),
    pytest.param(
        "정원은 49명 초과입니다.", "49명", "comparator_differs", "49명 이하", id="comparator"
    ),
]
CLEAN = [
    pytest.param("연차휴가는 보름입니다.", id="day-word"),
    pytest.param("경조금은 500,000원입니다.", id="separators"),
    pytest.param("경조금은 ₩500,000이며 신청은 사흘 전까지입니다.", id="sign-and-native-days"),
    pytest.param("2024-03-05부터 시행합니다. 시행 연도는 2024년입니다.", id="date-and-its-year"),
    pytest.param("체크인은 15:00부터이며 정원은 최대 마흔아홉 명입니다.", id="clock-and-limit"),
    pytest.param("수당은 기본급의 30%입니다.", id="percent"),
    pytest.param("총무팀(031.200.1234)으로 연락하세요.", id="dotted-phone"),
    pytest.param("1. 총무팀에 신청\n2. 결재\n10. 사용", id="list-markers"),
    pytest.param("연차휴가는 15일입니다.[1][12]", id="citation-marks"),
    pytest.param("제5조제2항에 따라 15일입니다.", id="articles"),
    pytest.param("두 가지 방법이 있고 하루 전에 확인하세요.", id="everyday-wording"),
    pytest.param("절차는 3 단계 정도로 나뉩니다.", id="lone-digit"),
    pytest.param("설정은 `limit=365`와 같습니다.", id="code"),
    pytest.param("```\nlimit = 365일\n```", id="code-fence"),
    pytest.param("규정에서 확인되지 않습니다.", id="no-figures"),
]


@pytest.mark.parametrize(("answer", "observed", "kind", "expected"), FLAGGED)
def test_flags(guard: Numbers, answer: str, observed: str, kind: str, expected: str) -> None:
    [finding] = findings(guard, answer)

    assert finding.code == f"numbers.{kind}"
    assert finding.observed == observed
    assert finding.strength is Strength.C2
    assert expected in finding.expected
    assert answer[finding.span.start : finding.span.end] == observed


@pytest.mark.parametrize("answer", CLEAN)
def test_passes(guard: Numbers, answer: str) -> None:
    assert findings(guard, answer) == []


def test_value_of_a_kind_that_no_source_has_is_unfounded(guard: Numbers) -> None:
    [finding] = findings(guard, "주차 요금은 9달러이고 거리는 12km입니다.")[1:]

    assert (finding.code, finding.strength) == ("numbers.not_in_sources", Strength.E0)
    assert finding.observed == "12km"
    assert not finding.expected
    assert not finding.evidence


def test_evidence_quotes_the_closest_sentence(guard: Numbers) -> None:
    [finding] = findings(guard, "연차휴가는 20일입니다.")

    assert [quote.source_id for quote in finding.evidence] == ["1"]
    assert finding.evidence[0].quote == "연차휴가는 15일로 한다."


def test_figures_of_the_question_may_be_repeated(guard: Numbers) -> None:
    answer = "27일을 쓰시려면 15일을 넘습니다."

    assert findings(guard, answer, question="연차를 27일 쓸 수 있나요?") == []


def test_figures_of_instructions_may_be_repeated(guard: Numbers) -> None:
    exchange = Exchange(
        "규정?", SOURCES, answer="최대 200자로 답합니다.", echo="200자 이내로 답하라"
    )

    assert guard.check(read(exchange)) == []


def test_policy_may_forbid_repeating_the_question() -> None:
    strict = Numbers(NumbersSettings(allow_from_question=False))

    [finding] = findings(strict, "27일은 안 됩니다.", question="연차를 27일 쓸 수 있나요?")

    assert finding.observed == "27일"


def test_hedged_figures_are_left_to_the_other_guard(guard: Numbers) -> None:
    assert findings(guard, "약 40분 걸립니다.") == []
    assert [each.observed for each in findings(guard, "약관 기준은 40분입니다.")] == ["40분"]


def test_figure_in_a_source_title_counts(guard: Numbers) -> None:
    sources = (Source("1", "2031년 휴가 지침", "휴가는 총무팀에 신청한다."),)
    exchange = Exchange("언제 지침인가요?", sources, answer="2031년 지침입니다.")

    assert guard.check(read(exchange)) == []


@given(
    st.lists(
        st.sampled_from([each.text for each in split_sentences(RULES)]), min_size=1, max_size=4
    )
)
def test_sentences_of_the_source_are_never_flagged(sentences: list[str]) -> None:
    assert findings(Numbers(NumbersSettings()), " ".join(sentences)) == []


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("규정?", SOURCES), "no_answer"),
        (Exchange("규정?", answer="30일입니다."), "no_sources"),
    ],
)
def test_says_why_it_cannot_check(guard: Numbers, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason
