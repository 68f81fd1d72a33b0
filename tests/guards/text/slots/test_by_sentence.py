from hypothesis import given
from hypothesis import strategies as st

from guards.core.keeping import Keeping
from guards.text.names.names import find_names
from guards.text.normal import normalise
from guards.text.slots.by_sentence import names_by_sentence, quantities_by_sentence
from guards.text.slots.quantity import find_quantities
from tests.tables import each_row

PIECES = (
    "수강료는 3만 원입니다.[1] ", "접수는 2024. 3. 5.부터 합니다. ", "- 정원: 12명[2]\n", "15일",
    "(단위: 천원)\n", "약 ", "오전 9시", "[1]", "[", ")", "(단, 주말은 뺍니다. ", " 이내) ", "\n",
    "- ", "1) ", "2. ", "없습니다.", "돼요. ", "두 가지 ", "7호선 ", "버스 ", "3번 출구 ", "5일역 ",
    "내선 ", "전화 02-555-0101 ", "㎡", "⑮", "²", "이상 ", "부터 ", "~", "12쪽", "| 3개 |\n",
    "10분 단위로 ", "신분당선\n", "우선 ", "12번 ", "한솔문화센터 ", "김민수 팀장 ",
    "'바다'라는 앱 ", "「", "안내.pdf ", "Han River ", "별관 3층 ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_what_is_put_together_is_what_the_whole_text_holds(texts: list[str]) -> None:
    kept = Keeping()  # one for all of them: what one text left there changes no other

    for text in texts:
        assert quantities_by_sentence(text, kept) == find_quantities(text, normalise(text))
        assert names_by_sentence(text, kept) == find_names(text, normalise(text))


@given(TEXTS, st.lists(st.integers(0, 60), max_size=6))
def test_a_text_that_grows_is_read_as_one_that_stood_there(text: str, cuts: list[int]) -> None:
    kept = Keeping()

    for end in sorted({min(cut, len(text)) for cut in cuts}):
        seen = text[:end]
        assert quantities_by_sentence(seen, kept) == find_quantities(seen, normalise(seen))
    assert quantities_by_sentence(text, kept) == find_quantities(text, normalise(text))


@each_row("text, found", "what_reaches_over_a_sentence_is_read_with_it")
def test_what_reaches_over_a_sentence_is_read_with_it(text: str, found: list[str]) -> None:
    quantities = quantities_by_sentence(text, Keeping())

    assert [one.text for one in quantities] == found
    assert [text[one.start : one.end] for one in quantities] == found
    assert quantities == find_quantities(text, normalise(text))
