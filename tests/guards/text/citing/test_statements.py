import pytest

from guards.text.citing.statements import read_statements
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row

Said = list[tuple[str, list[str]]]

READ: list[tuple[str, str, Said]] = [
    ("inside", "환불은 이레[†1] 안에 됩니다.", [("환불은 이레 안에 됩니다.", ["[†1]"])]),
    ("before-the-stop", "환불됩니다 [1].", [("환불됩니다.", ["[1]"])]),
    (
        "behind-the-stop",
        "환불됩니다.[1] 교환됩니다.[2][3]",
        [("환불됩니다.", ["[1]"]), ("교환됩니다.", ["[2]", "[3]"])],
    ),
    (
        "labels-behind-the-stop",
        "환불됩니다. [Source 1] 교환됩니다. (출처 2)",
        [("환불됩니다.", ["[Source 1]"]), ("교환됩니다.", ["(출처 2)"])],
    ),
    (
        "names-behind-the-stop",
        "환불됩니다. [참조: 제5조] 교환됩니다.",
        [("환불됩니다.", ["[참조: 제5조]"]), ("교환됩니다.", [])],
    ),
    (
        "words-of-the-next-sentence",
        "환불됩니다[1]. [2]에 따르면 교환됩니다. 【3】은 된다고 합니다.",
        [("환불됩니다.", ["[1]"]), ("교환됩니다.", ["[2]"]), ("된다고 합니다.", ["【3】"])],
    ),
    (
        "labels-as-words",
        "환불됩니다. [Source 1] [Source 2]번 문서에 따르면 교환됩니다.",
        [("환불됩니다.", ["[Source 1]"]), ("교환됩니다.", ["[Source 2]"])],
    ),
    (
        "two-words",
        "환불됩니다. [1], [2]에 따르면 교환됩니다.",
        [("환불됩니다.", []), ("교환됩니다.", ["[1]", "[2]"])],
    ),
    ("word-of-an-item", "- [2]에서는 교환됩니다", [("- 교환됩니다", ["[2]"])]),
    ("word-behind-a-word", "환불 규정[2]은 있습니다.", [("환불 규정은 있습니다.", ["[2]"])]),
    ("line-begins-with-it", "[†1] 환불됩니다.", [("환불됩니다.", ["[†1]"])]),
    (
        "list-items",
        "- 환불됩니다 [1]\n- 교환됩니다 [2]",
        [("- 환불됩니다", ["[1]"]), ("- 교환됩니다", ["[2]"])],
    ),
    (
        "table-row",
        "| 성인 | 만 원입니다. 현금만 | [1] |",
        [("| 성인 | 만 원입니다. 현금만 | |", ["[1]"])],
    ),
    ("line-of-its-own", "환불됩니다.\n[1][2]\n", [("환불됩니다.", ["[1]", "[2]"])]),
    (
        "tag-around-the-words",
        '<cite id="1">환불됩니다.</cite> 교환됩니다.',
        [("환불됩니다. 교환됩니다.", ['<cite id="1">환불됩니다.</cite>'])],
    ),
    (
        "references-are-none",
        "환불됩니다[†1].\n\n### References\n- [†1] 안내.pdf",
        [("환불됩니다.", ["[†1]"])],
    ),
    ("code-is-none", "환불됩니다.\n```\nprint([1])\n```", [("환불됩니다.", [])]),
]


@pytest.mark.parametrize(
    ("text", "said"), [case[1:] for case in READ], ids=[case[0] for case in READ]
)
def test_gives_each_mark_to_its_sentence(text: str, said: Said) -> None:
    found = read_statements(text)

    assert [
        (one.text, [text[mark.start : mark.end] for mark in one.marks]) for one in found
    ] == said


def test_tells_claims_from_the_rest() -> None:
    found = read_statements("안녕하세요! 환불은 이레 안에 됩니다[1]. 더 궁금하신 점이 있으신가요?")

    assert [one.is_claim for one in found] == [False, True, False]


@each_row("text, leads", "says_which_sentences_may_share_a_mark")
def test_says_which_sentences_may_share_a_mark(text: str, leads: list[str]) -> None:
    last = read_statements(text)[-1]

    assert [one.text for one in last.led_by] == leads


@each_row("unit", "a_long_text_of_one_kind_is_read_in_time")
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    assert_grows_with_its_input(lambda chars: read_statements(unit * (chars // len(unit))), 8_000)
