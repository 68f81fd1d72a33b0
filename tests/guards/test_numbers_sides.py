"""The side of a value: the same boundary in other words passes, the other side of it does not."""

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings


def found(source: str, answer: str) -> list[Finding]:
    exchange = Exchange("알려 주세요.", (Source("1", "안내", source),), answer=answer)
    findings = Numbers(NumbersSettings()).check(read(exchange))
    return [one for one in findings if one.severity is Severity.STRONG]


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        pytest.param(
            "체크아웃 연장은 16시 이전에 신청할 수 있습니다.",
            "16시가 지나면 체크아웃 연장을 신청할 수 없습니다.",
            id="hotel",
        ),
        pytest.param(
            "주문 금액이 50,000원 미만이면 배송비가 부과됩니다.",
            "주문 금액이 50,000원 이상이면 배송비가 무료입니다.",
            id="shop",
        ),
        pytest.param(
            "키 130cm 이상 어린이만 놀이기구를 탈 수 있습니다.",
            "키가 130cm 미만인 어린이는 놀이기구를 탈 수 없습니다.",
            id="park",
        ),
        pytest.param(
            "수강생이 8명 미만이면 강좌를 폐강합니다.",
            "수강생이 8명 이상 모여야 강좌가 열립니다.",
            id="courses",
        ),
        pytest.param(
            "20kg을 초과하는 짐은 맡길 수 없습니다.",
            "짐은 20kg 이하만 맡길 수 있습니다.",
            id="luggage",
        ),
        pytest.param(
            "체납액이 100만 원 이상이면 분할 납부를 신청할 수 없습니다.",
            "체납액이 100만 원 미만이어야 분할 납부를 신청할 수 있습니다.",
            id="tax",
        ),
        pytest.param(
            "검사 8시간 전부터는 음식을 드실 수 없습니다.",
            "검사 8시간 전까지만 음식을 드실 수 있습니다.",
            id="clinic",
        ),
        pytest.param(
            "회원은 최대 5권까지 빌릴 수 있습니다.",
            "회원은 5권 이하로 빌릴 수 있습니다.",
            id="library",
        ),
        pytest.param(
            "이의 신청은 통지를 받은 날부터 30일 이내에 해야 합니다.",
            "통지를 받고 30일이 지나면 이의 신청을 할 수 없습니다.",
            id="office",
        ),
        pytest.param(
            "### 반입 제한\n- 길이 1m 초과 물품",
            "길이 1m 이하 물품은 가져오실 수 있습니다.",
            id="label",
        ),
        pytest.param(
            "회의실 예약은 이용 2일 전까지 취소할 수 있습니다.",
            "회의실 예약은 늦어도 이용 2일 전에는 취소하셔야 합니다.",
            id="rooms",
        ),
        pytest.param(
            "저장 공간이 10GB를 넘으면 요금이 추가됩니다.",
            "저장 공간이 10GB 이하면 요금이 추가되지 않습니다.",
            id="cloud",
        ),
    ],
)
def test_the_same_boundary_in_other_words_passes(source: str, answer: str) -> None:
    assert found(source, answer) == []


@pytest.mark.parametrize(
    ("source", "answer", "observed"),
    [
        pytest.param(
            "체크아웃 연장은 16시 이전에 신청할 수 있습니다.",
            "체크아웃 연장은 16시 이후에 신청하실 수 있습니다.",
            "16시 이후",
            id="hotel",
        ),
        pytest.param(
            "주문 금액이 50,000원 이상이면 배송비가 무료입니다.",
            "주문 금액이 50,000원을 초과하면 배송비가 무료입니다.",
            "50,000원을 초과",
            id="shop",
        ),
        pytest.param(
            "총급여가 3,600만 원 미만인 근로자가 가입할 수 있습니다.",
            "총급여가 3,600만 원 이하인 근로자라면 가입하실 수 있습니다.",
            "3,600만 원 이하",
            id="bank",
        ),
        pytest.param(
            "영수증은 출장이 끝난 뒤 5일 이내에 제출해야 합니다.",
            "영수증은 출장 5일 전까지 제출해야 합니다.",
            "5일 전까지",
            id="office",
        ),
        pytest.param(
            "이 기기는 실내 온도 10도 이상에서 사용해야 합니다.",
            "이 기기는 실내 온도 10도 이하에서 사용해야 합니다.",
            "10도 이하",
            id="appliance",
        ),
        pytest.param(
            "동의서는 수술 1일 전까지 제출합니다.",
            "동의서는 수술 1일 후까지 제출하시면 됩니다.",
            "1일 후까지",
            id="clinic",
        ),
        pytest.param(
            "교육생은 연간 20시간 이상 교육을 이수해야 합니다.",
            "교육생은 연간 20시간 이내로 교육을 이수해야 합니다.",
            "20시간 이내",
            id="training",
        ),
        pytest.param(
            "접수는 4월 3일부터 받습니다.",
            "접수는 4월 3일까지 받습니다.",
            "4월 3일까지",
            id="dates",
        ),
        pytest.param(
            "비밀번호는 최소 8자로 설정해야 합니다.",
            "비밀번호는 최대 8자로 설정해야 합니다.",
            "8자",
            id="software",
        ),
    ],
)
def test_the_other_side_of_a_value_is_found(source: str, answer: str, observed: str) -> None:
    [finding] = found(source, answer)

    assert (finding.code, finding.observed) == ("numbers.comparator_differs", observed)
    assert answer[finding.span.start : finding.span.end] == observed
    assert finding.evidence[0].quote == source


@pytest.mark.parametrize(
    ("source", "answer", "observed"),
    [
        pytest.param(
            "사물함은 월 4,000원에 빌릴 수 있습니다.",
            "사물함은 주 4,000원에 빌리실 수 있습니다.",
            "주 4,000원",
            id="locker",
        ),
        pytest.param(
            "공항버스 요금은 편도 18,000원입니다.",
            "공항버스 요금은 왕복 18,000원입니다.",
            "왕복 18,000원",
            id="bus",
        ),
        pytest.param(
            "재활 치료는 주 3회까지 보험이 적용됩니다.",
            "재활 치료는 매월 3회까지 보험이 적용됩니다.",
            "매월 3회",
            id="clinic",
        ),
        pytest.param(
            "환불금은 신청 후 5영업일 이내에 입금됩니다.",
            "환불금은 신청 후 5일 이내에 입금됩니다.",
            "5일",
            id="open-days-for-days",
        ),
        pytest.param(
            "민원은 접수한 날부터 7일 이내에 회신합니다.",
            "민원은 접수한 날부터 7영업일 이내에 회신합니다.",
            "7영업일",
            id="days-for-open-days",
        ),
    ],
)
def test_a_value_for_another_time_or_trip_is_found(source: str, answer: str, observed: str) -> None:
    [finding] = found(source, answer)

    assert (finding.code, finding.observed) == ("numbers.value_differs", observed)
    assert answer[finding.span.start : finding.span.end] == observed


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        pytest.param("회비는 월 10,000원이다.", "회비는 매달 10,000원입니다.", id="month"),
        pytest.param("주차는 하루 2시간 무료이다.", "주차는 1일 2시간까지 무료예요.", id="day"),
        pytest.param("점검은 매년 2회 한다.", "점검은 연 2회 합니다.", id="year"),
        pytest.param("회비는 월 10,000원이다.", "회비는 10,000원입니다.", id="not-said"),
        pytest.param(
            "답변은 10일(영업일 기준) 이내에 드립니다.",
            "답변은 10영업일 안에 드립니다.",
            id="open-days-told-behind",
        ),
        pytest.param(
            "심사는 3영업일 걸립니다.",
            "심사는 영업일 기준으로 3일 걸립니다.",
            id="open-days-before",
        ),
    ],
)
def test_the_same_base_in_other_words_passes(source: str, answer: str) -> None:
    assert found(source, answer) == []
