import pytest

from guards.core.exchange import Exchange, Source
from guards.core.reading import Reading, read
from guards.text.widened import widened

LEAST = 0.6


def reading(rule: str) -> Reading:
    return read(Exchange("어떻게 되나요?", (Source("1", "", rule),), answer="네."))


WIDENED = [
    pytest.param(
        "서버실은 관리자만 출입할 수 있다.",
        "서버실은 누구나 출입할 수 있습니다.",
        "누구나",
        "관리자만",
        id="anybody",
    ),
    pytest.param(
        "옥상 정원은 주말에 한해 개방한다.",
        "옥상 정원은 언제든지 개방합니다.",
        "언제든지",
        "주말에 한해",
        id="any-time-against-days",
    ),
    pytest.param(
        "좌석 변경은 출발 2시간 전까지 신청할 수 있다.",
        "좌석 변경은 언제든지 신청하실 수 있습니다.",
        "언제든지",
        "2시간 전까지",
        id="any-time-against-a-deadline",
    ),
    pytest.param(
        "촬영 장비는 담당자의 승인을 받아 반입할 수 있다.",
        "촬영 장비는 별도의 승인 없이 반입하실 수 있습니다.",
        "승인 없이",
        "승인을 받아",
        id="without-what-is-demanded",
    ),
    pytest.param(
        "실험 기구는 안전 교육을 마친 학생만 빌릴 수 있다.",
        "실험 기구는 교육 이수 여부와 관계없이 빌리실 수 있습니다.",
        "교육 이수 여부와 관계없이",
        "안전 교육을 마친",
        id="regardless-of-the-condition",
    ),
    pytest.param(
        "무료 점검은 연 2회 받을 수 있다.",
        "무료 점검은 횟수에 상관없이 받으실 수 있습니다.",
        "횟수에 상관없이",
        "2회",
        id="regardless-of-a-figure-by-its-unit",
    ),
    pytest.param(
        "목공방은 19세 이상 회원만 쓸 수 있다.",
        "목공방은 나이에 상관없이 회원이 쓸 수 있습니다.",
        "나이에 상관없이",
        "19세",
        id="a-figure-of-two-digits",
    ),
    pytest.param(
        "세차권은 3만 원 이하 결제에 드린다.",
        "세차권은 금액에 상관없이 결제하시면 드립니다.",
        "금액에 상관없이",
        "3만 원",
        id="an-amount-in-words-and-figures",
    ),
    pytest.param(
        "기숙사 세탁실은 사생만 쓸 수 있고, 매점은 22시에 닫는다.",
        "매점은 22시에 닫고, 기숙사 세탁실은 누구나 쓸 수 있습니다.",
        "누구나",
        "사생만",
        id="in-one-clause-of-two",
    ),
]
TOLD = [
    pytest.param(
        "흡연은 옥외 흡연구역에서만 할 수 있다.",
        "흡연은 어디서나 하실 수 있습니다.",
        id="too-few-words-to-compare",
    ),
    pytest.param(
        "사우나는 회원만 쓸 수 있고, 라운지는 음료를 무료로 제공한다.",
        "라운지는 누구나 음료를 무료로 드실 수 있습니다.",
        id="a-limit-on-something-else",
    ),
    pytest.param(
        "시민은 누구나 자전거를 빌릴 수 있다.",
        "시민이시면 누구나 자전거를 빌리실 수 있습니다.",
        id="as-wide-as-the-source",
    ),
    pytest.param(
        "공원은 무료로 개방한다.",
        "공원은 언제든지 무료로 개방합니다.",
        id="no-limit-in-the-source",
    ),
    pytest.param(
        "수영장은 투숙객만 이용할 수 있다.",
        "투숙객이시라면 수영장을 자유롭게 이용하실 수 있습니다.",
        id="limit-told-as-well",
    ),
    pytest.param(
        "관람 취소는 공연 3일 전까지 할 수 있다.",
        "관람 취소는 공연 3일 전이라면 언제든지 하실 수 있습니다.",
        id="deadline-told-as-well",
    ),
    pytest.param(
        "허가를 받은 차량만 광장에 들어갈 수 있다.",
        "차량은 허가 없이 광장에 들어가실 수 없습니다.",
        id="a-claim-that-forbids",
    ),
    pytest.param(
        "자료를 반출하려면 승인을 받아야 한다. 자료를 반출한 사람은 징계한다.",
        "승인 없이 자료를 반출하시면 징계를 받습니다.",
        id="the-condition-of-a-clause",
    ),
    pytest.param(
        "회원은 동의를 받아 사진을 싣는다. 동의를 받지 않고 실은 사진은 지운다.",
        "동의 없이 실은 사진은 지워 드립니다.",
        id="before-a-noun",
    ),
    pytest.param(
        "보호자의 동의서는 필요하지 않으며 교사가 참가를 신청한다.",
        "동의서 없이 교사가 참가를 신청할 수 있습니다.",
        id="not-needed-in-the-source",
    ),
    pytest.param(
        "취소 수수료는 출발 당일에만 부과한다.",
        "출발 전날 취소는 수수료 없이 부과 처리됩니다.",
        id="a-cost-is-no-condition",
    ),
    pytest.param(
        "체육관 대관 요금은 평일·주말 30,000원이다.",
        "체육관 대관 요금은 요일에 상관없이 30,000원입니다.",
        id="told-for-every-day",
    ),
    pytest.param(
        "지정석은 월 단위로만 계약할 수 있다.",
        "지정석은 누구나 계약하실 수 있습니다.",
        id="a-limit-of-another-kind",
    ),
]


@pytest.mark.parametrize(("rule", "claim", "observed", "limit"), WIDENED)
def test_finds_what_a_widening_word_leaves_out(
    rule: str, claim: str, observed: str, limit: str
) -> None:
    found = widened(claim, reading(rule), LEAST)

    assert found is not None
    assert claim[found.start : found.end] == observed
    assert limit in found.limit
    assert found.told.sentence == rule


@pytest.mark.parametrize(("rule", "claim"), TOLD)
def test_passes_what_the_source_allows(rule: str, claim: str) -> None:
    assert widened(claim, reading(rule), LEAST) is None


def test_another_sentence_as_close_may_be_as_wide() -> None:
    rules = reading("대강당은 직원만 예약할 수 있다. 토요일 대강당은 누구나 예약할 수 있다.")

    assert widened("대강당은 누구나 예약하실 수 있습니다.", rules, LEAST) is None


def test_a_sentence_about_something_else_proves_nothing() -> None:
    rules = reading("서버실은 관리자만 출입할 수 있다.")

    assert widened("도서관 열람석은 누구나 출입할 수 있습니다.", rules, LEAST) is None
