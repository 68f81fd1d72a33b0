"""What an answer says against its sources in many fields: opposites, replies, limits, scales."""

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.negation import Negation, NegationSettings

QUESTION = "어떻게 되나요?"


def strong(rule: str, answer: str, question: str = QUESTION, *more: Source) -> list[Finding]:
    exchange = Exchange(question, (Source("1", "", rule), *more), answer=answer)
    found = Negation(NegationSettings()).check(read(exchange))
    return [one for one in found if one.severity is Severity.STRONG]


OPPOSED = [
    pytest.param(
        "예방접종, 중성화 수술은 보장하지 않습니다.",
        "중성화 수술도 보험금으로 보장됩니다.",
        id="insurance-member-of-a-list",
    ),
    pytest.param(
        "보장하지 않는 사항: 성형 수술, 건강 검진.",
        "건강 검진도 보장됩니다.",
        id="insurance-label",
    ),
    pytest.param(
        "교통비 10,000원, 식비 9,000원(숙소에서 식사 제공 시 미지급)",
        "식비는 숙소에서 식사가 제공되더라도 지급됩니다.",
        id="expenses-brackets-with-a-condition",
    ),
    pytest.param("전 객실은 금연입니다.", "객실에서 흡연하실 수 있습니다.", id="hotel-noun"),
    pytest.param(
        "점검이 끝날 때까지 승강기의 운행을 중지하여야 한다.",
        "점검하는 동안에도 승강기 운행은 계속할 수 있습니다.",
        id="building-goes-on",
    ),
    pytest.param(
        "시즌이 끝나면 누적 점수는 초기화됩니다.",
        "누적 점수는 시즌이 끝나도 다음 시즌으로 이어집니다.",
        id="game-kept",
    ),
    pytest.param("회비는 부가세 별도입니다.", "회비는 부가세 포함입니다.", id="membership-tax"),
    pytest.param(
        "훈련으로 인한 결석은 결석으로 보지 아니한다.",
        "훈련으로 인한 결석도 결석에 포함됩니다.",
        id="university-counted-as",
    ),
    pytest.param(
        "방문·우편 접수 불가.", "방문 접수도 가능합니다.", id="city-office-one-of-two-ways"
    ),
    pytest.param(
        "검사 당일에는 운전을 하실 수 없습니다.",
        "검사 당일에는 운전하여 귀가하셔도 괜찮습니다.",
        id="clinic-verb-before-the-predicate",
    ),
    pytest.param(
        "로그인 문자 인증은 지원하지 않습니다.",
        "로그인할 때 문자 인증도 쓸 수 있습니다.",
        id="software-offered",
    ),
    pytest.param(
        "해지할 때 위약금은 공제하지 않습니다.",
        "해지할 때 위약금은 똑같이 공제됩니다.",
        id="subscription-charged",
    ),
    pytest.param(
        "서버의 전원은 끄지 않는다.", "서버의 전원도 바로 꺼 주세요.", id="security-told-to"
    ),
]
AGREES = [
    pytest.param(
        "예방접종은 보장하지 않습니다. 입원은 보장합니다.",
        "입원은 보장되지만 예방접종은 보장되지 않습니다.",
        id="insurance",
    ),
    pytest.param(
        "취소는 이용일 5일 전까지 가능합니다. 이후에는 취소할 수 없습니다.",
        "이용일 5일 전까지는 취소하실 수 있고 이후에는 취소할 수 없습니다.",
        id="rental-two-times",
    ),
    pytest.param("동시 접속은 1대로 제한됩니다.", "동시 접속은 1대만 가능합니다.", id="software"),
    pytest.param(
        "공항에서는 '금지 구역'을 설정하십시오.",
        "앱에서 '금지 구역'을 설정해 보세요.",
        id="robot-name-of-a-zone",
    ),
    pytest.param(
        "본관은 월요일에 휴관합니다. 별관은 월요일에도 개관합니다.",
        "별관은 월요일에도 개관합니다.",
        id="museum-another-building",
    ),
    pytest.param(
        "행사장 주차장은 운영하지 않습니다(장애인 차량 제외).",
        "장애인 차량은 행사장 주차장을 이용할 수 있습니다.",
        id="festival-taken-out-in-brackets",
    ),
    pytest.param("배송비는 없습니다.", "배송비는 무료입니다.", id="shop-nothing-to-pay"),
    pytest.param(
        "복용을 중단하지 마십시오.", "복용은 중단하지 마세요.", id="clinic-forbidden-twice"
    ),
    pytest.param(
        "안전모를 쓰지 않으면 작업장에 들어갈 수 없다.",
        "작업장에 들어가려면 안전모를 써야 합니다.",
        id="factory-unless",
    ),
]


@pytest.mark.parametrize(("rule", "answer"), OPPOSED)
def test_flags_what_the_source_tells_the_other_way(rule: str, answer: str) -> None:
    assert [one.code for one in strong(rule, answer)] == ["negation.flipped"]


@pytest.mark.parametrize(("rule", "answer"), AGREES)
def test_passes_what_the_source_tells_the_same_way(rule: str, answer: str) -> None:
    assert strong(rule, answer) == []


WIDER = [
    pytest.param(
        "조기 입실은 당일 객실 상황에 따라 가능합니다.",
        "조기 입실은 객실 상황과 관계없이 가능합니다.",
        "객실 상황과 관계없이",
        id="hotel-set-aside",
    ),
    pytest.param(
        "보조배터리는 100Wh 이하만 1인당 5개까지 휴대할 수 있습니다.",
        "보조배터리는 용량과 관계없이 1인당 5개까지 휴대할 수 있습니다.",
        "관계없이",
        id="airline-set-aside",
    ),
    pytest.param(
        "가족이 입원한 경우 진단서를 내면 취소료 없이 해제할 수 있습니다.",
        "가족이 입원한 경우 별도 서류 없이 해제하실 수 있습니다.",
        "서류 없이",
        id="travel-without",
    ),
    pytest.param(
        "사후 보고서는 1등급 장애에 한하여 작성한다.",
        "사후 보고서는 모든 등급에서 작성합니다.",
        "모든",
        id="operations-all",
    ),
    pytest.param(
        "신입생은 첫 학기에 일반휴학을 할 수 없다. 다만, 질병은 예외로 한다.",
        "신입생은 첫 학기에 어떤 휴학도 할 수 없습니다.",
        "어떤 휴학도",
        id="university-any",
    ),
    pytest.param(
        "예약금은 하루 전까지 취소하면 전액 반환합니다.",
        "예약금은 언제 취소하더라도 전액 반환합니다.",
        "언제 취소하더라도",
        id="clinic-whenever",
    ),
    pytest.param(
        "개인 기기는 보안 앱을 설치하고 승인을 받아야 접속할 수 있습니다.",
        "개인 기기는 보안 앱만 설치하면 접속할 수 있습니다.",
        "앱만 설치하면",
        id="office-needs-only",
    ),
    pytest.param(
        "시니어 할인은 라이트 요금제에 한해 제공됩니다.",
        "시니어 할인은 다른 요금제에서도 똑같이 제공됩니다.",
        "똑같이",
        id="telecom-the-same",
    ),
]
AS_WIDE = [
    pytest.param(
        "부상은 진단서를 내면 횟수와 관계없이 휴회할 수 있다.",
        "부상은 진단서를 내면 횟수에 상관없이 휴회하실 수 있습니다.",
        id="gym",
    ),
    pytest.param(
        "출발 91일 전까지는 모든 운임의 수수료가 없습니다.",
        "출발 91일 전까지는 운임 종류와 관계없이 수수료가 없습니다.",
        id="airline",
    ),
    pytest.param(
        "해당 기간의 회원은 7일 자동 연장됩니다(별도 신청 불필요).",
        "해당 기간의 회원은 별도 신청 없이 7일 연장됩니다.",
        id="gym-not-needed",
    ),
    pytest.param(
        "이체 수수료는 없습니다. 한도는 승인을 받으면 늘릴 수 있습니다.",
        "이체는 수수료 없이 하실 수 있습니다.",
        id="bank-a-cost-is-no-condition",
    ),
    pytest.param(
        "환불은 7일 이내에 신청할 수 있습니다.",
        "더 궁금하신 점은 언제든지 문의해 주세요.",
        id="shop-courtesy",
    ),
    pytest.param(
        "두 과목은 학기마다 개설하며 수강생은 30명 이하로 한다.",
        "두 과목은 모두 학기마다 개설됩니다.",
        id="university-both",
    ),
]


@pytest.mark.parametrize(("rule", "answer", "observed"), WIDER)
def test_flags_a_word_that_drops_a_limit(rule: str, answer: str, observed: str) -> None:
    [found] = strong(rule, answer)

    assert found.code in {"negation.condition_dropped", "negation.limit_set_aside"}
    assert observed in answer[found.span.start : found.span.end] or found.observed in observed
    assert found.evidence[0].quote in rule


@pytest.mark.parametrize(("rule", "answer"), AS_WIDE)
def test_passes_a_word_that_drops_none(rule: str, answer: str) -> None:
    assert strong(rule, answer) == []


REPLIES = [
    pytest.param(
        "토요일 공영주차장은 유료입니다.", "토요일에 공영주차장은 무료죠?", "네, 맞습니다.", 1
    ),
    pytest.param(
        "토요일 공영주차장은 무료입니다.", "토요일에 공영주차장은 무료죠?", "네, 맞습니다.", 0
    ),
    pytest.param(
        "열람실에서는 음료를 마실 수 있다.",
        "열람실에서 음료를 마실 수 있나요?",
        "아니요, 다른 곳을 이용해 주세요.",
        1,
    ),
    pytest.param(
        "열람실에서는 음료를 마실 수 없다.",
        "열람실에서 음료를 마실 수 있나요?",
        "아니요, 다른 곳을 이용해 주세요.",
        0,
    ),
    pytest.param(
        "공영주차장은 유료입니다.", "공영주차장 요금은 얼마인가요?", "네, 안내해 드릴게요.", 0
    ),
]


@pytest.mark.parametrize(("rule", "question", "answer", "count"), REPLIES)
def test_a_yes_and_a_no_say_what_was_asked(
    rule: str, question: str, answer: str, count: int
) -> None:
    assert len(strong(rule, answer, question)) == count


SCALES = [
    pytest.param(
        "잔금일과 전입일 중 늦은 날부터 계산한다.",
        "잔금일과 전입일 가운데 빠른 날부터 계산합니다.",
        1,
        id="housing",
    ),
    pytest.param(
        "잔금일과 전입일 중 늦은 날부터 계산한다.",
        "잔금일과 전입일 가운데 늦은 날부터 계산합니다.",
        0,
        id="the-same",
    ),
    pytest.param(
        "권리금 중 낮은 금액을 넘지 못한다.",
        "권리금 가운데 높은 금액을 넘지 못합니다.",
        1,
        id="law",
    ),
    pytest.param("보고서는 매월 제출한다.", "보고서는 매년 제출합니다.", 1, id="office-frequency"),
]


@pytest.mark.parametrize(("rule", "answer", "count"), SCALES)
def test_a_word_of_a_scale_is_not_its_opposite(rule: str, answer: str, count: int) -> None:
    assert len(strong(rule, answer)) == count


def test_a_clause_is_judged_without_what_follows() -> None:
    answer = "객실에서 흡연하실 수 있습니다."
    whole = f"{answer} 자세한 내용은 프런트에 문의해 주세요."

    assert [one.span for one in strong("전 객실은 금연입니다.", answer)] == [
        one.span for one in strong("전 객실은 금연입니다.", whole)
    ]
