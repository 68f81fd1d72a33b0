import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Strength
from guards.core.reading import read
from guards.negation import Negation, NegationSettings

QUESTION = "어떻게 되나요?"


@pytest.fixture
def guard() -> Negation:
    return Negation(NegationSettings())


def findings(guard: Negation, rule: str, answer: str, question: str = QUESTION) -> list[Finding]:
    return guard.check(read(Exchange(question, (Source("1", "", rule),), answer=answer)))


OPEN_DAYS = [
    pytest.param(
        "자료관은 평일 10시에 연다. 토요일과 일요일은 휴관이다.",
        "자료관은 토요일에도 운영합니다.",
        id="told-in-the-sentence-before",
    ),
    pytest.param(
        "운영 시간: 평일 10:00~17:00 (일요일 휴무)", "일요일에도 운영합니다.", id="in-brackets"
    ),
    pytest.param("휴관일: 매주 월요일", "월요일에도 문을 엽니다.", id="label"),
    pytest.param(
        "상담실은 주말에는 운영하지 않습니다.", "상담실은 토요일에도 운영합니다.", id="weekend"
    ),
]
NOT_CLOSED = [
    pytest.param("둘째 토요일은 휴관이다.", "토요일에도 운영합니다.", id="some-of-them"),
    pytest.param("직원은 월 휴무 2일을 쓴다.", "월요일에도 운영합니다.", id="month-is-no-monday"),
    pytest.param(
        "1관은 토요일 휴관. 2관은 토요일 13시까지.", "2관은 토요일에도 운영합니다.", id="another"
    ),
    pytest.param(
        "자료관은 일요일 휴관. 반납함은 연중무휴.", "반납함은 일요일에도 운영합니다.", id="always"
    ),
    pytest.param("자료관은 일요일 휴관.", "셔틀버스는 일요일에도 운행합니다.", id="something-else"),
    pytest.param("자료관은 일요일 휴관.", "일요일에는 운영하지 않습니다.", id="denied"),
    pytest.param("자료관은 일요일 휴관.", "자료관은 토요일에 운영합니다.", id="another-day"),
]
FLAGGED = [
    pytest.param(
        "신청서는 창구에 제출하여야 한다.",
        "신청서는 창구에 제출하지 않아도 됩니다.",
        "제출하지 않아도 됩니다",
        id="must-to-need-not",
    ),
    pytest.param(
        "신청서는 창구에 제출하여야 한다.",
        "신청서는 창구에 제출할 필요가 없습니다.",
        "제출할 필요가 없습니다",
        id="must-to-no-need",
    ),
    pytest.param(
        "안전모는 작업장에서 착용하여야 한다.",
        "안전모는 작업장에서 착용하지 않으셔도 됩니다.",
        "착용하지 않으셔도 됩니다",
        id="honorific-need-not",
    ),
    pytest.param(
        "외부 강사는 토론회 참여 가능.",
        "외부 강사는 토론회에 참여할 수 없습니다.",
        "참여할 수 없습니다",
        id="noun-ending-of-a-line",
    ),
    pytest.param(
        "회원은 로비에 주차하여서는 아니 된다.",
        "회원은 로비에 주차할 수 있습니다.",
        "주차할 수 있습니다",
        id="must-not-to-can",
    ),
    pytest.param(
        "회원은 로비에 주차하여서는 아니 된다.",
        "회원은 로비에 주차하여야 합니다.",
        "주차하여야 합니다",
        id="must-not-to-must",
    ),
    pytest.param(
        "위원은 연임할 수 있다.",
        "위원은 연임할 수 없습니다.",
        "연임할 수 없습니다",
        id="can-to-cannot",
    ),
    pytest.param(
        "지하 주차장 이용을 금지한다.",
        "지하 주차장 이용이 가능합니다.",
        "이용이 가능합니다",
        id="forbidding-noun-to-allowing-noun",
    ),
    pytest.param(
        "휴가는 다음 해로 이월되지 않는다.",
        "휴가는 다음 해로 이월됩니다.",
        "이월됩니다",
        id="negation-dropped",
    ),
    pytest.param(
        "동의서는 보관하지 않으면 안 된다.",
        "동의서는 보관하지 않아도 됩니다.",
        "보관하지 않아도 됩니다",
        id="double-negation-is-a-duty",
    ),
    pytest.param(
        "직원은 고객의 비밀을 누설하지 말아야 한다.",
        "직원은 고객의 비밀을 누설해도 됩니다.",
        "누설해도 됩니다",
        id="forbidden-to-allowed",
    ),
    pytest.param(
        "반려동물은 객실에 들어갈 수 있다.",
        "반려동물은 객실에 못 들어갑니다.",
        "못 들어갑니다",
        id="adverb-of-negation",
    ),
    pytest.param(
        "입회비는 없다.", "입회비가 있습니다.", "입회비가 있습니다", id="lack-to-presence"
    ),
    pytest.param(
        "중도 해지 때 위약금이 면제된다.",
        "중도 해지 때 위약금이 면제되지 않습니다.",
        "위약금이 면제되지 않습니다",
        id="exemption-denied",
    ),
    pytest.param(
        "방문객은 주차장을 무료로 이용한다.",
        "방문객은 주차장을 유료로 이용합니다.",
        "유료로",
        id="opposite-word",
    ),
    pytest.param(
        "보고서는 매월 제출한다.", "보고서는 매년 제출합니다.", "매년", id="other-frequency"
    ),
    pytest.param(
        "조식은 요금에 포함된다.", "조식은 요금에서 제외됩니다.", "제외됩니다", id="opposite-verb"
    ),
    pytest.param(
        "입장권은 공연 전날까지 취소할 수 없다.",
        "네, 입장권은 공연 전날까지 취소할 수 있습니다.",
        "취소할 수 있습니다",
        id="behind-a-yes",
    ),
    pytest.param(
        "과장급 이상 직원이 위원장을 맡는다.",
        "과장급 미만 직원이 위원장을 맡습니다.",
        "미만",
        id="comparator-without-a-figure",
    ),
    pytest.param(
        "별관은 격주 목요일에 휴관한다.",
        "별관은 격주 목요일에도 개관합니다.",
        "개관합니다",
        id="closed-to-open",
    ),
    pytest.param(
        "현금, 귀금속, 안경은 보상하지 않습니다.",
        "안경도 보상 대상입니다.",
        "대상입니다",
        id="item-of-a-list-to-covered",
    ),
    pytest.param(
        "인턴에게는 명절 상여를 지급하지 아니한다.",
        "인턴도 명절 상여를 받을 수 있습니다.",
        "상여를 받을 수 있습니다",
        id="not-given-to-received",
    ),
    pytest.param(
        "이사로 해약하는 세대에는 정산금을 부과하지 아니한다.",
        "이사로 해약하는 세대도 정산금을 납부하셔야 합니다.",
        "납부하셔야 합니다",
        id="not-charged-to-paid",
    ),
    pytest.param(
        "수습 기간은 근속 연수에 산입하지 아니한다.",
        "수습 기간도 근속 연수에 **포함**됩니다.",
        "포함**됩니다",
        id="not-counted-to-included-under-emphasis",
    ),
    pytest.param(
        "- 재학생: 포함\n- 휴학생: 제외", "- 휴학생: 포함", "포함", id="noun-that-ends-a-line"
    ),
    pytest.param(
        "특가 숙박권은 환불이 불가합니다.",
        "특가 숙박권도 환불해 드립니다.",
        "환불해 드립니다",
        id="refused-to-done-for-you",
    ),
    pytest.param(
        "보온병을 냉동실에 넣지 마십시오.",
        "보온병은 냉동실에 넣으세요.",
        "넣으세요",
        id="forbidden-to-told-to",
    ),
    pytest.param(
        "소개장 없이도 상담을 예약할 수 있습니다.",
        "상담을 예약하려면 소개장이 반드시 필요합니다.",
        "소개장이 반드시 필요합니다",
        id="without-to-needed",
    ),
]
CLEAN = [
    pytest.param(rule, answer, id=name)
    for rule, answer, name in (
        (
            "오후 5시 이후 접수는 다음 날 처리한다. 접수하면 2시간 이내에 방문한다.",
            "오후 5시 이전 접수는 2시간 이내에 방문해 처리합니다.",
            "other-side-of-an-hour",
        ),
        (
            "보호자 외 방문객은 병실에 들어올 수 없으며 1층에서 만난다.",
            "병실에는 보호자만 들어올 수 있습니다.",
            "the-one-left-out",
        ),
        (
            "회원은 로비에 주차하여서는 아니 된다.",
            "회원은 로비에 주차할 수 없습니다.",
            "must-not-as-cannot",
        ),
        (
            "회원은 로비에 주차하여서는 아니 된다.",
            "회원의 로비 주차는 금지됩니다.",
            "must-not-as-forbidden",
        ),
        (
            "지하 주차장 이용을 금지한다.",
            "지하 주차장은 이용하면 안 됩니다.",
            "forbidden-as-must-not",
        ),
        (
            "신청서는 창구에 제출하여야 한다.",
            "신청서는 창구에 제출해야 합니다.",
            "polite-ending",
        ),
        (
            "신청서는 창구에 제출하여야 한다.",
            "신청서는 창구에 제출하지 않으면 안 됩니다.",
            "duty-as-double-negation",
        ),
        (
            "신청서는 제출하지 아니할 수 있다.",
            "신청서는 제출하지 않아도 됩니다.",
            "may-refrain-as-need-not",
        ),
        (
            "정기권을 산 사람이 아니면 주차장을 이용할 수 없다.",
            "정기권을 산 사람만 주차장을 이용할 수 있습니다.",
            "rule-told-from-its-other-side",
        ),
        (
            "수영장은 회원만 이용할 수 있다.",
            "비회원은 수영장을 이용할 수 없습니다.",
            "those-left-out",
        ),
        (
            "10명 미만인 단체는 할인을 받을 수 없다.",
            "10명 이상인 단체는 할인을 받을 수 있습니다.",
            "two-oppositions-cancel",
        ),
        (
            "예약은 사흘 전까지 취소할 수 있다.",
            "사흘 전이 지나면 예약을 취소할 수 없습니다.",
            "after-the-deadline",
        ),
        (
            "사업자는 매출을 신고하여야 한다. 다만, 소규모 사업자는 그러하지 아니하다.",
            "소규모 사업자는 매출을 신고하지 않아도 됩니다.",
            "told-by-the-exception",
        ),
        ("조식은 요금에 포함되지 않는다.", "조식은 요금에서 제외됩니다.", "opposite-of-a-denial"),
        ("이용 요금이 많지 않다.", "이용 요금이 적습니다.", "opposite-of-a-denied-adjective"),
        ("주차장은 무료이다.", "주차장은 유료가 아닙니다.", "denied-opposite"),
        (
            "접수는 봄에 시작하여 가을에 종료한다.",
            "접수는 가을에 마감됩니다.",
            "another-word-for-the-same",
        ),
        (
            "임대인은 임차인에게 보증금을 돌려주어야 한다.",
            "임차인은 임대인에게서 보증금을 돌려받습니다.",
            "both-parties-named",
        ),
        (
            "단체 예약은 취소할 수 없으나 개인 예약은 취소할 수 있다.",
            "개인 예약은 취소할 수 있습니다.",
            "one-of-two-cases",
        ),
        (
            "다만, 심야에는 수영장을 이용할 수 없다.",
            "다만, 심야에는 수영장을 이용할 수 없습니다.",
            "exception-repeated",
        ),
        (
            "예약은 대표자가 신청한다. 회원 개인은 신청할 수 없다.",
            "회원 개인이 신청하실 수는 없고 대표자가 예약을 신청합니다.",
            "two-subjects-in-one-sentence",
        ),
        (
            "강당에서는 삼각대 촬영을 금지하며, 기념용 사진은 찍을 수 있다.",
            "기념용 사진은 촬영하실 수 있습니다.",
            "another-clause-allows-it",
        ),
        (
            "강좌는 앱에서 예약하며 취소하지 않으면 결석으로 본다. 결석이 쌓이면 예약이 제한된다.",
            "결석이 쌓이면 강좌 예약을 하실 수 없습니다.",
            "restricted-as-cannot",
        ),
        (
            "5일 미만은 요금의 10%, 5일 이상 9일 미만은 요금의 30%이다.",
            "- 5~9일 미만: 요금의 30%",
            "bounds-of-figures",
        ),
        (
            "소포는 창구 접수를 할 수 없으며 무인 접수는 2개까지 가능하다.",
            "| 소포 | 무인 접수 2개까지 | 창구 접수 불가 |",
            "columns-of-a-table",
        ),
        (
            "정규직에게는 학자금을 지급한다. 계약직에게는 지급하지 아니한다.",
            "정규직은 학자금을 받을 수 있지만, 계약직은 받을 수 없습니다.",
            "two-groups-each-its-own",
        ),
        (
            "주문이 발송되면 주소를 바꿀 수 없습니다.",
            "주문이 발송되기 전이라면 주소를 바꾸실 수 있습니다.",
            "before-what-ends-it",
        ),
        (
            "접수는 네 시에 마감하며 이후 접수분은 다음 날 발송합니다.",
            "네 시 이후에 접수하시면 당일에는 발송되지 않습니다.",
            "another-day-set-apart",
        ),
        (
            "자료실에는 허가 없이 출입할 수 없다.",
            "자료실에 출입하려면 허가가 필요합니다.",
            "not-without-as-needed",
        ),
        (
            "현금, 귀금속은 보상하지 않습니다. 노트북은 보상합니다.",
            "노트북은 보상 대상이고 현금은 보상 대상이 아닙니다.",
            "covered-and-not-covered",
        ),
        (
            "매점은 월요일에 쉽니다. 식당은 월요일에도 영업합니다.",
            "식당은 월요일에도 운영합니다.",
            "another-place-is-open",
        ),
        (
            "외국인도 참가할 수 있습니다. 다만 초등학생은 참가할 수 없습니다.",
            "외국인도 참가하실 수 있지만 초등학생은 참가할 수 없습니다.",
            "rule-and-exception-in-one-sentence",
        ),
        ("위원은 연임할 수 없다.", "위원은 연임할 수 있나요?", "question"),
        ("위원은 연임할 수 없다.", "자료에서 확인되지 않습니다.", "abstention"),
        ("위원은 연임할 수 없다.", "네, 안내해 드리겠습니다.", "pleasantry"),
    )
]


@pytest.mark.parametrize(("rule", "answer", "observed"), FLAGGED)
def test_flags(guard: Negation, rule: str, answer: str, observed: str) -> None:
    [finding] = findings(guard, rule, answer)

    assert (finding.code, finding.severity) == ("negation.flipped", Severity.STRONG)
    assert finding.strength is Strength.C2
    assert finding.observed == answer[finding.span.start : finding.span.end]
    assert observed in finding.observed
    assert finding.evidence[0].quote in rule


@pytest.mark.parametrize(("rule", "answer"), CLEAN)
def test_passes(guard: Negation, rule: str, answer: str) -> None:
    assert findings(guard, rule, answer) == []


@pytest.mark.parametrize(("rule", "answer"), OPEN_DAYS)
def test_a_closed_day_is_not_open(guard: Negation, rule: str, answer: str) -> None:
    [found] = findings(guard, rule, answer)

    assert (found.code, found.severity) == ("negation.flipped", Severity.STRONG)


@pytest.mark.parametrize(("rule", "answer"), NOT_CLOSED)
def test_a_day_that_may_be_open_is_left_alone(guard: Negation, rule: str, answer: str) -> None:
    assert [one for one in findings(guard, rule, answer) if one.severity is Severity.STRONG] == []


def test_a_claim_is_flagged_wherever_it_stands(guard: Negation) -> None:
    claim = "별관은 목요일에도 개관합니다."

    found = findings(guard, "별관은 목요일에 휴관한다.", f"{claim}\n{claim}\n{claim}")

    assert [finding.span.start for finding in found] == [at * (len(claim) + 1) for at in range(3)]


def test_an_endless_claim_says_nothing(guard: Negation) -> None:
    endless = "가" * 3000

    assert findings(guard, "별관은 휴관한다.", f"{endless} 별관은 개관합니다.") == []


LOOSE = "조교가 야간에 강의실을 예약할 수 있다."


def test_a_looser_alignment_is_only_a_possibility(guard: Negation) -> None:
    [finding] = findings(guard, LOOSE, "강의실을 예약할 수 없습니다.")

    assert (finding.code, finding.severity) == ("negation.possible", Severity.WEAK)
    assert finding.strength is Strength.C1


def test_another_source_may_say_as_the_claim_does(guard: Negation) -> None:
    sources = (
        Source("1", "", "위원은 연임할 수 없다."),
        Source("2", "", "위원은 연임할 수 있다."),
    )

    assert guard.check(read(Exchange(QUESTION, sources, answer="위원은 연임할 수 있습니다."))) == []


RULE = "방문객은 주차장을 무료로 이용한다. 다만, 대형 버스는 요금을 내야 한다."
EXCEPTION = "다만, 대형 버스는 요금을 내야 한다."
ANSWER = "방문객은 주차장을 무료로 이용합니다."


def test_an_exception_that_the_question_touches_must_be_told(guard: Negation) -> None:
    [finding] = findings(guard, RULE, ANSWER, "대형 버스로 가는데 주차장은 무료인가요?")

    assert (finding.code, finding.severity) == ("negation.exception_omitted", Severity.WEAK)
    assert finding.expected == (EXCEPTION,)


def test_what_no_question_touched_so_far_may_be_touched_by_the_next_one(guard: Negation) -> None:
    assert findings(guard, RULE, ANSWER, "주차장은 무료인가요?") == []
    assert findings(guard, RULE, ANSWER, "주차장은 무료인가요?") == []
    assert len(findings(guard, RULE, ANSWER, "대형 버스로 가는데 주차장은 무료인가요?")) == 1


def test_what_only_other_words_around_it_would_oppose_is_judged_with_each(guard: Negation) -> None:
    rule = "우천 시 야외 수영장은 쉽니다."
    answer = "야외 수영장은 운영합니다."

    found = [
        findings(guard, rule, answer, question)
        for question in ("수영장은 여나요?", "우천 시 수영장은 여나요?", "수영장은 여나요?")
    ]

    assert [len(each) for each in found] == [0, 1, 0]


DROPPED = [
    pytest.param(
        "자전거 보관소는 입주민만 이용할 수 있다.",
        "네, 자전거 보관소는 **누구나** 이용하실 수 있습니다.",
        "누구나",
        id="anybody",
    ),
    pytest.param(
        "분할 납부는 관리소장의 승인을 받아 신청할 수 있다.",
        "- 분할 납부는 별도의 승인 없이 신청하실 수 있습니다.",
        "승인 없이",
        id="without-approval",
    ),
]


@pytest.mark.parametrize(("rule", "answer", "observed"), DROPPED)
def test_a_limit_may_not_be_dropped(guard: Negation, rule: str, answer: str, observed: str) -> None:
    [finding] = findings(guard, rule, answer)

    assert finding.code in {"negation.condition_dropped", "negation.limit_set_aside"}
    assert finding.severity is Severity.STRONG
    assert finding.strength is Strength.C2
    assert answer[finding.span.start : finding.span.end] == observed == finding.observed
    assert [evidence.quote for evidence in finding.evidence] == [rule]


def test_a_limit_that_is_told_is_not_dropped(guard: Negation) -> None:
    rule = "자전거 보관소는 입주민만 이용할 수 있다."

    assert (
        findings(guard, rule, "입주민이시라면 자전거 보관소를 자유롭게 이용하실 수 있습니다.") == []
    )


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        pytest.param(ANSWER, "주차장은 무료인가요?", id="not-touched"),
        pytest.param(
            f"{ANSWER} 다만, 대형 버스는 요금을 내야 합니다.", "대형 버스는요?", id="told"
        ),
    ],
)
def test_other_exceptions_need_not_be_told(guard: Negation, answer: str, question: str) -> None:
    assert findings(guard, RULE, answer, question) == []


def test_thresholds_are_settings() -> None:
    strict = Negation(NegationSettings(sure_from=0.3))

    [finding] = findings(strict, LOOSE, "강의실을 예약할 수 없습니다.")

    assert finding.code == "negation.flipped"


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("연임?", (Source("1", "", "연임할 수 있다."),)), "no_answer"),
        (Exchange("연임?", answer="연임할 수 있습니다."), "no_sources"),
    ],
)
def test_says_why_it_cannot_check(guard: Negation, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason


LEAVES_OUT = "반려동물은 맹견을 제외하고 입장할 수 있다."


@pytest.mark.parametrize(
    ("answer", "observed"),
    [
        pytest.param("맹견은 입장할 수 없습니다.", [], id="what-is-left-out"),
        pytest.param(
            "반려동물은 입장할 수 없습니다.", ["반려동물은 입장할 수 없습니다."], id="the-rest"
        ),
    ],
)
def test_what_a_rule_leaves_out_is_under_its_opposite(
    guard: Negation, answer: str, observed: list[str]
) -> None:
    assert [one.observed for one in findings(guard, LEAVES_OUT, answer)] == observed
