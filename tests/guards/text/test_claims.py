import pytest

from guards.text.claims import bare_claim, claims

NO_CLAIMS = [
    pytest.param("안녕하세요, 고객님.", id="greeting"),
    pytest.param("문의하신 내용에 대해 답변드립니다.", id="lead-in"),
    pytest.param("더 자세한 내용은 담당 부서에 문의해 주세요.", id="advice"),
    pytest.param("추가로 궁금하신 점이 있으시면 말씀해 주세요.", id="offer"),
    pytest.param("이상입니다.", id="closing"),
    pytest.param("제공된 자료에서 확인되지 않습니다.", id="abstention"),
    pytest.param("## 환불 절차", id="heading"),
    pytest.param("환불 절차는 다음과 같습니다.", id="list-intro"),
    pytest.param("신청은 어디서 하나요?", id="question"),
    pytest.param("근거: 제8조", id="label-of-a-provision"),
    pytest.param("- 근거 규정: 제8조제1항", id="label-in-a-list"),
    pytest.param("관련 근거는 「주차장 규칙」 제8조입니다.", id="pointer-to-a-provision"),
    pytest.param("[1] 안내서.pdf", id="reference"),
    pytest.param("네.", id="bare-yes"),
    pytest.param("삼가 조의를 표합니다.", id="condolence"),
    pytest.param("갑자기 고장 나서 많이 놀라셨겠어요.", id="sympathy"),
    pytest.param("너무 걱정하지 마세요.", id="reassurance"),
    pytest.param("오래 기다리시게 해서 마음이 무겁습니다.", id="regret"),
    pytest.param("여행 전에 날씨를 살펴보시는 것이 좋습니다.", id="good-to-do"),
    pytest.param("편한 신발을 신으시길 권해 드립니다.", id="recommendation"),
    pytest.param("서명을 빠뜨리지 않도록 유의해 주세요.", id="warning"),
    pytest.param("요금은 계절에 따라 다릅니다.", id="frame-it-depends"),
    pytest.param("신청 방법은 두 가지로 나뉩니다.", id="frame-two-ways"),
    pytest.param("정확한 비용은 견적 후 달라질 수 있어요.", id="frame-may-change"),
    pytest.param("두 상품을 표로 비교해 드릴게요.", id="offer-to-compare"),
    pytest.param("자세한 내용은 이용 규칙에도 있습니다[9].", id="pointer-to-a-document"),
    pytest.param("더 자세한 사항은 관람 안내에서 확인하실 수 있습니다.", id="pointer-to-look-up"),
    pytest.param("즐거운 여행 되시길 바랍니다.", id="wish"),
    pytest.param("우선 번거로움을 겪으신 점 안타깝게 생각합니다.", id="it-is-a-pity"),
    pytest.param("많이 속상하셨을 것 같습니다.", id="you-must-be-upset"),
    pytest.param("얼마나 답답하실지 이해합니다.", id="understanding"),
    pytest.param("힘든 상황에 깊이 공감합니다.", id="shared-feeling"),
    pytest.param("이 요금은 기본 단가만 적용한 것입니다.", id="what-it-reckoned-with"),
    pytest.param("위 계산에는 연체료를 포함하지 않았습니다.", id="what-it-left-out"),
    pytest.param("이 답변은 받은 안내문을 바탕으로 작성했습니다.", id="what-it-rests-on"),
    pytest.param("연체료에 대한 내용은 제공된 자료에 없습니다.", id="not-in-the-sources"),
]
WITH_MARKS = [
    pytest.param("문의하신 내용을 안내해 드리겠습니다[1].", id="promise"),
    pytest.param("환불 절차는 다음과 같습니다[1][3].", id="list-intro"),
    pytest.param("더 자세한 내용은 담당 부서에 문의해 주세요. [출처: 안내.pdf]", id="advice"),
    pytest.param("(※ 출처: 5번 자료)", id="nothing-but-a-mark"),
]


@pytest.mark.parametrize("sentence", WITH_MARKS)
def test_a_mark_makes_no_claim(sentence: str) -> None:
    assert claims(sentence) == ()


def test_a_claim_that_rests_on_a_mark_is_one() -> None:
    answer = "- [5]에 따르면 환불은 창구에서 합니다."

    assert [claim.text for claim in claims(answer)] == [answer]


LEAD_INS = [
    pytest.param("당황하지 마시고 아래 두 곳에 알리세요.", "- 보안실\n- 총무팀", id="request"),
    pytest.param("어린이와 함께라면 다음 장소를 추천해요!", "1. 놀이방", id="exclamation"),
    pytest.param("아래 순서대로 실행하시면 됩니다.", "```\nstart\n```", id="code-behind"),
    pytest.param("다만 아래 세 경우는 예외예요.", "• 폭설", id="exception"),
    pytest.param("소음이 심하다면 다음 순서로 진행하실 수 있습니다.", "1. 접수", id="steps"),
    pytest.param("다만 아래 세 경우는 예외예요[1].", "• 폭설", id="cited"),
    pytest.param("다음을 비교해 주세요.", "| 구분 | 요금 |\n|---|---|", id="table-behind"),
]


@pytest.mark.parametrize("sentence", NO_CLAIMS)
def test_what_cannot_be_true_or_false_is_no_claim(sentence: str) -> None:
    assert claims(sentence) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "환불은 창구에서 신청합니다.",
        "근거 자료는 창구에 제출해야 합니다.",
        "이상이 있는 제품은 교환합니다.",
        "- 접수 기간: 3월부터 5월까지",
        "네, 환불은 창구에서 신청합니다.",
        "다음 날 오전에 문자로 결과를 보냅니다.",
        "아래 서류를 내지 않으면 접수가 취소됩니다.",
        "이 기준은 어린이에게도 적용됩니다.",
        "좋은 자리를 먼저 드립니다.",
    ],
)
def test_statements_are_claims(sentence: str) -> None:
    assert [claim.text for claim in claims(sentence)] == [sentence]


@pytest.mark.parametrize(("lead_in", "behind"), LEAD_INS)
def test_what_opens_a_list_is_no_claim(lead_in: str, behind: str) -> None:
    assert lead_in not in [claim.text for claim in claims(f"{lead_in}\n\n{behind}")]


@pytest.mark.parametrize(
    ("sentence", "behind"),
    [
        pytest.param("다음 주 월요일에 시작합니다.", "- 준비물: 수건", id="next-week"),
        pytest.param("아래 물품은 반입할 수 없습니다.", "- 유리병", id="tells-something-itself"),
        pytest.param("회비는 1만 원이며 다음을 포함합니다.", "- 교재", id="with-a-figure"),
        pytest.param("아래 서류를 준비합니다.", "창구로 오세요.", id="no-list-behind"),
    ],
)
def test_what_tells_something_is_a_claim_before_a_list_too(sentence: str, behind: str) -> None:
    assert sentence in [claim.text for claim in claims(f"{sentence}\n{behind}")]


def test_the_head_of_a_table_is_no_claim() -> None:
    table = "| 구분 | 요금 |\n|:---|---:|\n| 어른 | 3,000원 |"

    assert [claim.text for claim in claims(table)] == ["| 어른 | 3,000원 |"]


def test_a_bare_claim_has_no_markup_and_no_attribution() -> None:
    assert bare_claim("- **자료에 따르면, 환불은 창구에서 합니다.") == "환불은 창구에서 합니다."


def test_a_bare_claim_has_no_yes_or_no() -> None:
    assert bare_claim("아니요, 환불은 창구에서 합니다.") == "환불은 창구에서 합니다."


def test_the_list_of_sources_at_the_end_makes_no_claims() -> None:
    answer = "환불은 창구에서 신청합니다[1].\n\n### 출처\n- [1] 환불 안내.pdf, p.3"

    assert [claim.text for claim in claims(answer)] == ["환불은 창구에서 신청합니다[1]."]


def test_what_follows_a_heading_that_opens_no_list_of_sources_is_claimed() -> None:
    """Nothing may hide behind a word like 출처."""
    behind = "환불은 반년 뒤에도 신청할 수 있습니다."

    assert behind in [claim.text for claim in claims(f"출처\n{behind} 영수증은 필요합니다.")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("회사는 고객의 불편을 안타깝게 여겨 상품권을 드립니다.", id="pity-and-a-gift"),
        pytest.param("이 요금은 연체료를 모두 포함한 것입니다.", id="what-a-price-includes"),
        pytest.param("주차 요금은 첫날 요금만 적용됩니다.", id="only-of-a-rule"),
    ],
)
def test_a_fact_in_such_words_is_a_claim(text: str) -> None:
    assert [one.text for one in claims(text)] == [text]
