from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.explaining import Contrast, contrast, in_words, pieces
from policies.schema.document import Plain
from tests.tables import each_row

SENTENCE = "휴가는 사흘 전까지 팀장에게 신청해 주세요."
RULE = {"intent": "leave", "patterns": ["휴가", "휴직"]}

APART = [
    pytest.param(
        SENTENCE,
        SENTENCE.replace("사흘", "이레"),
        Contrast(("사흘",), ("이레",)),
        id="one-word-of-a-text",
    ),
    pytest.param(
        SENTENCE,
        f"{SENTENCE} 급하면 전화해 주세요.",
        Contrast((), ("급하면 전화해 주세요.",)),
        id="a-sentence-more",
    ),
    pytest.param(
        SENTENCE,
        f"{SENTENCE} " + "자세한 안내는 사내 규정집의 휴가 항목을 보세요. " * 9,
        Contrast((), (("자세한 안내는 사내 규정집의 휴가 항목을 보세요. " * 9).strip(),)),
        id="a-short-text-inside-a-long-one",
    ),
    pytest.param(
        SENTENCE,
        "연락은 총무팀으로 하세요.",
        Contrast((SENTENCE,), ("연락은 총무팀으로 하세요.",)),
        id="two-texts-with-nothing-in-common",
    ),
    pytest.param(
        f"{SENTENCE}\n", SENTENCE, Contrast(('"\\n"',), ()), id="space-at-the-end-is-told-as-such"
    ),
    pytest.param("", SENTENCE, Contrast((), (SENTENCE,)), id="from-an-empty-text"),
    pytest.param(
        ["가", "나", "다"], ["가", "다", "라"], Contrast(("나",), ("라",)), id="items-of-a-list"
    ),
    pytest.param(
        ["가", "나", "다"], ["다", "가", "나"], Contrast(("다",), ("다",)), id="an-item-that-moved"
    ),
    pytest.param([], ["가"], Contrast((), ("가",)), id="from-an-empty-list"),
    pytest.param(
        [RULE],
        [{"intent": "leave", "patterns": ["휴가"]}],
        Contrast(("leave: 휴직",), ()),
        id="an-item-of-a-map-in-a-list",
    ),
    pytest.param(
        [RULE],
        [{"intent": "leave", "patterns": [one]} for one in ("휴가", "휴직")],
        Contrast(
            ('[{"intent": "leave", "patterns": ["휴가", "휴직"]}]',),
            (
                '[{"intent": "leave", "patterns": ["휴가"]}, '
                '{"intent": "leave", "patterns": ["휴직"]}]',
            ),
        ),
        id="one-rule-written-as-two",
    ),
    pytest.param(True, False, Contrast(("true",), ("false",)), id="plain-values-as-a-whole"),
    pytest.param(None, "trim", Contrast(("null",), ("trim",)), id="nothing-and-a-word"),
]


@each_row("first, second, expected", APART)
def test_what_tells_two_values_apart(first: Plain, second: Plain, expected: Contrast) -> None:
    assert contrast(first, second) == expected


def test_a_text_too_long_to_compare_is_told_whole() -> None:
    long = " ".join(str(number) for number in range(2_001))

    assert contrast(long, f"{long} 끝") == Contrast((long,), (f"{long} 끝",))


TEXTS = st.text(alphabet="가나 \n\t.", max_size=12)
LISTS = st.lists(TEXTS, max_size=6)


@given(TEXTS | LISTS, TEXTS | LISTS)
def test_only_equal_values_have_nothing_to_tell_them_apart(first: Plain, second: Plain) -> None:
    assert (contrast(first, second) == Contrast((), ())) == (first == second)


@given(LISTS, LISTS)
def test_what_is_not_told_of_two_lists_is_in_both(first: list[Plain], second: list[Plain]) -> None:
    found = contrast(first, second)

    kept = Counter(pieces(first)) - Counter(found.removed)
    assert kept == Counter(pieces(second)) - Counter(found.added)


@each_row(
    "value, expected",
    [
        pytest.param("off", "off", id="a-word"),
        pytest.param("", '""', id="an-empty-text"),
        pytest.param(None, "null", id="nothing"),
        pytest.param(5.0, "5.0", id="a-number"),
        pytest.param({}, "{}", id="an-empty-map"),
    ],
)
def test_values_are_written_as_in_a_policy_file(value: Plain, expected: str) -> None:
    assert in_words(value) == expected
