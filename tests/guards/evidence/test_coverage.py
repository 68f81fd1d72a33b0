from collections.abc import Sequence

from guards.core.exchange import Source
from guards.core.reading import SourceSet
from guards.evidence.coverage import question_coverage
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

Passage = tuple[str, list[str]]


def told(passages: Sequence[Passage]) -> SourceSet:
    return SourceSet(
        tuple(
            Source(str(number), title, "\n".join(sentences))
            for number, (title, sentences) in enumerate(passages)
        )
    )


REFUND = ("제8조(환불)", ["환불을 신청하려면 영수증을 제출한다.", "환불은 현금으로 한다."])
UNIFORM = ("제9조(복장)", ["직원은 근무복을 착용한다."])


def coverage(question: str, *passages: Passage) -> float:
    share = question_coverage(question, told(passages))
    assert share is not None
    return share


@each_row("question, passages", "held")
def test_a_subject_that_stands_there_is_held(question: str, passages: list[Passage]) -> None:
    assert coverage(question, *passages) > 0.7


def test_a_subject_that_is_not_there_is_not_held() -> None:
    assert coverage("기숙사 배정 기준을 알려 주세요", UNIFORM, REFUND) < 0.2


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    common = [("", [f"직원은 {word}을 쓴다."]) for word in ("책상", "전화", "사물함")]

    assert coverage("직원 기숙사 규정을 알려 주세요", *common) < 0.5


def test_words_of_passages_that_are_apart_do_not_add_up() -> None:
    both = ("", ["기숙사는 남관과 여관이 있다.", "방은 추첨으로 배정한다."])
    apart = [
        ("", ["기숙사는 남관과 여관이 있다."]),
        ("", ["방은 추첨으로 배정한다."]),
    ]

    question = "기숙사 배정 기준을 알려 주세요"

    assert coverage(question, both) > coverage(question, *apart)


def test_one_missing_word_proves_less_than_several() -> None:
    one = coverage("기숙사는요?", UNIFORM)
    several = coverage("기숙사 세탁실 건조기는요?", UNIFORM)

    assert several < one < 0.5


def test_the_users_own_case_says_little_of_the_subject() -> None:
    question = "주말에 아이랑 갈 건데 근무복을 착용하나요?"

    assert coverage(question, UNIFORM) > 0.6


@each_row("question", "not_compared")
def test_some_questions_cannot_be_compared(question: str) -> None:
    assert question_coverage(question, told([UNIFORM])) is None


def test_no_passage_holds_nothing() -> None:
    assert coverage("환불 절차를 알려 주세요") < 0.5


def test_long_texts_take_little_time() -> None:
    def look(count: int) -> None:
        long = told([("", ["직원은 근무복을 착용하고 명찰을 단다."] * count)])
        question_coverage("기숙사 배정 " * 20 * count, long)
        question_coverage("기숙사 배정 기준을 알려 주세요", long)

    assert_grows_with_its_input(look, 2_000)
