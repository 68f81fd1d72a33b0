from collections import Counter

import pytest

from guards.evidence.exchanged import exclude
from guards.korean.words import canonical
from guards.lexicons.loading import sections

GROUPS = [[pole.split("=") for pole in line.split()] for line in sections("alternatives")["groups"]]
KINDS = [line.split() for line in sections("alternatives")["kinds"]]


def test_no_word_stands_twice_in_a_group() -> None:
    for group in GROUPS:
        counts = Counter(word for pole in group for word in pole)
        assert len(group) > 1
        assert max(counts.values()) == 1, group


def test_a_kind_does_not_exclude_what_it_is_a_kind_of() -> None:
    assert [
        (whole, kind) for whole, *kinds in KINDS for kind in kinds if exclude(whole, kind)
    ] == []


def test_synonyms_do_not_exclude_each_other() -> None:
    for group in GROUPS:
        first_words = [canonical(pole[0]) for pole in group]
        assert len(set(first_words)) == len(first_words), group


@pytest.mark.parametrize(
    ("noun", "other"),
    [
        ("수컷", "암컷"),
        ("학생들", "학부모님"),
        ("가족명의", "본인명의"),
        ("여객선", "화물선"),
        ("임차인", "임대인"),
    ],
)
def test_exclusive(noun: str, other: str) -> None:
    assert exclude(noun, other)
    assert exclude(other, noun)


@pytest.mark.parametrize(
    ("noun", "other"),
    [
        ("수컷", "수컷"),
        ("구매자", "소비자"),
        ("회원님", "회원"),
        ("가족", "배우자"),
        ("할머니", "강아지"),
        ("부모님", "아버지"),
    ],
)
def test_not_exclusive(noun: str, other: str) -> None:
    assert not exclude(noun, other)
