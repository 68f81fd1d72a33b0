"""What closes up where a mark stood; `@` is the place of one that went."""

import pytest

from guards.text.slots.citation_mark import read_marks
from policies.citing.healing import heal
from policies.edits import apply


def healed(text: str) -> str:
    pieces = text.split("@")
    places = [len("".join(pieces[:at])) for at in range(1, len(pieces))]
    left = "".join(pieces)
    found = heal(left, places, read_marks(left))
    assert not found.lost
    return apply(left, found.edits)


KEPT = [
    pytest.param(
        "문을 닫습니다.@\n\n확인 방법은 따로 있습니다.",
        "문을 닫습니다.\n\n확인 방법은 따로 있습니다.",
        id="next-paragraph",
    ),
    pytest.param(
        "문을 닫습니다.@ 확인 후 안내합니다.",
        "문을 닫습니다. 확인 후 안내합니다.",
        id="next-sentence",
    ),
    pytest.param(
        "문을 닫습니다. @\n\n참고 문헌\n- a.pdf", "문을 닫습니다.\n\n참고 문헌\n- a.pdf", id="list"
    ),
    pytest.param(
        "문을 닫습니다.@ 참고 바랍니다.", "문을 닫습니다. 참고 바랍니다.", id="own-request"
    ),
    pytest.param(
        "문을 닫습니다. @\n자료를 보면 압니다.",
        "문을 닫습니다.\n자료를 보면 압니다.",
        id="frame-of-the-next-line",
    ),
]


@pytest.mark.parametrize(("text", "left"), KEPT)
def test_words_that_are_not_about_the_mark_stay(text: str, left: str) -> None:
    assert healed(text) == left


GONE = [
    pytest.param("닫습니다. 자세한 내용은 @을 참고하세요.", "닫습니다.", id="pointing"),
    pytest.param("닫습니다. @ 참조.", "닫습니다.", id="bare"),
    pytest.param("닫습니다 (@ 참고).", "닫습니다.", id="in-brackets"),
    pytest.param("닫습니다. @ 확인\n그렇습니다.", "닫습니다.\n그렇습니다.", id="to-the-line-end"),
]


@pytest.mark.parametrize(("text", "left"), GONE)
def test_words_that_only_point_at_the_mark_go(text: str, left: str) -> None:
    assert healed(text) == left


JOINED = [
    pytest.param("닫습니다 ([[2]], @).", "닫습니다 ([[2]]).", id="double"),
    pytest.param("닫습니다. @, (출처 2)", "닫습니다. (출처 2)", id="round"),
    pytest.param('닫습니다 @, <cite id="2"></cite>.', '닫습니다 <cite id="2"></cite>.', id="tag"),
    pytest.param("닫습니다 ([2]), (@).", "닫습니다 ([2]).", id="brackets-of-their-own"),
    pytest.param("닫습니다 (@), ([2]).", "닫습니다 ([2]).", id="brackets-of-the-first"),
    pytest.param("닫습니다 [2]와 @.", "닫습니다 [2].", id="and"),
    pytest.param("닫습니다 [2], @, [3].", "닫습니다 [2], [3].", id="between"),
    pytest.param("온실은 휴관이며, @.", "온실은 휴관이며.", id="no-mark-before"),
    pytest.param("**온실**@**휴관**", "**온실** **휴관**", id="emphasis-on-both-sides"),
]


@pytest.mark.parametrize(("text", "left"), JOINED)
def test_what_joined_two_marks_goes_with_one(text: str, left: str) -> None:
    assert healed(text) == left
