import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.polarity import Role, stances
from guards.text.polarity_modes import Mode

MAIN = [
    pytest.param("신청서를 제출하여야 한다.", "제출", Mode.MUST, id="must"),
    pytest.param("신청서를 제출해야 합니다.", "제출", Mode.MUST, id="must-polite"),
    pytest.param("제출하지 않으면 안 됩니다.", "제출", Mode.MUST, id="must-by-double-negation"),
    pytest.param("제출하지 않을 수 없습니다.", "제출", Mode.MUST, id="cannot-but"),
    pytest.param("차별하여서는 아니 된다.", "차별", Mode.MUST_NOT, id="must-not"),
    pytest.param("차별하면 안 돼요.", "차별", Mode.MUST_NOT, id="must-not-polite"),
    pytest.param("차별하지 말아야 합니다.", "차별", Mode.MUST_NOT, id="ought-not"),
    pytest.param("차별하지 아니하여야 한다.", "차별", Mode.MUST_NOT, id="must-refrain"),
    pytest.param("주차는 금지됩니다.", "주차", Mode.MUST_NOT, id="forbidding-noun"),
    pytest.param("교육을 하여서는 아니 된다.", "교육", Mode.MUST_NOT, id="noun-before-empty-verb"),
    pytest.param("연임할 수 있다.", "연임", Mode.CAN, id="can"),
    pytest.param("들어가도 됩니다.", "들어가", Mode.CAN, id="may"),
    pytest.param("이용 가능", "이용", Mode.CAN, id="possible-without-an-ending"),
    pytest.param("연임할 수는 없습니다.", "연임", Mode.CANNOT, id="cannot"),
    pytest.param("연임하지 못한다.", "연임", Mode.CANNOT, id="unable"),
    pytest.param("이용이 불가능합니다.", "이용", Mode.CANNOT, id="impossible"),
    pytest.param("주차는 허용되지 않습니다.", "주차", Mode.CANNOT, id="not-allowed"),
    pytest.param("주차는 금지되지 않습니다.", "주차", Mode.CAN, id="not-forbidden"),
    pytest.param("제출하지 아니하여도 된다.", "제출", Mode.NEED_NOT, id="need-not"),
    pytest.param("제출할 필요가 없습니다.", "제출", Mode.NEED_NOT, id="no-need"),
    pytest.param("지급하지 않을 수 있다.", "지급", Mode.MAY_REFRAIN, id="may-refrain"),
    pytest.param("지급하지 아니한다.", "지급", Mode.NOT, id="not"),
    pytest.param("이 사업은 의무가 아닙니다.", "의무", Mode.NOT, id="is-not"),
    pytest.param("수수료가 없습니다.", "수수료", Mode.LACKS, id="lacks"),
    pytest.param("수수료가 있습니다.", "수수료", Mode.HAS, id="has"),
    pytest.param("수당을 지급한다.", "지급", Mode.DOES, id="plain"),
    pytest.param("예약이 반드시 필요합니다.", "예약", Mode.MUST, id="needed"),
    pytest.param("예약이 필요하지 않습니다.", "예약", Mode.NEED_NOT, id="not-needed"),
    pytest.param("예약이 필요 없습니다.", "예약", Mode.NEED_NOT, id="no-need-of-it"),
    pytest.param("예약이 꼭 필요한 것은 아닙니다.", "예약", Mode.NEED_NOT, id="not-a-must"),
    pytest.param("도장이 없어도 됩니다.", "도장", Mode.NEED_NOT, id="may-go-without"),
    pytest.param("현금 결제가 안 됩니다.", "결제", Mode.CANNOT, id="does-not-work"),
    pytest.param("사진을 찍지 말아 주세요.", "찍", Mode.MUST_NOT, id="asked-not-to"),
    pytest.param("영수증을 발급해 드립니다.", "발급", Mode.DOES, id="done-for-you"),
    pytest.param("환급되지 않으니 확인하세요.", "환급", Mode.NOT, id="reason"),
    pytest.param("지참하지 않으셔도 됩니다.", "지참", Mode.NEED_NOT, id="honorific"),
    pytest.param("주차 불가: 화물차", "주차", Mode.CANNOT, id="head-of-a-list"),
]


@pytest.mark.parametrize(("sentence", "key", "mode"), MAIN)
def test_reads_what_is_said_of_a_predicate(sentence: str, key: str, mode: Mode) -> None:
    assert (key, mode, Role.MAIN) in [(one.key, one.mode, one.role) for one in stances(sentence)]


@pytest.mark.parametrize(
    ("sentence", "key", "role"),
    [
        pytest.param("신고하지 아니하면 벌한다.", "신고", Role.CONDITION, id="condition"),
        pytest.param("신고하지 아니한 사람은 벌한다.", "신고", Role.ASIDE, id="before-a-noun"),
        pytest.param("신고하지 아니하고 영업한다.", "신고", Role.ASIDE, id="manner"),
        pytest.param("사유 없이 거부한다.", "사유", Role.ASIDE, id="without"),
        pytest.param("약을 먹고 있는 사람은 쉰다.", "쉬", Role.MAIN, id="lasting"),
        pytest.param("달걀을 넣었고 불을 껐다.", "넣", Role.MAIN, id="coordinate-clause"),
    ],
)
def test_tells_which_part_of_the_sentence_it_is(sentence: str, key: str, role: Role) -> None:
    assert [one.role for one in stances(sentence) if one.key == key] == [role]


def test_the_place_covers_predicate_and_ending() -> None:
    sentence = "누구든지 지부에 제출하지 않아도 됩니다."

    [stance] = stances(sentence)

    assert sentence[stance.start : stance.end] == "제출하지 않아도 됩니다"


@pytest.mark.parametrize("text", ["", "주차장 안내", "안 되는", "1234", "못", "다만 그날은"])
def test_says_nothing_where_nothing_is_said(text: str) -> None:
    assert stances(text) == ()


@given(st.text(alphabet="예약이 필요 없는 주차를 할 수 있지 않으면 안 됩니다.,", max_size=60))
def test_every_stance_has_a_predicate_and_a_place(sentence: str) -> None:
    for stance in stances(sentence):
        assert stance.key
        assert 0 <= stance.start < stance.end <= len(sentence)



def test_what_is_restricted_cannot_be_done() -> None:
    [stance] = stances("예약이 제한됩니다.")

    assert (stance.key, stance.mode) == ("예약", Mode.CANNOT)


def test_a_noun_that_looks_like_a_verb_is_kept() -> None:
    assert [stance.key for stance in stances("참여 가능")] == ["참여"]


def test_what_is_received_is_the_noun_before() -> None:
    assert [stance.key for stance in stances("할인을 받을 수 있다.")] == ["할인"]


def test_a_wider_stance_takes_the_narrower_ones_in() -> None:
    assert [stance.key for stance in stances("낼 필요가 없습니다.")] == ["내"]


def test_what_cannot_be_done_without_is_no_predicate() -> None:
    assert [stance.role for stance in stances("출입은 표 없이 할 수 없다.")] == [Role.ASIDE]


@pytest.mark.parametrize("sign", ["- ", "1) ", "* **", "> "])
@given(st.lists(st.sampled_from("제출하지 않아도 됩니다 없어도 안 됩니다 금지 있습니다".split())))
def test_the_sign_of_a_list_changes_nothing_that_is_said(sign: str, words: list[str]) -> None:
    sentence = " ".join(words)

    behind = [
        (one.key, one.mode, one.role, one.start - len(sign)) for one in stances(sign + sentence)
    ]

    assert behind == [(one.key, one.mode, one.role, one.start) for one in stances(sentence)]
