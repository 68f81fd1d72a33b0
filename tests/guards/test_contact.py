import pytest

from guards.contact import Contacts, ContactSettings
from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Strength
from guards.core.reading import read
from tests.tables import each_row

OFFICES = """휴가 문의는 인사팀(031-200-1234), 시설 고장은 총무팀 031-200-5678로 한다.
| 부서 | 전화 |
|---|---|
| 재무과 | 02-123-4567 |
| 민원실 | 02-123-4568 |
- 고객센터: 1588-0000 (내선 12)
- 도서관: 051-300-1110~3
- 홍보실 전화 070-0000-1111, 팩스 070-0000-2222
- 당직실: ☎ 300-4000
온라인 신청은 https://www.gaon.example/apply/form 에서 하고 서류는 help@gaon.example로 보낸다.
야간에는 국번 없이 120번으로 문의한다."""
DESK = """문의: 세무과 063-200-3000(재산 3010, 차량 3020)
교육실 063-200-4001, 서무실(회비) 063-200-4002, 배차 담당 010-0000-4003
예약 063-200-5005, 응급 063-200-5009
해설은 (063-200-6001)에서, 기술 지원 1577-0000, 해지 1577-0009
안내실: 내선 0번, 세탁실: 내선 7번(18:00까지)
전송실 전화 063-200-7000, 팩스 063-200-7009
| 업무 | 맡은 사람 | 내선 |
|---|---|---|
| 휴직 | 나은별 | 3310 |
| 출장 | 도한솔 | 3325 |
야간·긴급: 063-200-8008, 열람실(본관 1층) 063-200-8001"""
DESK_SOURCES = (Source("1", "연락처", DESK),)
SOURCES = (Source("1", "문의처", OFFICES, file="https://files.gaon.example/guide.pdf"),)


@pytest.fixture
def guard() -> Contacts:
    return Contacts(ContactSettings())


def findings(guard: Contacts, answer: str, question: str = "어디로 문의하나요?") -> list[Finding]:
    return guard.check(read(Exchange(question, SOURCES, answer=answer)))


@each_row("answer, expected", "of_another")
def test_flags_what_is_for_something_else(guard: Contacts, answer: str, expected: str) -> None:
    [finding] = guard.check(read(Exchange("?", DESK_SOURCES, answer=answer)))

    assert finding.code == "contact.swapped"
    assert finding.expected == (expected,)


def test_no_fix_where_purpose_and_office_have_two_numbers(guard: Contacts) -> None:
    answer = "회비 문의는 교육실(063-200-4002)로 하세요."

    [finding] = guard.check(read(Exchange("?", DESK_SOURCES, answer=answer)))

    assert (finding.code, finding.expected) == ("contact.swapped", ("063-200-4001",))
    assert finding.fix is None


@each_row("answer", "own")
def test_passes_what_is_its_own(guard: Contacts, answer: str) -> None:
    assert guard.check(read(Exchange("?", DESK_SOURCES, answer=answer))) == []


@each_row("answer, observed, fix", "flagged")
def test_flags_what_no_source_gives(
    guard: Contacts, answer: str, observed: str, fix: str | None
) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.strength) == ("contact.invented", Strength.E0)
    assert answer[finding.span.start : finding.span.end] == finding.observed == observed
    assert finding.fix == fix


@each_row("answer, fix", "swapped")
def test_flags_what_belongs_to_another_office(guard: Contacts, answer: str, fix: str) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.strength) == ("contact.swapped", Strength.C2)
    assert finding.expected == (fix,)
    assert finding.fix == fix
    assert fix in finding.evidence[0].quote


@each_row("answer", "clean")
def test_passes(guard: Contacts, answer: str) -> None:
    assert findings(guard, answer) == []


def test_two_swapped_numbers_are_both_set_right(guard: Contacts) -> None:
    answer = "인사팀은 031-200-5678, 총무팀은 031-200-1234입니다."

    assert [each.fix for each in findings(guard, answer)] == ["031-200-1234", "031-200-5678"]


def test_no_fix_where_an_office_has_several_numbers(guard: Contacts) -> None:
    sources = (Source("1", "", "인사팀: 031-200-1111\n- 인사팀: 031-200-2222"),)
    exchange = Exchange("?", sources, answer="인사팀(031-200-3333)입니다.")

    [finding] = guard.check(read(exchange))

    assert finding.expected == ("031-200-1111", "031-200-2222")
    assert finding.fix is None


def test_contacts_of_the_question_may_be_repeated(guard: Contacts) -> None:
    answer = "02-999-0000은 자료에 없는 번호입니다."

    assert findings(guard, answer, question="02-999-0000이 맞나요?") == []
    strict = Contacts(ContactSettings(allow_from_question=False))
    assert len(findings(strict, answer, question="02-999-0000이 맞나요?")) == 1


def test_policy_may_allow_contacts_of_the_house() -> None:
    house = Contacts(ContactSettings(allowed=("1577-0000", "www.maru.example")))

    assert findings(house, "1577-0000 또는 maru.example로 문의하세요.") == []


@each_row("answer, observed", "numbers_are_compared_in_any_digits")
def test_numbers_are_compared_in_any_digits(answer: str, observed: str | None) -> None:
    source = Source("1", "문의", "대표번호는 02-200-1234입니다.")
    reading = read(Exchange("전화번호는요?", (source,), answer=answer))

    found = Contacts(ContactSettings()).check(reading)

    assert [one.observed for one in found] == ([] if observed is None else [observed])
