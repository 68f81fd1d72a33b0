"""Answers whose citations change: the text, the list of references and the numbers follow."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Source
from guards.core.finding import Span
from guards.text.citing.references import marks_in_body, read_references
from guards.text.laws.index import LawIndex
from guards.text.slots.source_name import Numbering, SourceNames
from policies.edits import Edit, apply
from policies.mending import MendedCitations, RemovalEdits, mend
from policies.schema.sections import CitationRules, ReferenceList, Renumber
from tests.tables import each_row

SOURCES = tuple(
    Source(
        str(at), f"제{at}조(이용 {at})", f"이용 수칙 {at}번이다.", file=f"guide{at}.pdf", page=at
    )
    for at in range(1, 6)
)
NUMBERS_STAY = CitationRules(renumber=Renumber.NEVER)
ALWAYS = CitationRules(renumber=Renumber.ALWAYS, references=ReferenceList.ALWAYS)
LISTED_ALWAYS = CitationRules(references=ReferenceList.ALWAYS)
RENUMBERED_ALWAYS = CitationRules(renumber=Renumber.ALWAYS)
EVERY_RULE = (CitationRules(), NUMBERS_STAY, ALWAYS, LISTED_ALWAYS, RENUMBERED_ALWAYS)


def mended(
    answer: str, numbers: Mapping[int, int | None], rules: CitationRules | None = None
) -> MendedCitations | RemovalEdits:
    """Mend an answer in which some numbers are wrong: each with the right one, None for none."""
    edits = []
    for mark in marks_in_body(answer, read_references(answer)):
        right = [numbers.get(number, number) for number in mark.numbers]
        wanted = tuple(dict.fromkeys(number for number in right if number is not None))
        if wanted != mark.numbers:
            edits.append(Edit(Span(mark.start, mark.end), mark.written(answer, wanted)))
    return mend(answer, edits, SOURCES, rules or CitationRules())


def left_of(answer: str, *wrong: int, rules: CitationRules | None = None) -> str | None:
    """Return the answer without some numbers; None if it does not survive that."""
    found = mended(answer, dict.fromkeys(wrong), rules)
    return apply(answer, found.edits) if isinstance(found, MendedCitations) else None


@each_row("answer, healed", "healed")
def test_closes_up_where_a_mark_went(answer: str, healed: str) -> None:
    assert left_of(answer, 8, 9, rules=NUMBERS_STAY) == healed


@each_row("answer", "not_healed")
def test_a_sentence_about_its_mark_does_not_survive_it(answer: str) -> None:
    found = mended(f"대여는 7일입니다[†8]. {answer}", {8: None, 9: None}, NUMBERS_STAY)

    assert isinstance(found, RemovalEdits)
    [place] = found.places
    assert f"대여는 7일입니다[†8]. {answer}"[place.start : place.end] == "[†9]"


BODY = "대여는 7일입니다[†1]. 연장은 3일입니다[†2]. 회원은 무료입니다[†3]. 반납은 로비입니다[†4]."
LIST = "\n\n### References\n" + "\n".join(f"- [†{at}] guide{at}.pdf, p.{at}" for at in range(1, 5))


def test_survivors_are_numbered_without_gaps_in_marks_and_list() -> None:
    assert left_of(BODY + LIST, 2) == (
        "대여는 7일입니다[†1]. 연장은 3일입니다. 회원은 무료입니다[†2]. 반납은 로비입니다[†3]."
        "\n\n### References\n- [†1] guide1.pdf, p.1\n- [†2] guide3.pdf, p.3\n- [†3] guide4.pdf, p.4"
    )


def test_a_sentence_that_goes_takes_its_citation_along() -> None:
    answer = BODY + LIST
    gone = Edit(Span(answer.index("연장은"), answer.index("회원은")))

    found = mend(answer, [gone], SOURCES, CitationRules())

    assert isinstance(found, MendedCitations)
    assert apply(answer, found.edits) == (
        "대여는 7일입니다[†1]. 회원은 무료입니다[†2]. 반납은 로비입니다[†3]."
        "\n\n### References\n- [†1] guide1.pdf, p.1\n- [†2] guide3.pdf, p.3\n- [†3] guide4.pdf, p.4"
    )


def test_a_mended_word_keeps_its_particle_right() -> None:
    answer = "창구는 매표소는 아닙니다."
    place = answer.index("매표소")

    found = mend(answer, [Edit(Span(place, place + 3), "안내실")], SOURCES, CitationRules())

    assert isinstance(found, MendedCitations)
    assert apply(answer, found.edits) == "창구는 안내실은 아닙니다."


def test_says_what_was_removed_and_renumbered() -> None:
    found = mended(BODY + LIST, {2: None})

    assert isinstance(found, MendedCitations)
    assert found.removed == (2,)
    assert found.renumbered == {3: 2, 4: 3}


def test_what_is_judged_again_still_has_the_old_numbers() -> None:
    found = mended(BODY, {2: None})

    assert isinstance(found, MendedCitations)
    assert apply(BODY, found.judged) == BODY.replace("[†2]", "")


@pytest.mark.parametrize(
    ("answer", "changed", "left"),
    [
        ('<cite id="9">2일</cite>[2] 걸립니다.', {9: None}, "2일[2] 걸립니다."),
        ('답은[2]<cite id="9">닷새</cite> 걸립니다.', {9: 2}, "답은[2]닷새 걸립니다."),
    ],
    ids=["figure-is-no-number", "the-same-twice"],
)
def test_words_in_a_mark_stay_when_it_goes(
    answer: str, changed: dict[int, int | None], left: str
) -> None:
    found = mended(answer, changed, NUMBERS_STAY)

    assert isinstance(found, MendedCitations)
    assert apply(answer, found.edits) == left


def test_two_last_lines_of_a_list_go_together() -> None:
    head = "대여는 7일입니다[†1].\n\n### References\n- [†1] guide1.pdf"
    answer = f"{head}\n- [†8] old.pdf\n- [†9] x.pdf"
    edits = [Edit(Span(at, at + len(line))) for line in PHANTOM_LINES if (at := answer.find(line))]

    found = mend(answer, edits, SOURCES, CitationRules())

    assert isinstance(found, MendedCitations)
    assert apply(answer, found.edits) == head


LISTS = [
    pytest.param(
        "대여는 7일입니다[†9].\n\n### References\n- [†9] old.pdf",
        {9: None},
        "대여는 7일입니다.",
        id="heading-goes-with-its-last-line",
    ),
    pytest.param(
        "대여는 7일입니다[1].\n\n---\n**출처**\n1. guide1.pdf",
        {1: None},
        "대여는 7일입니다.",
        id="rule-above-the-heading-goes-too",
    ),
    pytest.param(
        "대여는 7일입니다[1]. 연장은 3일입니다[2].\n\n출처:\n1. 제1조(이용 1)\n2. 제2조(이용 2)",
        {2: 4},
        "대여는 7일입니다[1]. 연장은 3일입니다[2].\n\n출처:\n1. 제1조(이용 1)\n2. 제4조(이용 4)",
        id="new-line-by-title-where-the-list-has-titles",
    ),
    pytest.param(
        "대여는 7일입니다[1]. 연장은 3일입니다[1].\n\n[1]: guide1.pdf, p.1",
        {},
        "대여는 7일입니다[1]. 연장은 3일입니다[1].\n\n[1]: guide1.pdf, p.1",
        id="nothing-wrong",
    ),
    pytest.param(
        "대여는 7일입니다[^1]. 연장은 3일입니다[^2].\n\n[^1]: guide1.pdf\n[^2]: guide2.pdf",
        {1: None},
        "대여는 7일입니다. 연장은 3일입니다[^1].\n\n[^1]: guide2.pdf",
        id="footnotes",
    ),
    pytest.param(
        "대여는 7일입니다¹. 연장은 3일입니다³.\n\n참고 문헌\n¹ guide1.pdf\n³ guide3.pdf",
        {1: None},
        "대여는 7일입니다. 연장은 3일입니다¹.\n\n참고 문헌\n¹ guide3.pdf",
        id="raised-numbers",
    ),
    pytest.param(
        "대여는 7일입니다[†1][†9].\n\n출처:\n- [†1] guide1.pdf\n- [†5] guide5.pdf\n- [†9] x.pdf",
        {9: None},
        "대여는 7일입니다[†1].\n\n출처:\n- [†1] guide1.pdf",
        id="lines-that-nobody-cites-go-once-something-went",
    ),
    pytest.param(
        "대여는 7일입니다[†1].\n\n출처:\n- [†1] guide1.pdf\n- [†5] guide5.pdf",
        {},
        "대여는 7일입니다[†1].\n\n출처:\n- [†1] guide1.pdf\n- [†5] guide5.pdf",
        id="lines-that-nobody-cites-stay-where-nothing-went",
    ),
]


@each_row("answer, numbers, left", LISTS)
def test_the_list_agrees_with_the_marks(
    answer: str, numbers: Mapping[int, int | None], left: str
) -> None:
    found = mended(answer, numbers)

    assert isinstance(found, MendedCitations)
    assert apply(answer, found.edits) == left


def test_a_list_whose_every_line_is_taken_out_goes_with_its_heading() -> None:
    answer = "대여는 7일입니다[8].\n\n---\n### References\n- [8] old.pdf\n- [9] x.pdf"
    gone = [Edit(Span(answer.index(what), answer.index(what) + len(what))) for what in PHANTOMS]

    found = mend(answer, gone, SOURCES, CitationRules())

    assert isinstance(found, MendedCitations)
    assert apply(answer, found.edits) == "대여는 7일입니다."


PHANTOM_LINES = ("- [†8] old.pdf", "- [†9] x.pdf")
PHANTOMS = ("[8]", "- [8] old.pdf", "- [9] x.pdf")


def test_a_wrong_number_becomes_the_right_one_once() -> None:
    found = mended("대여는 7일입니다 [1][2].", {2: 1})

    assert isinstance(found, MendedCitations)
    assert apply("대여는 7일입니다 [1][2].", found.edits) == "대여는 7일입니다 [1]."


RENUMBERED = [
    pytest.param(
        "대여는 7일입니다[1]. 연장은 3일입니다[3].",
        CitationRules(),
        "대여는 7일입니다. 연장은 3일입니다[3].",
        id="the-apps-own-numbers-stay",
    ),
    pytest.param(
        "대여는 7일입니다[1]. 연장은 3일입니다[3].",
        ALWAYS,
        "대여는 7일입니다. 연장은 3일입니다[1].\n\n### References\n- [1] guide3.pdf, p.3",
        id="always",
    ),
    pytest.param(
        "대여는 7일입니다[†1]. 연장은 3일입니다[†3].",
        CitationRules(),
        "대여는 7일입니다. 연장은 3일입니다[†3].",
        id="without-a-list-a-number-says-nothing-by-itself",
    ),
    pytest.param(
        "대여는 7일입니다[†1]. 연장은 3일입니다[†3].",
        LISTED_ALWAYS,
        "대여는 7일입니다. 연장은 3일입니다[†1].\n\n### References\n- [†1] guide3.pdf, p.3",
        id="the-list-that-is-added-says-what-they-mean",
    ),
    pytest.param(
        "대여는 7일입니다[1]. 연장은 3일입니다[3].",
        RENUMBERED_ALWAYS,
        "대여는 7일입니다. 연장은 3일입니다[1].\n\n### References\n- [1] guide3.pdf, p.3",
        id="always-writes-the-list-that-it-needs",
    ),
    pytest.param(
        "대여는 7일입니다[1]. 연장은 3일입니다[3].",
        CitationRules(renumber=Renumber.ALWAYS, references=ReferenceList.NEVER),
        "대여는 7일입니다. 연장은 3일입니다[3].",
        id="never-without-a-list",
    ),
    pytest.param(
        "대여는 7일입니다[1]. 연장은 3일[2], [3]입니다.\n\n출처:\n- [2] guide2.pdf",
        ALWAYS,
        "대여는 7일입니다. 연장은 3일[2], [3]입니다.\n\n출처:\n- [2] guide2.pdf",
        id="a-list-that-leaves-a-number-out",
    ),
    pytest.param(
        "대여는 7일입니다[†1]. 연장은 3일입니다[†3].\n\n"
        "출처:\n- [†1] guide1.pdf\n- [†3] guide3.pdf",
        CitationRules(),
        "대여는 7일입니다. 연장은 3일입니다[†1].\n\n출처:\n- [†1] guide3.pdf",
        id="the-answers-own-list",
    ),
    pytest.param(
        "대여는 7일입니다[†1]. 연장은 3일입니다[†3].",
        NUMBERS_STAY,
        "대여는 7일입니다. 연장은 3일입니다[†3].",
        id="never",
    ),
    pytest.param(
        "대여는 7일입니다[†1]. [†2]와 [†3]은 같습니다.\n\n"
        "출처:\n- [†2] guide2.pdf\n- [†3] guide3.pdf",
        CitationRules(),
        "대여는 7일입니다. [†1]과 [†2]는 같습니다.\n\n출처:\n- [†1] guide2.pdf\n- [†2] guide3.pdf",
        id="particles-follow",
    ),
    pytest.param(
        "대여는 7일입니다[†1]. 연장[†2]은 3일입니다.\n\n[†2] guide2.pdf",
        CitationRules(),
        "대여는 7일입니다. 연장[†1]은 3일입니다.\n\n[†1] guide2.pdf",
        id="particles-of-words-stay",
    ),
    pytest.param(
        "대여는 7일입니다[†1].\n\n출처:\n- [†1] guide1.pdf",
        CitationRules(references=ReferenceList.NEVER),
        "대여는 7일입니다.\n\n출처:\n- [†1] guide1.pdf",
        id="list-left-alone",
    ),
]


@each_row("answer, rules, left", RENUMBERED)
def test_closes_gaps_where_the_policy_lets_it(answer: str, rules: CitationRules, left: str) -> None:
    assert left_of(answer, 1, rules=rules) == left


def test_the_list_is_added_where_the_policy_wants_it_and_nothing_is_wrong() -> None:
    answer = "대여는 7일입니다 [2]. 연장은 3일입니다 [4]."

    assert left_of(answer, rules=LISTED_ALWAYS) == (
        f"{answer}\n\n### References\n- [2] guide2.pdf, p.2\n- [4] guide4.pdf, p.4"
    )
    assert left_of("대여는 7일입니다.", rules=LISTED_ALWAYS) == "대여는 7일입니다."


# Laws, over answers that are put together from pieces.

NUMBERS = st.integers(1, 7)
STYLES = st.sampled_from(["[†{}]", "[{}]", "【{}】", "[^{}]", "[출처 {}]"])
WORDS = st.sampled_from(
    ["대여는 이레입니다", "연장은 사흘입니다", "회원은 무료입니다", "로비에 반납합니다"]
)
PLACES = st.sampled_from(
    ["{words}{marks}.", "{words}.{marks}", "{words} {marks}.", "{words} ({marks})."]
)


@st.composite
def answers(draw: st.DrawFn) -> str:
    """Draw an answer with citations, and often a list of what they mean."""
    style = draw(STYLES)
    cited = []
    sentences = []
    for _ in range(draw(st.integers(1, 4))):
        numbers = draw(st.lists(NUMBERS, max_size=2, unique=True))
        cited += numbers
        marks = draw(st.sampled_from(["", ", "])).join(style.format(number) for number in numbers)
        place = draw(PLACES) if numbers else "{words}."
        sentences.append(place.format(words=draw(WORDS), marks=marks))
    answer = draw(st.sampled_from([" ", "\n", "\n\n"])).join(sentences)
    if not cited or draw(st.booleans()):
        return answer
    head = f"{style}:" if style == "[^{}]" else style
    lines = [f"- {head.format(number)} guide{number}.pdf" for number in sorted(set(cited))]
    return "\n".join([f"{answer}\n\n### References", *lines])


@given(answers(), st.sampled_from([CitationRules(), NUMBERS_STAY]))
def test_what_has_nothing_wrong_stays_as_it_is(answer: str, rules: CitationRules) -> None:
    assert mend(answer, (), SOURCES, rules) == MendedCitations((), ())


@given(answers(), st.sampled_from(EVERY_RULE))
def test_no_mark_is_left_that_means_nothing_and_the_list_agrees(
    answer: str, rules: CitationRules
) -> None:
    text = left_of(answer, 6, 7, rules=rules)

    assert text is not None
    references = read_references(text)
    cited = {number for mark in marks_in_body(text, references) for number in mark.numbers}
    assert cited <= set(range(1, 6))
    if references is not None and cited:
        assert {line.number for line in references.lines} == cited
    assert "  " not in text
    assert not any(orphan in text for orphan in ("()", " .", "..", "(,", ",)", "[]"))


@given(answers(), st.sampled_from(EVERY_RULE))
def test_mending_twice_is_mending_once(answer: str, rules: CitationRules) -> None:
    text = left_of(answer, 6, 7, rules=rules)

    assert text is not None
    assert left_of(text, 6, 7, rules=rules) == text


@given(answers(), st.sampled_from(EVERY_RULE))
def test_every_number_that_is_left_means_what_it_meant(answer: str, rules: CitationRules) -> None:
    found = mended(answer, {6: None, 7: None}, rules)

    assert isinstance(found, MendedCitations)
    text = apply(answer, found.edits)
    assert _meant(text) == {
        found.renumbered.get(number, number): source
        for number, source in _meant(answer).items()
        if number not in found.removed
    }


def _meant(answer: str) -> dict[int, str]:
    """Return the source that each number of an answer means."""
    references = read_references(answer)
    numbering = Numbering(SOURCES, references, SourceNames(SOURCES, LawIndex.of(SOURCES)))
    cited = (number for mark in marks_in_body(answer, references) for number in mark.numbers)
    meant = {number: numbering.source_of(number) for number in cited}
    return {number: source.id if source else "" for number, source in meant.items()}


@given(answers())
def test_numbers_have_no_gaps_where_they_may_change(answer: str) -> None:
    text = left_of(answer, 6, 7, rules=ALWAYS)

    assert text is not None
    marks = marks_in_body(text, read_references(text))
    cited = {number for mark in marks for number in mark.numbers}
    before = marks_in_body(answer, read_references(answer))
    if {6, 7} & {number for mark in before for number in mark.numbers}:
        assert cited == set(range(1, len(cited) + 1))
