"""Personal data in questions and answers; all of it invented."""

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Severity
from guards.core.guard import Stage
from guards.core.reading import read
from guards.personal_data import Handling, PersonalData, PersonalDataSettings

SOURCES = (
    Source(
        "1",
        "민원 안내 (02-000-7777)",
        "문의는 02-000-1234~9, 담당자 010-0000-5678, help@gaon.invalid로 합니다. "
        "수수료는 가나은행 110-000-123456 계좌로 냅니다. 신청인 991231-3123456은 등록되었습니다. "
        "견인한 차량은 000다0000입니다. 바코드 9912313123460, 주문번호 240115-3234567.",
        file="담당 hanbit@gaon.invalid.pdf",
    ),
)
QUESTION = "제 번호는 010-0000-4321이고 차량번호는 000가0000입니다. 어디에 내나요?"
ECHO = "대표 상담원 번호는 010-0000-8765입니다. 가나은행 220-000-654321 계좌도 있습니다."

# The angle brackets show what is found; they are not in the text.
FLAGGED = [
    pytest.param("<010-0000-9999>로 전화하세요.", "[전화번호]", id="mobile"),
    pytest.param("담당자는 <nobody@gaon.invalid>입니다.", "[이메일]", id="email"),
    pytest.param("<02-111-1234>로 문의하세요.", "[전화번호]", id="another-office"),
    pytest.param("가나은행 <110-000-999999>로 보내세요.", "[계좌번호]", id="account"),
    pytest.param("주민번호는 <991231-4123456>입니다.", "[주민등록번호]", id="resident-number"),
    pytest.param("<991231-7123456>", "[외국인등록번호]", id="foreigner"),
    pytest.param("카드는 <4000-0000-0000-0002>입니다.", "[카드번호]", id="card"),
    pytest.param("여권 <M000A1234>", "[여권번호]", id="passport"),
    pytest.param("면허는 <11-00-123456-01>입니다.", "[운전면허번호]", id="licence"),
    pytest.param("건강보험증 <1-0000001234>", "[건강보험증번호]", id="health-insurance"),
    pytest.param("차량 <000나0000>", "[차량번호]", id="plate"),
    pytest.param("신청인은 <991231-3123456>입니다.", "[주민등록번호]", id="person-of-a-source"),
]

CLEAN = [
    pytest.param("02-000-1234로 문의하세요.", id="contact-of-a-source"),
    pytest.param("(02) 000 1237로 문의하세요.", id="within-a-range-of-a-source"),
    pytest.param("010 0000 5678로 문의하세요.", id="mobile-of-an-office"),
    pytest.param("02-000-7777로 문의하세요.", id="contact-of-a-title"),
    pytest.param("HELP@gaon.invalid로 보내세요.", id="email-of-a-source"),
    pytest.param("hanbit@gaon.invalid로 보내세요.", id="email-of-a-file-name"),
    pytest.param("가나은행 110000123456 계좌입니다.", id="account-of-a-source"),
    pytest.param("010-0000-4321로 연락드립니다.", id="the-users-own"),
    pytest.param("차량 000가 0000은 등록되었습니다.", id="the-users-own-plate"),
    pytest.param("+82-10-0000-8765로 거세요.", id="of-the-instructions"),
    pytest.param("가나은행 220-000-654321입니다.", id="account-of-an-earlier-turn"),
    pytest.param("견인된 차량은 000다0000입니다.", id="plate-of-a-source"),
    pytest.param("신청한 건은 240115-3234567입니다.", id="order-of-a-source-without-its-label"),
    pytest.param("표시된 것은 9912313123460입니다.", id="barcode-of-a-source-without-its-label"),
    pytest.param("1588-0000이나 120으로 거세요.", id="service-lines"),
    pytest.param("제15조에 따라 2099. 3. 5.까지 50,000원을 냅니다.", id="figures"),
    pytest.param("사업자등록번호는 000-00-00000입니다.", id="business-number"),
]


def guard(**options: object) -> PersonalData:
    return PersonalData(PersonalDataSettings.model_validate(options))


def about(answer: str | None, question: str = QUESTION) -> Exchange:
    return Exchange(question=question, sources=SOURCES, answer=answer, echo=ECHO)


@pytest.mark.parametrize(("shown", "label"), FLAGGED)
def test_flags_and_masks(shown: str, label: str) -> None:
    answer = shown.replace("<", "").replace(">", "")

    [found] = guard().check(read(about(answer)))

    start, end = found.span.start, found.span.end
    assert f"{answer[:start]}<{answer[start:end]}>{answer[end:]}" == shown
    assert (found.code, found.severity) == ("personal_data.unlicensed", Severity.STRONG)
    assert (found.fix, found.observed) == (label, answer[start:end])


@pytest.mark.parametrize("answer", CLEAN)
def test_passes(answer: str) -> None:
    assert guard().check(read(about(answer))) == []


def test_without_sources_only_the_users_own_may_be_said() -> None:
    answer = "010-0000-4321이나 02-000-1234로 연락하세요."

    [found] = guard().check(read(Exchange(question=QUESTION, answer=answer)))

    assert found.observed == "02-000-1234"


def test_blocked_answers_are_not_mended() -> None:
    [found] = guard(output="block").check(read(about("010-0000-9999로 전화하세요.")))

    assert (found.severity, found.fix) == (Severity.STRONG, None)


def test_a_policy_may_let_answers_repeat_whatever_a_source_holds() -> None:
    answer = "신청인은 991231-3123456입니다."

    assert guard(allow_from_sources=True).check(read(about(answer))) == []


def test_business_numbers_count_where_the_policy_says_so() -> None:
    [found] = guard(business_numbers=True).check(read(about("사업자 000-00-00000")))

    assert found.fix == "[사업자등록번호]"


@pytest.mark.parametrize(
    ("handling", "severity"), [("mask", Severity.WEAK), ("block", Severity.STRONG)]
)
def test_a_question_is_stopped_only_where_the_policy_blocks(
    handling: str, severity: Severity
) -> None:
    found = guard(input=handling).check(read(about(None)))

    assert [one.observed for one in found] == ["010-0000-4321", "000가0000"]
    assert {(one.code, one.part) for one in found} == {("personal_data.in_question", "question")}
    assert {one.severity for one in found} == {severity}


def test_asking_about_a_contact_of_a_source_is_no_personal_data() -> None:
    question = "02-000-1234는 어느 부서 번호인가요?"

    assert guard(input="block").check(read(about(None, question))) == []


@pytest.mark.parametrize(
    ("options", "stages"),
    [
        pytest.param({}, {Stage.OUTPUT}, id="by-default"),
        pytest.param({"input": "mask"}, {Stage.INPUT, Stage.OUTPUT}, id="both"),
        pytest.param({"input": "block", "output": "off"}, {Stage.INPUT}, id="questions-only"),
        pytest.param({"output": "off"}, set(), id="neither"),
    ],
)
def test_runs_where_the_policy_wants_it(options: dict[str, object], stages: set[Stage]) -> None:
    built = guard(**options)

    assert {stage for stage in Stage if built.runs_at(stage)} == stages


def test_handling_by_stage() -> None:
    settings = PersonalDataSettings.model_validate({"input": "block", "output": "off"})

    assert settings.handling(Stage.INPUT) is Handling.BLOCK
    assert settings.handling(Stage.OUTPUT) is Handling.OFF
