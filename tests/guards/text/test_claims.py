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
    ],
)
def test_statements_are_claims(sentence: str) -> None:
    assert [claim.text for claim in claims(sentence)] == [sentence]


def test_a_bare_claim_has_no_markup_and_no_attribution() -> None:
    assert bare_claim("- **자료에 따르면, 환불은 창구에서 합니다.") == "환불은 창구에서 합니다."
