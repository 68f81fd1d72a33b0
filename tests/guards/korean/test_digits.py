import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.korean.digits import in_digits
from guards.text.normal import normalise

NUMBERS = [
    pytest.param("공일공 일이삼사 오육칠팔로", "010 1234 5678로", id="words"),
    pytest.param("영일영-일이삼사-오륙칠팔", "010-1234-5678", id="other-words"),
    pytest.param("공하나공 하나둘셋넷 다섯여섯일곱여덟", "010 1234 5678", id="native-words"),
    pytest.param("공일공에 일이삼사에 오육칠팔", "010- 1234- 5678", id="dash-read-aloud"),
    pytest.param("공일공다시일이삼사다시오육칠팔", "010-1234-5678", id="dash-as-a-word"),
    pytest.param("공일공-1234-5678", "010-1234-5678", id="words-and-digits"),
    pytest.param("일오팔팔-일이삼사", "1588-1234", id="service-number"),
    pytest.param("공일공 일이삼사 오육칠팔이 맞나요", "010 1234 5678이 맞나요", id="particle"),
    pytest.param("9️⃣9️⃣1️⃣2️⃣3️⃣1️⃣-3️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣", "991231-3123456", id="keycaps"),
    pytest.param("⓪①⓪-①②③④-⑤⑥⑦⑧", "010-1234-5678", id="circled"),
    pytest.param("⓿❶⓿-❶❷❸❹-❺❻❼❽", "010-1234-5678", id="black-circles"),
    pytest.param("⑼⑼⑴⑵⑶⑴-⑶⑴⑵⑶⑷⑸⑹", "991231-3123456", id="bracketed"),
    pytest.param("⁰¹⁰-¹²³⁴-⁵⁶⁷⁸", "010-1234-5678", id="raised"),
    pytest.param("０１０－１２３４－５６７８", "010-1234-5678", id="full-width"),
    pytest.param("0①0-1234-⑤⑥⑦⑧", "010-1234-5678", id="mixed"),
]


@pytest.mark.parametrize(("text", "read"), NUMBERS)
def test_rows_of_digits_are_read_in_any_notation(text: str, read: str) -> None:
    assert normalise(in_digits(text)).text == read


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("①010-1234-5678", id="number-of-an-item"),
        pytest.param("010-1234-5678①②", id="notes"),
        pytest.param("010-1234-5678¹²", id="raised-notes"),
        pytest.param("010-1234-5678이 맞나요", id="particle"),
        pytest.param("010-1234-5678 공사 이사 일", id="words-behind"),
        pytest.param("2016.5.22.이다", id="date-before-a-word"),
        pytest.param("① ② ③ 항목", id="few-signs"),
        pytest.param("이사는 이 사람이 오후 사이에 옵니다", id="words-of-their-own"),
        pytest.param("1,234,567원", id="amount"),
    ],
)
def test_what_is_no_row_stays(text: str) -> None:
    assert in_digits(text) == text


@given(st.text(alphabet="공일이삼사하나둘①⑨❾⁹９0123 -에다시이가\ufe0f\u20e3", max_size=60))
def test_places_stay(text: str) -> None:
    read = in_digits(text)

    assert len(read) == len(text)
    assert all(
        one == other or other in "0123456789-\u200b" for one, other in zip(text, read, strict=True)
    )
