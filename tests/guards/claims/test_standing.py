import pytest

from guards.claims.reader import read_claims
from guards.claims.standing import Standing, abstains, standing_of, standing_of_sentence


def standings(text: str) -> list[Standing]:
    """Return the standing of each clause of a text."""
    return [
        standing_of(claim, sentence)
        for sentence in read_claims(text).sentences
        for claim in sentence
    ]


ABSTENTIONS = [
    pytest.param("자료에 명시되어 있지 않아 정확한 답변이 어렵습니다.", id="statute"),
    pytest.param("결제 수단은 안내에 없어요.", id="shop"),
    pytest.param("조식 시간은 확인되지 않습니다.", id="hotel"),
    pytest.param("접종 간격은 안내문에 나와 있지 않습니다.", id="clinic"),
    pytest.param("우대금리에 대한 내용은 담겨 있지 않네요.", id="banking"),
    pytest.param("제공된 자료만으로는 환급액을 판단하기 어렵습니다.", id="tax"),
    pytest.param("주차 대수에 관한 별도 규정은 없습니다.", id="housing"),
    pytest.param("API 한도는 도움말에서 찾을 수 없었어요.", id="software"),
    pytest.param("수하물 요금은 따로 언급이 없습니다.", id="airline"),
    pytest.param("졸업 요건까지는 알 수 없습니다.", id="university"),
    pytest.param("자료에서 확인되지 않습니다. [1]", id="with-a-citation"),
    pytest.param("정확한 금액은 말씀드리기 어렵습니다.", id="hard-to-say"),
]
COURTESIES = [
    pytest.param("인사팀에 문의해 주세요.", id="whom-to-ask"),
    pytest.param("궁금하신 점이 있으시면 언제든지 말씀해 주세요.", id="offer-to-answer"),
    pytest.param("도움이 되셨길 바랍니다.", id="wish"),
    pytest.param("두 상품을 표로 비교해 드릴게요.", id="promise"),
    pytest.param("원하시면 초안을 작성해 드릴 수 있습니다.", id="offer"),
    pytest.param("정리해 드리면 다음과 같습니다.", id="lead-in"),
    pytest.param("이용해 주셔서 감사합니다.", id="thanks"),
    pytest.param("많이 속상하셨겠습니다.", id="sympathy"),
    pytest.param("환불 절차를 안내해 드립니다.", id="announcement"),
    pytest.param("더 자세한 사항은 관람 안내에서 확인하실 수 있습니다.", id="pointer"),
]
ADVICE = [
    pytest.param("미리 확인하시는 것이 좋습니다.", id="good-to-do"),
    pytest.param("참고하시기 바랍니다.", id="for-your-information"),
    pytest.param("기한을 놓치지 않도록 주의하세요.", id="mind"),
    pytest.param("정확한 금액은 담당자에게 확인하는 편이 안전합니다.", id="safer"),
    pytest.param("서명을 빠뜨리지 않도록 유의해 주세요.", id="a-word-like-a-figure"),
    pytest.param("방문 전 재고 확인이 필요합니다.", id="needs-a-look"),
    pytest.param("편한 신발을 신으시길 권해 드립니다.", id="recommended"),
    pytest.param("요금은 시기에 따라 달라질 수 있습니다.", id="it-depends"),
]
ASSERTIONS = [
    pytest.param("네, 나이 요건은 충족하십니다.", id="yes"),
    pytest.param("조식은 포함되지 않습니다.", id="denied"),
    pytest.param("앱에서는 예약 내역을 확인할 수 없습니다.", id="not-possible-there"),
    pytest.param("신분증을 지참해 주세요.", id="request-to-act"),
    pytest.param("출발 3일 전까지 연락해 주세요.", id="request-with-a-time"),
    pytest.param("수수료가 부과되는 점 유의하시기 바랍니다.", id="framed"),
    pytest.param("전액 환불해 드립니다.", id="what-the-company-does"),
    pytest.param("배송비가 들지 않아요.", id="no-cost"),
    pytest.param("수수료는 없습니다.", id="none"),
    pytest.param("신분증은 확인하지 않습니다.", id="does-not-check"),
    pytest.param("확인되지 않은 금액은 환불됩니다.", id="adnominal"),
    pytest.param("3일 이내라면 환불이 가능합니다.", id="real-condition"),
    pytest.param("해고 사유는 서면으로 알려야 합니다.", id="duty-to-tell"),
]


@pytest.mark.parametrize("text", ABSTENTIONS)
def test_abstentions(text: str) -> None:
    assert Standing.ABSTENTION in standings(text)
    assert abstains(text)


@pytest.mark.parametrize("text", COURTESIES)
def test_courtesies(text: str) -> None:
    assert set(standings(text)) == {Standing.COURTESY}


@pytest.mark.parametrize("text", ADVICE)
def test_advice(text: str) -> None:
    assert set(standings(text)) == {Standing.ADVICE}


@pytest.mark.parametrize("text", ASSERTIONS)
def test_assertions(text: str) -> None:
    assert standings(text)[-1] is Standing.ASSERTED
    assert not abstains(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "처리 기간은 자료에 없지만 보통 3일 걸립니다.",
            [Standing.ABSTENTION, Standing.ASSERTED],
            id="abstains-and-asserts",
        ),
        pytest.param(
            "환불은 불가하니 참고해 주세요.",
            [Standing.ASSERTED, Standing.ADVICE],
            id="asserts-and-advises",
        ),
        pytest.param(
            "주차 요금은 나와 있지 않으니 고객센터에 문의해 주세요.",
            [Standing.ABSTENTION, Standing.COURTESY],
            id="abstains-and-sends-on",
        ),
        pytest.param(
            "월급이 300만 원이라고 가정하면 90만 원입니다.",
            [Standing.HYPOTHESIS, Standing.ASSERTED],
            id="supposes-and-asserts",
        ),
        pytest.param(
            "안타깝지만 반려동물은 입장할 수 없습니다.",
            [Standing.COURTESY, Standing.ASSERTED],
            id="regrets-and-asserts",
        ),
    ],
)
def test_each_clause_stands_by_itself(text: str, expected: list[Standing]) -> None:
    assert standings(text) == expected


def test_a_condition_stands_as_what_it_is_a_condition_of() -> None:
    assert set(standings("기한이 지났다면 창구에 문의해 주세요.")) == {Standing.COURTESY}
    assert set(standings("기한이 지났다면 벌금을 냅니다.")) == {Standing.ASSERTED}


def test_questions_and_headings_assert_nothing() -> None:
    assert standings("더 필요하신 것이 있나요?") == [Standing.QUESTION]
    assert standings("## 환불 절차\n\n수수료는 없습니다.") == [Standing.LABEL, Standing.ASSERTED]


def test_a_sentence_asserts_if_any_clause_does() -> None:
    [sentence] = read_claims("처리 기간은 자료에 없지만 보통 3일 걸립니다.").sentences

    assert standing_of_sentence(sentence) is Standing.ASSERTED


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("죄송합니다. 자료에서 확인되지 않습니다. 담당 부서에 문의해 주세요.", True),
        ("제공된 자료에서 확인되지 않습니다. 보통은 15일입니다.", False),
        ("담당 부서에 문의해 주세요.", False),
        ("벌칙 규정은 없습니다.", False),
        ("", False),
    ],
)
def test_an_answer_abstains_if_nothing_else_is_said(answer: str, expected: bool) -> None:
    assert abstains(answer) is expected
