"""The words of every code of finding."""

import re
from collections import defaultdict

from guards.core.guard import Code
from guards.text.particles import Noun
from policies.codes import all_codes, guard_labels
from proxy.dashboard.page import Language, catalogs, translations
from tests.tables import each_row

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


@each_row("code", all_codes())
def test_no_instruction_leaves_the_particle_open(code: Code) -> None:
    assert not re.search(r"\((?:는|가|를|와|과)\)|\(으\)", code.instruction)


@each_row("word, said", "a_particle_fits_the_word_before_it")
def test_a_particle_fits_the_word_before_it(word: str, said: str) -> None:
    assert f"{Noun(word)}{Noun(word):은}" == said
