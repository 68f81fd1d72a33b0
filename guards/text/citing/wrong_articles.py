"""Citations of an existing article that does not support the sentence.

Another article, or another paragraph of the same one, is only named where it alone supports the
sentence, and the cited one clearly does not: many sentences rest on several articles, and some on
none.

The articles, paragraphs and numbered lines of the sources are compared as texts of their own; a
paragraph carries the heading of its article in its title. Figures of a source's title are left
out: they number the document, and every piece of it would seem to hold them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from guards.core.exchange import Exchange, Source
from guards.core.keeping import lazy
from guards.core.reading import Reading, RequestReading, read, source_text
from guards.evidence.support import Carried, Support
from guards.text.citing.articles import (
    bracket_around,
    cited_for,
    is_of_named_law,
    number_of,
    without_reference,
)
from guards.text.citing.assessment import CITATION_THRESHOLD, FEWEST_FOR_ARTICLE
from guards.text.citing.statements import Statement, cited_answer
from guards.text.laws.article import paragraph_marks
from guards.text.laws.index import LawIndex, Provision, law_index_of
from guards.text.laws.law import STATUTE, Kind, LawReference, key_of

_NUMBERED_LINE = re.compile(r"^[ \t]*(?P<number>\d{1,3})[.)][ \t]+(?P<text>[^\n]+)$", re.MULTILINE)
_DIGITS = re.compile(r"\d+")
_QUOTE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the sources that a reference may mean.

    Attributes:
        label: What it is called: ``제5조``, ``제5조제2항``, ``제2항``.
        provision: The article that it is, or is a part of; None for a numbered line.
        paragraph: Number of the paragraph or line; None for a whole article.
        source: Its text under its heading, as a source.
    """

    label: str
    provision: Provision | None
    paragraph: int | None
    source: Source

    @property
    def quote(self) -> str:
        """Its beginning, verbatim."""
        return self.source.text.strip().split("\n", 1)[0][:_QUOTE_CHARS]


def pieces_of(index: LawIndex, sources: Mapping[str, Source]) -> tuple[Piece, ...]:
    """Return all pieces; numbered lines only where no source sets out an article."""
    if index.provisions:
        return tuple(
            piece for one in index.provisions for piece in _of_article(one, sources[one.source_id])
        )
    return tuple(piece for source in sources.values() for piece in _lines(source))


def _of_article(provision: Provision, source: Source) -> Iterator[Piece]:
    article = provision.article
    label = number_of(provision)
    title = _DIGITS.sub("", source.title)
    text = source.text[article.start : article.end]
    yield Piece(label, provision, None, replace(source, title=title, file="", text=text))
    marks = paragraph_marks(source.text, article.start, article.end)
    borders = [position for _, position in marks] + [article.end]
    heading = source.text[article.start : borders[0]].strip()
    for place, (number, position) in enumerate(marks):
        body = source.text[position : borders[place + 1]]
        part = replace(source, title=f"{title} {heading}", file="", text=body)
        yield Piece(f"{label}제{number}항", provision, number, part)


def _lines(source: Source) -> Iterator[Piece]:
    for line in _NUMBERED_LINE.finditer(source.text):
        number = int(line["number"])
        part = replace(source, title=_DIGITS.sub("", source.title), file="", text=line["text"])
        yield Piece(f"제{number}항", None, number, part)


_GIVEN_FOR = re.compile(r"\s?(?:에\s?(?:따르|따라|의하|의해|의거|근거)|에서는?\s|상\s)")
_NUMBER = re.compile(r"(?:제?\s?\d{1,4}\s?[조항]|[①-⑳]).*", re.DOTALL)
_ITEM = re.compile(r"[ \t]*(?:[-*•·○●▪■◦]|\d{1,2}[.)]|[가-하][.)])[ \t]")
_MOST_PIECES = 400
_MOST_REFERENCES = 30
_WRONG_BY = 0.4
"""Least advantage of the right piece over the cited one; more than over an absent one."""
_RIGHT_BY = 0.15
"""Least advantage over any other piece."""
_MOST_OF_WRONG = 0.5


@dataclass(frozen=True, slots=True)
class _Claim:
    """Claim for which a citation is given."""

    carried: Carried
    lead: Carried | None


class WrongArticles:
    """The pieces of law in one exchange's sources, compared with the claims that cite them."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._answer = cited_answer(reading)
        self._raw = self._answer.raw

    def meant_by(self, reference: LawReference) -> tuple[str, Piece] | None:
        """Return what has to stand in the place of a reference, and the piece that it names.

        None where the cited piece may be meant, or it is not sure which other one is.
        """
        if not self._is_given_alone(reference):
            return None
        old = self._raw[reference.start : reference.end]
        statement = cited_for(self._answer, reference, old)
        number = _NUMBER.search(old)
        if statement is None or number is None or not self._is_only_one(reference, statement):
            return None
        meant = self._article_meant(reference, statement)
        return None if meant is None else (old[: number.start()] + meant.label, meant)

    def _article_meant(self, reference: LawReference, statement: Statement) -> Piece | None:
        articles = [piece for piece in self._pieces if piece.paragraph is None]
        cited = [piece for piece in articles if _is_of_article(piece, reference)]
        if reference.kind is Kind.ARTICLE and (
            len(cited) != 1 or not _may_be_of_named_law(reference, cited[0])
        ):
            return None
        claim = self._claim(statement, reference)
        if claim is None:
            return None
        if reference.kind is Kind.ARTICLE:
            article = self._better(articles, lambda piece: piece is cited[0], claim)
            if article is not None:
                same = _is_of_one_law(article, cited[0])
                return self._as_deep(article, reference, claim) if same else None
        if reference.paragraph is None:
            return None
        parts = [piece for piece in self._pieces if _is_beside(piece, cited)]
        return self._better(parts, lambda part: part.paragraph == reference.paragraph, claim)

    def _as_deep(self, article: Piece, reference: LawReference, claim: _Claim) -> Piece:
        """Return the paragraph of an article that is meant, if a paragraph was cited."""
        if reference.paragraph is None:
            return article
        parts = [piece for piece in self._pieces if _is_beside(piece, [article])]
        return self._best(parts, claim) or article

    def _better(
        self, pieces: Sequence[Piece], is_cited: Callable[[Piece], bool], claim: _Claim
    ) -> Piece | None:
        """Return the one piece that carries a claim, if that is not a cited one and those do not.

        Pieces that speak of one another may be meant for one another.
        """
        cited = [piece for piece in pieces if is_cited(piece)]
        best = self._best(pieces, claim)
        if not cited or best is None or best in cited:
            return None
        most = max(self._score(piece, claim) for piece in cited)
        far = most <= min(_MOST_OF_WRONG, self._score(best, claim) - _WRONG_BY)
        return best if far and not any(_speak_of_one_another(best, one) for one in cited) else None

    def _best(self, pieces: Sequence[Piece], claim: _Claim) -> Piece | None:
        """Return the one piece that clearly supports a claim."""
        scores = [claim.carried.score([self._places[id(piece)]]) for piece in pieces]
        top = max(scores, default=0.0)
        # Figures are one half of a score, so that words tell only half as much apart.
        margin = _RIGHT_BY / 2 if claim.carried.figures else _RIGHT_BY
        near = [piece for piece, score in zip(pieces, scores, strict=True) if score > top - margin]
        return near[0] if top >= CITATION_THRESHOLD and len(near) == 1 else None

    def _score(self, piece: Piece, claim: _Claim) -> float:
        """Return how far a piece supports a claim, or the sentence before it."""
        place = [self._places[id(piece)]]
        own = claim.carried.score(place)
        return max(own, claim.lead.score(place)) if claim.lead else own

    def _claim(self, statement: Statement, reference: LawReference) -> _Claim | None:
        text = self._bare(statement, reference)
        sentence = statement.sentence
        figures = self._support.figures(sentence.start, sentence.end)
        carried = self._support.carried(text, figures)
        if carried.words + carried.figures < FEWEST_FOR_ARTICLE:
            return None
        before = self._answer.statement_before(statement)
        if before is None or _ITEM.match(sentence.text):
            return _Claim(carried, None)
        figures = self._support.figures(before.sentence.start, before.sentence.end)
        return _Claim(carried, self._support.carried(before.text, figures))

    def _bare(self, statement: Statement, reference: LawReference) -> str:
        """Return a statement without its reference; an item with what opens its list."""
        written = self._raw[reference.start : reference.end]
        text = without_reference(statement.text, written)
        if not _ITEM.match(statement.sentence.text):
            return text
        at = self._answer.statements.index(statement)
        leads = (one for one in reversed(self._answer.statements[:at]) if not _is_item(one))
        lead = next(leads, None)
        return text if lead is None else f"{lead.text} {text}"

    def _is_given_alone(self, reference: LawReference) -> bool:
        """Tell whether a claim rests on a reference, in brackets or in so many words."""
        if reference.since is not None or reference.item is not None:
            return False
        if _GIVEN_FOR.match(self._raw, reference.end):
            return True
        return bracket_around(self._raw, reference.start, reference.end) is not None

    def _is_only_one(self, reference: LawReference, statement: Statement) -> bool:
        """Tell whether a statement cites nothing else."""
        laws = self._reading.answer_text.laws
        sentence = statement.sentence
        return len(laws) <= _MOST_REFERENCES and not any(
            sentence.start <= other.start < sentence.end
            for other in laws
            if other.start != reference.start
        )

    @property
    def _pieces(self) -> tuple[Piece, ...]:
        return self._reading.request.once(_pieces)

    @lazy
    def _places(self) -> dict[int, int]:
        return {id(piece): place for place, piece in enumerate(self._pieces)}

    @lazy
    def _support(self) -> Support:
        exchange = self._reading.request.once(_of_pieces)
        reading = replace(read(exchange.answered(self._raw)), answer=self._reading.answer)
        return Support(reading, self._answer.marks)


def _pieces(request: RequestReading) -> tuple[Piece, ...]:
    sources = {source.id: source for source in request.exchange.sources}
    return pieces_of(law_index_of(request), sources)[:_MOST_PIECES]


def _of_pieces(request: RequestReading) -> Exchange:
    """Return the question with each piece as a source of its own."""
    return Exchange(request.exchange.question, tuple(one.source for one in request.once(_pieces)))


def _is_item(statement: Statement) -> bool:
    return _ITEM.match(statement.sentence.text) is not None


def _is_of_article(piece: Piece, reference: LawReference) -> bool:
    if piece.provision is None:
        return False
    article = piece.provision.article
    return (article.number, article.branch) == (reference.number, reference.branch)


def _may_be_of_named_law(reference: LawReference, piece: Piece) -> bool:
    """Tell whether an article is of the law that a reference names, or of a rule of that kind."""
    if piece.provision is None:
        return False
    if is_of_named_law(reference, piece.provision):
        return True
    if reference.quoted or reference.tier is not None or STATUTE.search(reference.law):
        return False
    law = piece.provision.law
    return law is None or law.key.endswith(key_of(reference.law.split()[-1]))


def _is_of_one_law(one: Piece, other: Piece) -> bool:
    if one.provision is None or other.provision is None:
        return one.source.id == other.source.id
    if one.provision.law is None:
        return one.source.id == other.source.id and other.provision.law is None
    return one.provision.law == other.provision.law


def _is_beside(piece: Piece, articles: Sequence[Piece]) -> bool:
    """Tell whether a piece is a paragraph of some articles, or a line of no article."""
    if piece.paragraph is None:
        return False
    return any(piece.provision is one.provision for one in articles) or piece.provision is None


def _speak_of_one_another(one: Piece, other: Piece) -> bool:
    return _mentions(one, other) or _mentions(other, one)


def _mentions(piece: Piece, other: Piece) -> bool:
    """Tell whether a piece refers to another, which its own heading does not count for."""
    article = other.provision.article if other.provision else None
    own = piece.provision.article if piece.provision else None
    for reference in source_text(piece.source.text).laws:
        if reference.kind is Kind.PARAGRAPH and reference.paragraph == other.paragraph:
            return True
        if article is not None and article is not own and reference.number == article.number:
            return True
    return False
