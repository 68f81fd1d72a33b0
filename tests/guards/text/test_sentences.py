import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.sentences import GrowingSentences, split_sentences

KOREAN = st.text(alphabet="가다요 .!?\n\t123[]()\"'“”「」-·a†출처:,…")

SPLIT = [
    pytest.param("신청한다. 접수한다.", ["신청한다.", "접수한다."], id="two-sentences"),
    pytest.param("신청한다.접수한다.", ["신청한다.", "접수한다."], id="no-space-after-ending"),
    pytest.param("되나요?아니요.", ["되나요?", "아니요."], id="no-space-after-question"),
    pytest.param("하나\n둘", ["하나", "둘"], id="line-break"),
    pytest.param("한다.[1] 된다.", ["한다.[1]", "된다."], id="citation-behind-full-stop"),
    pytest.param("한다. [출처: 규정] 된다.", ["한다. [출처: 규정]", "된다."], id="named-citation"),
    pytest.param(
        "한다. [2]에 따르면 된다.", ["한다.", "[2]에 따르면 된다."], id="citation-that-goes-on"
    ),
    pytest.param(
        "한다.[1] [2]번 문서는 된다.",
        ["한다.[1]", "[2]번 문서는 된다."],
        id="one-behind-one-going-on",
    ),
    pytest.param(
        "한다. [1], [2]에 따르면 된다.", ["한다.", "[1], [2]에 따르면 된다."], id="two-that-go-on"
    ),
    pytest.param(
        "한다. [출처: 규정]에 따르면 된다.",
        ["한다.", "[출처: 규정]에 따르면 된다."],
        id="named-citation-that-goes-on",
    ),
    pytest.param("한다.[1]이 경우 된다.", ["한다.[1]", "이 경우 된다."], id="no-particle-but-this"),
    pytest.param("정말요!! 네.", ["정말요!!", "네."], id="repeated-stops"),
    pytest.param(
        "문의는 02-123-4567. 평일만 됩니다.",
        ["문의는 02-123-4567.", "평일만 됩니다."],
        id="telephone-number-ends-sentence",
    ),
    pytest.param(
        "- 가. 서류를 낸다. 확인한다.", ["- 가. 서류를 낸다.", "확인한다."], id="bullet-and-marker"
    ),
]
WHOLE = [
    pytest.param("이 규정은 2024. 3. 5. 시행한다.", id="spaced-date"),
    pytest.param("이 규정은 2024.3.5. 시행한다.", id="dense-date"),
    pytest.param("이 규정은 '24. 3. 5. 시행한다.", id="short-year"),
    pytest.param("접수는 3. 5. 시작한다.", id="month-and-day"),
    pytest.param("2024. 3. 시행 예정이다.", id="year-and-month"),
    pytest.param("요율은 3.5 퍼센트이다.", id="decimal"),
    pytest.param("1. 신청서를 낸다.", id="numbered-list"),
    pytest.param("  가. 신청서를 낸다.", id="lettered-list"),
    pytest.param("- 가. 항목", id="marker-after-bullet"),
    pytest.param('담당자는 "안 됩니다. 돌아가세요."라고 말했다.', id="straight-quotes"),
    pytest.param("담당자는 “안 됩니다.”라고 말했다.", id="curly-quotes"),
    pytest.param("금액(세금을 포함한다. 이하 같다)을 낸다.", id="brackets"),
    pytest.param("안내는 www.example.com에서 한다.", id="address"),
    pytest.param("자세한 것은 No. 7 양식을 본다.", id="abbreviation"),
    pytest.param("신청서를 낸다", id="no-full-stop"),
]


@pytest.mark.parametrize(("text", "sentences"), SPLIT)
def test_splits(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == sentences


@pytest.mark.parametrize("text", WHOLE)
def test_keeps_whole(text: str) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == [text.strip()]


@given(KOREAN)
def test_spans_hold_their_text(text: str) -> None:
    for sentence in split_sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text


@given(KOREAN)
def test_sentences_hold_every_visible_character_once(text: str) -> None:
    joined = "".join(sentence.text for sentence in split_sentences(text))

    assert "".join(joined.split()) == "".join(text.split())


@given(KOREAN)
def test_sentences_stand_in_order(text: str) -> None:
    ends = [0]
    for sentence in split_sentences(text):
        assert ends[-1] <= sentence.start < sentence.end
        ends.append(sentence.end)


@pytest.mark.parametrize("char", [".", "(", '"', "1", "[", "다."])
def test_long_runs_lose_nothing(char: str) -> None:
    text = char * 30_000

    assert sum(len(sentence.text) for sentence in split_sentences(text)) == len(text)


@given(KOREAN, st.lists(st.integers(0, 40), max_size=6))
def test_a_text_that_grows_is_split_as_one_that_stood_there(text: str, cuts: list[int]) -> None:
    growing = GrowingSentences()

    for end in [*sorted(min(cut, len(text)) for cut in cuts), len(text)]:
        assert growing.of(text[:end]) == GrowingSentences().of(text[:end])


@given(KOREAN, KOREAN)
def test_a_text_that_does_not_go_on_from_the_latest_is_split_anew(one: str, other: str) -> None:
    growing = GrowingSentences()
    growing.of(one)

    assert growing.of(other) == GrowingSentences().of(other)
