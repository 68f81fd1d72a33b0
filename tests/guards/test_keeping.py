"""What is kept of readings: how long, how much, and for whom."""

import pickle
from dataclasses import replace
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.keeping import Recent
from guards.core.reading import (
    SOURCE_CHARS_KEPT,
    RequestReading,
    SourceSet,
    forget_sources,
    keep_sources,
    read,
)
from tests.tables import each_row

SOURCE = Source("1", "취업규칙 제3조", "연차휴가는 15일이다.", score=0.9)
EXCHANGE = Exchange("며칠인가요?", (SOURCE,))


def test_all_looks_at_one_request_share_what_was_read_of_it() -> None:
    first, second = (read(EXCHANGE.answered(answer)) for answer in ("15일", "15일입니다."))

    assert first.request is second.request
    assert first.answer != second.answer


def test_a_request_with_another_question_shares_nothing_but_its_sources() -> None:
    other = replace(EXCHANGE, question="언제인가요?")

    assert read(other).question.text.raw == "언제인가요?"
    assert read(other).request is not read(EXCHANGE).request
    assert read(other).source_set is read(EXCHANGE).source_set


def test_what_is_known_of_the_asked_holds_no_answer() -> None:
    def answer_of(request: RequestReading) -> str | None:
        return request.exchange.answer

    assert read(EXCHANGE.answered("15일")).request.once(answer_of) is None


def test_sources_that_differ_only_in_their_scores_are_read_once_and_keep_their_scores() -> None:
    better = Exchange("며칠인가요?", (replace(SOURCE, score=0.95),))

    assert read(better).source_set is read(EXCHANGE).source_set
    assert [part.source and part.source.score for part in read(better).sources] == [0.95]
    assert [part.source and part.source.score for part in read(EXCHANGE).source_set.parts] == [None]


def test_sources_in_another_order_are_other_sources() -> None:
    second = Source("2", "", "신청은 3일 전까지 한다.")
    one, other = Exchange("", (SOURCE, second)), Exchange("", (second, SOURCE))

    assert read(one).source_set is not read(other).source_set


def test_forgotten_sources_are_read_anew() -> None:
    asked: list[SourceSet] = []

    def first(sources: SourceSet) -> int:
        asked.append(sources)
        return len(sources.parts)

    for _ in range(2):
        forget_sources()
        read(Exchange("", (SOURCE,))).source_set.once(first)

    assert len(asked) == 2


def test_an_exchange_travels_to_another_process_without_its_readings() -> None:
    known = EXCHANGE.answered("15일입니다.")
    read(known)

    arrived = pickle.loads(pickle.dumps(known))

    assert arrived == known
    assert arrived.cache.request is None


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 40))), st.integers(0, 100))
def test_what_fits_is_kept_the_latest_first_and_a_key_always_gets_its_own(
    wanted: list[tuple[int, int]], chars_kept: int
) -> None:
    recent: Recent[tuple[int, int], list[int]] = Recent(chars_kept)

    for key in wanted:
        assert recent.get(key, key[1], partial(list, [key[1]])) == [key[1]]

    room = chars_kept
    for key in dict.fromkeys(key for key in reversed(wanted) if key[1] <= 2 * chars_kept):
        room -= key[1]
        if room >= 0:
            assert recent.get(key, key[1], partial(list, [0])) == [key[1]]


@each_row("chars, is_made_anew", "how_large_the_largest_may_be")
def test_how_large_the_largest_may_be(chars: int, is_made_anew: bool) -> None:
    recent: Recent[str, list[str]] = Recent(10)
    first, second = (recent.get("large", chars, list) for _ in range(2))

    assert (second is not first) is is_made_anew


def test_what_is_kept_alone_makes_room_for_the_next() -> None:
    recent: Recent[str, list[str]] = Recent(10)
    recent.get("large", 15, list)
    small = recent.get("small", 5, list)

    assert recent.get("small", 5, list) is small
    assert recent.get("large", 15, lambda: ["anew"]) == ["anew"]


def test_with_less_room_the_least_used_go_at_once() -> None:
    recent: Recent[str, list[str]] = Recent(10)
    for key in ("first", "second"):
        recent.get(key, 5, partial(list, [key]))
    recent.keep(5)

    assert recent.get("second", 5, list) == ["second"]
    assert recent.get("first", 5, lambda: ["anew"]) == ["anew"]


def test_empty_sources_take_room_too() -> None:
    keep_sources(1000)
    try:
        known = read(Exchange("", (Source("0", "", ""),))).source_set
        for number in range(1, 100):
            read(Exchange("", (Source(str(number), "", ""),)))

        assert read(Exchange("", (Source("0", "", ""),))).source_set is not known
    finally:
        keep_sources(SOURCE_CHARS_KEPT)


def test_a_function_is_asked_once_for_each_thing() -> None:
    asked: list[str] = []

    def length_of(sentence: str) -> int:
        asked.append(sentence)
        return len(sentence)

    known = read(replace(EXCHANGE)).request
    lengths = [known.remembered(length_of, one) for one in ("가나", "다", "가나")]

    assert lengths == [2, 1, 2]
    assert asked == ["가나", "다"]
