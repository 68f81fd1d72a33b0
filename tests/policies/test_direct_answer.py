import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.citations import Citations, CitationsSettings
from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from policies.direct_answer import direct_answer

STAY = Source(
    "1",
    "객실 이용 안내",
    "체크인은 오후 3시부터 가능합니다.\n체크아웃은 오전 11시까지입니다.\n"
    "조식은 1인당 35,000원입니다.\n객실은 전 층에서 담배를 피울 수 없습니다.",
)
POOL = Source(
    "2",
    "수영장 안내",
    "수영장은 오전 9시에 문을 엽니다. 다만, 월요일은 쉽니다.\n"
    "- 어린이 요금: 10,000원\n- 성인 요금: 20,000원\n프런트 전화번호는 033-000-1234입니다.",
)
RULES = Source(
    "3",
    "취업규칙 - 경조휴가",
    "배우자가 출산한 직원에게 경조휴가를 10일 준다.\n수습기간 연장은 3개월까지 가능하다.\n"
    "상시 50명 이상인 사업장은 위원을 3명 둔다.",
)
FEES = Source(
    "4",
    "체육관 이용료",
    "| 구분 | 평일 | 주말 |\n|---|---|---|\n| 일반 | 5,000원 | 6,000원 |\n"
    "| 초등학생 | 2,000원 | 3,000원 |",
)
LOANS = Source(
    "5",
    "대출 안내",
    "약관대출은 해지환급금의 50~95% 범위에서 이용할 수 있으며, 이자율은 상품별로 다릅니다.\n"
    "**P1 장애 보고서**: 종료 후 3영업일 안에 냅니다.",
)
ALL = (STAY, POOL, RULES, FEES, LOANS)

ANSWERED = [
    pytest.param("체크인은 몇 시인가요?", "체크인은 오후 3시부터 가능합니다.", "1", id="clock"),
    pytest.param("체크아웃 시각은?", "체크아웃은 오전 11시까지입니다.", "1", id="bare-noun"),
    pytest.param("조식은 얼마예요?", "조식은 1인당 35,000원입니다.", "1", id="money"),
    pytest.param("어린이 요금은 얼마인가요?", "어린이 요금: 10,000원", "2", id="item-of-a-list"),
    pytest.param(
        "프런트 전화번호 알려주세요", "프런트 전화번호는 033-000-1234입니다.", "2", id="telephone"
    ),
    pytest.param(
        "배우자가 출산하면 경조휴가는 며칠인가요?",
        "배우자가 출산한 직원에게 경조휴가를 10일 준다.",
        "3",
        id="days",
    ),
    pytest.param(
        "상시 50명 이상인 사업장은 위원이 몇 명인가요?",
        "상시 50명 이상인 사업장은 위원을 3명 둔다.",
        "3",
        id="with-the-questions-own-figure",
    ),
    pytest.param(
        "초등학생 주말 이용료는 얼마인가요?", "초등학생 주말: 3,000원", "4", id="cell-of-a-table"
    ),
    pytest.param(
        "P1 장애 보고서는 며칠 안에 내나요?",
        "P1 장애 보고서: 종료 후 3영업일 안에 냅니다.",
        "5",
        id="without-emphasis",
    ),
]
NOT_ANSWERED = [
    pytest.param("사우나 요금은 얼마인가요?", id="other-subject"),
    pytest.param("청소년 요금은 얼마인가요?", id="other-group"),
    pytest.param("속초점 체크인은 몇 시인가요?", id="other-branch"),
    pytest.param("체크인은 얼마인가요?", id="other-kind-of-value"),
    pytest.param("수영장은 몇 시에 닫나요?", id="opposite-verb"),
    pytest.param("수습기간은 몇 개월인가요?", id="sentence-on-something-close"),
    pytest.param("상시 30명 이상인 사업장은 위원이 몇 명인가요?", id="other-figure-given"),
    pytest.param("조식은 3인이면 얼마예요?", id="must-be-worked-out"),
    pytest.param("성인과 어린이 요금의 차이는 얼마인가요?", id="must-be-compared"),
    pytest.param("오늘 체크인은 몇 시인가요?", id="depends-on-the-day"),
    pytest.param("체크인이 안 되는 때는 몇 시인가요?", id="negated"),
    pytest.param("청소년 주말 이용료는 얼마인가요?", id="other-row"),
    pytest.param("약관대출 이자율은 몇 퍼센트인가요?", id="figure-of-another-clause"),
    pytest.param("P4 장애 보고서는 며칠 안에 내나요?", id="other-code"),
    pytest.param("체크인은 몇 시이고 조식은 얼마인가요?", id="two-questions"),
    pytest.param("체크인은 어떻게 하나요?", id="asks-for-no-figure"),
    pytest.param("객실에서 담배를 피워도 되나요?", id="yes-or-no"),
    pytest.param("얼마인가요?", id="no-subject"),
    pytest.param("", id="empty"),
]


@pytest.mark.parametrize(("question", "sentence", "source_id"), ANSWERED)
def test_quotes_the_sentence_that_answers(question: str, sentence: str, source_id: str) -> None:
    answer = direct_answer(question, ALL)

    assert answer is not None
    assert answer.sentences == (sentence,)
    assert answer.source_ids == (source_id,)
    assert f"“{sentence}”" in answer.text


@pytest.mark.parametrize("question", NOT_ANSWERED)
def test_answers_no_other_question(question: str) -> None:
    assert direct_answer(question, ALL) is None


def test_names_its_source_in_a_polite_frame() -> None:
    answer = direct_answer("체크인은 몇 시인가요?", ALL)

    assert answer is not None
    assert answer.text == (
        "자료에는 다음과 같이 안내되어 있습니다.\n\n"
        "“체크인은 오후 3시부터 가능합니다.”\n(출처: 객실 이용 안내)"
    )


def test_exception_behind_a_sentence_goes_with_it() -> None:
    answer = direct_answer("수영장은 몇 시에 문을 엽니까?", ALL)

    assert answer is not None
    assert answer.sentences == ("수영장은 오전 9시에 문을 엽니다. 다만, 월요일은 쉽니다.",)


def test_sources_that_differ_are_both_quoted() -> None:
    other = Source("9", "홈페이지 공지", "체크인은 오후 4시부터 가능합니다.")

    answer = direct_answer("체크인은 몇 시인가요?", (STAY, other))

    assert answer is not None
    assert answer.source_ids == ("1", "9")
    assert "(출처: 객실 이용 안내)" in answer.text
    assert "(출처: 홈페이지 공지)" in answer.text


def test_older_edition_is_passed_over() -> None:
    new = Source("1", "취업규칙(2031년판)", "수습기간은 3개월로 한다.")
    old = Source("2", "취업규칙(2029년판)", "수습기간은 2개월로 한다.")

    answer = direct_answer("수습기간은 몇 개월인가요?", (old, new))

    assert answer is not None
    assert answer.sentences == ("수습기간은 3개월로 한다.",)


def test_too_many_sentences_are_no_direct_answer() -> None:
    floors = "\n".join(f"{floor}층 회의실 정원은 {floor + 4}명으로 한다." for floor in range(2, 7))

    assert direct_answer("회의실 정원은 몇 명인가요?", (Source("1", "회의실", floors),)) is None


def test_source_without_a_title_is_named_by_its_file_or_number() -> None:
    text = "체크인은 오후 3시부터 가능합니다."
    in_file = direct_answer("체크인은 몇 시인가요?", (Source("4", "", text, file="stay.pdf"),))
    nameless = direct_answer("체크인은 몇 시인가요?", (Source("4", "", text),))

    assert in_file is not None
    assert nameless is not None
    assert in_file.text.endswith("(출처: stay.pdf)")
    assert nameless.text.endswith("(출처: 자료 4)")


@given(
    st.sampled_from([case.values[0] for case in ANSWERED]),
    st.permutations(ALL),
)
def test_passes_the_guards_that_it_stands_in_for(question: str, sources: list[Source]) -> None:
    answer = direct_answer(question, sources)

    assert answer is not None
    reading = read(Exchange(question, tuple(sources), answer=answer.text))
    assert Numbers(NumbersSettings()).check(reading) == []
    assert Citations(CitationsSettings()).check(reading) == []
