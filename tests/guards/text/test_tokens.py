import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.tokens import bigrams, content_words, word_stem
from tests.fakes.growth import assert_grows_with_its_input

STEMS = [
    pytest.param("환불을", "환불", id="particle"),
    pytest.param("신청하려면", "신청", id="noun-as-verb"),
    pytest.param("지급됩니다", "지급", id="passive"),
    pytest.param("위반했을", "위반", id="past"),
    pytest.param("지원받으려면", "지원", id="receiving"),
    pytest.param("대상자인가요", "대상자", id="copula"),
    pytest.param("수수료는요", "수수료", id="polite-fragment"),
    pytest.param("제한된", "제한", id="adnominal"),
    pytest.param("지하철", "지하철", id="syllable-inside-a-noun"),
    pytest.param("부하", "부하", id="too-short-to-cut"),
    pytest.param("승인", "승인", id="noun-that-looks-like-a-copula"),
    pytest.param("산업융합", "산업융합", id="noun-in-hap"),
    pytest.param("vpn", "vpn", id="latin"),
    pytest.param("1,000", "1,000", id="number"),
]


@pytest.mark.parametrize(("word", "stem"), STEMS)
def test_stem(word: str, stem: str) -> None:
    assert word_stem(word) == stem


def test_content_words_leave_grammar_out_and_keep_their_places() -> None:
    text = "그럼 VPN 신청은 어떻게 하나요?"

    words = content_words(text)

    assert [(word.text, word.stem) for word in words] == [("vpn", "vpn"), ("신청은", "신청")]
    assert [text[word.start : word.end] for word in words] == ["VPN", "신청은"]


@pytest.mark.parametrize(
    "text",
    ["", "?!", "그건 무엇인가요?", "알려 주세요", "어떻게 해야 하나요?", "관련해서 궁금합니다"],
)
def test_a_text_may_have_no_content_words(text: str) -> None:
    assert content_words(text) == []


def test_bigrams_do_not_cross_words() -> None:
    assert bigrams("환불 규정은 2가지, A안") == {"환불", "규정", "정은", "가지"}


@given(st.text())
def test_words_stand_in_order_where_they_say(text: str) -> None:
    words = content_words(text)

    assert all(text[word.start : word.end].lower() == word.text for word in words)
    assert all(word.text.startswith(word.stem) and word.stem for word in words)


@given(st.text(alphabet="가나하되해요는 "), st.text(alphabet="가나하되해요는 "))
def test_a_longer_text_has_no_fewer_bigrams(text: str, more: str) -> None:
    assert bigrams(text) <= bigrams(f"{text} {more}")


@pytest.mark.parametrize("char", "하였받요이a1 ")
def test_long_monotonous_text_takes_no_time(char: str) -> None:
    assert_grows_with_its_input(
        lambda chars: (content_words(char * chars), bigrams(char * chars)), 100_000
    )
