"""The one article of the sources that carries a sentence which cites another.

A wrong article number is mended only where exactly one article of the sources, of the law that the
reference names, carries the sentence clearly better than every other.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from guards.core.exchange import Exchange, Source
from guards.core.finding import Span
from guards.core.keeping import lazy
from guards.core.reading import Reading, RequestReading, Text, read
from guards.evidence.support import Carried, Support
from guards.text.citing.assessment import (
    BETTER_BY,
    BETTER_FROM,
    CITATION_THRESHOLD,
    FEWEST_FOR_ARTICLE,
)
from guards.text.citing.statements import CitedAnswer, Statement, cited_answer, parts_of
from guards.text.laws.index import law_index, law_index_of
from guards.text.laws.law import LawReference
from guards.text.laws.name import law_name, same_law
from guards.text.laws.source import Provision
from guards.text.sentences import Sentence

_FROM_ARTICLE = re.compile(r"제?\s?\d{1,4}\s?조.*", re.DOTALL)
_WORD = re.compile(r"\w")
_SPACE = re.compile(r"\s+")
_RANGE_BEHIND = re.compile(r"\s?(?:부터|내지|[~-])")
_OPENED = re.compile(r"[(\[【（][^()\[\]【】（）\n]{0,40}\Z")
_CLOSED = re.compile(r"[^()\[\]【】（）\n]{0,12}[)\]】）]")
_SAID_OF_IT = re.compile(
    r"\s?(?:에서는?|상|의|에)?\s?(?:따르면|따라서?|의하면|의해|의거하?여?|근거하?여?)?(?![가-힣])"
)
_LOOK_BACK_CHARS = 48
_NEAR = 80
_MOST_ARTICLES = 300
_MOST_REFERENCES = 60
"""An answer with more references is no answer but a list of them."""


class RightArticles:
    """The articles of one exchange's sources, to find the one that a sentence means."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._answer = cited_answer(reading)

    @lazy
    def _provisions(self) -> Sequence[Provision]:
        """The articles; read only where an answer names one, which few answers do."""
        return law_index(self._reading).provisions[:_MOST_ARTICLES]

    def written(self, reference: LawReference) -> str | None:
        """Return a reference of the answer with the right article; None if that is not sure."""
        answer = self._reading.answer
        if answer is None or len(answer.text.laws) > _MOST_REFERENCES:
            return None
        old = answer.text.raw[reference.start : reference.end]
        place = _FROM_ARTICLE.search(old)
        statement = cited_for(self._answer, reference, old)
        if place is None or statement is None or not _stands_alone(reference, answer.text):
            return None
        right = self._carrying(statement, old)
        if right is None or not is_of_named_law(reference, right):
            return None
        number = number_of(right)
        is_cited = re.search(rf"{number}(?!의\d)", _SPACE.sub("", statement.sentence.text))
        return None if is_cited else old[: place.start()] + number

    def _carrying(self, statement: Statement, old: str) -> Provision | None:
        """Return the one article that clearly carries a statement."""
        whole = replace(statement.sentence, text=statement.text)
        carried = self._carried(whole, old)
        if carried.words + carried.figures < FEWEST_FOR_ARTICLE:
            return None
        scores = [carried.score([place]) for place in range(len(self._provisions))]
        best = max(scores, default=0.0)
        near = [place for place, score in enumerate(scores) if score > best - BETTER_BY]
        if best < CITATION_THRESHOLD or len(near) != 1:
            return None
        # Each of its clauses may rest on another article.
        parts = (self._carried(part, old) for part in parts_of(self._answer.raw, statement))
        is_all = all(part.score(near) >= BETTER_FROM for part in parts if part.words)
        return self._provisions[near[0]] if is_all else None

    def _carried(self, sentence: Sentence, old: str) -> Carried:
        figures = self._support.figures(sentence.start, sentence.end)
        return self._support.carried(without_reference(sentence.text, old), figures)

    @lazy
    def _support(self) -> Support:
        exchange = self._reading.request.once(_of_articles)
        reading = replace(read(exchange.answered(self._answer.raw)), answer=self._reading.answer)
        return Support(reading, self._answer.marks)


def cited_for(answer: CitedAnswer, reference: LawReference, written: str) -> Statement | None:
    """Return what a reference is given for; ``…한다. (제5조)`` stands behind its sentence."""
    statement = answer.statement_at(reference.start)
    if statement is None or _WORD.search(statement.text.replace(written, "")):
        return statement
    return answer.statement_before(statement)


def without_reference(text: str, written: str) -> str:
    """Return a statement without a reference, the brackets around it and the words behind it."""
    at = text.find(written)
    if at < 0:
        return text
    end = at + len(written)
    bracket = bracket_around(text, at, end)
    if bracket is not None:
        return f"{text[: bracket.start]} {text[bracket.end :]}"
    behind = _SAID_OF_IT.match(text, end)
    return f"{text[:at]} {text[behind.end() if behind else end :]}"


def bracket_around(text: str, start: int, end: int) -> Span | None:
    """Return the brackets that hold a reference and little else; None if it stands in none."""
    opened = _OPENED.search(text, max(0, start - _LOOK_BACK_CHARS), start)
    closed = _CLOSED.match(text, end)
    return Span(opened.start(), closed.end()) if opened and closed else None


def number_of(provision: Provision) -> str:
    """Return the number of an article as it is written."""
    article = provision.article
    return f"제{article.number}조" + (f"의{article.branch}" if article.branch else "")


def is_of_named_law(reference: LawReference, provision: Provision) -> bool:
    """Tell whether an article is of the law that a reference names, if it names one."""
    if not reference.law and reference.tier is None:
        return True
    law = provision.law
    # Without 「」 the words before the number that do not belong to the name were read with it.
    words = [reference.law] if reference.quoted else reference.law.split()
    names = (" ".join(words[at:]) for at in range(max(1, len(words))))
    return law is not None and any(same_law(law_name(name, reference.tier), law) for name in names)


def _stands_alone(reference: LawReference, answer: Text) -> bool:
    """Tell whether a reference is no part of a range, and nothing else hangs on its article."""
    if reference.since is not None or _RANGE_BEHIND.match(answer.raw, reference.end):
        return False
    article = (reference.number, reference.branch)
    return not any(
        (other.number, other.branch) == article and 0 < abs(other.start - reference.start) < _NEAR
        for other in answer.laws
    )


def _of_articles(request: RequestReading) -> Exchange:
    """Return the question with each article as a source of its own."""
    texts = {source.id: source for source in request.exchange.sources}
    provisions = law_index_of(request).provisions[:_MOST_ARTICLES]
    articles = tuple(_as_source(one, texts[one.source_id]) for one in provisions)
    return Exchange(request.exchange.question, articles)


def _as_source(provision: Provision, source: Source) -> Source:
    article = provision.article
    return Source(source.id, source.title, source.text[article.start : article.end])
