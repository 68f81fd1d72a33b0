import pytest

from guards.text.writing.han_words import is_usual_han
from guards.text.writing.scripts import foreign_runs

USUAL = [
    pytest.param("수수료(手數料)를", id="gloss"),
    pytest.param("국민 연금(國民年金)은", id="gloss-of-two-words"),
    pytest.param("업(業)으로", id="gloss-of-one-syllable"),
    pytest.param("[이하 “기일”(期日)이라 한다]", id="gloss-after-quotes"),
    pytest.param("수수료（手數料）를", id="full-width-brackets"),
    pytest.param("임명과 해임(任命·解任)", id="two-words-in-one-bracket"),
    pytest.param("원본(原本, 사본을 포함한다)", id="bracket-goes-on-after-the-gloss"),
    pytest.param("시간의 기산(起算)은", id="gloss-of-the-last-word"),
    pytest.param("전쟁·사변(事變)이", id="gloss-of-a-word-in-a-row"),
    pytest.param("연령(年齡)과 이율(利率)", id="forms-at-the-beginning-of-a-word"),
    pytest.param("시월(十月)에 논란(論難)이", id="readings-of-certain-words"),
    pytest.param("대한민국(韓國)의", id="gloss-in-short"),
    pytest.param("손흥민(孫興慜) 선수", id="name-with-a-rare-character"),
    pytest.param("도쿄(東京)와 시진핑(習近平)", id="names-of-other-countries"),
    pytest.param("무라카미 하루키(村上春樹)", id="name-of-two-words"),
    pytest.param("**기산**(起算)은", id="gloss-behind-a-word-in-bold"),
    pytest.param("상하이(上海)에서", id="name-by-its-sound"),
    pytest.param("배(梨)와 하늘(天)", id="native-words"),
    pytest.param("甲은 乙에게", id="parties"),
    pytest.param("(株)가나상사", id="kind-of-company"),
]
NOT_USUAL = [
    pytest.param("手數料를", id="han-in-running-text"),
    pytest.param("手數料(수수료)를", id="han-before-its-gloss"),
    pytest.param("AI(人工智能)는", id="bracket-after-latin"),
    pytest.param("기한(申请期限为三十天)", id="longer-than-the-word-it-follows"),
    pytest.param("온라인 신청(请在线申请)하세요", id="clause-as-long-as-the-phrase"),
    pytest.param("환불 안내(可以退款)", id="clause-behind-a-heading"),
    pytest.param("신청서 접수 안내(您可以)", id="clause-with-an-unknown-character"),
    pytest.param("네이버 예약(在线预约)", id="clause-behind-a-brand-and-a-word"),
    pytest.param("이용 시간(分钟)", id="word-of-the-same-length"),
    pytest.param("이용 요금(元)", id="unit"),
    pytest.param("바로가기(立即申请)", id="clause-behind-a-verb"),
    pytest.param("가나株式", id="kind-of-company-without-brackets"),
    pytest.param("(費)", id="bracket-after-nothing"),
]


@pytest.mark.parametrize("text", USUAL)
def test_accepts(text: str) -> None:
    runs = foreign_runs(text)

    assert runs
    assert all(is_usual_han(text, run) for run in runs)


@pytest.mark.parametrize("text", NOT_USUAL)
def test_refuses(text: str) -> None:
    [run] = foreign_runs(text)

    assert not is_usual_han(text, run)


def test_kana_is_no_gloss() -> None:
    text = "요금(メートル)은"
    [run] = foreign_runs(text)

    assert not is_usual_han(text, run)
