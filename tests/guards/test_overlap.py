import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.overlap import Overlap, OverlapSettings
from guards.text.overlap_score import best_window, containment

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
    pytest.param("주말에는 처리 시간이 평소보다 길어집니다.", id="invented-addition"),
    pytest.param("네, 회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다.", id="behind-a-yes"),
    pytest.param("회원은 모바일 앱에서 쿠폰 번호를 입력하면 됩니다[출처 1].", id="with-a-mark"),
]
CLEAN = [
    pytest.param("고객은 영수증을 첨부하여 창구에 신청합니다.", id="polite-ending"),
    pytest.param("창구 신청 시 영수증 첨부가 필요합니다.", id="reordered-words"),
    pytest.param("방문객은 지하주차장을 무료로 이용합니다.", id="other-source-and-spacing"),
    pytest.param(
        "담당자는 신청서를 검토하고 결과를 전자우편으로 알립니다.", id="two-sentences-joined"
    ),
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


def test_a_short_sentence_with_some_shared_words_is_weak(guard: Overlap) -> None:
    """It may be a paraphrase in other words."""
    [finding] = findings(guard, "신청서는 직원이 심사합니다.")

    assert (finding.code, finding.severity) == ("overlap.low", Severity.WEAK)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("저녁 7시면 셔터가 내려가니 서둘러 오세요.", id="told-in-other-words"),
        pytest.param("어른 둘이 합쳐 14,000원 지폐만 챙기시면 됩니다.", id="reckoned"),
    ],
)
def test_a_sentence_with_a_figure_is_never_strong(guard: Overlap, answer: str) -> None:
    sources = (Source("1", "", "운영 종료: 19시. 입장료 7,000원."),)

    found = guard.check(read(Exchange("몇 시까지?", sources, answer=answer)))

    assert [finding.code for finding in found] == ["overlap.low"]


def test_words_of_the_question_are_no_fault(guard: Overlap) -> None:
    answer = "강아지는 지하 주차장 이용 불가입니다."
    sources = (Source("1", "", "반려견은 지하 주차장 이용 불가."),)
    asked = read(Exchange("강아지도 되나요?", sources, answer=answer))
    unasked = read(Exchange("주차는요?", sources, answer="강아지 고양이 토끼 이용 불가입니다."))

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


def test_a_short_clause_is_not_judged_by_itself(guard: Overlap) -> None:
    assert findings(guard, "고객은 창구에 신청하고, 차량은 세차합니다.") == []


@pytest.mark.parametrize(
    "mark", ["[7]", "[†7]", "[출처 7]", "[참조: 없는 문서 이름]", '<cite id="7"></cite>', "【7】"]
)
def test_a_citation_mark_is_no_word_of_the_claim(guard: Overlap, mark: str) -> None:
    claim = "신청서는 직원이 꼼꼼하게 심사합니다"
    [bare] = findings(guard, f"{claim}.")
    [marked] = findings(guard, f"{claim}{mark}.")

    assert (marked.code, marked.score) == (bare.code, bare.score)


def test_the_words_that_a_mark_stands_around_count(guard: Overlap) -> None:
    [finding] = findings(
        guard, '<cite id="1">우주선은 달 궤도를 돌며 암석 표본을 수집합니다.</cite>'
    )

    assert finding.code == "overlap.unsupported"


def test_threshold_is_a_setting() -> None:
    lenient = Overlap(OverlapSettings(min_support=0))
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


KOREAN = st.text(alphabet="환불신청고객영수증 은는을를.", min_size=1, max_size=40)


@given(KOREAN, KOREAN)
def test_containment_is_a_share(claim: str, passage: str) -> None:
    assert 0 <= containment(claim, passage) <= 1


@given(KOREAN)
def test_a_text_holds_itself(text: str) -> None:
    assert containment(text, text) == 1


@given(KOREAN, st.lists(KOREAN, min_size=1, max_size=6), KOREAN)
def test_more_text_never_supports_less(claim: str, sentences: list[str], more: str) -> None:
    assert best_window(claim, [*sentences, more]) >= best_window(claim, sentences)


def test_figures_carry_no_overlap() -> None:
    assert containment("정원은 49명", "정원은 50명") == 1
