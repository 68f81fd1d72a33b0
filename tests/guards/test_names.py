import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from guards.names import Names, NamesSettings
from guards.text.sentences import split_sentences

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


FLAGGED = [
    pytest.param("문의는 고운재단에서 받습니다.", "고운재단", "not_in_sources", id="organisation"),
    pytest.param(
        "벨라루나 레스토랑은 2층입니다.",
        "벨라루나 레스토랑",
        "not_in_sources",
        id="word-before-head",
    ),
    pytest.param(
        "레스토랑 '벨라루나'에서 드실 수 있습니다.", "벨라루나", "not_in_sources", id="quoted"
    ),
    pytest.param(
        "레스토랑 이름은 ‘라 벨루나’입니다.", "라 벨루나", "not_in_sources", id="called-so"
    ),
    pytest.param("레스토랑 이름은 벨라루나입니다.", "벨라루나", "not_in_sources", id="called-bare"),
    pytest.param("신청은 Workday에서 합니다.", "Workday", "not_in_sources", id="latin"),
    pytest.param(
        "담당자는 김해솔 과장입니다.", "김해솔", "not_in_sources", id="person-with-a-title"
    ),
    pytest.param(
        "문의는 박여울 매니저가 받습니다.", "박여울", "not_in_sources", id="person-with-a-new-title"
    ),
    pytest.param(
        "축사는 김다온 강릉시장이 합니다.", "김다온", "not_in_sources", id="title-of-a-place"
    ),
    pytest.param(
        "신청서는 시설팀장이 확인합니다.", "시설팀장", "not_in_sources", id="head-of-a-team"
    ),
    pytest.param(
        "신청하려면 인감증명서가 필요합니다.", "인감증명서", "not_in_sources", id="document"
    ),
    pytest.param(
        "예약은 '솔향톡' 앱에서 하실 수 있습니다.", "솔향톡", "not_in_sources", id="quoted-app"
    ),
    pytest.param("사무실은 별관 3층에 있습니다.", "별관", "not_in_sources", id="building"),
    pytest.param("신청은 SOL에서 합니다.", "SOL", "not_in_sources", id="abbreviation"),
    pytest.param("속초시에 있습니다.", "속초시", "not_in_sources", id="town"),
    pytest.param("한밭로 152에 있습니다.", "한밭로", "not_in_sources", id="road"),
    pytest.param("근로복지공단에 신고합니다.", "근로복지공단", "not_in_sources", id="institution"),
    pytest.param("경조금은 재무팀에서 지급한다.", "재무팀", "differs", id="other-department"),
    pytest.param(
        "문의는 권선구청 사회복지과에서 받습니다.", "권선구청", "differs", id="other-district"
    ),
    pytest.param(
        "건강검진은 해맑은한마움병원에서 실시합니다.", "해맑은한마움병원", "misspelt", id="misspelt"
    ),
    pytest.param(
        "이달 축제에서는 로샤르트 의원이 시민들 앞에서 축사를 낭독했습니다.",
        "로샤르트",
        "differs",
        id="someone-else-in-a-repeated-sentence",
    ),
    pytest.param(
        "청년 지원금은 에콰도르 거주 청년에게 매달 지급하고 "
        "문의는 영통구청 사회복지과에서 받습니다.",
        "에콰도르",
        "differs",
        id="another-country-in-a-repeated-sentence",
    ),
    pytest.param(
        "네, 지하에 사우나가 있습니다.", "사우나", "no_such_facility", id="facility-behind-a-yes"
    ),
    pytest.param(
        "프런트에서 공항 리무진을 예약하실 수 있습니다.",
        "리무진",
        "no_such_facility",
        id="service",
    ),
]
CLEAN = [
    pytest.param("윤슬호텔은 강릉에 있습니다 [Data: Sources (1); Reports (3)].", id="graph-mark"),
    pytest.param("윤슬호텔은 강릉에 있습니다 [출처: 고운재단 안내].", id="name-in-a-mark"),
    pytest.param("윤슬호텔은 강릉 솔향로 12에 위치합니다.", id="other-spacing-and-no-ending"),
    pytest.param("1층 올데이다이닝 레스토랑에서 조식을 드실 수 있습니다.", id="head-added"),
    pytest.param("물결 레스토랑에서 조식을 제공합니다.", id="head-for-a-name-of-the-source"),
    pytest.param("실내 수영장을 이용하실 수 있습니다.", id="describing-word"),
    pytest.param("Google 지도에서 윤슬을 찾을 수 있습니다.", id="latin-for-hangul"),
    pytest.param("구글 지도(Google Maps)에서 찾을 수 있습니다.", id="gloss"),
    pytest.param("Wi-Fi와 PDF를 쓸 수 있습니다.", id="ordinary-latin"),
    pytest.param("설정은 `HanbitClient`와 같습니다.", id="code"),
    pytest.param("관할 구청과 고객센터, 담당 부서에서 접수합니다.", id="nobody-in-particular"),
    pytest.param("방송통신위원회가 요금을 고시합니다.", id="written-out"),
    pytest.param("수원특별시 청년이 대상입니다.", id="shortened-town"),
    pytest.param("연금공단 자료에 따른 내용입니다.", id="shortened-institution-of-a-title"),
    pytest.param("경조금은 담당 부서에서 지급한다.", id="department-left-open"),
    pytest.param(
        "직원은 연차를 사용하려면 미리 팀장의 승인을 받아 인사팀에 신청서를 제출합니다.",
        id="common-noun-in-a-repeated-sentence",
    ),
    pytest.param(
        "이달 축제에서는 안도현 시의원이 시민들 앞에서 축사를 낭독했습니다.",
        id="longer-title-in-a-repeated-sentence",
    ),
    pytest.param("「새하얀 공단에 관한 법률」에 따릅니다.", id="law-is-another-guards"),
    pytest.param("사우나는 없습니다.", id="facility-denied"),
    pytest.param("사우나가 있는지는 자료에서 확인되지 않습니다.", id="facility-not-known"),
    pytest.param("'즉시' 제출하는 것이 '원칙'입니다.", id="quotes-for-emphasis"),
    pytest.param("자세한 내용은 고운재단으로 문의해 주세요.", id="advice"),
    pytest.param("결과와 효과, 신청과 요청은 초과하지 않습니다.", id="words-like-names"),
    pytest.param("연차를 신청해 팀장 승인을 받습니다.", id="verb-before-a-title"),
    pytest.param("서류를 팀장님께 드립니다. 이후에 과장이 봅니다.", id="particle-before-a-title"),
    pytest.param("최근에 대표가 바뀌어 새로운 대표가 왔습니다.", id="adverb-before-a-title"),
    pytest.param("배송지 대표 주소와 이메일 대표 계정을 적습니다.", id="title-that-modifies"),
    pytest.param("검진은 무료이므로 병원에 비용을 내지 않습니다.", id="reason-before-a-head"),
    pytest.param("쉬는 날이니까 은행에 갈 수 없습니다.", id="spoken-reason-before-a-head"),
    pytest.param("검진을 받으실 병원은 회사가 정합니다.", id="honorific-before-a-head"),
    pytest.param("지하철로 공항까지 갈 수 있습니다.", id="means-before-a-head"),
    pytest.param("승인은 소속 팀장이나 담당팀장이 합니다.", id="head-of-no-team-in-particular"),
    pytest.param("연차신청서와 경조금확인서를 인사팀에 제출합니다.", id="document-of-the-subject"),
    pytest.param("건강진단서와 각종 증명서를 냅니다.", id="document-of-no-kind-in-particular"),
]


@pytest.mark.parametrize(("answer", "observed", "kind"), FLAGGED)
def test_flags(guard: Names, answer: str, observed: str, kind: str) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.observed) == (f"names.{kind}", observed)
    assert finding.severity is Severity.STRONG
    assert answer[finding.span.start : finding.span.end] == observed


@pytest.mark.parametrize("answer", CLEAN)
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
INVENTED_PAPERS = [
    pytest.param("인감증명서를 내셔야 합니다.", "인감증명서", id="certificate"),
    pytest.param("주민등록등본을 내셔야 합니다.", "주민등록등본", id="extract-of-another-kind"),
    pytest.param("재직확인서를 내셔야 합니다.", "재직확인서", id="other-document-of-the-same"),
    pytest.param("보험가입신고서를 내셔야 합니다.", "보험가입신고서", id="form"),
    pytest.param("납품명세서를 함께 내셔야 합니다.", "납품명세서", id="statement"),
]
KNOWN_PAPERS = [
    pytest.param("가족관계증명서를 내셔야 합니다.", id="without-its-bracket"),
    pytest.param("신청서를 내셔야 합니다.", id="without-its-modifier"),
    pytest.param("사용신청서를 내셔야 합니다.", id="part-of-its-modifier"),
    pytest.param("시설 사용 신청서를 내셔야 합니다.", id="spaced"),
    pytest.param("대관신청서를 내셔야 합니다.", id="modifier-said-elsewhere"),
    pytest.param("재직증명원을 내셔야 합니다.", id="other-word-for-certificate"),
    pytest.param("통장사본과 제출서류를 내셔야 합니다.", id="papers-in-general"),
    pytest.param("본인신청서 원본을 내셔야 합니다.", id="word-of-any-paper"),
]


@pytest.mark.parametrize(("answer", "observed"), INVENTED_PAPERS)
def test_flags_papers_that_nobody_asks_for(guard: Names, answer: str, observed: str) -> None:
    [finding] = guard.check(read(Exchange("무엇이 필요한가요?", PAPERS, answer=answer)))

    assert finding.code in {"names.not_in_sources", "names.differs"}
    assert finding.observed == observed
    assert finding.severity is Severity.STRONG


@pytest.mark.parametrize("answer", KNOWN_PAPERS)
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
MISBOUND = [
    pytest.param("도예 입문은 도한솔 강사가 가르칩니다.", "도한솔", "나은별", id="row"),
    pytest.param("신규는 여신2팀에서 심사합니다.", "여신2팀", "여신1팀", id="list-of-brackets"),
    pytest.param("E2는 **급수 불량**입니다.", "급수 불량", "배수 불량", id="code"),
    pytest.param("E1은 과열을 뜻합니다.", "과열", "급수 불량", id="code-with-colon"),
    pytest.param("QoS는 간편 연결입니다.", "간편 연결", "속도 배분", id="gloss"),
    pytest.param("저축 강연은 변이든 강사입니다.", "변이든", "오다혜", id="teacher-in-brackets"),
    pytest.param("외과는 서유온 원장님이 봅니다.", "서유온", "진하람", id="title"),
]
BOUND = [
    pytest.param("도예 입문은 나은별, 목공은 도한솔 강사가 가르칩니다.", id="both"),
    pytest.param("도예 입문은 월요일입니다. 목공의 도한솔 강사와는 다릅니다.", id="own-row-said"),
    pytest.param("신규 건은 여신1팀이 심사합니다.", id="list-of-brackets"),
    pytest.param("E2는 급수 불량이 아닙니다.", id="denied"),
    pytest.param("E2는 배수 불량입니다. 급수 불량과는 다릅니다.", id="right-one-said-too"),
    pytest.param("수강생은 도한솔 강사에게 물어보세요.", id="nothing-bound-is-said"),
]


@pytest.mark.parametrize(("answer", "observed", "expected"), MISBOUND)
def test_flags_names_that_a_line_binds_to_something_else(
    guard: Names, answer: str, observed: str, expected: str
) -> None:
    exchange = Exchange("알려 주세요", (Source("1", "", BINDING),), answer=answer)

    [finding] = guard.check(read(exchange))

    assert (finding.code, finding.strength) == ("names.differs", Strength.C2)
    assert answer[finding.span.start : finding.span.end] == finding.observed == observed
    assert finding.expected == (expected,)
    assert expected in finding.evidence[0].quote


@pytest.mark.parametrize("answer", BOUND)
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


@given(
    st.lists(
        st.sampled_from([each.text for each in split_sentences(HOUSE)]), min_size=1, max_size=4
    )
)
def test_sentences_of_the_source_are_never_flagged(sentences: list[str]) -> None:
    assert findings(Names(NamesSettings()), " ".join(sentences)) == []


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("어디?", SOURCES), "no_answer"),
        (Exchange("어디?", answer="고운재단입니다."), "no_sources"),
    ],
)
def test_says_why_it_cannot_check(guard: Names, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason


IN_THE_SAME_ROLE = [
    pytest.param(
        "부득이하면 노동위원회의 승인을 받아 수당을 줄일 수 있다.",
        "고용노동부장관의 승인을 받으면 수당을 줄일 수 있습니다.",
        "노동위원회 승인을 받으면 수당을 줄일 수 있습니다.",
        ("고용노동부장관", "노동위원회"),
        id="labour",
    ),
    pytest.param(
        "사직서는 퇴직 30일 전까지 소속 부서장에게 제출하여야 한다. 급여는 인사팀이 계산한다.",
        "사직서는 퇴직 30일 전까지 인사팀에 제출하셔야 합니다.",
        "사직서는 퇴직 30일 전까지 부서장께 내셔야 합니다.",
        ("인사팀", "부서장"),
        id="personnel",
    ),
    pytest.param(
        "표절률이 높으면 대학원위원회의 승인을 받아야 한다. 학과장은 수업을 배정한다.",
        "표절률이 높으면 학과장 승인을 받아야 합니다.",
        "표절률이 높으면 대학원위원회 승인이 필요합니다.",
        ("학과장", "대학원위원회"),
        id="university",
    ),
    pytest.param(
        "상속 포기 기간은 청구에 따라 가정법원이 연장할 수 있다. 세금은 세무서장에게 신고한다.",
        "포기 기간은 청구하면 관할 세무서장이 늘려 줄 수 있습니다.",
        "포기 기간은 청구하면 가정법원이 늘려 줄 수 있습니다.",
        ("세무서장", "가정법원"),
        id="inheritance",
    ),
    pytest.param(
        "소음이 계속되면 층간소음관리위원회에 조정을 신청할 수 있다.",
        "소음이 이어지면 입주자대표회의에 조정을 신청하세요.",
        "소음이 이어지면 위원회에 조정을 신청하세요.",
        ("입주자대표회의", "층간소음관리위원회"),
        id="housing",
    ),
    pytest.param(
        "전입신고는 주민센터에 서류를 제출하면 된다. 여권은 구청에서 만든다.",
        "전입신고 서류는 구청에 제출하시면 됩니다.",
        "전입신고 서류는 행정복지센터에 제출하시면 됩니다.",
        ("구청", "주민센터"),
        id="public-office",
    ),
    pytest.param(
        "번역할 때는 승인된 Deepro(기업용) 메뉴를 연다.",
        "번역할 때는 승인된 Lingva(기업용) 메뉴를 여세요.",
        "번역하실 때 열 메뉴는 Deepro(기업용)입니다.",
        ("Lingva", "Deepro"),
        id="software",
    ),
    pytest.param(
        "출입증 재발급은 시설운영팀장의 결재를 받는다.",
        "출입증을 다시 받으려면 정보보호책임자의 결재를 받아야 합니다.",
        "출입증을 다시 받으려면 팀장 결재를 받아야 합니다.",
        ("정보보호책임자", "시설운영팀장"),
        id="security",
    ),
    pytest.param(
        "보험금 청구서는 보상지원부에 접수한다. 상품 문의는 영업관리부가 맡는다.",
        "보험금 청구서는 영업관리부에 접수하시면 됩니다.",
        "보험금 청구서는 담당 부서에 접수하시면 됩니다.",
        ("영업관리부", "보상지원부"),
        id="insurance",
    ),
]


@pytest.mark.parametrize(("source", "wrong", "right", "names"), IN_THE_SAME_ROLE)
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


def test_an_ordinary_noun_in_a_role_is_weak(guard: Names) -> None:
    source = "대형 폐기물에는 납부 필증을 붙인다."
    asked = Exchange(
        "어떻게 버리나요?", (Source("1", "", source),), answer="폐기물에 리본을 붙입니다."
    )

    [finding] = guard.check(read(asked))

    assert (finding.code, finding.severity) == ("names.differs", Severity.WEAK)
