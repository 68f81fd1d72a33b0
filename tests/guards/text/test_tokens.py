from hypothesis import given
from hypothesis import strategies as st

from guards.text.tokens import bigrams, content_words, word_stem
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row


@each_row("word, stem", "stems")
def test_stem(word: str, stem: str) -> None:
    assert word_stem(word) == stem


def test_content_words_leave_grammar_out_and_keep_their_places() -> None:
    text = "그럼 VPN 신청은 어떻게 하나요?"

    words = content_words(text)

    assert [(word.text, word.stem) for word in words] == [("vpn", "vpn"), ("신청은", "신청")]
    assert [text[word.start : word.end] for word in words] == ["VPN", "신청은"]


@each_row("text", "a_text_may_have_no_content_words")
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


@each_row("char", "long_monotonous_text_takes_no_time")
def test_long_monotonous_text_takes_no_time(char: str) -> None:
    assert_grows_with_its_input(
        lambda chars: (content_words(char * chars), bigrams(char * chars)), 20_000
    )
