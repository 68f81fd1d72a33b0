import re
from collections.abc import Sequence

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
LIBRARY = Source(
    "3",
    "도서관 이용 안내",
    "Q. 책은 며칠 동안 빌릴 수 있나요?\nA. 14일 동안 빌릴 수 있습니다.\n"
    "Q. 책을 잃어버리면 어떻게 하나요?\nA. 같은 책을 사서 내셔야 합니다. "
    "이때 대출은 변상이 끝날 때까지 정지됩니다.\n\n"
    "제7조(반납) ① 빌린 책은 2층 데스크에 반납한다.",
)
FEES = Source(
    "4",
    "1일 이체 한도",
    "| 계좌 | 모바일 | ATM | 창구 |\n|---|---|---|---|\n"
    "| 한도제한계좌 | 100만원 | 100만원 | 300만원 |\n| 청소년계좌 | 30만원 | 50만원 | 200만원 |",
)
RETURNS = Source(
    "5",
    "반품이 안 되는 경우",
    "다음에 해당하면 반품이 되지 않습니다.\n"
    "- 향수: 포장을 뜯었거나 한 번이라도 사용한 경우\n- 식품: 받은 날부터 2일이 지난 경우",
)
LICENCE = Source(
    "6",
    "면허 갱신 준비물",
    "갱신하실 때 필요한 것입니다.\n- 2종 면허(70세 미만): 운전면허증, 사진 1장\n"
    "- 2종 면허(70세 이상): 운전면허증, 사진 2장, 신체검사서",
)
CAMP = Source(
    "7",
    "캠핑장 이용 안내",
    "텐트 안에서 숯불을 피우면 안 됩니다. 반려견은 A구역에 한해 함께 오실 수 있습니다.",
)
DISCOUNTS = Source(
    "8",
    "관람료 감면",
    "| 대상 | 감면율 | 증빙서류 |\n|---|---|---|\n| 장애인 등록자 | 50% | 복지카드 |\n"
    "| 다자녀 가정 | 30% | 다자녀 카드 |",
)
ALL = (DISCOUNTS, STAY, POOL, LIBRARY, FEES, RETURNS, LICENCE, CAMP)

SOLVED = {
    "clock": ("체크인은 몇 시인가요?", "체크인은 오후 3시부터 가능합니다."),
    "money-as-messages-spell-it": ("조식 얼마에여", "조식은 1인당 35,000원입니다."),
    "labelled-value": ("어린이 요금은 얼마예요?", "어린이 요금은 10,000원입니다."),
    "telephone": ("프런트 전화번호 알려주세요", "프런트 전화번호는 033-000-1234입니다."),
    "exception-behind-it": (
        "수영장은 몇 시에 여나요?",
        "수영장은 오전 9시에 문을 엽니다. 다만, 월요일은 쉽니다.",
    ),
    "question-on-the-page": ("책 며칠동안 빌릴수있어요?", "14일 동안 빌릴 수 있습니다."),
    "papers-and-no-money-that-is-told-before": (
        "다자녀 할인 받고 싶은데 등록할 때 증빙 뭐 들고 가면 되나요?",
        "다자녀 가정 증빙서류는 다자녀 카드입니다.",
    ),
    "place-in-an-article": ("빌린책 어디다 반납해요?", "빌린 책은 2층 데스크에 반납한다."),
    "cell-of-a-row": (
        "한도제한계좌 모바일은 얼마까지 돼요?",
        "한도제한계좌 모바일 한도는 100만원입니다.",
    ),
    "whole-row": (
        "청소년계좌는 하루 얼마까지 보낼 수 있나요?",
        "청소년계좌는 모바일 30만원, ATM 50만원, 창구 200만원입니다.",
    ),
    "item-with-the-sentence-over-the-list": (
        "향수 뜯어서 뿌려봤는데 반품되나요?",
        "다음에 해당하면 반품이 되지 않습니다. 향수: 포장을 뜯었거나 한 번이라도 사용한 경우",
    ),
    "papers-of-the-users-own-age": (
        "70살 아직 안 됐는데 2종 면허 갱신할 때 뭐 들고 가요?",
        "갱신하실 때 필요한 것입니다. 2종 면허(70세 미만): 운전면허증, 사진 1장",
    ),
    "whether-in-other-words": (
        "말티즈 데려가도 돼요?",
        "반려견은 A구역에 한해 함께 오실 수 있습니다.",
    ),
}
TRAPS = {
    "other-subject": "사우나 요금은 얼마인가요?",
    "other-group": "경로 요금은 얼마인가요?",
    "other-branch": "속초점 체크인은 몇 시인가요?",
    "other-kind-of-value": "체크인은 얼마인가요?",
    "opposite-act": "수영장은 몇 시에 닫나요?",
    "other-row": "법인계좌 모바일 한도는 얼마인가요?",
    "other-year": "2031년 조식은 얼마인가요?",
    "other-code": "B2구역 조식은 얼마예요?",
    "other-thing": "주차권은 며칠 동안 쓸 수 있나요?",
    "fact-that-is-not-there": "수영장 정원은 몇 명인가요?",
    "no-subject": "얼마인가요?",
    "empty": "",
    "too-long": "체크인은 몇 시인가요? " * 20,
}


def told(question: str, sources: Sequence[Source] = ALL, tone: Tone = Tone.FORMAL) -> str | None:
    answer = direct_answer(question, sources, tone)
    return " ".join(answer.sentences) if answer else None


@each_row("question, sentence", SOLVED)
def test_quotes_the_line_that_answers(question: str, sentence: str) -> None:
    assert told(question) == sentence


@each_row("question", TRAPS)
def test_quotes_nothing_of_another_thing(question: str) -> None:
    assert told(question) is None


@each_row("question, sentence", SOLVED)
def test_the_order_of_the_sources_changes_nothing(question: str, sentence: str) -> None:
    assert told(question, ALL[::-1]) == sentence


@each_row("question, sentence", SOLVED)
def test_a_quote_has_nothing_of_the_layout_of_its_page(question: str, sentence: str) -> None:
    del sentence
    said = told(question, tone=Tone.FRIENDLY)

    assert said is not None
    assert not re.search(r"[|#*※▶○①②]|^(?:[-·]|[QA]\d?[.:])|제\d+조", said)


@each_row("question, sentence", SOLVED)
def test_a_quote_passes_the_guards_that_it_stands_in_for(question: str, sentence: str) -> None:
    del sentence
    answer = direct_answer(question, ALL)

    assert answer is not None
    text = direct_reply(load_shipped("default").policy, answer.quotes)
    reading = read(Exchange(question, ALL, answer=text))
    assert Numbers(NumbersSettings()).check(reading) == []
    assert Citations(CitationsSettings()).check(reading) == []


def test_a_value_is_told_in_the_tone_of_the_policy() -> None:
    assert told("어린이 요금은 얼마예요?", tone=Tone.FRIENDLY) == "어린이 요금은 10,000원이에요."


def test_a_column_that_is_not_meant_is_left_out() -> None:
    fees = Source(
        "1",
        "취소 규정",
        "| 취소 시점 | 비수기 공제율 | 성수기 공제율 |\n|---|---|---|\n"
        "| 5일 전 | 10% | 30% |\n| 당일 | 50% | 90% |",
    )

    said = told("당일에 취소하면 얼마 떼요? 성수기 아님", (fees,))

    assert said == "당일 비수기 공제율은 50%입니다."


def test_a_quote_names_its_source_and_a_told_value_is_no_quote() -> None:
    quoted = direct_answer("체크인은 몇 시인가요?", ALL)
    row = direct_answer("어린이 요금은 얼마예요?", ALL)

    assert quoted is not None
    assert row is not None
    assert quoted.quotes == ("“체크인은 오후 3시부터 가능합니다.”\n(출처: 객실 이용 안내)",)
    assert row.quotes == ("어린이 요금은 10,000원입니다.\n(출처: 수영장 안내)",)
    assert row.verbatim == ("10,000원",)


def test_sources_that_differ_are_both_quoted() -> None:
    other = Source("9", "홈페이지 공지", "체크인은 오후 4시부터 가능합니다.")

    answer = direct_answer("체크인은 몇 시인가요?", (STAY, other))

    assert answer is not None
    assert answer.source_ids == ("1", "9")
    assert [quote.splitlines()[-1] for quote in answer.quotes] == [
        "(출처: 객실 이용 안내)",
        "(출처: 홈페이지 공지)",
    ]


def test_nothing_is_quoted_where_two_branches_differ() -> None:
    one = Source("1", "강남점 안내", "주차는 2시간까지 할 수 있습니다.")
    other = Source("2", "서초점 안내", "주차는 할 수 없습니다.")

    assert told("주차할 수 있나요?", (one, other)) is None
    assert told("서초점 주차할 수 있나요?", (one, other)) == "주차는 할 수 없습니다."


def test_older_edition_is_passed_over() -> None:
    new = Source("1", "취업규칙(2031년판)", "수습기간은 3개월로 한다.")
    old = Source("2", "취업규칙(2029년판)", "수습기간은 2개월로 한다.")

    assert told("수습기간은 몇 개월인가요?", (old, new)) == "수습기간은 3개월로 한다."


def test_a_sentence_that_leans_on_another_is_quoted_with_it_or_not_at_all() -> None:
    returns = Source(
        "1",
        "교환 안내",
        "불량인 상품은 새 상품으로 바꿔 드립니다. 이때 배송비는 모두 판매자가 부담합니다.",
    )
    rules = Source("1", "여비 규정", "제5조에 따라 출장 일비는 20,000원으로 한다.")

    assert told("불량 배송비는 누가 부담하나요?", (returns,)) == returns.text
    assert told("출장 일비는 얼마인가요?", (rules,)) is None


def test_source_without_a_title_is_named_by_its_file_or_number() -> None:
    text = "체크인은 오후 3시부터 가능합니다."
    in_file = direct_answer("체크인은 몇 시인가요?", (Source("4", "", text, file="stay.pdf"),))
    nameless = direct_answer("체크인은 몇 시인가요?", (Source("4", "", text),))

    assert in_file is not None
    assert nameless is not None
    assert in_file.quotes[0].endswith("(출처: stay.pdf)")
    assert nameless.quotes[0].endswith("(출처: 자료 4)")
