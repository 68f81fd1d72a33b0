"""Correction of citations by name: the right name, page or article, or the name is taken out.

If a mark names several legal provisions, those that no source has are taken out; if none is left,
the mark is taken out too. A wrong article number is corrected only where exactly one article of
the sources, of the law that the reference names, supports the sentence clearly better than every
other.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding, Severity, Span
from guards.core.keeping import lazy
from guards.core.reading import Reading, RequestReading, Text, read
from guards.evidence.support import Carried, Support
from guards.text.citing.assessment import (
    BETTER_BY,
    BETTER_FROM,
    CITATION_THRESHOLD,
    FEWEST_FOR_ARTICLE,
)
from guards.text.citing.references import ReferenceLine
from guards.text.citing.statements import CitedAnswer, Statement, cited_answer, parts_of
from guards.text.laws.index import Provision, law_index, law_index_of
from guards.text.laws.law import LawReference, law_name, same_law
from guards.text.sentences import Sentence
from guards.text.slots.citation_mark import FILE, PAGES, CitationMark, MarkKind, read_marks
from guards.text.slots.source_name import SourceNames, names_in

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
        answer = self._reading.answer_text
        if len(answer.laws) > _MOST_REFERENCES:
            return None
        old = answer.raw[reference.start : reference.end]
        place = _FROM_ARTICLE.search(old)
        statement = cited_for(self._answer, reference, old)
        if place is None or statement is None or not _stands_alone(reference, answer):
            return None
        right = self._carrying(statement, old)
        if right is None or not is_of_named_law(reference, right):
            return None
        number = number_of(right)
        is_cited = re.search(rf"{number}(?!의\d)", _SPACE.sub("", statement.sentence.text))
        return None if is_cited else old[: place.start()] + number

    def _carrying(self, statement: Statement, old: str) -> Provision | None:
        """Return the one article that clearly supports a statement."""
        whole = statement.sentence._replace(text=statement.text)
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


_FILE = re.compile(rf"{FILE}(?![A-Za-z0-9])", re.IGNORECASE)
_PAGE = re.compile(rf"[\s,(]{{1,3}}{PAGES}\)?\s*$")
_DIGITS = re.compile(r"\d{1,4}(?:\s?[-~]\s?\d{1,4})?")
_start_of = attrgetter("start")


class Naming:
    """The names by which one answer cites the sources of its request."""

    def __init__(self, reading: Reading, names: SourceNames) -> None:
        self._text = reading.answer_text
        self._raw = self._text.raw
        self._names = names
        self._articles = RightArticles(reading)

    def without(self, mark: CitationMark, unknown: Sequence[str]) -> str:
        """Return a mark without the names that no source has."""
        if unknown == (mark.target,):
            return self._with_right_article(mark)
        kept = without_names(mark.target, unknown)
        return self.with_target(mark, kept) if kept else ""

    def with_target(self, mark: CitationMark, target: str) -> str:
        """Return a mark with another target."""
        return self._raw[mark.start : mark.end].replace(mark.target, target, 1)

    def put_right(self, mark: CitationMark) -> str | None:
        """Return a mark without what is wrong about a source that exists; None if nothing is."""
        target = self._names.without_wrong_places(mark.target)
        if target is None:
            target = self._names.with_right_heading(mark.target)
        return target and self.with_target(mark, target)

    def of_other(self, mark: CitationMark, source: Source) -> str:
        """Return a mark that names another source as it named its own; empty if none can."""
        called = _possible_names(source, mark.target)
        target = next((name for name in called if self._names.named(name) == (source,)), None)
        return self.with_target(mark, target) if target else ""

    def line_of(self, line: ReferenceLine, source: Source) -> str:
        """Return a line of references with the name of a source; empty if it has none."""
        called = _possible_names(source, line.target)
        # Here the number tells which of several pieces of a file is meant.
        target = next((name for name in called if self._names.named(name) == (source,)), called[0])
        written = self._raw[line.span.start : line.span.end]
        return written.replace(line.target, target, 1) if target else ""

    def wrong_place(self, line: ReferenceLine) -> str | None:
        """Return a line without its page; None if it gives none, or one that may be right."""
        if _FILE.search(line.target) is None:
            return None
        target = self._names.without_wrong_places(line.target)
        written = self._raw[line.span.start : line.span.end]
        return written.replace(line.target, target, 1) if target else None

    def line_without(self, line: ReferenceLine, unknown: Sequence[str]) -> str:
        """Return a line without the names that no source has; empty if it has no other."""
        kept = without_names(line.target, unknown)
        written = self._raw[line.span.start : line.span.end]
        return written.replace(line.target, kept, 1) if kept else ""

    def _with_right_article(self, mark: CitationMark) -> str:
        """Return a mark with the article that its sentence means; empty if that is not clear."""
        laws = self._text.laws
        first, last = (bisect_left(laws, at, key=_start_of) for at in (mark.start, mark.end))
        if last - first != 1:
            return ""
        inside = laws[first]
        right = self._articles.written(inside)
        if right is None:
            return ""
        return self._raw[mark.start : inside.start] + right + self._raw[inside.end : mark.end]


def _possible_names(source: Source, old: str) -> tuple[str, ...]:
    """Return possible names of a source in the style of another name, the most similar first."""
    by_file = _FILE.search(old) is not None
    name = (source.file or source.title) if by_file else (source.title or source.file)
    if not name or source.page is None:
        return (name,)
    page = _PAGE.search(old)
    if page is None:
        return name, f"{name}, p.{source.page}"
    return (name + _DIGITS.sub(str(source.page), page[0].rstrip(), count=1),)


def without_names(target: str, unknown: Sequence[str]) -> str:
    """Return a list of names without some of them."""
    return ", ".join(piece for piece in names_in(target) if piece not in unknown)


def with_marks_mended(raw: str, findings: Sequence[Finding]) -> list[Finding]:
    """Return findings on provisions of an answer, those in citation marks with a fix.

    Args:
        raw: The answer.
        findings: What was found of its provisions; those that have a fix, or are weak, stay.
    """
    marks = [mark for mark in read_marks(raw) if mark.kind is MarkKind.NAMED or mark.place]
    inside = [_mark_around(finding, marks) for finding in findings]
    invented: dict[CitationMark, list[str]] = defaultdict(list)
    for finding, mark in zip(findings, inside, strict=True):
        if mark is not None:
            invented[mark].append(raw[finding.span.start : finding.span.end])
    return [
        finding if mark is None else _widened(raw, finding, mark, invented[mark])
        for finding, mark in zip(findings, inside, strict=True)
    ]


def _mark_around(finding: Finding, marks: Sequence[CitationMark]) -> CitationMark | None:
    if finding.severity is Severity.WEAK or finding.fix is not None:
        return None
    at = bisect_right(marks, finding.span.start, key=_start_of) - 1
    return marks[at] if at >= 0 and finding.span.end <= marks[at].end else None


def _widened(raw: str, finding: Finding, mark: CitationMark, invented: Sequence[str]) -> Finding:
    """Return a finding on a whole mark, with a fix that leaves out the invented provisions."""
    written = raw[mark.start : mark.end]
    if mark.place:
        fix = written.replace(mark.place, "", 1)
        return replace(finding, span=Span(mark.start, mark.end), observed=written, fix=fix)
    unknown = [name for name in names_in(mark.target) if any(law in name for law in invented)]
    kept = without_names(mark.target, unknown)
    fix = written.replace(mark.target, kept, 1) if kept else ""
    return replace(finding, span=Span(mark.start, mark.end), observed=written, fix=fix)
