"""Claims that rest on a source about a sibling or an older edition of what was asked."""

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.scope import OtherScope, ScopeSettings

BANK = (
    Source("1", "새싹적금 상품설명서", "가입 기간은 12개월이며 기본 금리는 연 3.2%입니다."),
    Source("2", "나무적금 상품설명서", "가입 기간은 24개월이며 기본 금리는 연 4.1%입니다."),
)
GYM = (
    Source("1", "역삼점 이용 안내", "운영 시간: 평일 06:00~23:00\n개인 사물함: 월 10,000원"),
    Source("2", "판교점 이용 안내", "운영 시간: 평일 07:00~22:00\n개인 사물함: 월 15,000원"),
)
SCHOOL = (
    Source("1", "학부 등록 안내", "분할 납부는 4회까지 신청할 수 있습니다."),
    Source(
        "2", "대학원 등록 안내", "분할 납부는 2회까지 신청할 수 있습니다. 논문심사료는 별도입니다."
    ),
)
PHONE = (
    Source("1", "라이트 구독 안내", "동시 접속은 기기 1대이고 저장 공간은 50GB입니다."),
    Source("2", "프리미엄 구독 안내", "동시 접속은 기기 4대이고 저장 공간은 500GB입니다."),
)
CLINIC = (
    Source("1", "서면 보건소 검진 안내", "골밀도 검사는 화요일에 하며 수수료는 8,000원입니다."),
    Source("2", "센텀 보건소 검진 안내", "골밀도 검사는 목요일에 하며 수수료는 6,500원입니다."),
)
CITY = (
    Source(
        "1", "한빛시 대형폐기물 안내", "침대 매트리스 수수료는 7,000원이며 사흘 전에 신고합니다."
    ),
    Source("2", "은별시 대형폐기물 안내", "침대 매트리스 수수료는 12,000원이며 스티커를 붙입니다."),
)
MACHINE = (
    Source("1", "DH-300 제습기 사양", "물통 용량은 4.5L이고 소비 전력은 210W입니다."),
    Source(
        "2",
        "DH-500 제습기 사양",
        "물통 용량은 6.2L이고 소비 전력은 330W입니다. 세탁물 건조 기능이 있습니다.",
    ),
)
LAW = (
    Source("1", "저작권법 제39조", "저작재산권의 보호기간은 저작자가 사망한 후 70년으로 한다."),
    Source("2", "상표법 제83조", "상표권의 존속기간은 설정등록이 있는 날부터 10년으로 한다."),
)
MUSEUM = (
    Source("1", "(2024년도) 관람료 안내 - 보관용", "어른 관람료는 5,000원이고 월요일에 쉽니다."),
    Source("2", "2025년도 관람료 안내", "어른 관람료는 7,000원이고 월요일에 쉽니다."),
)
RULES = (
    Source("1", "회원 약관 (2025. 3. 개정)", "휴회는 연 2회, 회당 30일까지 할 수 있다."),
    Source("2", "[이전 버전] 회원 약관 (2023. 1.)", "휴회는 연 4회, 회당 15일까지 할 수 있다."),
)
TEST_SITE = (
    Source(
        "1",
        "시험장별 안내 (구로 / 송도)",
        "<구로 시험장>\n입실 마감: 08:30\n주차: 1시간 무료\n\n"
        "<송도 시험장>\n입실 마감: 09:10\n주차: 3시간 무료",
    ),
)
CARD = (
    Source("1", "모아 카드 안내장", "연회비는 12,000원이며 통신요금을 10% 할인합니다."),
    Source("2", "노을 카드 안내장", "연회비는 30,000원이며 공항 라운지를 연 3회 이용합니다."),
)

WRONG = [
    pytest.param(
        BANK, "새싹적금 금리 알려줘", "기본 금리는 연 4.1%입니다.", "연 4.1%", id="savings"
    ),
    pytest.param(
        GYM, "역삼점 사물함 얼마예요?", "개인 사물함은 월 15,000원입니다.", "15,000원", id="gym"
    ),
    pytest.param(
        GYM, "판교점 몇 시에 열어요?", "평일 06:00부터 운영합니다.", "06:00", id="gym-the-other-way"
    ),
    pytest.param(
        SCHOOL,
        "학부생인데 등록금 나눠 낼 수 있나요?",
        "분할 납부는 2회까지 됩니다.",
        "2회",
        id="school",
    ),
    pytest.param(
        PHONE, "라이트로 몇 대까지 접속돼요?", "동시 접속은 기기 4대까지입니다.", "4대", id="plan"
    ),
    pytest.param(
        CLINIC,
        "서면에서 골밀도 검사 얼마죠?",
        "골밀도 검사 수수료는 6,500원입니다.",
        "6,500원",
        id="clinic",
    ),
    pytest.param(
        CITY,
        "한빛시 매트리스 버리는 값",
        "매트리스 수수료는 12,000원입니다.",
        "12,000원",
        id="city",
    ),
    pytest.param(MACHINE, "DH-300 물통 크기는?", "물통 용량은 6.2L입니다.", "6.2L", id="machine"),
    pytest.param(
        TEST_SITE,
        "구로 시험장 몇 시까지 들어가야 하나요?",
        "입실 마감은 09:10입니다.",
        "09:10",
        id="test-site",
    ),
    pytest.param(CARD, "모아 카드 연회비?", "연회비는 30,000원입니다.", "30,000원", id="card"),
]
WORDS = [
    pytest.param(
        MACHINE, "DH-300 어떤 기능이 있나요?", "세탁물 건조 기능이 있습니다.", id="machine"
    ),
    pytest.param(CARD, "모아 카드 혜택은?", "공항 라운지를 이용할 수 있습니다.", id="card"),
    pytest.param(CITY, "한빛시 매트리스 버리기", "매트리스에 스티커를 붙이셔야 합니다.", id="city"),
]
OLDER = [
    pytest.param(
        MUSEUM, "어른 관람료 얼마예요?", "어른 관람료는 5,000원입니다.", "5,000원", id="museum"
    ),
    pytest.param(RULES, "휴회 며칠까지 돼요?", "휴회는 회당 15일까지 됩니다.", "15일", id="rules"),
]
RIGHT = [
    pytest.param(BANK, "새싹적금 금리 알려줘", "기본 금리는 연 3.2%입니다.", id="its-own-figure"),
    pytest.param(
        BANK, "새싹적금 금리", "새싹적금은 연 3.2%이고, 나무적금은 연 4.1%입니다.", id="other-named"
    ),
    pytest.param(BANK, "새싹적금이랑 나무적금 비교", "기본 금리는 연 4.1%입니다.", id="both-asked"),
    pytest.param(BANK, "적금 금리 알려줘", "기본 금리는 연 4.1%입니다.", id="none-asked"),
    pytest.param(GYM, "역삼점 쉬는 날?", "월요일에 쉽니다.", id="in-no-source"),
    pytest.param(GYM, "역삼점 사물함", "3개월이면 30,000원입니다.", id="reckoned"),
    pytest.param(
        SCHOOL, "학부 등록", "## 대학원\n- 분할 납부는 2회까지입니다.", id="heading-names-the-other"
    ),
    pytest.param(
        LAW, "작곡가가 죽은 뒤 저작권은?", "사망한 후 70년 동안 보호됩니다.", id="its-own-law"
    ),
    pytest.param(
        MUSEUM,
        "어른 관람료 얼마예요?",
        "2024년에는 5,000원이었고 지금은 7,000원입니다.",
        id="edition-named",
    ),
    pytest.param(MUSEUM, "쉬는 날은?", "월요일에 쉽니다.", id="in-both-editions"),
    pytest.param(
        RULES, "이전 약관에서는 휴회 며칠?", "회당 15일까지였습니다.", id="older-asked-for"
    ),
    pytest.param(
        TEST_SITE, "구로 시험장 입실 마감?", "입실 마감은 08:30입니다.", id="its-own-section"
    ),
    pytest.param(CARD, "모아 카드 연회비?", "연회비는 12,000원입니다.", id="its-own-card"),
    pytest.param(
        (
            Source("1", "상표법 제83조 (존속기간)", "존속기간은 등록한 날부터 10년으로 한다."),
            Source("2", "보험업법 제20조 (자본금)", "자본금은 300억원 이상으로 한다."),
        ),
        "상표법의 존속기간과 자본금 기준을 알려주세요",
        "자본금은 300억원 이상이어야 합니다.",
        id="subject-of-the-other-title-asked-for",
    ),
    pytest.param(
        (
            Source("1", "휴가 규정", "연차는 15일이다."),
            Source("2", "휴직 규정", "휴직은 90일이다."),
        ),
        "휴가 며칠이에요? 휴직은요?",
        "연차는 15일이고 휴직은 90일까지입니다.",
        id="subjects-are-no-siblings",
    ),
    pytest.param(
        (
            Source("1", "체크카드 이용 방법", "한도는 하루 100만 원입니다."),
            Source("2", "분실 신고 방법", "재발급 수수료는 2,000원입니다."),
        ),
        "체크카드 이용 방법과 재발급 수수료",
        "재발급 수수료는 2,000원입니다.",
        id="ways-are-no-siblings",
    ),
]


def check(
    sources: tuple[Source, ...], question: str, answer: str, earlier: str = ""
) -> list[Finding]:
    exchange = Exchange(question, sources, answer=answer, echo=earlier)
    return OtherScope(ScopeSettings()).check(read(exchange))


@pytest.mark.parametrize(("sources", "question", "answer", "observed"), WRONG)
def test_figures_of_a_sibling_are_reported(
    sources: tuple[Source, ...], question: str, answer: str, observed: str
) -> None:
    [finding] = check(sources, question, answer)

    assert (finding.code, finding.severity) == ("scope.other_scope", Severity.STRONG)
    assert finding.observed == answer[finding.span.start : finding.span.end]
    assert finding.observed in observed or observed in finding.observed
    assert len(finding.evidence) == 2, "what the sibling has, and what is right"


@pytest.mark.parametrize(("sources", "question", "answer"), WORDS)
def test_words_that_only_a_sibling_has_are_reported(
    sources: tuple[Source, ...], question: str, answer: str
) -> None:
    [finding] = check(sources, question, answer)

    assert (finding.code, finding.severity) == ("scope.other_scope", Severity.STRONG)
    assert finding.evidence[0].source_id == "2"


@pytest.mark.parametrize(("sources", "question", "answer", "observed"), OLDER)
def test_figures_of_an_older_edition_are_reported(
    sources: tuple[Source, ...], question: str, answer: str, observed: str
) -> None:
    [finding] = check(sources, question, answer)

    assert (finding.code, finding.observed) == ("scope.other_edition", observed)


@pytest.mark.parametrize(("sources", "question", "answer"), RIGHT)
def test_what_was_asked_passes(sources: tuple[Source, ...], question: str, answer: str) -> None:
    assert check(sources, question, answer) == []


def test_an_earlier_question_names_it_where_this_one_does_not() -> None:
    earlier = "역삼점에 다니려고 해요."

    [finding] = check(GYM, "사물함은 얼마예요?", "개인 사물함은 월 15,000원입니다.", earlier)

    assert finding.expected == ("역삼",)
    assert check(GYM, "판교점 사물함은요?", "개인 사물함은 월 15,000원입니다.", earlier) == []


def test_nothing_is_sure_where_the_right_source_is_silent() -> None:
    sources = (
        Source("1", "역삼점 안내", "샤워실이 있습니다."),
        Source("2", "판교점 안내", "발레 주차는 2시간에 4,000원입니다."),
    )

    found = check(sources, "역삼점 이용권 얼마예요?", "4,000원입니다.")

    assert all(finding.severity is Severity.WEAK for finding in found)


def test_siblings_can_be_left_out() -> None:
    exchange = Exchange("역삼점 사물함?", GYM, answer="개인 사물함은 월 15,000원입니다.")

    assert OtherScope(ScopeSettings(check_siblings=False)).check(read(exchange)) == []
