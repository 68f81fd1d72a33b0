import pytest

from guards.text.citing.references import marks_in_body, read_references, read_source_lines
from tests.fakes.growth import assert_grows_with_its_input

Lines = list[tuple[int | None, str]]

READ: list[tuple[str, str, Lines]] = [
    (
        "됩니다[†1].\n\n### References\n- [†1] 안내.pdf, p.10\n- [†2] 약관.pdf",
        "### References",
        [(1, "안내.pdf, p.10"), (2, "약관.pdf")],
    ),
    ("됩니다.\n\n**참고 문헌**\n1. 안내\n2. 약관", "**참고 문헌**", [(1, "안내"), (2, "약관")]),
    ("됩니다.\n\n출처:\n- 안내.pdf\n- 약관.pdf", "출처:", [(None, "안내.pdf"), (None, "약관.pdf")]),
    ("됩니다.\n\n**참고자료:**\n\n취업규칙 제21조\n", "**참고자료:**", [(None, "취업규칙 제21조")]),
    ("됩니다[^1].\n\n[^1]: 안내.pdf", "", [(1, "안내.pdf")]),
    ("됩니다[1].\n\n[1]: https://example.com/a", "", [(1, "https://example.com/a")]),
    ("됩니다[1].\n\n---\n[1] 안내\n[2] 약관", "---", [(1, "안내"), (2, "약관")]),
    ("됩니다¹.\n\n¹ 안내\n² 약관", "", [(1, "안내"), (2, "약관")]),
    (
        "됩니다.\n\nReferences:\n[KG] 환불\n[DC] /문서/안내.pdf",
        "References:",
        [(None, "환불"), (None, "/문서/안내.pdf")],
    ),
    (
        "됩니다[1].\n\n### 출처\n[출처 1] 안내\n\n더 궁금하시면 말씀해 주세요.",
        "### 출처",
        [(1, "안내")],
    ),
    ("됩니다[†1].\n\n참고:\n[†1] 안내 (10쪽)", "참고:", [(1, "안내 (10쪽)")]),
    ("됩니다.\n\n※ 참고:\n- 안내.pdf 3페이지", "※ 참고:", [(None, "안내.pdf 3페이지")]),
]
READ_IDS = [
    "daggers", "numbered", "bullets", "bare-titles", "footnotes", "links", "rule-above",
    "raised", "graph", "closing-remark", "remarks-with-numbers", "remarks-with-files",
]  # fmt: skip

NOT_READ = [
    pytest.param("됩니다[1].", id="no-list"),
    pytest.param("순서입니다.\n[1] 신청\n[2] 접수", id="list-that-nothing-cites"),
    pytest.param("됩니다[1].\n[1] 환불은 이레 안에 됩니다.", id="sentence-behind-a-number"),
    pytest.param("필요 서류:\n1. 신분증\n2. 신청서", id="other-heading"),
    pytest.param("참고:\n- 주말에는 쉼\n- 주차 가능", id="remarks"),
    pytest.param("됩니다[1].\n참고:\n[1] 주말에는 쉽니다.", id="remark-behind-a-number"),
    pytest.param("### 출처\n환불은 이레 안에 됩니다.", id="prose-under-the-heading"),
    pytest.param(
        "### 참고 자료\n- 안내\n\n본문입니다.\n또 본문입니다.\n끝입니다.", id="text-goes-on"
    ),
    pytest.param("```\n### References\n- [1] 안내\n```", id="code"),
    pytest.param("", id="nothing"),
]


@pytest.mark.parametrize(("text", "heading", "lines"), READ, ids=READ_IDS)
def test_reads(text: str, heading: str, lines: Lines) -> None:
    found = read_references(text)

    assert found is not None
    assert text[found.heading.start : found.heading.end] == heading
    assert [(line.number, line.target) for line in found.lines] == lines
    assert found.start == found.heading.start
    assert found.end == found.lines[-1].span.end


@pytest.mark.parametrize("text", NOT_READ)
def test_does_not_read(text: str) -> None:
    assert read_references(text) is None


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("됩니다.\n\n출처: 안내.pdf", ["안내.pdf"]),
        ("됩니다.\n- **출처**: 안내.pdf, p.3", ["안내.pdf, p.3"]),
        ("됩니다.\n※ 참고자료: 이용 안내  ", ["이용 안내"]),
        ("출처: [1] 안내.pdf", []),
        ("```\n출처: 안내.pdf\n```", []),
        ("비용의 출처: 예산입니다.", []),
    ],
    ids=["line", "bold-item", "sign", "with-marks", "code", "in-a-sentence"],
)
def test_reads_lines_that_only_name_a_source(text: str, targets: list[str]) -> None:
    assert [line.target for line in read_source_lines(text)] == targets


@pytest.mark.parametrize(
    ("line", "digits", "renumbered"),
    [
        ("- [†12] 안내", "12", "- [†7] 안내"),
        ("3. 안내", "3", "7. 안내"),
        ("[^3]: 안내", "3", "[^7]: 안내"),
        ("³ 안내", "³", "⁷ 안내"),
    ],
    ids=["dagger", "list", "note", "raised"],
)
def test_a_line_can_be_renumbered(line: str, digits: str, renumbered: str) -> None:
    text = f"됩니다.\n\n참고 문헌\n{line}"
    found = read_references(text)

    assert found is not None
    [entry] = found.lines
    start, end = entry.number_span.start, entry.number_span.end
    assert text[start:end] == digits
    assert text[entry.span.start : start] + entry.number_written(text, 7) + text[end:] == renumbered


def test_marks_of_the_list_are_none_of_the_body() -> None:
    text = "됩니다[†1].\n\n### References\n- [†1] 안내.pdf\n- [†2] 약관.pdf"

    [mark] = marks_in_body(text, read_references(text))

    assert mark.start == text.index("[†1]")


@pytest.mark.parametrize(
    "unit", ["[1] 가\n", "출처\n", "- a\n", "\n", "[^1]: a\n", "#", "참고", "-"]
)
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    assert_grows_with_its_input(lambda chars: read_references(unit * (chars // len(unit))), 100_000)


@pytest.mark.parametrize(
    "line",
    [
        "- [[3]] 안내.pdf",
        "- (출처 3) 안내.pdf",
        "<sup>3</sup> 안내.pdf",
        "- [†3, p.2] 안내.pdf",
        "1. [†3] 안내.pdf",
    ],
    ids=["double", "round", "raised-tag", "with-page", "in-a-counted-list"],
)
def test_a_line_bears_the_number_of_its_mark(line: str) -> None:
    found = read_references(f"됩니다.\n\n참고 문헌\n{line}")

    assert found is not None
    [entry] = found.lines
    assert (entry.number, entry.target) == (3, "안내.pdf")


CLOSING = "더 궁금한 점은 물어보세요.\n언제든 도와드립니다.\n감사합니다."


def test_remarks_behind_a_blank_line_end_a_list_that_names_sources() -> None:
    found = read_references(f"됩니다[1].\n\n참고 문헌\n- [1] 안내.pdf\n- 규정.pdf\n\n{CLOSING}")

    assert found is not None
    assert [line.target for line in found.lines] == ["안내.pdf", "규정.pdf"]


@pytest.mark.parametrize(
    "between",
    ["- [1] 안내.pdf\n", "- 신분증 사본\n\n"],
    ids=["no-blank-line", "names-no-source"],
)
def test_an_answer_that_goes_on_has_no_list(between: str) -> None:
    assert read_references(f"됩니다.\n\n참고 자료\n{between}{CLOSING}") is None


NO_CITATIONS = [
    pytest.param("난수는 [0, 1] 구간에서 고릅니다.", id="interval"),
    pytest.param("난수는 [5, 9] 범위입니다.", id="range"),
    pytest.param("값은 [2, 3] 닫힌구간에 있습니다.", id="closed-interval"),
    pytest.param("값은 a[i][0]에 있습니다.", id="index"),
    pytest.param("[이용 안내][2]를 보세요.", id="link"),
]


@pytest.mark.parametrize("text", NO_CITATIONS)
def test_numbers_that_cite_nothing_are_no_marks(text: str) -> None:
    assert marks_in_body(text, None) == ()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("됩니다[1][2].", [(1,), (2,)]),
        ("됩니다.[1, 2] 범위는 넓습니다.", [(1, 2)]),
        ("됩니다[2]. 구간은 깁니다.", [(2,)]),
        ("됩니다[이용 안내][†2].", [(2,)]),
    ],
    ids=["in-a-row", "behind-a-stop", "another-sentence", "sure-mark"],
)
def test_marks_beside_such_words_stay_marks(text: str, numbers: list[tuple[int, ...]]) -> None:
    assert [mark.numbers for mark in marks_in_body(text, None)] == numbers
