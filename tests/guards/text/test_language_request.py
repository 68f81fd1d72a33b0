import pytest

from guards.text.writing.language_request import asks_for_original, requested_scripts
from guards.text.writing.scripts import Script

ASKED = [
    pytest.param("이 안내문을 중국어로 번역해 주세요", {Script.HAN}, id="translation"),
    pytest.param("일본어로 옮겨줘", {Script.HAN, Script.KANA}, id="japanese-has-two-scripts"),
    pytest.param("영어로 답변 부탁드립니다", {Script.LATIN}, id="answer-in-english"),
    pytest.param("영어로 알려주실 수 있나요?", {Script.LATIN}, id="tell-me-in-english"),
    pytest.param("보증금을 한자로 어떻게 쓰나요?", {Script.HAN}, id="how-in-hanja"),
    pytest.param("한자도 같이 적어 주세요", {Script.HAN}, id="hanja-beside"),
    pytest.param("한자 표기를 알려 주세요", {Script.HAN}, id="hanja-spelling"),
    pytest.param("감사 인사는 중국어로 뭐라고 하나요?", {Script.HAN}, id="what-in-chinese"),
    pytest.param("영어로 이 문단을 번역해 주세요", {Script.LATIN}, id="object-between"),
    pytest.param("중국어로 번역해", {Script.HAN}, id="plain-imperative"),
    pytest.param("Please answer in English.", {Script.LATIN}, id="asked-in-english"),
    pytest.param(
        "영어로 번역해 주시고 일본어로도 번역해 주세요",
        {Script.LATIN, Script.HAN, Script.KANA},
        id="two-languages",
    ),
]
NOT_ASKED = [
    pytest.param("환불 규정을 알려 주세요", id="no-language"),
    pytest.param("중국어 통역 서비스가 있나요?", id="mentioned"),
    pytest.param("영어로 된 서류를 알려 주세요", id="document-in-english"),
    pytest.param("영어로 작성한 서류도 제출할 수 있나요?", id="written-in-english"),
    pytest.param("일본어로 진행되는 설명회 일정을 알려주세요", id="event-in-japanese"),
    pytest.param("중국어로 상담할 수 있는 곳을 알려 주세요", id="object-of-its-own"),
    pytest.param("영문 증명서를 발급해 주세요", id="adjective"),
    pytest.param("영어로 답하지 마세요", id="refused"),
    pytest.param("중국어로 쓰지 말고 한국어로 답해 주세요", id="refused-then-korean"),
    pytest.param("한자는 빼고 알려 주세요", id="without-hanja"),
    pytest.param("한자가 들어간 이름은 어떻게 등록하나요?", id="about-hanja"),
]


@pytest.mark.parametrize(("question", "scripts"), ASKED)
def test_recognises_a_request(question: str, scripts: set[Script]) -> None:
    assert requested_scripts(question) == scripts


@pytest.mark.parametrize("question", NOT_ASKED)
def test_a_mention_is_no_request(question: str) -> None:
    assert requested_scripts(question) == frozenset()


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        pytest.param("첫 구절을 원문 그대로 인용해 주세요", True, id="as-it-stands"),
        pytest.param("원문을 보여 주세요", True, id="show"),
        pytest.param("원문도 함께 적어 주세요", True, id="beside"),
        pytest.param("이 시의 원문은 무엇인가요?", True, id="what-is-it"),
        pytest.param("원문이 어떻게 되나요?", True, id="how-does-it-go"),
        pytest.param("원문으로 알려줘", True, id="in-the-original"),
        pytest.param("원문을 번역해서 알려 주세요", False, id="translated"),
        pytest.param("원문 말고 풀이만 알려 주세요", False, id="refused"),
        pytest.param("원문 대조를 신청하려면 어디로 가나요?", False, id="mentioned"),
        pytest.param("수수료를 알려 주세요", False, id="no-word-of-it"),
    ],
)
def test_recognises_a_request_for_the_original(question: str, *, asked: bool) -> None:
    assert asks_for_original(question) is asked
