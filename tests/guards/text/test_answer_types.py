import pytest

from guards.core.reading import Text
from guards.text.answer_types import AnswerType, asked_types, gives, sub_questions


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("수수료는 얼마인가요?", {AnswerType.NUMBER}),
        ("며칠 쉬나요?", {AnswerType.NUMBER}),
        ("언제 시작하나요?", {AnswerType.TIME}),
        ("대표 번호가 뭐죠?", {AnswerType.PHONE}),
        ("홈페이지 주소 알려 주세요.", {AnswerType.LINK}),
        ("어디서 접수하나요?", {AnswerType.PLACE}),
        ("누가 결재하나요?", {AnswerType.PERSON}),
        ("왜 거절되나요?", {AnswerType.REASON}),
        ("환불되나요?", {AnswerType.POLARITY}),
        ("어떻게 신청하나요?", set()),
        ("환불 규정을 알려 주세요.", set()),
    ],
)
def test_tells_what_is_asked_for(question: str, kinds: set[AnswerType]) -> None:
    assert asked_types(question) == kinds


@pytest.mark.parametrize(
    ("answer", "kind", "given"),
    [
        ("https://example.com 에서 봅니다.", AnswerType.LINK, True),
        ("홈페이지에서 봅니다.", AnswerType.LINK, False),
        ("help@example.com 으로 보냅니다.", AnswerType.MAIL, True),
        ("팀장이 결재합니다.", AnswerType.PERSON, True),
        ("결재는 생략합니다.", AnswerType.PERSON, False),
        ("제3조에 따릅니다.", AnswerType.NUMBER, False),
        ("네, 그렇습니다.", AnswerType.POLARITY, True),
    ],
)
def test_tells_whether_it_is_given(answer: str, kind: AnswerType, given: bool) -> None:
    assert gives(Text(answer), kind) is given


def test_a_question_may_be_several() -> None:
    asked = list(sub_questions("얼마인가요? 언제 내나요 그리고 어디서 내나요?"))

    assert asked == ["얼마인가요?", "언제 내나요", "어디서 내나요?"]
