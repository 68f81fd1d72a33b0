from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.sentences import split_sentences
from policies.gating.segments import Segmenter, is_complete
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

ANSWERS = [
    pytest.param(
        "안녕하세요, 고객님! 문의해 주셔서 감사합니다.\n\n"
        "대관료는 1시간에 35,000원이며, 3.5% 할인됩니다.[1]"
        " 예약은 2031. 4. 7.부터 받습니다.[2] [3]에 따르면 취소는 3일 전까지 됩니다."
        " 더 궁금한 점이 있으시면 말씀해 주세요.",
        id="prose",
    ),
    pytest.param(
        "신청 서류는 다음과 같습니다.\n\n1. **신분증** 사본 1부[1]\n2. 통장 사본. 앞면만 내세요.\n"
        "   - 가. 본인 명의\n\n**접수 방법:**\n- 방문: 본관 2층 (평일만 됩니다. 09:00~18:00)\n"
        "- 누리집: www.example.com/apply.do\n",
        id="lists",
    ),
    pytest.param(
        "## 요금 안내\n\n| 구분 | 요금 |\n|---|---:|\n| 성인 | 5,000원. 현장 구매 |\n"
        "| 어린이 | 무료 |\n\n단체는 20명부터 10% 할인됩니다(출처: 이용 규정 제4조).\n",
        id="table",
    ),
    pytest.param(
        "<think>요금을 묻는다. 표를 보자.\n성인?</think>\n네, 성인은 5,000원입니다.\n```json\n"
        '{"a": "가. 나."}\n\n```\n위와 같이 요청하세요.'
        " 직원은 “안 됩니다. 돌아가세요.”라고 하지 않습니다.",
        id="thoughts-and-code",
    ),
]
TEXTS = [str(answer.values[0]) for answer in ANSWERS]
WORDS = "가 다. 합니다. 네. 요? : 1 2024. ** ``` [1] ² ( ) [ “ ” 에 , <think> </think> | # -"
SPACED = [
    " ",
    "\n",
    "\n\n",
    "\u3000",
    "1. ",
    "나. ",
    "- ",
    "## ",
    "|---|\n",
    "```\n",
    "\n  - ",
    "📌 ",
]
LONGER = [
    "네, 됩니다.",
    "대관 안내",
    "다음과 같습니다.",
    "[출처: 규정]",
    "안녕하세요.",
    "다음 두 가지입니다.",
    "가" * 90,
]
ANY = st.lists(st.sampled_from([*WORDS.split(), *SPACED, *LONGER]), max_size=30).map("".join)
CUTS = st.lists(st.integers(0, 260), max_size=8)


def ends_of(*pieces: str) -> list[int]:
    segmenter = Segmenter()
    return [end for piece in pieces for end in segmenter.feed(piece)] + segmenter.close()


def segments(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in pairwise([0, *ends_of(text)])]


@given(st.sampled_from(TEXTS) | ANY, CUTS)
def test_segments_do_not_depend_on_how_the_answer_arrives(text: str, cuts: list[int]) -> None:
    pieces = [text[start:end] for start, end in pairwise([0, *sorted(cuts), len(text)])]

    assert ends_of(*pieces) == ends_of(*text) == ends_of(text)


@given(st.sampled_from(TEXTS) | ANY)
def test_no_sentence_is_cut(text: str) -> None:
    ends = set(ends_of(text))

    for sentence in split_sentences(text):
        assert ends.isdisjoint(range(sentence.start + 1, sentence.end))


@given(ANY.filter(str.strip))
def test_segments_hold_the_whole_text_and_none_is_blank(text: str) -> None:
    ends = ends_of(text)

    assert ends[-1] == len(text)
    assert ends == sorted(set(ends))
    assert all(segments(text))


def test_nothing_has_no_segments() -> None:
    assert ends_of("") == []


CLAIM = "대관료는 35,000원입니다."


@each_row("parts, between", "segments")
def test_segments_are(parts: list[str], between: str) -> None:
    assert segments(between.join(parts)) == parts


@each_row("opening", "openings")
def test_the_first_segment_says_something(opening: str) -> None:
    assert segments(f"{opening}\n예약은 받습니다. 됩니다.")[0] == opening.strip()


def test_no_more_than_five_empty_sentences_are_held() -> None:
    greetings = "안녕하세요. 감사합니다. 반갑습니다. 죄송합니다. 네, 그렇습니다. 네, 됩니다."

    assert segments(f"{greetings} {CLAIM}") == [greetings, CLAIM]


def test_four_hundred_empty_characters_are_not_held() -> None:
    question = f"{'가' * 398}까?"

    assert segments(f"{question} {CLAIM}") == [question, CLAIM]


def test_thoughts_that_never_end_are_one_segment() -> None:
    assert len(segments(f"<think>{CLAIM} {CLAIM}\n{CLAIM}")) == 1


@each_row("segment, behind, piece", "as_soon_as")
def test_an_end_is_told_as_soon_as_it_is_certain(segment: str, behind: str, piece: str) -> None:
    segmenter = Segmenter()

    assert segmenter.feed(segment + behind) == []
    assert segmenter.feed(piece) == [len(segment)]
    assert segmenter.text == segment + behind + piece


@each_row("text", ANSWERS)
def test_no_end_of_a_usual_answer_is_told_late(text: str) -> None:
    segmenter = Segmenter()
    for read, char in enumerate(text, start=1):
        for end in segmenter.feed(char):
            assert end < read < end + 20


def test_the_last_sentence_stays_until_the_answer_is_closed() -> None:
    segmenter = Segmenter()

    assert segmenter.feed(f"{CLAIM}\n\n") == []
    assert segmenter.close() == [len(CLAIM) + 2]


def test_segments_grow_with_a_long_text() -> None:
    ends = ends_of(f"{CLAIM} " * 2_000)
    long = [(last, end) for last, end in pairwise(ends[:-1]) if end > 1_500]

    assert len(long) > 30
    assert all(end - last >= end / 20 for last, end in long)


RUNS = ["가", ".", "(", '"', "1", "[", " ", "\n", "*", "`", "-", "=", "²", "1%", "[1", "가.", "다."]
LONG_RUNS = [
    "네. ",
    "😊",
    "😊\n",
    "가\n\n",
    "- 가\n  ",
    "가. ",
    "한다.[1],",
    " .",
    "가\n",
    "| ",
    "|---|\n",
    "<think>",
    "```\n",
    ": ",
    "가:\n",
]


@each_row("run", [*RUNS, *LONG_RUNS])
def test_long_runs_are_cut_in_linear_time(run: str) -> None:
    assert_grows_with_its_input(lambda chars: ends_of(*f"한다. {run * (chars // len(run))}"), 6_000)


@each_row("segment", "complete")
def test_is_complete(segment: str) -> None:
    assert is_complete(segment)


@each_row("segment", "open")
def test_is_not_complete(segment: str) -> None:
    assert not is_complete(segment)
