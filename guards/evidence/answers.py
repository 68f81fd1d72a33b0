"""An answer's claims and figures, read once for every guard."""

from guards.claims.reader import Reading as Claims
from guards.claims.reader import read_claims
from guards.core.reading import Asked, Reading
from guards.evidence.arithmetic import Arithmetic
from guards.evidence.binding import SourceFigures, figures_in
from guards.evidence.figures import Figure
from guards.evidence.index import claims_of


def answer_claims(reading: Reading) -> Claims:
    """Return the claims of an answer."""
    return reading.answer.text.once(claims_of) if reading.answer else read_claims("")


def answer_figures(reading: Reading) -> tuple[Figure, ...]:
    """Return the figures of an answer, in order."""
    return tuple(figures_in(reading.once(answer_claims), "", -1))


def answer_arithmetic(reading: Reading) -> Arithmetic:
    """Return how an answer comes to its figures."""
    sources = reading.told.once(SourceFigures)
    figures = reading.once(answer_figures)
    asked = reading.asked.once(asked_figures)
    answer = reading.once(answer_claims)
    return Arithmetic(answer, figures, asked, sources.figures, sources.index.likeness)


def asked_figures(asked: Asked) -> tuple[Figure, ...]:
    """Return the figures of the question and of the turns before."""
    texts = (asked.question.text.raw, asked.exchange.echo)
    return tuple(figure for text in texts for figure in figures_in(read_claims(text), "", -1))
