"""An answer is judged, mended and judged again: what the guard finds is what mending removes."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from guards.citations import Citations, CitationsSettings
from guards.core.exchange import ContextState, Exchange, Source
from guards.core.finding import Finding, Severity
from guards.core.reading import read
from guards.text.citing.references import marks_in_body, read_references
from policies.edits import apply, fixes
from policies.mending import MendedCitations, mend
from policies.schema.sections import CitationRules

SAID = (
    "온실은 매주 화요일에 문을 닫습니다",
    "야간 관람권은 다섯 시부터 판매합니다",
    "유모차는 정문 안내소에서 빌려 드립니다",
    "분재 전시는 가을에만 별관에서 열립니다",
    "주차장은 후문 옆 광장에 있습니다",
)
SOURCES = tuple(
    Source(str(at), "", f"{text}.", file=f"g{at}.pdf", page=at)
    for at, text in enumerate(SAID, start=1)
)
STYLES = ("[†{}]", "[{}]", "【{}】", "[^{}]", "[출처 {}]", "(출처 {})", "[[{}]]")
PLACES = ("{words}{marks}.", "{words}.{marks}", "{words} {marks}.", "{words} ({marks}).")
# What could be taken for words about the mark, and is the answer's own.
BEHIND = ("", "", "\n\n확인 방법은 별도로 안내합니다.", "\n\n참고 바랍니다라는 말은 없습니다.")
WORD = re.compile(r"[가-힣]+")


def judged(answer: str) -> list[Finding]:
    exchange = Exchange(question="", sources=SOURCES, context=ContextState.FOUND, answer=answer)
    found = Citations(CitationsSettings()).check(read(exchange))
    return [one for one in found if one.severity is Severity.STRONG]


def mended(answer: str) -> str:
    found = mend(answer, fixes(judged(answer)), SOURCES, CitationRules())
    assert isinstance(found, MendedCitations)
    return apply(answer, found.edits)


def numbers(text: str) -> set[int]:
    marks = marks_in_body(text, read_references(text))
    return {number for mark in marks for number in mark.numbers}


def listed(style: str, numbers_: set[int]) -> str:
    colon = ":" if style == "[^{}]" else ""
    lines = [f"- {style.format(at)}{colon} g{at}.pdf, p.{at}" for at in sorted(numbers_)]
    return "\n".join(["\n\n### References", *lines])


@st.composite
def answers(draw: st.DrawFn, most: int = 9) -> str:
    """Draw an answer whose citations are right, wrong, or of no source (from 6 on)."""
    style, place = draw(st.sampled_from(STYLES)), draw(st.sampled_from(PLACES))
    joiner = draw(st.sampled_from(["", ", "])) if place.endswith(".") else ""
    cited: set[int] = set()
    sentences = []
    for at in draw(st.lists(st.integers(1, 5), min_size=1, max_size=5, unique=True)):
        own = {at} if most <= len(SOURCES) else {draw(st.integers(1, most))}
        if most > len(SOURCES):
            own |= set(draw(st.lists(st.integers(1, most), max_size=1)))
        cited |= own
        marks = joiner.join(style.format(number) for number in sorted(own))
        sentences.append(place.format(words=SAID[at - 1], marks=marks))
    text = " ".join(sentences) + draw(st.sampled_from(BEHIND))
    return text + (listed(style, cited) if draw(st.booleans()) else "")


@settings(deadline=None)
@given(answers())
def test_a_mended_answer_has_nothing_left_to_mend(answer: str) -> None:
    text = mended(answer)

    assert judged(text) == []
    assert mended(text) == text


@settings(deadline=None)
@given(answers(most=5))
def test_an_answer_that_cites_rightly_keeps_every_byte(answer: str) -> None:
    assert mended(answer) == answer


@settings(deadline=None)
@given(answers())
def test_every_word_outside_the_marks_survives(answer: str) -> None:
    body, left = (text.split("\n\n### References")[0] for text in (answer, mended(answer)))

    assert _words(left) == _words(body)


@settings(deadline=None)
@given(answers())
def test_every_mark_that_is_left_means_a_source_and_the_list_agrees(answer: str) -> None:
    text = mended(answer)

    references = read_references(text)
    cited = numbers(text)
    # Where nothing else cites, "[7]" may be anything.
    is_doubtful = references is None and all(number > len(SOURCES) for number in cited)
    assert is_doubtful or cited <= set(range(1, len(SOURCES) + 1))
    if references is not None:
        assert {line.number for line in references.lines} == numbers(text)
    assert not re.search(r"  |\(\)|\[\]| \.|\.\.|\(,|,\)|\n{3}", text)


def _words(text: str) -> list[str]:
    """Return the words without those in the marks."""
    return [word for word in WORD.findall(text) if word != "출처"]
