"""Arithmetic: figures that follow from named operands pass, and wrong ones are told apart."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from guards.claims.reader import Reading, read_claims
from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.evidence.calculations.arithmetic import Arithmetic, Explanation, Outcome
from guards.evidence.figures import Figure, figures_of
from guards.evidence.index import Context, SourceIndex
from tests.tables import each_row

EXPLAINED = {Outcome.SHOWN_RIGHT, Outcome.FOLLOWS, Outcome.HYPOTHESIS, Outcome.GIVEN_BY_USER}
WRONG = {Outcome.SHOWN_WRONG, Outcome.UNEXPLAINED}

TABLE = json.loads(Path(__file__).with_name("arithmetic.json").read_text(encoding="utf-8"))
"""Sources of thirteen fields, and right and wrong figures of answers to questions about them."""
COURSE, GYM, PARKING = (TABLE["sources"][field] for field in ("course", "gym", "parking"))


@each_row("field, question, answer, figure", TABLE["right"])
def test_what_follows_from_named_operands_is_explained(
    field: str, question: str, answer: str, figure: str
) -> None:
    source = TABLE["sources"][field]

    assert explained(source, question, answer, figure).outcome in EXPLAINED


@each_row("field, question, answer, figure", TABLE["wrong"])
def test_a_wrong_result_is_not_explained(
    field: str, question: str, answer: str, figure: str
) -> None:
    source = TABLE["sources"][field]

    assert explained(source, question, answer, figure).outcome in WRONG


def test_an_equation_that_is_wrong_tells_the_right_result() -> None:
    found = explained(GYM, "6개월이요", "60,000원 × 6개월 = 350,000원입니다.", "350,000원")

    assert (found.outcome, found.right) == (Outcome.SHOWN_WRONG, Fraction(360_000))
    assert [one.quantity.text for one in found.operands] == ["60,000원", "6개월"]


def test_a_total_that_is_wrong_tells_the_right_one() -> None:
    rows = "| 수강료 | 240,000원 |\n| 재료비 | 30,000원 |\n| 합계 | 280,000원 |"
    table = f"| 항목 | 금액 |\n|---|---|\n{rows}"

    found = explained(COURSE, "얼마예요?", table, "280,000원")

    assert (found.outcome, found.right) == (Outcome.SHOWN_WRONG, Fraction(270_000))


def test_a_total_in_words_is_that_of_the_amounts_named_before_it() -> None:
    menu = "파스타는 12,000원, 샐러드는 9,000원입니다."
    answer = "파스타 12,000원과 샐러드 9,000원이므로 총 22,000원입니다."

    found = explained(menu, "둘 다 시키면요?", answer, "22,000원")

    assert (found.outcome, found.right) == (Outcome.SHOWN_WRONG, Fraction(21_000))


def test_a_supposed_figure_needs_no_source_but_a_limit_does() -> None:
    answer = "예를 들어 45시간을 세웠다면 요금이 붙고, 만약 50시간 이상이라면 더 붙습니다."

    assert explained(PARKING, "요금은?", answer, "45시간").outcome is Outcome.HYPOTHESIS
    assert explained(PARKING, "요금은?", answer, "50시간").outcome is Outcome.UNEXPLAINED


@each_row("equation", "an_equation_is_recomputed")
def test_an_equation_is_recomputed(equation: str) -> None:
    assert [one.is_right for one in arithmetic("", "", equation)[0].equations] == [True]


@each_row("text", "what_is_no_equation_is_not_recomputed")
def test_what_is_no_equation_is_not_recomputed(text: str) -> None:
    assert not arithmetic("", "", text)[0].equations


def explained(source: str, question: str, answer: str, figure: str) -> Explanation:
    """Return how an answer comes to the last figure that is written so."""
    worked, figures = arithmetic(source, question, answer)
    found = [one for one in figures if one.quantity.text == figure]
    assert found, [one.quantity.text for one in figures]
    return worked.of(found[-1])


def arithmetic(source: str, question: str, answer: str) -> tuple[Arithmetic, list[Figure]]:
    """Return the arithmetic of an answer, and its figures."""
    sources = (Source("1", "안내", source),) if source else ()
    told = read(Exchange(question=question, sources=sources, answer=answer)).source_set
    index = SourceIndex(told)
    reading = read_claims(answer)
    figures = list(figures_in(reading))
    told_figures = [
        one for number, it in enumerate(index.readings) for one in figures_in(it, number)
    ]
    asked = list(figures_in(read_claims(question)))

    def likeness_to(context: Context) -> list[tuple[float, Figure]]:
        return [(index.likeness(context, one.context), one) for one in told_figures]

    return Arithmetic(reading, figures, asked, told_figures, likeness_to), figures


def figures_in(reading: Reading, source: int = -1) -> Iterator[Figure]:
    """Yield the figures of a text."""
    for sentence in reading.sentences:
        yield from figures_of(sentence, (), "", source)
