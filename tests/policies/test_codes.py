"""The words of every code of finding."""

import re
from collections import defaultdict

import pytest

from guards.text.particles import Noun
from policies.codes import all_codes, guard_labels
from proxy.dashboard.languages import Language, catalogs, translations

LABELS = [*guard_labels().values(), *(code.label for code in all_codes().values())]


def test_every_label_has_both_languages() -> None:
    for label in LABELS:
        assert re.fullmatch(r"[A-Z][ -~]*[^.]", label.en)
        assert re.search("[가-힣]", label.ko)


def test_a_label_is_translated_one_way_only() -> None:
    known: dict[object, set[object]] = defaultdict(set)
    for label in LABELS:
        known[label.en].add(label.ko)
    for catalog in catalogs():
        for message in catalog:
            if message.id in known:
                known[message.id].add(message.string)

    assert {en: ko for en, ko in known.items() if len(ko) > 1} == {}


def test_the_dashboard_translates_labels() -> None:
    for label in LABELS:
        assert translations(Language.KOREAN).gettext(label.en) == label.ko


@pytest.mark.parametrize("code", all_codes())
def test_no_instruction_leaves_the_particle_open(code: str) -> None:
    assert not re.search(r"\((?:는|가|를|와|과)\)|\(으\)", all_codes()[code].instruction)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        pytest.param("20일", "20일은", id="behind-a-consonant"),
        pytest.param("무료", "무료는", id="behind-a-vowel"),
        pytest.param("[7]", "[7]은", id="a-number-as-it-is-read"),
        pytest.param("spa", "spa는", id="an-unread-word-takes-one-form"),
    ],
)
def test_a_particle_fits_the_word_before_it(word: str, said: str) -> None:
    assert f"{Noun(word)}{Noun(word):은}" == said
