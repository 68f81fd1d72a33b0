import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from guards.names import Names, NamesSettings
from tests.tables import each_row

HOUSE = (
    "윤슬 호텔은 강릉시 솔향로 12에 있습니다. 수영장은 5층에 있으며 투숙객이 이용할 수 있습니다.\n"
    "올데이다이닝 물결은 1층에서 조식 뷔페를 제공합니다. 구글 지도에서 윤슬을 찾을 수 있습니다.\n"
    "건강검진은 해맑은한마음병원에서 실시하며 비용은 회사가 부담한다. "
    "경조금은 총무팀에서 지급한다.\n"
    "직원은 연차를 사용하려면 미리 부서장의 승인을 받아 인사팀에 신청서를 제출한다.\n"
    "청년 지원금은 수원시 거주 청년에게 매달 지급하고 문의는 영통구청 사회복지과에서 받는다.\n"
    "이달 축제에서는 안도현 의원이 시민들 앞에서 축사를 낭독했다. 방통위가 요금을 고시한다."
)
SOURCES = (Source("1", "국민연금공단 안내", HOUSE, file="hanbit-guide.pdf"),)


@pytest.fixture
def guard() -> Names:
    return Names(NamesSettings())


def findings(guard: Names, answer: str, question: str = "알려 주세요") -> list[Finding]:
    return guard.check(read(Exchange(question, SOURCES, answer=answer)))


@each_row("answer, observed, kind", "flagged")
def test_flags(guard: Names, answer: str, observed: str, kind: str) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.observed) == (f"names.{kind}", observed)
    assert finding.severity is Severity.STRONG
    assert answer[finding.span.start : finding.span.end] == observed


@each_row("answer", "clean")
def test_passes(guard: Names, answer: str) -> None:
    assert findings(guard, answer) == []


def test_a_misspelt_name_is_mended_with_the_sources_spelling(guard: Names) -> None:
    [finding] = findings(guard, "해맑은한마움병원에서 검진합니다.")

    assert finding.fix == "해맑은한마음병원"
    assert finding.strength is Strength.C2


def test_another_name_of_that_kind_is_a_contradiction_with_its_sentence(guard: Names) -> None:
    [finding] = findings(guard, "경조금은 재무팀에서 지급합니다.")

    assert finding.strength is Strength.C2
    assert finding.expected == ("총무팀",)
    assert [quote.quote for quote in finding.evidence] == ["경조금은 총무팀에서 지급한다."]
    assert finding.fix is None


def test_a_name_of_no_kin_is_unfounded(guard: Names) -> None:
    [finding] = findings(guard, "신청은 Workday에서 합니다.")

    assert (finding.strength, finding.expected, finding.evidence) == (Strength.E0, (), ())


def test_a_name_of_the_sources_in_anothers_place_is_found(guard: Names) -> None:
    sources = (
        Source("1", "", "지난 여름에 강릉시 청소년들이 바닷가 둘레길을 모두 청소했다."),
        Source("2", "", "속초시 주민들은 등대를 다시 칠했다."),
    )
    answer = "지난 여름에 속초시 청소년들이 바닷가 둘레길을 모두 청소했습니다."

    [finding] = guard.check(read(Exchange("누가 청소했나요?", sources, answer=answer)))

    assert (finding.code, finding.observed) == ("names.differs", "속초시")
    assert finding.expected == ("강릉시",)


def test_what_two_sources_say_of_two_names_is_no_swap(guard: Names) -> None:
    sources = tuple(
        Source(town, "", f"지난 여름에 {town} 청소년들이 바닷가 둘레길을 모두 청소했다.")
        for town in ("강릉시", "속초시")
    )
    answer = "지난 여름에 속초시 청소년들이 바닷가 둘레길을 모두 청소했습니다."

    assert guard.check(read(Exchange("누가 청소했나요?", sources, answer=answer))) == []


PAPERS = (
    Source(
        "1",
        "제출 서류",
        "가입할 때는 주민등록초본과 재직증명서를, 대리인은 위임장과 가족관계증명서(상세)를 낸다.\n"
        "대관하려면 시설사용신청서와 통장 사본을 낸다. 사진은 외국인등록증으로 대신할 수 있다.",
    ),
)


@each_row("answer, observed", "invented_papers")
def test_flags_papers_that_nobody_asks_for(guard: Names, answer: str, observed: str) -> None:
    [finding] = guard.check(read(Exchange("무엇이 필요한가요?", PAPERS, answer=answer)))

    assert finding.code in {"names.not_in_sources", "names.differs"}
    assert finding.observed == observed
    assert finding.severity is Severity.STRONG


@each_row("answer", "known_papers")
def test_passes_papers_by_shorter_and_longer_names(guard: Names, answer: str) -> None:
    assert guard.check(read(Exchange("무엇이 필요한가요?", PAPERS, answer=answer))) == []


def test_a_bare_paper_may_be_any_of_its_kind(guard: Names) -> None:
    sources = (Source("1", "", "접수할 때 신청서와 증명서를 낸다."),)
    answer = "수강신청서와 재학증명서를 내셔야 합니다."

    assert guard.check(read(Exchange("?", sources, answer=answer))) == []


BINDING = """| 강좌 | 강사 | 요일 |
|---|---|---|
| 도예 입문 | 나은별 | 월 |
| 목공 | 도한솔 | 화 |
심사 부서: 여신1팀(신규), 여신2팀(연장)
■ 오류 코드
 E1 급수 불량 – 수도꼭지를 확인
 E2 배수 불량 – 배수 호스를 확인
 E3: 과열
용어: WPS(간편 연결), QoS(속도 배분)
강연: 저축(강사 오다혜, 화), 투자(강사 변이든, 목)
진료: 외과 진하람 원장, 내과 서유온 원장"""


@each_row("answer, observed, expected", "misbound")
def test_flags_names_that_a_line_binds_to_something_else(
    guard: Names, answer: str, observed: str, expected: str
) -> None:
    exchange = Exchange("알려 주세요", (Source("1", "", BINDING),), answer=answer)

    [finding] = guard.check(read(exchange))

    assert (finding.code, finding.strength) == ("names.differs", Strength.C2)
    assert answer[finding.span.start : finding.span.end] == finding.observed == observed
    assert finding.expected == (expected,)
    assert expected in finding.evidence[0].quote


@each_row("answer", "bound")
def test_passes_names_that_may_be_meant(guard: Names, answer: str) -> None:
    exchange = Exchange("알려 주세요", (Source("1", "", BINDING),), answer=answer)

    assert guard.check(read(exchange)) == []


def test_a_bound_name_of_the_question_may_be_spoken_of(guard: Names) -> None:
    answer = "도예 입문은 도한솔 강사의 강좌가 아닐 수 있습니다."
    exchange = Exchange(
        "도한솔 강사가 도예 입문을 맡나요?", (Source("1", "", BINDING),), answer=answer
    )

    assert guard.check(read(exchange)) == []


def test_names_of_the_question_and_of_instructions_may_be_repeated(guard: Names) -> None:
    assert findings(guard, "고운재단 소관입니다.", question="고운재단 소관인가요?") == []
    echoed = Exchange("어디?", SOURCES, answer="고운재단 소관입니다.", echo="고운재단의 안내원이다")
    assert guard.check(read(echoed)) == []


def test_that_the_question_asks_for_a_facility_does_not_build_it(guard: Names) -> None:
    [finding] = findings(guard, "네, 사우나가 있습니다.", question="사우나 있나요?")

    assert finding.code == "names.no_such_facility"


def test_the_policys_names_need_no_source() -> None:
    known = Names(NamesSettings(known_names=("벨라루나", "온새미 사우나")))

    assert findings(known, "레스토랑 '벨라루나'와 사우나가 있습니다.") == []


def test_a_file_name_of_a_source_is_known(guard: Names) -> None:
    assert findings(guard, "Hanbit Guide에 나온 내용입니다.") == []


def test_checks_can_be_left_out() -> None:
    plain = Names(NamesSettings(check_facilities=False, check_replaced=False))

    assert findings(plain, "네, 사우나가 있습니다.") == []
    assert (
        findings(plain, "이달 축제에서는 로샤르트 의원이 시민들 앞에서 축사를 낭독했습니다.") == []
    )


@each_row("source, wrong, right, names", "in_the_same_role")
def test_an_entity_in_the_role_of_another_one(
    guard: Names, source: str, wrong: str, right: str, names: tuple[str, str]
) -> None:
    def found(answer: str) -> list[Finding]:
        asked = Exchange("어떻게 하나요?", (Source("1", "", source),), answer=answer)
        return [one for one in guard.check(read(asked)) if one.severity is Severity.STRONG]

    [finding] = found(wrong)
    assert (finding.code, finding.strength) == ("names.differs", Strength.C2)
    assert (finding.observed, finding.expected) == (names[0], (names[1],))
    assert wrong[finding.span.start : finding.span.end] == names[0]
    assert found(right) == []


@each_row("rows", "named_by_no_name")
def test_a_kind_of_body_and_whom_to_ask_need_no_source(
    guard: Names, rows: list[tuple[str, str]]
) -> None:
    for source, answer in rows:
        asked = Exchange("알려 주세요.", (Source("1", "", source),), answer=answer)

        assert guard.check(read(asked)) == [], answer
