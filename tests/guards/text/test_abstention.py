import pytest

from guards.text.abstention import is_abstention

ABSTAINS = [
    pytest.param("제공된 자료에서 확인되지 않습니다.", id="not-confirmed"),
    pytest.param("해당 내용을 찾을 수 없습니다.", id="not-found"),
    pytest.param("관련 규정을 찾지 못했습니다.", id="did-not-find"),
    pytest.param("문서에 명시되어 있지 않습니다.", id="not-stated"),
    pytest.param("주어진 문서에는 관련 정보가 없습니다.", id="no-information"),
    pytest.param("자료에 나와 있지 않아요.", id="casual"),
    pytest.param("정확한 금액은 알 수 없습니다.", id="cannot-know"),
    pytest.param("근거가 없어 답변드리기 어렵습니다.", id="hard-to-answer"),
    pytest.param("제공된 정보가 부족합니다", id="not-enough-and-no-full-stop"),
    pytest.param("자료에서 확인되지 않습니다. [1]", id="with-a-citation"),
    pytest.param(
        "죄송합니다. 자료에서 확인되지 않습니다. 담당 부서에 문의해 주세요.",
        id="apology-and-advice-around-it",
    ),
    pytest.param("자료에 나와 있지 않으므로 인사팀에 문의하시기 바랍니다.", id="advice-in-one"),
]
ANSWERS = [
    pytest.param("수수료는 3만 원입니다.", id="answer"),
    pytest.param("", id="nothing"),
    pytest.param("담당 부서에 문의해 주세요.", id="advice-alone"),
    pytest.param("제공된 자료에서 확인되지 않습니다. 보통은 15일입니다.", id="goes-on-with-a-fact"),
    pytest.param("소재를 알 수 없는 때에는 지급을 멈춥니다.", id="condition"),
    pytest.param("확인되지 않은 금액은 환불됩니다.", id="adnominal"),
    pytest.param("신분증은 확인하지 않습니다.", id="fact-about-not-checking"),
    pytest.param("벌칙 규정은 없습니다.", id="fact-about-no-rule"),
    pytest.param("주말에는 이용할 수 없습니다.", id="fact-about-not-being-able"),
]


@pytest.mark.parametrize("answer", ABSTAINS)
def test_recognises_an_abstention(answer: str) -> None:
    assert is_abstention(answer)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_no_abstention(answer: str) -> None:
    assert not is_abstention(answer)
