from guards.core.exchange import Exchange, Source
from guards.core.reading import Reading, read
from guards.text.alignment import alignments


def reading(*texts: str) -> Reading:
    sources = tuple(Source(str(at), "", text) for at, text in enumerate(texts, start=1))
    return read(Exchange("주차는?", sources, answer="회원은 주차합니다."))


def test_the_sentence_that_holds_most_comes_first() -> None:
    [best] = alignments(
        "회원은 지하 주차장을 이용합니다.",
        reading("회원은 수영장에 간다.", "조식은 일찍 연다. 회원은 지하 주차장을 이용한다."),
        0.5,
    )

    assert (best.source_id, best.sentence) == ("2", "회원은 지하 주차장을 이용한다.")
    assert best.share == 1


def test_those_nearly_as_good_come_too() -> None:
    found = alignments(
        "주차장을 이용합니다.", reading("주차장을 이용한다.", "주차장을 이용했다."), 0.5
    )

    assert [aligned.source_id for aligned in found] == ["1", "2"]


def test_the_exception_after_it_belongs_to_it() -> None:
    [best] = alignments(
        "주차장을 이용합니다.", reading("주차장을 이용한다. 다만, 버스는 제외한다."), 0.5
    )

    assert best.exception == "다만, 버스는 제외한다."


def test_nothing_is_aligned_below_the_least_share() -> None:
    assert alignments("우주선은 달을 돕니다.", reading("주차장을 이용한다."), 0.5) == []


def test_what_never_ends_is_no_sentence() -> None:
    endless = "주차장 이용 " * 400

    assert alignments(endless, reading("주차장을 이용한다."), 0.1) == []
    assert alignments("주차장을 이용합니다.", reading(endless), 0.1) == []


def test_a_claim_of_no_words_is_aligned_with_nothing() -> None:
    assert alignments("15, 20.", reading("주차장을 이용한다."), 0.0) == []


def test_of_many_sentences_that_say_the_same_only_some_are_given() -> None:
    found = alignments("주차장을 이용합니다.", reading("주차장을 이용한다.\n" * 100), 0.5)

    assert 0 < len(found) < 100
    assert {aligned.sentence for aligned in found} == {"주차장을 이용한다."}
