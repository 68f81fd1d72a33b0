import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.citations import Citations, CitationsSettings
from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from policies.direct_answer import direct_answer
from policies.schema.loader import load_shipped
from policies.schema.sections import Tone
from policies.templates import direct_reply
from tests.tables import each_row

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
DESK = (
    Source(
        "1",
        "온빛상사 휴가 규정",
        "연차는 반일로 나누어 쓸 수 있다. 계약직은 병가를 쓸 수 없다. 연차 신청은 팀장이 승인한다. "
        "출장비는 영수증이 있으면 청구할 수 있다. 휴가 신청서는 인사팀에 제출한다.",
    ),
    Source(
        "2",
        "온빛상사 사옥 안내",
        "2층에는 화장실이 있습니다. 노트북은 3층 자료실에서만 사용하실 수 있습니다. 방문증은 "
        "반드시 착용하셔야 합니다. 책은 한 번 연장할 수 있습니다. 다만, 예약된 책은 연장할 수 "
        "없습니다. 생일 케이크는 전화로 예약할 수 있습니다.",
    ),
    Source(
        "3",
        "온빛은행 창구 안내",
        "| 업무 | 준비물 | 장소 | 담당 |\n|---|---|---|---|\n"
        "| 통장 개설 | 신분증 | 1층 창구 | 예금팀 |\n"
        "| 통장 해지 | 신분증, 통장 | 2층 창구 | 수신팀 |\n\n"
        "견학 신청 방법: 홈페이지 게시판에 날짜 작성",
    ),
    Source(
        "4", "모아짐 강남점 안내", "주차는 2시간까지 할 수 있습니다. 열쇠는 데스크에 반납합니다."
    ),
    Source("5", "모아짐 서초점 안내", "주차는 할 수 없습니다. 수건은 무료로 드립니다."),
)
ALL = (STAY, POOL, RULES, FEES, LOANS)

ANSWERED = [
    pytest.param(
        "객실에서 담배를 피워도 되나요?",
        "객실은 전 층에서 담배를 피울 수 없습니다.",
        "1",
        id="whether",
    ),
    pytest.param("체크인은 몇 시인가요?", "체크인은 오후 3시부터 가능합니다.", "1", id="clock"),
    pytest.param("체크아웃 시각은?", "체크아웃은 오전 11시까지입니다.", "1", id="bare-noun"),
    pytest.param("조식은 얼마예요?", "조식은 1인당 35,000원입니다.", "1", id="money"),
    pytest.param(
        "어린이 요금은 얼마인가요?", "어린이 요금은 10,000원입니다.", "2", id="item-of-a-list"
    ),
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
        "초등학생 주말 이용료는 얼마인가요?",
        "초등학생 주말 이용료는 3,000원입니다.",
        "4",
        id="cell-of-a-table",
    ),
    pytest.param(
        "P1 장애 보고서는 며칠 안에 내나요?",
        "P1 장애 보고서는 종료 후 3영업일 안에 냅니다.",
        "5",
        id="without-emphasis",
    ),
]


HOTEL = Source(
    "1",
    "객실 요금",
    "## 객실 요금표 (1박 기준)\n"
    "\n"
    "| 객실 | 주중 | 주말 |\n"
    "|---|---|---|\n"
    "| 스탠다드 | 90,000원 | 120,000원 |\n"
    "| 디럭스 | 150,000원 | 180,000원 |\n"
    "\n"
    "※ 조식은 별도입니다.",
)
LEAVE = Source(
    "4",
    "지원 제도",
    "배우자 출산휴가는 20일입니다.\n얼리 체크인은 12시부터 가능합니다.\n"
    "레이트 체크아웃은 13시까지 가능합니다.",
)
MUSEUM = Source(
    "1",
    "관람 안내",
    "관람 시간: 10:00~18:00 (입장 마감 17:30)\n"
    "휴관일: 매주 월요일\n"
    "\n"
    "관람료\n"
    "- 성인: 4,000원\n"
    "- 청소년: 2,000원\n"
    "- 만 6세 이하: 무료",
)


@each_row("question, source, told", "told")
def test_tells_the_whole_sentence_that_answers(question: str, source: Source, told: str) -> None:
    answer = direct_answer(question, (source,))

    assert answer is not None
    assert " ".join(answer.sentences) == told


@each_row("question, source", "not_told")
def test_tells_nothing_of_another_thing(question: str, source: Source) -> None:
    assert direct_answer(question, (source,)) is None


@each_row("question, source, told", "told_in_other_words")
def test_tells_it_whatever_it_is_called(question: str, source: Source, told: str) -> None:
    answer = direct_answer(question, (source,))

    assert answer is not None
    assert answer.sentences[0] == told


@each_row("question, source", "not_told_in_other_words")
def test_tells_nothing_that_only_has_like_words(question: str, source: Source) -> None:
    assert direct_answer(question, (source,)) is None


@each_row("question, sources, told", "told_of_several")
def test_tells_it_of_the_right_one_of_several(
    question: str, sources: tuple[Source, ...], told: str
) -> None:
    answer = direct_answer(question, sources)

    assert answer is not None
    assert " ".join(answer.sentences) == told


@each_row("question, sources", "not_told_of_several")
def test_tells_nothing_where_each_is_another(question: str, sources: tuple[Source, ...]) -> None:
    assert direct_answer(question, sources) is None


@each_row("question, source, told", "told")
def test_nothing_of_the_layout_of_a_source_is_told(
    question: str, source: Source, told: str
) -> None:
    del told
    answer = direct_answer(question, (source,), Tone.FRIENDLY)

    assert answer is not None
    for sentence in answer.sentences:
        assert not re.search(r"[|#*※▶○①②]|^(?:[-·]|[QA]\d?[.:])|제\d+조", sentence)
        assert sentence.endswith((".", "요.", "다."))


def test_a_row_is_told_in_the_tone_of_the_policy() -> None:
    friendly = direct_answer("스탠다드 주말 요금은 얼마인가요?", (HOTEL,), Tone.FRIENDLY)

    assert friendly is not None
    assert friendly.sentences == ("스탠다드 주말 요금은 120,000원이에요.",)


@each_row("question, sentence, source_id", ANSWERED)
def test_quotes_the_sentence_that_answers(question: str, sentence: str, source_id: str) -> None:
    answer = direct_answer(question, ALL)

    assert answer is not None
    assert answer.sentences == (sentence,)
    assert answer.source_ids == (source_id,)
    assert any(sentence in quote for quote in answer.quotes)


@each_row("question, sentence", "answered_without_a_figure")
def test_answers_where_who_what_papers_and_whether(question: str, sentence: str) -> None:
    answer = direct_answer(question, DESK)

    assert answer is not None
    assert answer.sentences == (sentence,)


@each_row("question", "of_another_place_group_or_act")
def test_answers_nothing_of_another_place_group_or_act(question: str) -> None:
    assert direct_answer(question, DESK) is None


@each_row("question", "not_answered")
def test_answers_no_other_question(question: str) -> None:
    assert direct_answer(question, ALL) is None


def test_a_quote_names_its_source_and_a_row_is_no_quote() -> None:
    quoted = direct_answer("체크인은 몇 시인가요?", ALL)
    told = direct_answer("어린이 요금은 얼마인가요?", ALL)

    assert quoted is not None
    assert told is not None
    assert quoted.quotes == ("“체크인은 오후 3시부터 가능합니다.”\n(출처: 객실 이용 안내)",)
    assert told.quotes == ("어린이 요금은 10,000원입니다.\n(출처: 수영장 안내)",)


def test_exception_behind_a_sentence_goes_with_it() -> None:
    answer = direct_answer("수영장은 몇 시에 문을 엽니까?", ALL)

    assert answer is not None
    assert answer.sentences == ("수영장은 오전 9시에 문을 엽니다. 다만, 월요일은 쉽니다.",)


def test_sources_that_differ_are_both_quoted() -> None:
    other = Source("9", "홈페이지 공지", "체크인은 오후 4시부터 가능합니다.")

    answer = direct_answer("체크인은 몇 시인가요?", (STAY, other))

    assert answer is not None
    assert answer.source_ids == ("1", "9")
    assert [quote.splitlines()[-1] for quote in answer.quotes] == [
        "(출처: 객실 이용 안내)",
        "(출처: 홈페이지 공지)",
    ]


def test_exception_behind_a_row_goes_with_it() -> None:
    fees = Source("1", "수영장", "- 어린이 요금: 10,000원\n다만, 단체는 8,000원입니다.")

    answer = direct_answer("어린이 요금은 얼마인가요?", (fees,))

    assert answer is not None
    assert answer.sentences == ("어린이 요금은 10,000원입니다. 다만, 단체는 8,000원입니다.",)


def test_an_article_that_is_referred_to_is_not_cut_out_of_a_sentence() -> None:
    rules = Source("1", "여비 규정", "제5조에 따라 출장 일비는 20,000원으로 한다.")

    assert direct_answer("출장 일비는 얼마인가요?", (rules,)) is None


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
    assert in_file.quotes[0].endswith("(출처: stay.pdf)")
    assert nameless.quotes[0].endswith("(출처: 자료 4)")


@given(
    st.sampled_from([case.values[0] for case in ANSWERED]),
    st.permutations(ALL),
)
def test_passes_the_guards_that_it_stands_in_for(question: str, sources: list[Source]) -> None:
    answer = direct_answer(question, sources)

    assert answer is not None
    text = direct_reply(load_shipped("default").policy, answer.quotes)
    reading = read(Exchange(question, tuple(sources), answer=text))
    assert Numbers(NumbersSettings()).check(reading) == []
    assert Citations(CitationsSettings()).check(reading) == []


PETS = Source(
    "1",
    "반려견 동반 객실 안내",
    "반려견 동반 요금: 50,000원\n남편 휴직: 20일\n추가 침대: 44,000원 (VAT 포함)\n"
    "운영 시간: 평일 06:00~23:00, 주말 08:00~20:00\n"
    "조식 요금: 성인 35,000원, 어린이 18,000원",
)
WELFARE = Source(
    "2",
    "복지 규정",
    "제12조(경조금) 본인 결혼 시 1,000,000원을 지급한다.\n"
    "제13조(학자금) 자녀 학자금은 학기당 2,000,000원을 지원한다.\n"
    "해외 출장 일비는 1일 80달러이다.\n국내 출장 숙박비는 1박 100,000원이다.",
)


MUSEUM = Source(
    "3",
    "시립미술관 관람 안내",
    "입장은 관람 종료 전까지 가능합니다.\n금요일에는 오후 9시까지 연장 운영합니다.\n",
)


@each_row("question", "another_of_a_kind_and_the_sentence_before_answer_nothing")
def test_another_of_a_kind_and_the_sentence_before_answer_nothing(question: str) -> None:
    assert direct_answer(question, (PETS, WELFARE, MUSEUM, LEAVE)) is None


@each_row("question, told", "what_is_told_says_no_more_than_its_label")
def test_what_is_told_says_no_more_than_its_label(question: str, told: str) -> None:
    answer = direct_answer(question, (PETS, WELFARE, MUSEUM, LEAVE))

    assert answer is not None
    assert answer.sentences == (told,)
