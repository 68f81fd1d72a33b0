import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.conflict import Conflict, ConflictSettings
from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Strength
from guards.core.reading import read

Passage = tuple[str, str]


@pytest.fixture
def guard() -> Conflict:
    return Conflict(ConflictSettings())


def findings(
    guard: Conflict, answer: str, *passages: Passage, question: str = "알려 주세요"
) -> list[Finding]:
    sources = tuple(
        Source(str(number), title, text) for number, (title, text) in enumerate(passages, start=1)
    )
    return guard.check(read(Exchange(question, sources, answer=answer)))


TRIAL = ("취업규칙 - 수습기간", "신규 입사자의 수습기간은 3개월로 한다.")
TRIAL_IN_NOTICE = ("사내 공지 - 수습기간", "신규 입사자의 수습기간은 6개월로 합니다.")
TRIAL_BEFORE = ("취업규칙 - 수습기간 개정 전", "신규 입사자의 수습기간은 2개월로 한다.")
TRIAL_2029 = ("취업규칙(2029년판) - 수습기간", "신규 입사자의 수습기간은 2개월로 한다.")
TRIAL_2031 = ("취업규칙(2031년판) - 수습기간", "신규 입사자의 수습기간은 5개월로 한다.")
TRIAL_DRAFT = ("취업규칙 개정안 - 수습기간", "신규 입사자의 수습기간은 1개월로 한다.")
SAYS_3 = "신규 입사자의 수습기간은 3개월입니다."
SAYS_2 = "신규 입사자의 수습기간은 2개월입니다."

FLAGGED = [
    pytest.param(SAYS_3, (TRIAL, TRIAL_IN_NOTICE), "undisclosed", "3개월", "6개월", id="hard"),
    pytest.param(
        "- 수습기간: 3개월", (TRIAL, TRIAL_IN_NOTICE), "undisclosed", "3개월", "6개월", id="bullet"
    ),
    pytest.param(
        SAYS_2, (TRIAL, TRIAL_BEFORE), "outdated", "2개월", "3개월", id="before-amendment"
    ),
    pytest.param(SAYS_2, (TRIAL_2029, TRIAL_2031), "outdated", "2개월", "5개월", id="older-year"),
    pytest.param(
        SAYS_3,
        (TRIAL, TRIAL_BEFORE),
        "edition_unsaid",
        "3개월",
        "2개월",
        id="newest-without-a-word",
    ),
    pytest.param(
        SAYS_2, (TRIAL_2029, TRIAL_DRAFT), "undisclosed", "2개월", "1개월", id="draft-is-not-newer"
    ),
    pytest.param(
        "총무팀 전화번호는 031-200-1111입니다.",
        (
            ("사내 공지 - 문의처", "총무팀 전화번호는 031-200-1111입니다."),
            ("홈페이지 - 문의처", "총무팀 전화번호는 031-200-2222입니다."),
        ),
        "undisclosed",
        "031-200-1111",
        "031-200-2222",
        id="telephone-number",
    ),
    pytest.param(
        "성인 입장료는 30,000원입니다.",
        (
            ("수영장 요금", "| 구분 | 입장료 |\n|---|---|\n| 성인 | 30,000원 |"),
            ("수영장 요금 안내", "| 구분 | 입장료 |\n|---|---|\n| 성인 | 35,000원 |"),
        ),
        "undisclosed",
        "30,000원",
        "35,000원",
        id="same-row-of-two-tables",
    ),
    pytest.param(
        "위반하면 100만원 이하의 과태료를 냅니다.",
        (
            ("안전관리 조례 제7조", "이를 위반하면 100만원 이하의 과태료를 낸다."),
            ("안전관리 조례 제7조 개정 후", "이를 위반하면 200만원 이하의 과태료를 낸다."),
        ),
        "outdated",
        "100만원",
        "200만원 이하",
        id="threshold-of-two-editions",
    ),
    pytest.param(
        "이 제도는 3월 1일부터 시행합니다.",
        (
            ("운영 지침(시행 2030. 2. 1.) - 시행일", "이 제도는 3월 1일부터 시행한다."),
            ("운영 지침(시행 2030. 4. 1.) - 시행일", "이 제도는 5월 1일부터 시행한다."),
        ),
        "outdated",
        "3월 1일",
        "5월 1일 부터",
        id="dated-editions",
    ),
]
CLEAN = [
    pytest.param(SAYS_3, (TRIAL, ("사내 공지", "수습기간은 3 개월이다.")), id="same-value-twice"),
    pytest.param(
        "수습기간은 3개월입니다.",
        (TRIAL, ("취업규칙 - 수습기간", "신규 입사자의 수습기간은 석 달로 한다.")),
        id="same-value-in-words",
    ),
    pytest.param(
        "자료마다 달라 취업규칙은 3개월, 공지는 6개월입니다.",
        (TRIAL, TRIAL_IN_NOTICE),
        id="answer-names-both",
    ),
    pytest.param(
        "개정 전 규칙에서는 2개월이었습니다.", (TRIAL, TRIAL_BEFORE), id="answer-names-the-edition"
    ),
    pytest.param(
        "신청서는 총무팀에 냅니다.", (TRIAL, TRIAL_IN_NOTICE), id="answer-says-other-things"
    ),
    pytest.param(
        "성인은 20,000원입니다.",
        (("수영장 요금", "성인은 20,000원이다.\n어린이는 10,000원이다."),),
        id="adults-and-children",
    ),
    pytest.param(
        "체크인은 15시입니다.",
        (
            ("강릉점 - 객실", "체크인은 15시에 시작한다."),
            ("속초점 - 객실", "체크인은 14시에 시작한다."),
        ),
        id="two-branches-in-titles",
    ),
    pytest.param(
        "체크인 시각은 15시부터입니다.",
        (
            (
                "이용 안내",
                "# 강릉점\n체크인 시각은 당일 15시다.\n# 속초점\n체크인 시각은 당일 14시다.",
            ),
        ),
        id="two-branches-in-headings",
    ),
    pytest.param(
        "휴가는 5일입니다.",
        (
            ("취업규칙 - 휴가", "자녀가 있는 직원의 휴가는 5일로 한다."),
            ("사내 공지 - 휴가", "자녀가 없는 직원의 휴가는 3일로 한다."),
        ),
        id="opposite-conditions",
    ),
    pytest.param(
        "임차인이 임대인에게 10만원을 냅니다.",
        (
            ("계약서 - 비용", "임차인은 임대인에게 10만원을 낸다."),
            ("안내문 - 비용", "임대인은 임차인에게 20만원을 낸다."),
        ),
        id="who-pays-whom",
    ),
    pytest.param(
        "상시 50명 이상이면 위원은 3명입니다.",
        (
            ("운영 지침 - 위원회", "상시 50명 이상인 사업장은 위원을 3명 둔다."),
            ("사내 공지 - 위원회", "상시 90명 이상인 사업장은 위원을 5명 둔다."),
        ),
        id="rules-told-apart-by-their-first-figure",
    ),
    pytest.param(
        "근속 3년 이상이면 신청할 수 있습니다.",
        (
            ("취업규칙 - 휴직", "근속기간이 3년 이상인 직원은 휴직을 신청할 수 있다."),
            ("사내 공지 - 휴직", "근속기간이 5년 이상인 직원은 휴직을 신청할 수 있다."),
        ),
        id="thresholds-of-nobody-knows-which",
    ),
    pytest.param(
        "500만원을 냅니다.",
        (
            ("주차 조례 제5조", "다음 각 호의 자는 500만원을 낸다."),
            ("공원 조례 제9조", "다음 각 호의 자는 300만원을 낸다."),
        ),
        id="two-laws",
    ),
    pytest.param(
        "휴가는 5일입니다.",
        (
            (
                "취업규칙 - 경조휴가",
                "다음 각 호의 경우에는 휴가를 5일 준다.\n1. 결혼\n"
                "다음 각 호의 경우에는 휴가를 3일 준다.\n1. 이사",
            ),
        ),
        id="lead-ins-of-two-lists",
    ),
]


@pytest.mark.parametrize(("answer", "passages", "kind", "observed", "expected"), FLAGGED)
def test_flags(
    guard: Conflict,
    answer: str,
    passages: tuple[Passage, ...],
    kind: str,
    observed: str,
    expected: str,
) -> None:
    [finding] = findings(guard, answer, *passages)

    assert finding.code == f"conflict.{kind}"
    assert finding.observed == observed
    assert finding.expected == (expected,)
    assert answer[finding.span.start : finding.span.end] == observed
    assert {quote.source_id for quote in finding.evidence} == {"1", "2"}


@pytest.mark.parametrize(("answer", "passages"), CLEAN)
def test_passes(guard: Conflict, answer: str, passages: tuple[Passage, ...]) -> None:
    assert findings(guard, answer, *passages) == []


def test_contradicted_figure_of_an_older_edition_is_mended(guard: Conflict) -> None:
    [finding] = findings(guard, SAYS_2, TRIAL, TRIAL_BEFORE)

    assert (finding.fix, finding.strength) == ("3개월", Strength.C2)


def test_nothing_is_mended_where_the_newer_figure_is_not_unique(guard: Conflict) -> None:
    [finding] = findings(guard, SAYS_2, TRIAL_BEFORE, TRIAL, TRIAL_IN_NOTICE)

    assert finding.code == "conflict.outdated"
    assert finding.expected == ("3개월", "6개월")
    assert finding.fix is None


def test_nothing_is_mended_where_nobody_knows_which_source_is_right(guard: Conflict) -> None:
    [finding] = findings(guard, SAYS_3, TRIAL, TRIAL_IN_NOTICE)

    assert (finding.fix, finding.strength) == (None, Strength.C1)


def test_question_that_names_the_edition_settles_it(guard: Conflict) -> None:
    asked = "2029년판 취업규칙의 수습기간은요?"

    assert findings(guard, SAYS_2, TRIAL_2029, TRIAL_2031, question=asked) == []


def test_bare_value_is_about_what_the_question_asks(guard: Conflict) -> None:
    on_trial, on_leave = "수습기간은 몇 개월인가요?", "휴직은 몇 개월인가요?"

    assert findings(guard, "3개월입니다.", TRIAL, TRIAL_IN_NOTICE, question=on_trial)
    assert findings(guard, "3개월입니다.", TRIAL, TRIAL_IN_NOTICE, question=on_leave) == []


def test_citing_one_source_discloses_nothing(guard: Conflict) -> None:
    answer = "신규 입사자의 수습기간은 3개월입니다. [출처: 사내 공지 - 수습기간]"

    assert findings(guard, answer, TRIAL, TRIAL_IN_NOTICE)


def test_policy_may_let_the_newest_figure_stand_alone() -> None:
    lenient = Conflict(ConflictSettings(newest_says_so=False))

    assert findings(lenient, SAYS_3, TRIAL, TRIAL_BEFORE) == []
    assert findings(lenient, SAYS_2, TRIAL, TRIAL_BEFORE)


@given(st.permutations([TRIAL, ("취업규칙 - 휴가", "연차휴가는 15일로 한다."), TRIAL_BEFORE]))
def test_order_of_the_sources_does_not_matter(passages: list[Passage]) -> None:
    [finding] = findings(Conflict(ConflictSettings()), SAYS_2, *passages)

    assert (finding.code, finding.expected) == ("conflict.outdated", ("3개월",))


@pytest.mark.parametrize(
    ("exchange", "reason"),
    [
        (Exchange("규정?", (Source("1", *TRIAL),)), "no_answer"),
        (Exchange("규정?", answer="3개월입니다."), "no_sources"),
    ],
)
def test_says_why_it_cannot_check(guard: Conflict, exchange: Exchange, reason: str) -> None:
    assert guard.not_checkable(read(exchange)) == reason
