import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.lexicons.opposites import SIDES
from guards.text.oppositions import oppositions, tells
from guards.text.polarity import may_deny, stances
from guards.text.polarity_modes import AFFIRMATIVE


@pytest.mark.parametrize(
    ("claim", "sentence", "expected"),
    [
        pytest.param("문은 앞에 있다.", "문은 뒤에 있다.", ["뒤에"], id="same-neighbours"),
        pytest.param(
            "소재가 식상합니다.", "신선한 소재이다.", ["신선한"], id="attribute-and-predicate"
        ),
        pytest.param(
            "축소를 다룬다.", "확산방안을 다룬다.", ["확산방안을"], id="head-of-a-compound"
        ),
        pytest.param(
            "두 번째 국가이다.", "최초의 국가이다.", ["최초의"], id="ordinal-in-two-words"
        ),
        pytest.param("앞문을 연다.", "불은 뒤에서 껐다.", [], id="no-shared-neighbour"),
    ],
)
def test_finds_the_opposite_word(claim: str, sentence: str, expected: list[str]) -> None:
    assert [one.expected for one in oppositions(claim, sentence)] == expected


def test_where_one_of_two_is_turned_both_neighbours_must_agree() -> None:
    rule = "열흘 이상은 한 달로 하고 열흘 미만은 버린다."

    assert oppositions("열흘 이상은 버린다.", rule)[0].expected == "미만은"
    assert oppositions("열흘 이상은 한 달로 한다.", rule) == []


@pytest.mark.parametrize(
    ("sentence", "word", "told"),
    [
        ("위원은 연임할 수 있다.", "연임할 수 없습니다", True),
        ("위원은 임기가 있다.", "연임할 수 없습니다", False),
        ("위원은 임기가 있다.", "…", False),
    ],
)
def test_tells_whether_a_sentence_has_a_word(sentence: str, word: str, told: bool) -> None:
    assert tells(sentence, word) is told


def test_opposites_exclude_each_other_both_ways() -> None:
    for word, (allies, opponents) in SIDES.items():
        assert word in allies
        assert all(word in SIDES[opponent][1] for opponent in opponents)


@given(st.text(alphabet="회원은 주차를 할 수 없다 있하지 않아도 됩니다.무유료만", max_size=60))
def test_a_sentence_never_opposes_itself(sentence: str) -> None:
    assert oppositions(sentence, sentence) == []


PIECES = (
    "회원", "비회원", "은 ", "도 ", "무료", "유료", "이용할 수 ", "있습니다", "없습니다", "금지",
    "가능", "필요", "합니다", "하지 ", "않습니다", "않아도 됩니다", "해야 ", "이상", "이하", ": ",
    "제출", "면제", "됩니다", "아니에요", "못 ", "안 ", "포함", "제외", "한다", ", ", "10명 ",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_what_speaks_against_a_predicate_is_told_from_the_words(sentence: str) -> None:
    assert may_deny(sentence) or all(one.mode in AFFIRMATIVE for one in stances(sentence))


def test_a_rule_told_with_what_follows_from_it_is_no_opposite() -> None:
    told = "열람실: 2층, 재학생 이용 가능"

    assert oppositions("이용 불가: 재학생만 이용할 수 있습니다.", told) == []
    assert len(oppositions("열람실: 재학생 이용 불가", told)) == 1
