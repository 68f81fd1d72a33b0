"""Personal data in questions and answers; all of it invented."""

from guards.core.exchange import Exchange, Source
from guards.core.finding import Severity
from guards.core.guard import Stage
from guards.core.reading import read
from guards.personal_data import Handling, PersonalData, PersonalDataSettings
from tests.tables import each_row

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


def guard(**options: object) -> PersonalData:
    return PersonalData(PersonalDataSettings.model_validate(options))


def about(answer: str | None, question: str = QUESTION) -> Exchange:
    return Exchange(question=question, sources=SOURCES, answer=answer, echo=ECHO)


@each_row("shown, label", "flagged")
def test_flags_and_masks(shown: str, label: str) -> None:
    answer = shown.replace("<", "").replace(">", "")

    [found] = guard().check(read(about(answer)))

    start, end = found.span.start, found.span.end
    assert f"{answer[:start]}<{answer[start:end]}>{answer[end:]}" == shown
    assert (found.code, found.severity) == ("personal_data.unlicensed", Severity.STRONG)
    assert (found.fix, found.observed) == (label, answer[start:end])


@each_row("answer", "clean")
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


@each_row("handling, severity", [("mask", Severity.WEAK), ("block", Severity.STRONG)])
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


@each_row("options, stages", "runs_where_the_policy_wants_it")
def test_runs_where_the_policy_wants_it(options: dict[str, object], stages: set[Stage]) -> None:
    built = guard(**options)

    assert {stage for stage in Stage if built.runs_at(stage)} == stages


def test_handling_by_stage() -> None:
    settings = PersonalDataSettings.model_validate({"input": "block", "output": "off"})

    assert settings.handling(Stage.INPUT) is Handling.BLOCK
    assert settings.handling(Stage.OUTPUT) is Handling.OFF
