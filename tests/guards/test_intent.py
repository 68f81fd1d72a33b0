import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.intent import Intent, IntentSettings

SOURCES = (
    Source("1", "취업규칙 - 출산휴가", "배우자가 출산한 직원은 휴가를 쓴다. 신청은 총무과로 한다."),
    Source("2", "취업규칙 - 징계 재심", "징계처분을 받은 직원은 이의를 제기할 수 있다."),
)


@pytest.fixture
def guard() -> Intent:
    return Intent(IntentSettings())


def findings(guard: Intent, question: str, answer: str) -> list[Finding]:
    exchange = Exchange(question, SOURCES, answer=answer)
    reading = read(exchange)
    return [] if guard.not_checkable(reading) else guard.check(reading)


FLAGGED = [
    pytest.param("수수료는 얼마인가요?", "수수료는 창구에서 냅니다.", "type_missing", id="amount"),
    pytest.param("며칠 쉴 수 있나요?", "직원은 휴가를 씁니다.", "type_missing", id="days"),
    pytest.param("접수는 언제 하나요?", "접수는 총무과가 합니다.", "type_missing", id="time"),
    pytest.param("전화번호가 뭐예요?", "총무과로 전화합니다.", "type_missing", id="phone"),
    pytest.param("메일 주소 알려 주세요.", "메일로 보냅니다.", "type_missing", id="mail"),
    pytest.param("왜 거절됐나요?", "신청이 거절됐습니다.", "type_missing", id="reason"),
    pytest.param("어디서 접수하나요?", "신청서를 제출합니다.", "type_missing", id="place"),
    pytest.param(
        "환불이 되나요?", "환불은 창구 직원이 처리합니다.", "type_missing", id="yes-or-no"
    ),
    pytest.param(
        "수수료는 얼마인가요? 그리고 접수는 어디서 하나요?",
        "접수는 창구에서 합니다.",
        "type_missing",
        id="one-of-two-questions",
    ),
    pytest.param(
        "정규직과 계약직의 차이를 알려 주세요.",
        "정규직은 정년까지 일합니다.",
        "side_missing",
        id="one-side-of-a-comparison",
    ),
]
CLEAN = [
    pytest.param("수수료는 얼마인가요?", "수수료는 3,000원입니다.", id="amount"),
    pytest.param("수수료는 얼마인가요?", "수수료는 무료입니다.", id="free-is-an-amount"),
    pytest.param("몇 시에 닫나요?", "오후 여섯시에 닫습니다.", id="hour-in-words"),
    pytest.param("접수는 언제 하나요?", "접수는 매주 월요일에 합니다.", id="weekday"),
    pytest.param("어디서 접수하나요?", "본관 1층 창구에서 접수합니다.", id="place"),
    pytest.param("누가 결재하나요?", "총무과장이 결재합니다.", id="person"),
    pytest.param("왜 거절됐나요?", "서류가 빠졌기 때문입니다.", id="reason"),
    pytest.param("환불이 되나요?", "환불받을 수 있습니다.", id="yes"),
    pytest.param("환불이 되나요?", "사용한 뒤에는 환불되지 않습니다.", id="no"),
    pytest.param("주차비가 있나요?", "주차비는 시간당 1,000원입니다.", id="amount-says-yes"),
    pytest.param("어떻게 신청하나요?", "신청서를 냅니다.", id="procedure-is-not-judged"),
    pytest.param("휴가에 대해 알려 주세요.", "직원은 휴가를 씁니다.", id="open-question"),
    pytest.param("수수료는 얼마인가요?", "수수료는 자료에서 확인되지 않습니다.", id="abstention"),
    pytest.param(
        "정규직과 계약직의 차이를 알려 주세요.",
        "정규직은 정년까지, 계약직은 정한 기간만 일합니다.",
        id="both-sides",
    ),
    pytest.param(
        "정규직과 계약직의 차이를 알려 주세요.", "둘 다 같은 급여를 받습니다.", id="both-together"
    ),
]


@pytest.mark.parametrize(("question", "answer", "kind"), FLAGGED)
def test_flags(guard: Intent, question: str, answer: str, kind: str) -> None:
    [finding] = findings(guard, question, answer)

    assert (finding.code, finding.severity) == (f"intent.{kind}", Severity.WEAK)
    assert finding.observed == answer


@pytest.mark.parametrize(("question", "answer"), CLEAN)
def test_passes(guard: Intent, question: str, answer: str) -> None:
    assert findings(guard, question, answer) == []


def test_the_missing_side_is_named(guard: Intent) -> None:
    [finding] = findings(guard, "정규직과 계약직의 차이는?", "정규직은 정년까지 일합니다.")

    assert finding.expected == ("계약직",)


def test_an_answer_from_another_subject_is_strong(guard: Intent) -> None:
    answer = "징계처분을 받은 직원은 이의를 제기할 수 있습니다."

    [finding] = findings(guard, "출산휴가를 알려 주세요.", answer)

    assert (finding.code, finding.severity) == ("intent.other_subject", Severity.STRONG)
    assert finding.expected == ("취업규칙 - 출산휴가",)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        pytest.param(
            "출산휴가를 알려 주세요.", "배우자가 출산한 직원은 휴가를 씁니다.", id="right-source"
        ),
        pytest.param(
            "출산휴가를 알려 주세요.",
            "직원은 휴가를 씁니다. 징계처분을 받은 직원은 이의를 제기할 수 있습니다.",
            id="both-sources",
        ),
        pytest.param(
            "출산휴가를 알려 주세요.",
            "출산휴가로 징계처분을 받은 직원은 이의를 제기할 수 있습니다.",
            id="names-the-subject",
        ),
        pytest.param(
            "출산휴가와 징계 재심을 알려 주세요.",
            "징계처분을 받은 직원은 이의를 제기할 수 있습니다.",
            id="asked-for-both",
        ),
        pytest.param(
            "이의는 누가 제기하나요?",
            "징계처분을 받은 직원은 이의를 제기할 수 있습니다.",
            id="no-title-asked-for",
        ),
    ],
)
def test_other_answers_keep_to_the_subject(guard: Intent, question: str, answer: str) -> None:
    assert findings(guard, question, answer) == []


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("얼마인가요?", SOURCES), "no_answer"),
        (Exchange(" ", SOURCES, answer="무료입니다."), "no_question"),
        (Exchange("얼마예요?", SOURCES, answer="자료에서 확인되지 않습니다."), "abstained"),
    ],
)
def test_says_why_it_cannot_check(guard: Intent, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason
