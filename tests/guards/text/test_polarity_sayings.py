import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.polarity_modes import AFFIRMATIVE, Mode
from guards.text.polarity_sayings import Sayings, sayings
from guards.text.sentences import LONGEST_SENTENCE_CHARS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("별관은 휴관합니다.", "별관은 개관하지 않습니다.", id="closed-is-not-open"),
        pytest.param("월요일은 휴무일입니다.", "월요일은 쉽니다.", id="day-off"),
        pytest.param(
            "수당에 산입하지 아니한다.", "수당에서 제외됩니다.", id="not-counted-is-left-out"
        ),
        pytest.param("수당을 지급한다.", "수당을 받을 수 있습니다.", id="giver-and-receiver"),
        pytest.param("수수료를 부과한다.", "수수료가 있습니다.", id="charged-is-there"),
        pytest.param("수수료를 면제한다.", "수수료가 없습니다.", id="waived-is-not-there"),
        pytest.param("치아는 보장하지 않습니다.", "치아는 보장 대상이 아닙니다.", id="covered"),
        pytest.param("다시 사용할 수 없다.", "재사용 불가", id="again"),
        pytest.param(
            "- 대학원생: 제외", "대학원생은 포함되지 않습니다.", id="noun-that-ends-a-line"
        ),
    ],
)
def test_wordings_of_one_thing_meet(one: str, other: str) -> None:
    [first], [second] = sayings(one), sayings(other)
    affirming = {Mode.DOES, Mode.CAN, Mode.HAS, Mode.MUST}

    assert first.families & second.families
    assert (first.mode in affirming) == (second.mode in affirming)


@pytest.mark.parametrize(
    ("sentence", "mode"),
    [
        pytest.param("허가 없이도 공사할 수 있다.", Mode.LACKS, id="goes-without"),
        pytest.param("허가 없이 공사할 수 없다.", Mode.MUST, id="does-not-go-without"),
    ],
)
def test_what_one_goes_without_is_told_too(sentence: str, mode: Mode) -> None:
    assert [one.mode for one in sayings(sentence) if "허가" in one.families] == [mode]


def is_about(text: str, items: list[list[str]]) -> bool:
    """Tell whether the sayings of a text have just these words, in order."""
    told = [saying.words for saying in sayings(text)]
    return [len(words) for words in told] == [len(item) for item in items] and all(
        form in word.names
        for words, item in zip(told, items, strict=True)
        for word, form in zip(words, item, strict=True)
    )


def test_each_item_of_a_list_is_told_by_itself() -> None:
    items = [["우산"], ["접이식", "의자"], ["삼각대"]]

    assert is_about("우산, 접이식 의자, 삼각대는 반입할 수 없다.", items)


def test_a_list_behind_its_head_is_told_item_by_item() -> None:
    assert is_about("환불 불가: 주문한 케이크, 속옷", [["주문", "케이크"], ["속옷"], []])


def test_a_clause_without_a_subject_has_the_one_before() -> None:
    *_, last = sayings("필터는 물로 빨지 말고 솔로 털어 냅니다.")

    assert "필터" in last.names


def test_the_condition_of_a_sentence_holds_for_all_its_clauses() -> None:
    *_, last = sayings("눈이 오면 산책로는 닫지만 매점은 영업합니다.")

    assert [word.is_condition for word in last.words] == [True, True, False]


def test_only_marks_its_word() -> None:
    [saying] = sayings("화요일만 개관합니다.")

    assert [word.is_only for word in saying.words] == [True]


@pytest.mark.parametrize(
    ("sentence", "turns"),
    [
        ("사흘이 지나면 취소할 수 없다.", {"over"}),
        ("회원이 아니면 입장할 수 없다.", {"unless"}),
        ("지체 없이 반납한다.", set()),
        ("10명 이상은 예약한다.", {"at least"}),
    ],
)
def test_turns_are_read(sentence: str, turns: set[str]) -> None:
    assert sayings(sentence)[-1].turns == turns


def test_numbers_of_provisions_are_no_figures() -> None:
    [saying] = sayings("제7조(반납) 3권까지 반납한다.")

    assert saying.figures == {"3"}


def test_endless_sentences_say_nothing() -> None:
    endless = "가" * LONGEST_SENTENCE_CHARS + " 수당을 지급한다."

    assert [said.before for said in Sayings([endless, "수당을 지급한다."]).all] == [endless]


PIECES = (
    "도서관은 ", "회원만 ", "쉽니다", "휴관합니다", "닫는다", "제외됩니다", "제외할 수 있다",
    "휴무일", "신청한다", "이용할 수 ", "있습니다", "없습니다", "않는다", "안 ", "못 ", "됩니다",
    "금지", "불가", "필요하다", "하지 않아도 된다", "없이 ", "다시 ", ".", ": ", ", ", "해야 한다",
    "\n", "회원이아니면안되는곳입니다중단", "취소하면 ", "끝나고 ", "(", "3일 ",
    "휴관", "중지", "셔야합니다", "하셔도 됩니다", "해야만 한다", "할수있다", "이 있습니다",
    "도 있다",
)  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=7).map("".join), max_size=3))
def test_whatever_speaks_against_something_is_found_by_itself(sentences: list[str]) -> None:
    told = Sayings(sentences)

    against = [said for said in told.all if said.saying.mode not in AFFIRMATIVE]

    assert [said for said in told.against if said.saying.mode not in AFFIRMATIVE] == against


@given(st.text(alphabet="휴관 개장한다. 비가 오면, 회원만 없이도 쓸 수 있:", max_size=60))
def test_places_lie_in_the_sentence(sentence: str) -> None:
    for saying in sayings(sentence):
        assert 0 <= saying.start < saying.end <= len(sentence)
