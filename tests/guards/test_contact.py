import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.contact import Contacts, ContactSettings
from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Strength
from guards.core.reading import read
from guards.text.sentences import split_sentences

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


FLAGGED = [
    pytest.param("총무팀(031-200-5687)입니다.", "031-200-5687", "031-200-5678", id="digits-turned"),
    pytest.param("재무과는 02-123-4569입니다.", "02-123-4569", "02-123-4567", id="row-of-a-table"),
    pytest.param("고객센터(1588-0001)입니다.", "1588-0001", "1588-0000", id="service-number"),
    pytest.param("전화는 02-999-0000입니다.", "02-999-0000", None, id="nobody-named"),
    pytest.param(
        "도서관은 051-300-1114입니다.", "051-300-1114", "051-300-1110~3", id="past-the-range"
    ),
    pytest.param("총무팀은 032-200-5678입니다.", "032-200-5678", "031-200-5678", id="area-code"),
    pytest.param("고객센터 내선 13번입니다.", "13", "12", id="extension"),
    pytest.param("국번 없이 110으로 문의하세요.", "110", None, id="short-code"),
    pytest.param("www.gaon.example/login 을 보세요.", "www.gaon.example/login", None, id="path"),
    pytest.param("gaon.example.com을 보세요.", "gaon.example.com", None, id="host"),
    pytest.param("hello@gaon.example로 보내세요.", "hello@gaon.example", None, id="mail"),
]
SWAPPED = [
    pytest.param("인사팀(031-200-5678)에 문의하세요.", "031-200-1234", id="side-by-side"),
    pytest.param("민원실은 02-123-4567입니다.", "02-123-4568", id="row-of-a-table"),
    pytest.param("- 총무팀: 031-200-1234", "031-200-5678", id="list-line"),
    pytest.param("총무팀은 1588-0000입니다.", "031-200-5678", id="kind-of-number"),
]
CLEAN = [
    pytest.param("인사팀은 031.200.1234, 총무팀은 (031) 200-5678입니다.", id="other-notations"),
    pytest.param("인사팀(+82-31-200-1234)", id="country-code"),
    pytest.param("총무팀(200-5678)으로 연락하세요.", id="no-area-code"),
    pytest.param("당직실은 031-300-4000입니다.", id="area-code-added"),
    pytest.param("도서관은 051-300-1112입니다.", id="inside-the-range"),
    pytest.param("홍보실 팩스는 070-0000-2222입니다.", id="fax-beside-the-telephone"),
    pytest.param("담당 부서는 031-200-1234입니다.", id="no-office-named"),
    pytest.param("상담창구(02-123-4568)에 문의하세요.", id="office-that-no-source-names"),
    pytest.param("120번으로 전화하세요.", id="short-code"),
    pytest.param("고객센터 내선 12번", id="extension"),
    pytest.param("신청은 gaon.example에서 합니다.", id="host-alone"),
    pytest.param("신청은 http://gaon.example/apply/ 에서 합니다.", id="upper-folder"),
    pytest.param("[안내](https://files.gaon.example/guide.pdf)", id="address-of-the-source"),
    pytest.param("HELP@gaon.example로 보내세요.", id="mail-in-capitals"),
    pytest.param("`02-999-0000`", id="code"),
    pytest.param("```\ncurl https://api.example.com/v2/items\n```", id="placeholder-in-code"),
    pytest.param("119명이 신청하였고 비용은 1588원입니다.", id="figures-are-no-numbers-to-call"),
    pytest.param("연락처는 자료에서 확인되지 않습니다.", id="no-contact"),
]


OF_ANOTHER = [
    pytest.param("교육실(063-200-4002)에 물어보세요.", "063-200-4001", id="bracket-behind-office"),
    pytest.param("회비 문의는 063-200-4001입니다.", "063-200-4002", id="purpose-in-brackets"),
    pytest.param("예약 변경은 063-200-5009로 하세요.", "063-200-5005", id="purpose"),
    pytest.param("해지 문의는 1577-0000입니다.", "1577-0009", id="service-number"),
    pytest.param("안내실(내선 7번)로 문의하세요.", "0", id="extension-of-one-digit"),
    pytest.param("출장은 도한솔 담당자(내선 3310)입니다.", "3325", id="column-of-extensions"),
    pytest.param("차량은 세무과(063-200-3010)입니다.", "063-200-3020", id="list-of-last-digits"),
    pytest.param("전송실 팩스는 063-200-7000입니다.", "063-200-7009", id="telephone-as-fax"),
    pytest.param("야간에는 063-200-8001로 전화하세요.", "063-200-8008", id="one-of-two-names"),
    pytest.param("열람실(본관 1층)은 063-200-5005입니다.", "063-200-8001", id="bracket-between"),
    pytest.param(
        "휴직 업무는 열람실(063-200-4001)입니다.", "063-200-8001", id="office-right-before"
    ),
]
OWN = [
    pytest.param("재산은 063-200-3010, 차량은 063-200-3020입니다.", id="last-digits-written-out"),
    pytest.param("세무과 재산 담당(063-200-3010)입니다.", id="office-and-purpose"),
    pytest.param("차량 관련은 세무과(063-200-3000)로 문의하세요.", id="number-that-serves-all"),
    pytest.param("도한솔 담당자(내선 3325)", id="extension-of-a-column"),
    pytest.param("안내실은 내선 0번입니다.", id="extension-of-one-digit"),
    pytest.param("예약이 어려우면 교육실(063-200-4001)로 연락하세요.", id="office-excuses"),
    pytest.param("전송실 팩스는 063-200-7009입니다.", id="fax"),
    pytest.param("서류는 063-200-7009로 보내세요.", id="fax-without-the-word"),
    pytest.param("응급 상황에는 063-200-5009입니다.", id="purpose"),
]


@pytest.mark.parametrize(("answer", "expected"), OF_ANOTHER)
def test_flags_what_is_for_something_else(guard: Contacts, answer: str, expected: str) -> None:
    [finding] = guard.check(read(Exchange("?", DESK_SOURCES, answer=answer)))

    assert finding.code == "contact.swapped"
    assert finding.expected == (expected,)


def test_no_fix_where_purpose_and_office_have_two_numbers(guard: Contacts) -> None:
    answer = "회비 문의는 교육실(063-200-4002)로 하세요."

    [finding] = guard.check(read(Exchange("?", DESK_SOURCES, answer=answer)))

    assert (finding.code, finding.expected) == ("contact.swapped", ("063-200-4001",))
    assert finding.fix is None


@pytest.mark.parametrize("answer", OWN)
def test_passes_what_is_its_own(guard: Contacts, answer: str) -> None:
    assert guard.check(read(Exchange("?", DESK_SOURCES, answer=answer))) == []


@given(st.lists(st.sampled_from(DESK.split("\n")), min_size=1, max_size=4))
def test_lines_of_the_source_are_never_flagged(lines: list[str]) -> None:
    exchange = Exchange("?", DESK_SOURCES, answer="\n\n".join(lines))

    assert Contacts(ContactSettings()).check(read(exchange)) == []


@pytest.mark.parametrize(("answer", "observed", "fix"), FLAGGED)
def test_flags_what_no_source_gives(
    guard: Contacts, answer: str, observed: str, fix: str | None
) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.strength) == ("contact.invented", Strength.E0)
    assert answer[finding.span.start : finding.span.end] == finding.observed == observed
    assert finding.fix == fix


@pytest.mark.parametrize(("answer", "fix"), SWAPPED)
def test_flags_what_belongs_to_another_office(guard: Contacts, answer: str, fix: str) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.strength) == ("contact.swapped", Strength.C2)
    assert finding.expected == (fix,)
    assert finding.fix == fix
    assert fix in finding.evidence[0].quote


@pytest.mark.parametrize("answer", CLEAN)
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


@given(
    st.lists(
        st.sampled_from([each.text for each in split_sentences(OFFICES)]), min_size=1, max_size=4
    )
)
def test_sentences_of_the_source_are_never_flagged(sentences: list[str]) -> None:
    assert findings(Contacts(ContactSettings()), "\n".join(sentences)) == []


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("전화?", SOURCES), "no_answer"),
        (Exchange("전화?", answer="02-000-0000"), "no_sources"),
    ],
)
def test_says_why_it_cannot_check(guard: Contacts, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason


@pytest.mark.parametrize(
    ("answer", "observed"),
    [
        pytest.param("공이-이공공-일이삼사로 전화하세요.", None, id="same-in-words"),
        pytest.param("0️⃣2️⃣-2️⃣0️⃣0️⃣-1️⃣2️⃣3️⃣4️⃣로 전화하세요.", None, id="same-in-keycaps"),
        pytest.param("❶❺❽❽-❶❷❸❹로 전화하세요.", "❶❺❽❽-❶❷❸❹", id="other-in-circles"),
        pytest.param(
            "공이-이공공-일이삼오로 전화하세요.", "공이-이공공-일이삼오", id="other-in-words"
        ),
    ],
)
def test_numbers_are_compared_in_any_digits(answer: str, observed: str | None) -> None:
    source = Source("1", "문의", "대표번호는 02-200-1234입니다.")
    reading = read(Exchange("전화번호는요?", (source,), answer=answer))

    found = Contacts(ContactSettings()).check(reading)

    assert [one.observed for one in found] == ([] if observed is None else [observed])
