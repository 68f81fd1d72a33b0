"""Sentences: where they end, which of them claim something, and which only repeat."""

from hypothesis import example, given
from hypothesis import strategies as st

from guards.claims.reader import read_claims
from guards.claims.standing import Standing, abstains, standing_of, standing_of_sentence
from guards.korean_only import without_foreign_quotations
from guards.quality import broken_places, character_loops, item_loops
from guards.text.claims import bare_claim, claims
from guards.text.sentences import GrowingSentences, SentenceEnds, sentence_ends, split_sentences
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

KOREAN = st.text(alphabet="가다요 .!?\n\t123[]()\"'“”「」-·a†출처:,…😊❤\ufe0f니")


@each_row("text, sentences", "split")
def test_splits(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == sentences


@each_row("text", "whole")
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


@each_row("char", "long_runs_lose_nothing")
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


# --- ends ---


WORDS = '가 다. 요? … 1 3. 2024. A. [1] [2,3] 【표】 ² ( ) [ “ ” " 에따르면 이 , · 번문서 (출처:가)'
SPACED = [
    " ",
    "\n",
    "\t",
    "\u3000",
    "1. ",
    "나. ",
    "- ",
    "[출처: 규정]",
    " 에 따라",
    "은 ",
    "가" * 130,
]
PIECES = st.sampled_from([*WORDS.split(), *SPACED])
TEXTS = st.lists(PIECES, max_size=25).map("".join)


def ends_of(pieces: list[str]) -> list[int]:
    ends = SentenceEnds()
    return [end for piece in pieces for end in ends.grow(piece)] + ends.close()


@given(TEXTS, st.integers(0, 60))
def test_do_not_depend_on_where_the_text_was_cut(text: str, cut: int) -> None:
    assert ends_of(list(text)) == ends_of([text[:cut], text[cut:]]) == sentence_ends(text)


@each_row("before, piece, end", "as_soon_as")
def test_are_told_as_soon_as_they_are_certain(before: str, piece: str, end: int) -> None:
    ends = SentenceEnds()

    assert ends.grow(before) == []
    assert ends.grow(piece)[0] == end


def test_a_bracket_that_never_closes_holds_no_more_than_its_length() -> None:
    ends = SentenceEnds()

    assert ends.grow("(가나다. 라마다. " + "가" * 180) == []
    assert ends.grow("가" * 20) == [5, 10]


# --- claims ---


@each_row("sentence", "with_marks")
def test_a_mark_makes_no_claim(sentence: str) -> None:
    assert claims(sentence) == ()


def test_a_claim_that_rests_on_a_mark_is_one() -> None:
    answer = "- [5]에 따르면 환불은 창구에서 합니다."

    assert [claim.text for claim in claims(answer)] == [answer]


@each_row("sentence", "no_claims")
def test_what_cannot_be_true_or_false_is_no_claim(sentence: str) -> None:
    assert claims(sentence) == ()


@each_row("sentence", "statements_are_claims")
def test_statements_are_claims(sentence: str) -> None:
    assert [claim.text for claim in claims(sentence)] == [sentence]


@each_row("lead_in, behind", "lead_ins")
def test_what_opens_a_list_is_no_claim(lead_in: str, behind: str) -> None:
    assert lead_in not in [claim.text for claim in claims(f"{lead_in}\n\n{behind}")]


@each_row("sentence, behind", "what_tells_something_is_a_claim_before_a_list_too")
def test_what_tells_something_is_a_claim_before_a_list_too(sentence: str, behind: str) -> None:
    assert sentence in [claim.text for claim in claims(f"{sentence}\n{behind}")]


def test_the_head_of_a_table_is_no_claim() -> None:
    table = "| 구분 | 요금 |\n|:---|---:|\n| 어른 | 3,000원 |"

    assert [claim.text for claim in claims(table)] == ["| 어른 | 3,000원 |"]


def test_a_bare_claim_has_no_markup_and_no_attribution() -> None:
    assert bare_claim("- **자료에 따르면, 환불은 창구에서 합니다.") == "환불은 창구에서 합니다."


def test_a_bare_claim_has_no_yes_or_no() -> None:
    assert bare_claim("아니요, 환불은 창구에서 합니다.") == "환불은 창구에서 합니다."


def test_the_list_of_sources_at_the_end_makes_no_claims() -> None:
    answer = "환불은 창구에서 신청합니다[1].\n\n### 출처\n- [1] 환불 안내.pdf, p.3"

    assert [claim.text for claim in claims(answer)] == ["환불은 창구에서 신청합니다[1]."]


def test_what_follows_a_heading_that_opens_no_list_of_sources_is_claimed() -> None:
    """Nothing may hide behind a word like 출처."""
    behind = "환불은 반년 뒤에도 신청할 수 있습니다."

    assert behind in [claim.text for claim in claims(f"출처\n{behind} 영수증은 필요합니다.")]


@each_row("text", "a_fact_in_such_words_is_a_claim")
def test_a_fact_in_such_words_is_a_claim(text: str) -> None:
    assert [one.text for one in claims(text)] == [text]


# --- quotations ---


@each_row("text, left", "left")
def test_blanks_what_is_quoted_and_not_korean(text: str, left: str) -> None:
    assert without_foreign_quotations(text) == left


@given(st.text(alphabet="가學a'「」“”>\n "))
def test_all_else_stays_where_it_is(text: str) -> None:
    left = without_foreign_quotations(text)

    assert len(left) == len(text)
    assert all(now in (was, " ") for was, now in zip(text, left, strict=True))
    assert [char for char in left if char == "가"] == [char for char in text if char == "가"]


@each_row("char", "long_texts_do_not_take_long")
def test_long_texts_do_not_take_long(char: str) -> None:
    assert_grows_with_its_input(lambda chars: without_foreign_quotations(char * chars), 20_000)


# --- standing ---


def standings(text: str) -> list[Standing]:
    """Return the standing of each clause of a text."""
    return [
        standing_of(claim, sentence)
        for sentence in read_claims(text).sentences
        for claim in sentence
    ]


@each_row("text", "abstentions")
def test_abstentions(text: str) -> None:
    assert Standing.ABSTENTION in standings(text)
    assert abstains(text)


@each_row("text", "courtesies")
def test_courtesies(text: str) -> None:
    assert set(standings(text)) == {Standing.COURTESY}


@each_row("text", "advice")
def test_advice(text: str) -> None:
    assert set(standings(text)) == {Standing.ADVICE}


@each_row("text", "assertions")
def test_assertions(text: str) -> None:
    assert standings(text)[-1] is Standing.ASSERTED
    assert not abstains(text)


@each_row("text, expected", "each_clause_stands_by_itself")
def test_each_clause_stands_by_itself(text: str, expected: list[Standing]) -> None:
    assert standings(text) == expected


def test_a_condition_stands_as_what_it_is_a_condition_of() -> None:
    assert set(standings("기한이 지났다면 창구에 문의해 주세요.")) == {Standing.COURTESY}
    assert set(standings("기한이 지났다면 벌금을 냅니다.")) == {Standing.ASSERTED}


def test_questions_and_headings_assert_nothing() -> None:
    assert standings("더 필요하신 것이 있나요?") == [Standing.QUESTION]
    assert standings("## 환불 절차\n\n수수료는 없습니다.") == [Standing.LABEL, Standing.ASSERTED]


def test_a_sentence_asserts_if_any_clause_does() -> None:
    [sentence] = read_claims("처리 기간은 자료에 없지만 보통 3일 걸립니다.").sentences

    assert standing_of_sentence(sentence) is Standing.ASSERTED


@each_row("answer, expected", "an_answer_abstains_if_nothing_else_is_said")
def test_an_answer_abstains_if_nothing_else_is_said(answer: str, expected: bool) -> None:
    assert abstains(answer) is expected


# --- loops ---


ITEMS = st.lists(st.sampled_from("가나다"), max_size=30)
LOOP = "안내" * 10
PRIVATE = "\ue000"
MAY_BE_BROKEN = st.text(
    alphabet="가a é·°ì•ˆë…±ㄱㄷㅋ占쏙옙\x00\x85\ufffd\u1105\u1162\u11ab", max_size=24
)


def loops_in(items: list[str], most_period: int, times: int) -> list[tuple[int, int]]:
    """Return where loops begin, with their periods: the slow way."""
    return [
        (start, period)
        for period in range(1, most_period + 1)
        for start in range(len(items) - period * times + 1)
        if all(items[at] == items[at + period] for at in range(start, start + period * (times - 1)))
    ]


@given(ITEMS, st.integers(1, 4), st.integers(2, 5))
@example(list("가나가나가"), 2, 2)
def test_every_loop_is_found_and_nothing_else(
    items: list[str], most_period: int, times: int
) -> None:
    found = list(item_loops(items, most_period, times))

    begun = loops_in(items, most_period, times)
    for start, period in begun:
        assert any(
            one.again - one.start == period and one.start <= start < one.end for one in found
        )
    assert {(one.start, one.again - one.start) for one in found} <= set(begun)


@given(st.text(alphabet="가나 ", max_size=40), st.text(alphabet="가나 ", max_size=40))
def test_characters_in_a_loop_are_found_wherever_they_stand(before: str, behind: str) -> None:
    text = f"{before} {LOOP} {behind}"

    assert LOOP in [text[one.start : one.end] for one in character_loops(text)]


@given(MAY_BE_BROKEN)
def test_what_is_broken_is_found_whether_or_not_more_is(text: str) -> None:
    *found, last = broken_places(f"{text} {PRIVATE}")

    assert found == broken_places(text)
    assert last.start == len(text) + 1
