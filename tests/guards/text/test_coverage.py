from time import process_time

import pytest

from guards.text.coverage import Passage, question_coverage

REFUND = Passage("제8조(환불)", ("환불을 신청하려면 영수증을 제출한다.", "환불은 현금으로 한다."))
UNIFORM = Passage("제9조(복장)", ("직원은 근무복을 착용한다.",))


def test_a_subject_that_stands_there_is_covered() -> None:
    assert question_coverage("환불 신청 절차를 알려 주세요", [UNIFORM, REFUND]) == 1


def test_spacing_and_particles_do_not_matter() -> None:
    passage = Passage("", ("근무복의 착용",))

    assert question_coverage("근무 복 착용은 어떻게 되나요?", [passage]) == 1


def test_the_heading_belongs_to_every_window() -> None:
    assert question_coverage("복장 규정이 있나요?", [UNIFORM]) == 1


def test_a_subject_that_is_not_there_is_not_covered() -> None:
    assert question_coverage("기숙사 배정 기준을 알려 주세요", [UNIFORM, REFUND]) == 0


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    common = [Passage("", (f"직원은 {word}을 쓴다.",)) for word in ("책상", "전화", "사물함")]

    share = question_coverage("직원 기숙사 규정을 알려 주세요", common)

    assert share is not None
    assert 0 < share < 0.5


def test_one_covered_part_of_a_question_is_enough() -> None:
    question = "기숙사 배정에 대해 알려 주세요. 그리고 환불 절차도 알려 주세요."

    assert question_coverage(question, [REFUND]) == 1


NOT_COMPARED = [
    pytest.param("그건 어떻게 하나요?", id="no-subject"),
    pytest.param("그럼 기한은요?", id="nothing-but-a-measure"),
    pytest.param("문서 내용을 요약해 주세요", id="about-the-document"),
    pytest.param("", id="empty"),
    pytest.param("기숙사에서 라면 끓여도 되나요?", id="told-in-verbs"),
    pytest.param("기숙사 " * 50, id="as-long-as-a-text"),
]


@pytest.mark.parametrize("question", NOT_COMPARED)
def test_some_questions_cannot_be_compared(question: str) -> None:
    assert question_coverage(question, [UNIFORM]) is None


def test_a_question_for_a_value_is_compared_only_if_no_passage_has_one() -> None:
    question = "기숙사비는 얼마인가요?"
    price = Passage("", ("생활관 이용료는 월 20만 원이다.",))

    assert question_coverage(question, [price]) is None
    assert question_coverage(question, [UNIFORM]) == 0


def test_no_passage_covers_nothing() -> None:
    assert question_coverage("환불 절차를 알려 주세요", []) == 0


def test_long_texts_take_little_time() -> None:
    passage = Passage("", ("직원은 근무복을 착용하고 명찰을 단다.",) * 5_000)
    started = process_time()

    question_coverage("기숙사 배정 " * 100_000, [passage])
    question_coverage("기숙사 배정 기준을 알려 주세요", [passage])

    assert process_time() - started < 2
