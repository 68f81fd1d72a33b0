import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.overlap import Overlap, OverlapSettings

RULES = (
    "환불을 받으려는 고객은 영수증을 첨부하여 창구에 신청한다. 담당자는 신청서를 검토한다.\n"
    "검토를 마친 담당자는 결과를 전자우편으로 알린다. 이의가 있는 고객은 재심을 청구한다."
)
SOURCES = (
    Source("1", "제8조 (환불)", RULES),
    Source("2", "제9조 (주차)", "방문객은 지하 주차장을 무료로 이용한다."),
)


@pytest.fixture
def guard() -> Overlap:
    return Overlap(OverlapSettings())


def findings(guard: Overlap, answer: str) -> list[Finding]:
    return guard.check(read(Exchange("환불 방법은?", SOURCES, answer=answer)))


FLAGGED = [
    pytest.param("우주선은 달 궤도를 돌며 암석 표본을 수집합니다.", id="another-world"),
    pytest.param("회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다.", id="invented-procedure"),
    pytest.param("주말에는 챗봇이 생일 포인트를 적립합니다.", id="invented-addition"),
    pytest.param("회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다[출처 1].", id="with-a-mark"),
]
CLEAN = [
    pytest.param("고객은 영수증을 첨부하여 창구에 신청합니다.", id="polite-ending"),
    pytest.param("창구 신청 시 영수증 첨부가 필요합니다.", id="reordered-words"),
    pytest.param("방문객은 지하주차장을 무료로 이용합니다.", id="other-source-and-spacing"),
    pytest.param("담당자는 신청서를 검토하고 고객은 재심을 청구합니다.", id="two-sentences-joined"),
    pytest.param("네, 안내해 드리겠습니다.", id="greeting"),
    pytest.param("더 자세한 내용은 고객센터로 문의해 주세요.", id="advice"),
    pytest.param("제공된 자료에서 확인되지 않습니다.", id="abstention"),
    pytest.param("도움이 더 필요하신가요?", id="question"),
    pytest.param("무료입니다.", id="too-short"),
    pytest.param("관련 근거는 제8조입니다.", id="pointer-to-a-provision"),
    pytest.param("- 근거 규정: 제8조", id="label-of-a-provision"),
    pytest.param("이상입니다.", id="closing"),
    pytest.param("- 포상금: 이백만원", id="label-and-figure-in-words"),
    pytest.param("영수증은 환불 때 첨부하셔야 해요.", id="other-endings"),
    pytest.param("고객은 **영수증**을 ~~꼭~~ 첨부합니다.", id="marks-of-emphasis"),
    pytest.param("고객은 재심을 청구합니다(이용 규칙 제8조 제2항).", id="citation-in-brackets"),
    pytest.param("갑작스러운 소식에 많이 놀라셨겠어요.", id="sympathy"),
    pytest.param("미리 사진을 찍어 두시는 것이 좋습니다.", id="recommendation"),
    pytest.param("고객님께서 직접 신청해 주셔야 합니다.", id="only-words-that-frame"),
    pytest.param("결과는 `mail`로 알려 드립니다.", id="particle-behind-code"),
    pytest.param("자세한 내용은 이용 규칙에도 있습니다[9].", id="pointer-to-a-document"),
    pytest.param("검토를 마치셨다면 재심을 청구하실 수 있어요.", id="honorific-endings"),
    pytest.param(
        "방문객은 지하 주차장을 무료로 이용하고, 고객은 창구에 신청합니다.", id="two-told-clauses"
    ),
]


@pytest.mark.parametrize("answer", FLAGGED)
def test_flags(guard: Overlap, answer: str) -> None:
    [finding] = findings(guard, answer)

    assert (finding.code, finding.severity) == ("overlap.unsupported", Severity.STRONG)
    assert finding.observed == answer
    assert finding.score > 0.55


def test_a_yes_is_no_part_of_what_is_invented(guard: Overlap) -> None:
    [finding] = findings(guard, "네, 회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다.")

    assert finding.observed == "회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다."


def test_a_short_sentence_with_some_shared_words_is_weak(guard: Overlap) -> None:
    """It may be a paraphrase in other words."""
    [finding] = findings(guard, "재심 신청서를 세탁합니다.")

    assert (finding.code, finding.severity) == ("overlap.low", Severity.WEAK)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("저녁 7시까지만 여니 서둘러 오세요.", id="told-in-other-words"),
        pytest.param("어른 둘이 합쳐 14,000원만 챙기시면 됩니다.", id="reckoned"),
        pytest.param("하루 30분 더 머무르시면 추가 요금이 붙을 수 있어요.", id="general-words"),
    ],
)
def test_general_words_of_explaining_are_never_strong(guard: Overlap, answer: str) -> None:
    sources = (Source("1", "", "운영 종료: 19시. 입장료 7,000원."),)

    found = guard.check(read(Exchange("몇 시까지?", sources, answer=answer)))

    assert Severity.STRONG not in {finding.severity for finding in found}


def test_words_of_the_question_are_no_fault(guard: Overlap) -> None:
    sources = (Source("1", "", "반려견은 지하 주차장 이용 불가."),)
    answer = "강아지와 앵무새는 지하 주차장을 이용할 수 없습니다."
    asked = read(Exchange("강아지와 앵무새도 되나요?", sources, answer=answer))
    unasked = read(Exchange("주차는요?", sources, answer="앵무새와 거북이는 탑승이 금지됩니다."))

    assert guard.check(asked) == []
    assert len(guard.check(unasked)) == 1


@pytest.mark.parametrize("answer", CLEAN)
def test_passes(guard: Overlap, answer: str) -> None:
    assert findings(guard, answer) == []


def test_only_the_unsupported_sentence_is_reported(guard: Overlap) -> None:
    invented = "회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다."

    [finding] = findings(guard, f"고객은 창구에 신청합니다. {invented}")

    assert finding.observed == invented


INVENTED_CLAUSES = [
    pytest.param(
        "고객은 창구에 신청하고, ", "주말에는 챗봇이 생일 포인트를 따로 적립합니다.", id="고"
    ),
    pytest.param(
        "방문객은 지하 주차장을 무료로 이용하며, ",
        "세차 쿠폰과 음료 교환권도 보내 드립니다.",
        id="며",
    ),
    pytest.param(
        "고객은 재심을 청구하지만, ", "대신 담당 변호사가 댁으로 서류를 배달합니다.", id="지만"
    ),
]


@pytest.mark.parametrize(("told", "invented"), INVENTED_CLAUSES)
def test_a_clause_added_to_what_is_told_is_reported_by_itself(
    guard: Overlap, told: str, invented: str
) -> None:
    [finding] = findings(guard, told + invented)

    assert (finding.code, finding.severity) == ("overlap.unsupported", Severity.STRONG)
    assert finding.observed == invented
    assert (finding.span.start, finding.span.end) == (len(told), len(told + invented))


def test_a_clause_with_one_word_of_its_own_is_no_invention(guard: Overlap) -> None:
    found = findings(guard, "고객은 창구에 신청하고, 검토에는 사흘이 걸립니다.")

    assert Severity.STRONG not in {finding.severity for finding in found}


@pytest.mark.parametrize(
    "mark", ["[7]", "[†7]", "[출처 7]", "[참조: 없는 문서 이름]", '<cite id="7"></cite>', "【7】"]
)
def test_a_citation_mark_is_no_word_of_the_claim(guard: Overlap, mark: str) -> None:
    claim = "신청서는 심사관이 돋보기로 살핍니다"
    [bare] = findings(guard, f"{claim}.")
    [marked] = findings(guard, f"{claim}{mark}.")

    assert (marked.code, marked.score) == (bare.code, bare.score)


def test_the_words_that_a_mark_stands_around_count(guard: Overlap) -> None:
    [finding] = findings(
        guard, '<cite id="1">우주선은 달 궤도를 돌며 암석 표본을 수집합니다.</cite>'
    )

    assert finding.code == "overlap.unsupported"


def test_threshold_is_a_setting() -> None:
    lenient = Overlap(OverlapSettings(min_support=0, unsupported_below=0))
    milder = Overlap(OverlapSettings(unsupported_below=0))

    answer = "우주선은 달 궤도를 돌며 암석 표본을 수집합니다."
    assert findings(lenient, answer) == []
    assert [found.code for found in findings(milder, answer)] == ["overlap.low"]


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("환불?", SOURCES), "no_answer"),
        (Exchange("환불?", answer="창구에 신청합니다."), "no_sources"),
    ],
)
def test_says_why_it_cannot_check(guard: Overlap, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason


FIELDS = [
    pytest.param(
        "퇴직금은 퇴직한 날부터 14일 이내에 지급하여야 한다.",
        "지급 전에는 노무사 상담과 서약서 공증을 거쳐야 합니다.",
        "퇴직 후 14일 안에 지급해야 합니다.",
        id="labour",
    ),
    pytest.param(
        "정기예금은 만기 전에 해지하면 중도해지 이율을 적용합니다.",
        "우수 고객에게는 골드바와 백화점 상품권을 증정합니다.",
        "만기가 되기 전에 해지하시면 낮은 중도해지 이율이 적용되니 유의하세요.",
        id="banking",
    ),
    pytest.param(
        "MRI 검사 6시간 전부터 금식합니다.",
        "검사 당일에는 마스크와 수면 안대를 착용하셔야 합니다.",
        "검사를 받기 여섯 시간 전부터는 아무것도 드시면 안 됩니다.",
        id="clinic",
    ),
    pytest.param(
        "기내에는 10kg 이하 수하물 1개를 가지고 탈 수 있습니다.",
        "라운지에서 샴페인과 안마 의자를 이용하실 수 있습니다.",
        "기내 수하물은 한 개, 무게는 10kg까지 가능합니다.",
        id="airline",
    ),
    pytest.param(
        "건조기 필터는 사용할 때마다 청소하십시오.",
        "나사를 풀고 윤활유를 발라 베어링을 교체하세요.",
        "필터는 매번 사용 후에 청소해 주시는 것이 좋습니다.",
        id="appliance",
    ),
    pytest.param(
        "도서는 1인당 5권까지 2주간 빌릴 수 있다.",
        "연체자는 봉사활동 확인서를 사서에게 보여야 합니다.",
        "한 사람이 다섯 권을 두 주 동안 대출할 수 있어요.",
        id="library",
    ),
    pytest.param(
        "종합소득세는 5월 31일까지 신고·납부한다.",
        "세무서 옆 편의점에서 바코드로 결제하면 적립금이 쌓입니다.",
        "신고와 납부 모두 5월 말일까지 마치셔야 합니다.",
        id="tax",
    ),
    pytest.param(
        "입주민은 방문차량을 앱에서 등록합니다.",
        "경비원이 드론으로 순찰하며 사진을 촬영합니다.",
        "방문하는 차량은 미리 앱으로 등록해 주세요.",
        id="housing",
    ),
    pytest.param(
        "미개봉 상품은 7일 이내에 교환할 수 있습니다.",
        "포장지에 스티커를 붙여 물류창고로 발송하시면 됩니다.",
        "뜯지 않은 상품이라면 일주일 안에 교환이 가능합니다.",
        id="shop",
    ),
]


@pytest.mark.parametrize(("source", "invented", "told"), FIELDS)
def test_in_every_field(guard: Overlap, source: str, invented: str, told: str) -> None:
    def strong(answer: str) -> list[str]:
        asked = Exchange("알려 주세요.", (Source("1", "", source),), answer=answer)
        found = guard.check(read(asked))
        return [one.observed for one in found if one.severity is Severity.STRONG]

    assert strong(f"{told} {invented}") == [invented]
    assert strong(told) == []
