import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.text.slots.citation_mark import MarkKind, MarkStyle, read_marks
from tests.fakes.growth import assert_grows_with_its_input

READ = [
    pytest.param("됩니다[†2].", "[†2]", (2,), id="dagger"),
    pytest.param("됩니다[†1, †3].", "[†1, †3]", (1, 3), id="daggers"),
    pytest.param("됩니다[†2, p.10].", "[†2, p.10]", (2,), id="dagger-and-page"),
    pytest.param("됩니다【2】.", "【2】", (2,), id="lens"),
    pytest.param("됩니다【4:0†안내.pdf】.", "【4:0†안내.pdf】", (4,), id="lens-and-file"),
    pytest.param("됩니다[2].", "[2]", (2,), id="plain"),
    pytest.param("됩니다[1,2].", "[1,2]", (1, 2), id="list"),
    pytest.param("됩니다[1-3].", "[1-3]", (1, 2, 3), id="range"),
    pytest.param("됩니다[1, 3–5].", "[1, 3–5]", (1, 3, 4, 5), id="list-and-range"),
    pytest.param("됩니다[2, 3쪽].", "[2, 3쪽]", (2,), id="plain-and-page"),
    pytest.param("됩니다[[2]].", "[[2]]", (2,), id="two-brackets"),
    pytest.param("약관[2]에 따르면 됩니다.", "[2]", (2,), id="before-a-particle"),
    pytest.param("됩니다.\n[2]\n", "[2]", (2,), id="alone-on-its-line"),
    pytest.param("[2]에 따르면 됩니다.", "[2]", (2,), id="a-line-begins-with-its-word"),
    pytest.param("- [2]번 문서에 있습니다.", "[2]", (2,), id="an-item-begins-with-its-word"),
    pytest.param("됩니다［２］.", "［２］", (2,), id="full-width"),
    pytest.param("됩니다[citation:2].", "[citation:2]", (2,), id="citation"),
    pytest.param("됩니다[ID:2].", "[ID:2]", (2,), id="identifier"),
    pytest.param("됩니다[^2].", "[^2]", (2,), id="note"),
    pytest.param("됩니다[^2].\n\n[^2]: 안내.pdf", "[^2]", (2,), id="note-with-definition"),
    pytest.param("됩니다².", "²", (2,), id="raised"),
    pytest.param("됩니다.²³", "²³", (2, 3), id="raised-digits-that-rise"),
    pytest.param("됩니다.¹⁰", "¹⁰", (10,), id="raised-ten"),
    pytest.param("됩니다.²,³", "²,³", (2, 3), id="raised-list"),
    pytest.param("됩니다.²⁻⁴", "²⁻⁴", (2, 3, 4), id="raised-range"),
    pytest.param("약관¹에 따르면", "¹", (1,), id="raised-before-a-particle"),
    pytest.param("됩니다<sup>2</sup>", "<sup>2</sup>", (2,), id="raised-by-markup"),
    pytest.param("됩니다 [출처 1].", "[출처 1]", (1,), id="label"),
    pytest.param("됩니다 [출처: 1, 2].", "[출처: 1, 2]", (1, 2), id="label-and-colon"),
    pytest.param("됩니다 [문서 2].", "[문서 2]", (2,), id="document"),
    pytest.param("됩니다 [문서 1, 문서 2].", "[문서 1, 문서 2]", (1, 2), id="label-twice"),
    pytest.param("됩니다 [Source 3].", "[Source 3]", (3,), id="english-label"),
    pytest.param("됩니다 (출처 1).", "(출처 1)", (1,), id="round-label"),
    pytest.param("됩니다 (자료 2).", "(자료 2)", (2,), id="round-document"),
    pytest.param("됩니다 [cite: 1, 2].", "[cite: 1, 2]", (1, 2), id="cite"),
    pytest.param('<cite id="2">됩니다</cite>', '<cite id="2">됩니다</cite>', (2,), id="tag-around"),
    pytest.param("됩니다<cite id='2'/>", "<cite id='2'/>", (2,), id="empty-tag"),
    pytest.param("됩니다<source>2</source>", "<source>2</source>", (2,), id="tag-of-a-number"),
    pytest.param(
        "됩니다 [Data: Sources (1, 2); Entities (5)].",
        "[Data: Sources (1, 2); Entities (5)]",
        (1, 2),
        id="graph-data",
    ),
    pytest.param(
        "됩니다 [Data: Reports (7), Sources (4, +more)].",
        "[Data: Reports (7), Sources (4, +more)]",
        (4,),
        id="graph-data-and-more",
    ),
]

NOT_READ = [
    pytest.param("넓이는 20m²이고 10²은 100입니다", id="units-and-powers"),
    pytest.param("(a+b)²를 풉니다", id="formula"),
    pytest.param("값은 3.²", id="figure-before-a-raised-one"),
    pytest.param("[2024]년과 v[2]와 버전 [3]", id="year-index-version"),
    pytest.param("배열[3]과 표 [4]", id="array-and-table"),
    pytest.param("[3](https://example.com) ![4](a.png) [[5]](b.html)", id="links"),
    pytest.param("`a[1]`\n```\n[†2]\n[출처 3]\n```", id="code"),
    pytest.param("[1] 첫째\n- [2] 둘째\n> [3] 셋째", id="list-numbers"),
    pytest.param("(1) 첫째 (2) 둘째", id="round-list-numbers"),
    pytest.param("[x] 확인 [ ] 예정", id="boxes"),
    pytest.param("[Data: Entities (5); Relationships (1)]", id="graph-data-of-no-source"),
    pytest.param("<source>안내</source>", id="tag-of-a-word"),
    pytest.param("[^2]: 안내.pdf", id="definition"),
    pytest.param("(참고: 주말에는 쉽니다)", id="remark-in-a-sentence"),
    pytest.param("[참고: 주말 요금 10% 할증]", id="remark-with-a-figure"),
    pytest.param("(안내.pdf) 파일을 보세요", id="file-without-a-page"),
    pytest.param("[안내.pdf, 2쪽](https://example.com)", id="link-to-a-file"),
]


@pytest.mark.parametrize(("text", "mark", "numbers"), READ)
def test_reads(text: str, mark: str, numbers: tuple[int, ...]) -> None:
    [found] = read_marks(text)

    assert text[found.start : found.end] == mark
    assert found.numbers == numbers


@pytest.mark.parametrize("text", NOT_READ)
def test_does_not_read(text: str) -> None:
    assert read_marks(text) == ()


@pytest.mark.parametrize(
    ("text", "target"),
    [
        pytest.param("[참조: 제5조 환불규정]", "제5조 환불규정", id="square"),
        pytest.param("(출처: 안내.pdf, p.3)", "안내.pdf, p.3", id="round"),
        pytest.param("【근거: 배송 안내】", "배송 안내", id="lens"),
        pytest.param("(출처: 안내(2024))", "안내(2024)", id="brackets-inside"),
        pytest.param("(※ 출처: 2번 자료)", "2번 자료", id="with-a-sign"),
        pytest.param("(안내.hwp, 3쪽)", "안내.hwp, 3쪽", id="file-and-page"),
        pytest.param("[이용 안내.pdf p.3]", "이용 안내.pdf p.3", id="file-and-page-in-squares"),
    ],
)
def test_reads_names(text: str, target: str) -> None:
    [found] = read_marks(f"됩니다. {text}")

    assert (found.kind, found.target, found.numbers) == (MarkKind.NAMED, target, ())


@pytest.mark.parametrize(
    ("text", "is_word"),
    [
        ("한다. [2]에 따르면 된다.", True),
        ("한다. [2] 에 의하면 된다.", True),
        ("한다. [2]는 된다고 한다.", True),
        ("한다. [2]번 문서를 보면 된다.", True),
        ("한다.[2]에서는 된다.", True),
        ("한다. [출처: 규정]에 따르면 된다.", True),
        ("한다[2]. 된다.", False),
        ("한다.[2] 이 경우 된다.", False),
        ("한다.[2]이 경우 된다.", False),
        ("한다.[2]또한 된다.", False),
        ("한다[2]고 한다.", False),
    ],
)
def test_tells_marks_that_are_words(text: str, is_word: bool) -> None:
    [mark] = read_marks(text)

    assert mark.is_word is is_word


def test_raised_digits_are_one_number_where_the_text_counts_past_nine() -> None:
    marks = read_marks("하나다.¹¹ 둘이다.¹²")

    assert [mark.numbers for mark in marks] == [(11,), (12,)]


WRITTEN = [
    pytest.param("[1-3]", (1, 3), "[1, 3]", id="range-with-a-gap"),
    pytest.param("[1-4]", (1, 2, 3), "[1-3]", id="range-shortened"),
    pytest.param("[1,2]", (2, 3), "[2,3]", id="list-keeps-its-separator"),
    pytest.param("[1, 2]", (1,), "[1]", id="list-of-one"),
    pytest.param("[†1, †3]", (1, 2), "[†1, †2]", id="daggers"),
    pytest.param("【2†안내】", (1,), "【1†안내】", id="lens"),
    pytest.param("[^2]", (1, 3), "[^1][^3]", id="notes-stand-apart"),
    pytest.param("[문서 1, 문서 3]", (1, 2), "[문서 1, 문서 2]", id="label-twice"),
    pytest.param("[2, p.3]", (1,), "[1, p.3]", id="page-stays"),
    pytest.param("(출처 2)", (1,), "(출처 1)", id="round"),
    pytest.param('<cite id="2">환불</cite>', (1,), '<cite id="1">환불</cite>', id="tag"),
    pytest.param('<cite id="2">환불</cite>', (), "환불", id="tag-taken-off"),
    pytest.param(
        "[Data: Sources (1, 2); Entities (5)]",
        (2,),
        "[Data: Sources (2); Entities (5)]",
        id="graph",
    ),
    pytest.param(
        "[Data: Sources (1); Entities (5)]", (), "[Data: Entities (5)]", id="graph-others"
    ),
    pytest.param("[Data: Entities (5), Sources (1)]", (), "[Data: Entities (5)]", id="graph-last"),
    pytest.param("[Data: Sources (1)]", (), "", id="graph-without-others"),
    pytest.param("[1,2]", (), "", id="nothing-left"),
]


@pytest.mark.parametrize(("mark", "numbers", "written"), WRITTEN)
def test_writes_other_numbers_in_the_same_style(
    mark: str, numbers: tuple[int, ...], written: str
) -> None:
    text = f"교환됩니다{mark}."
    [found] = read_marks(text)

    assert found.written(text, numbers) == written


@pytest.mark.parametrize(
    ("numbers", "written"),
    [((2,), "²"), ((1, 2), "¹²"), ((3, 12), "³,¹²"), ((2, 1), "²,¹")],
    ids=["one", "digits-that-rise", "ten-and-more", "digits-that-fall"],
)
def test_writes_raised_numbers(numbers: tuple[int, ...], written: str) -> None:
    text = "교환됩니다.¹³"
    [found] = read_marks(text)

    assert found.style is MarkStyle.RAISED
    assert found.written(text, numbers) == written


NUMBERS = st.lists(st.integers(1, 40), min_size=1, max_size=5, unique=True).map(sorted)
STYLES = [
    "[†1]",
    "[†1, †2]",
    "[1]",
    "[1,2]",
    "[1-3]",
    "【1】",
    "[^1]",
    "[출처 1]",
    "[1, p.3]",
    "[[1]]",
]


@given(NUMBERS, st.sampled_from([*STYLES, '<cite id="1">환불</cite>', "[Data: Sources (1)]"]))
def test_what_is_written_is_read_again(numbers: list[int], style: str) -> None:
    text = f"교환됩니다 {style}."
    [found] = read_marks(text)
    written = text[: found.start] + found.written(text, numbers) + text[found.end :]

    assert [number for mark in read_marks(written) for number in mark.numbers] == numbers


@given(st.sampled_from([*STYLES, "¹²", "[1 - 3]", "[1~2]", "[1;2]"]))
def test_its_own_numbers_leave_a_mark_as_it_is(style: str) -> None:
    text = f"교환됩니다.{style}"

    for mark in read_marks(text):
        assert mark.written(text, mark.numbers) == text[mark.start : mark.end]


@pytest.mark.parametrize(
    "unit",
    ["[", "`", "[1", "[1]", "[1,", "(출처: ", "[출처: 가", "【", "【1†", "†", "가¹", "<cite id=1>",
     "<sup>1</sup>", "[Data: ", "[문서 1", "[1, p."],
)  # fmt: skip
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    assert_grows_with_its_input(lambda chars: read_marks(unit * (chars // len(unit))), 100_000)
