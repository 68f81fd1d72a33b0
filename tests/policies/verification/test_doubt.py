"""What is called verified: nothing that the comparison with the sources leaves in doubt."""

import pytest

from policies import verify
from policies.verification.options import Options
from policies.verification.shape import Label, Verification
from tests.fakes.fake_judge import FakeJudge, supports

FIELDS = [
    pytest.param(
        "객실 안에서 담배 피워도 되나요?",
        "전 객실은 금연입니다. 흡연은 1층 야외 흡연 구역에서만 가능합니다.",
        "객실 안에서는 금연이며, 흡연은 1층 야외 흡연 구역에서만 가능합니다.",
        "네, 객실 안에서 흡연하실 수 있습니다.",
        id="hotel",
    ),
    pytest.param(
        "연차는 언제까지 신청해요?",
        "연차휴가를 쓰려는 직원은 3일 전까지 팀장에게 신청서를 제출한다.",
        "연차휴가를 쓰려면 3일 전까지 팀장에게 신청서를 제출하시면 됩니다.",
        "연차휴가는 누구나 언제든 신청서 없이 쓸 수 있습니다.",
        id="personnel",
    ),
    pytest.param(
        "해외 결제 수수료 있나요?",
        "해외 결제에는 이용 금액의 1.2%가 수수료로 부과됩니다.",
        "해외 결제에는 이용 금액의 1.2%가 수수료로 부과됩니다.",
        "해외 결제 수수료는 면제되며 마일리지도 두 배로 적립됩니다.",
        id="bank",
    ),
    pytest.param(
        "책은 몇 권까지 빌려요?",
        "정회원은 한 번에 5권까지 14일간 빌릴 수 있다.",
        "정회원이시면 한 번에 5권까지 14일간 빌리실 수 있습니다.",
        "정회원이시면 무조건 신간 도서까지 전부 무제한으로 빌리실 수 있습니다.",
        id="library",
    ),
    pytest.param(
        "검사 전에 금식해야 하나요?",
        "위내시경 검사 전 8시간은 금식해야 합니다. 물은 검사 3시간 전까지 드실 수 있습니다.",
        "위내시경 검사 전 8시간은 금식하셔야 합니다.",
        "위내시경 검사 전에는 가벼운 죽과 우유를 드셔도 됩니다.",
        id="clinic",
    ),
    pytest.param(
        "반품 배송비는요?",
        "단순 변심에 의한 반품 배송비는 구매자가 부담합니다.",
        "단순 변심으로 반품하시면 배송비는 구매자가 부담합니다.",
        "단순 변심으로 반품하셔도 배송비는 판매자가 전액 부담합니다.",
        id="shop",
    ),
    pytest.param(
        "무료 요금제에서 팀 초대 되나요?",
        "무료 요금제에서는 팀원을 초대할 수 없습니다.",
        "무료 요금제에서는 팀원을 초대하실 수 없습니다.",
        "무료 요금제에서도 팀원을 얼마든지 초대하실 수 있습니다.",
        id="software",
    ),
    pytest.param(
        "이사할 때 엘리베이터 써도 되나요?",
        "이사 3일 전까지 관리사무소에 승강기 사용을 신청해야 한다.",
        "이사하시려면 3일 전까지 관리사무소에 승강기 사용을 신청하셔야 합니다.",
        "이사하실 때는 경비실에 말씀만 하시면 승강기를 바로 쓰실 수 있습니다.",
        id="apartment",
    ),
    pytest.param(
        "부가세 신고 언제예요?",
        "일반과세자는 1월과 7월에 부가가치세를 신고한다.",
        "일반과세자는 1월과 7월에 부가가치세를 신고합니다.",
        "일반과세자는 분기마다 예정 고지서로 자동 납부됩니다.",
        id="tax",
    ),
]


def verified(
    question: str, source: str, answer: str, judge: FakeJudge | None = None
) -> Verification:
    use = Options(judge="auto" if judge else "off")
    sources = [{"section_title": "안내", "section_content": source}]
    return verify(question, answer, sources, options=use, judge=judge)


@pytest.mark.parametrize(("question", "source", "right", "wrong"), FIELDS)
def test_what_the_source_says_is_verified(
    question: str, source: str, right: str, wrong: str
) -> None:
    del wrong
    result = verified(question, source, right)

    assert result.verified
    assert {claim.label for claim in result.claims} == {Label.SUPPORTED}


@pytest.mark.parametrize(("question", "source", "right", "wrong"), FIELDS)
def test_what_it_does_not_say_is_not(question: str, source: str, right: str, wrong: str) -> None:
    del right
    result = verified(question, source, wrong)

    assert not result.verified
    assert Label.SUPPORTED not in {claim.label for claim in result.claims}
    assert result.issues


DOUBTED = (
    "주차는 어떻게 하나요?",
    "투숙객은 지하 2층 주차장을 이용합니다. 요금은 프런트에서 정산합니다.",
    "투숙객은 지하 2층 주차장을 이용하며, 출차는 발렛 직원이 도와드립니다.",
)


def test_a_sentence_in_doubt_is_named() -> None:
    result = verified(*DOUBTED)

    (claim,) = result.claims
    assert claim.label in {Label.PARTIAL, Label.UNSUPPORTED}
    assert not result.verified
    assert any(claim.text in issue for issue in result.issues)


def test_a_judge_that_backs_it_with_a_quote_clears_it() -> None:
    result = verified(*DOUBTED, FakeJudge(supports("투숙객은 지하 2층 주차장을 이용합니다.")))

    (claim,) = result.claims
    assert claim.label is Label.SUPPORTED
    assert result.verified
