import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.lexicons.loading import groups
from guards.text.writing.han_words import (
    FALSE_COUNTERS,
    FALSE_FRIENDS,
    HeardWords,
    initial_form,
    readings,
)
from tests.fakes.growth import assert_grows_with_its_input

TEXT = (
    "신청 기한은 3월 5일까지이며, 비용은 이유 없이 돌려주지 않습니다. 의료기관과 지방자치단체가 "
    "제공합니다. 역사 교육은 여성회관에서 합니다."
)

READ = [
    pytest.param("費用", "비용", id="traditional"),
    pytest.param("费用", "비용", id="simplified"),
    pytest.param("理由", "이유", id="initial-law-rieul"),
    pytest.param("女性会馆", "여성회관", id="initial-law-nieun"),
    pytest.param("歴史", "역사", id="japanese-form"),
    pytest.param("\uf94c由", "", id="no-such-word"),
    pytest.param("提供", "제공", id="before-a-verbs-ending"),
    pytest.param("申请期限", "신청 기한", id="two-words-in-one-run"),
    pytest.param("申请期限费用", "신청 기한 비용", id="three-words-in-one-run"),
    pytest.param("自治", "", id="only-inside-another-word"),
    pytest.param("许可", "", id="not-in-the-text"),
    pytest.param("费用的", "", id="with-a-chinese-ending"),
    pytest.param("月", "", id="one-character-alone"),
    pytest.param("𠮷田", "", id="unknown-character"),
    pytest.param("費" * 5000, "", id="endless"),
]


@pytest.mark.parametrize(("han", "hangul"), READ)
def test_reads_what_stands_in_the_text_as_a_word(han: str, hangul: str) -> None:
    assert HeardWords([TEXT]).read(han) == hangul


WITHIN = [
    pytest.param("", "医疗", "기관에서", "의료", id="rest-of-the-word-behind"),
    pytest.param("그 ", "地方", "자치단체의", "", id="false-friend-in-a-whole-word"),
    pytest.param("여성", "会馆", "에", "회관", id="rest-of-the-word-before"),
    pytest.param("여", "性", "회관", "성", id="one-character-in-a-whole-word"),
    pytest.param("", "医疗", "비", "", id="another-word"),
    pytest.param("3", "月", " 회의", "월", id="unit-with-its-number"),
    pytest.param("5월 3", "月", "에", "월", id="unit-with-the-number-right-before"),
    pytest.param("13", "月", "", "", id="unit-with-another-number"),
    pytest.param("접수", "了", "는", "", id="chinese-particle"),
    pytest.param("", "非", "은", "", id="one-character-with-nothing-but-a-particle"),
]


@pytest.mark.parametrize(("before", "han", "after", "hangul"), WITHIN)
def test_what_stands_around_a_word_helps_to_read_it(
    before: str, han: str, after: str, hangul: str
) -> None:
    assert HeardWords([TEXT]).read(han, before, after) == hangul


def test_two_readings_that_both_stand_there_are_none() -> None:
    assert HeardWords(["낙원은 북쪽에 있다."]).read("樂園") == "낙원"
    assert HeardWords(["낙원은 북쪽에, 악원은 남쪽에 있다."]).read("樂園") == ""


# The reading of each stands in the text with the very particle that follows it.
FALSE_FRIEND_IN_PLACE = [
    pytest.param("汽车", "를", "역까지는 기차를 탑니다.", id="car-is-no-train"),
    pytest.param("便宜", "은", "편의는 시설과 같습니다.", id="cheap-is-no-convenience"),
    pytest.param("出口", "는", "출구는 북쪽입니다.", id="export-is-no-exit"),
    pytest.param("支付", "를", "가까운 지부를 찾으세요.", id="to-pay-is-no-branch"),
    pytest.param("医院", "에서", "진료는 의원에서 받습니다.", id="hospital-is-no-surgery"),
    pytest.param("公司", "를", "공사를 맡긴 뒤에 냅니다.", id="company-is-no-building-work"),
    pytest.param("老师", "는", "노사는 임금을 정합니다.", id="teacher"),
    pytest.param("丈夫", "은", "장부는 5년간 보관합니다.", id="husband"),
    pytest.param("质量", "을", "질량을 잽니다.", id="quality-is-no-mass"),
    pytest.param("输入", "합니다", "쌀을 수입합니다.", id="input-is-no-import"),
    pytest.param("注销", "를", "주소를 적습니다.", id="to-cancel-is-no-address"),
    pytest.param("预订", "입니다", "3월에 열 예정입니다.", id="to-book-is-no-plan"),
    pytest.param("电视", "를", "전시를 봅니다.", id="television"),
    pytest.param("一定", "을", "일정을 알립니다.", id="certainly-is-no-schedule"),
    pytest.param("公司职员", "은", "공사 직원은 신분증을 답니다.", id="in-a-run-of-two-words"),
    pytest.param("公司法", "을", "공사법을 지킵니다.", id="in-a-longer-word"),
    pytest.param("日付", "를", "일부를 돌려줍니다.", id="japanese-date-is-no-part"),
    pytest.param("上手", "는", "상수는 하수와 다릅니다.", id="japanese-skilled"),
]


@pytest.mark.parametrize(("han", "after", "text"), FALSE_FRIEND_IN_PLACE)
def test_a_word_that_means_something_else_is_read_nowhere(han: str, after: str, text: str) -> None:
    heard = HeardWords([text])

    assert heard.read(han) == ""
    assert heard.read(han, "", after) == ""
    assert heard.read(han, "그 ", after) == ""


@pytest.mark.parametrize(
    ("number", "han", "text"),
    [
        pytest.param("3", "天", "이용료는 3천 원입니다.", id="days-are-no-thousands"),
        pytest.param("5", "号", "서식 5호에 적습니다.", id="day-of-the-month-is-no-form"),
        pytest.param("3", "次", "3차 모집입니다.", id="times-are-no-round"),
        pytest.param("2", "位", "2위까지 시상합니다.", id="persons-are-no-rank"),
    ],
)
def test_a_counter_that_counts_something_else_is_not_read(number: str, han: str, text: str) -> None:
    assert HeardWords([text]).read(han, number) == ""


ROLES = [
    pytest.param("비용을 냅니다.", "를", "비용", id="object"),
    pytest.param("비용을 냅니다.", "은", "비용", id="topic-may-be-an-object"),
    pytest.param("비용은 없습니다.", "을", "비용", id="object-may-be-a-topic"),
    pytest.param("비용 안내", "에서", "비용", id="bare-noun"),
    pytest.param("비용이 듭니다.", "이", "비용", id="subject"),
    pytest.param("비용을 냅니다.", "이", "", id="object-is-no-subject"),
    pytest.param("비용이 듭니다.", "에서", "", id="subject-is-no-place"),
    pytest.param("비용으로 씁니다.", "을", "", id="means-is-no-object"),
    pytest.param("비용이 듭니다.", "합니다", "", id="noun-is-no-verb"),
    pytest.param("비용으로 쓰고, 비용을 냅니다.", "을", "비용", id="one-of-several-places"),
]


@pytest.mark.parametrize(("text", "after", "hangul"), ROLES)
def test_a_reading_is_believed_in_the_role_that_it_has_in_the_text(
    text: str, after: str, hangul: str
) -> None:
    assert HeardWords([text]).read("费用", "", after) == hangul


def test_no_false_friend_is_listed_in_vain() -> None:
    unread = {word for word in FALSE_FRIENDS if not all(map(readings, word))}

    assert unread == set()
    assert {len(word) for word in FALSE_FRIENDS} <= {2, 3}
    assert all(len(char) == 1 and readings(char) for char in FALSE_COUNTERS)


@pytest.mark.parametrize(
    ("read", "first"),
    [
        ("리", "이"), ("력", "역"), ("례", "예"), ("녀", "여"), ("뉴", "유"), ("락", "낙"),
        ("로", "노"), ("량", "양"), ("나", "나"), ("비", "비"), ("이", "이"),
    ],
)  # fmt: skip
def test_the_initial_law(read: str, first: str) -> None:
    assert initial_form(read) == first


@given(st.sampled_from(sorted({char for _, chars in groups("hanja_readings") for char in chars})))
def test_every_listed_character_is_read_in_syllables_as_they_begin_and_go_on(char: str) -> None:
    known = readings(char)

    assert known
    assert all("가" <= read <= "힣" for read in known)
    assert {initial_form(read) for read in known} <= known


def test_long_chinese_texts_do_not_take_long() -> None:
    def look(count: int) -> None:
        heard = HeardWords([TEXT * count])
        for _ in range(4 * count):
            heard.read("申请期限费用申请期限费用", "그 ", "를 냅니다")

    assert_grows_with_its_input(look, 500)
