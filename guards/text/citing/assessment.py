"""Whether the sources that an answer cites say what they are cited for.

Each pair of a statement and a number (or a named source) is one assessment: accurate, inaccurate or
uncertain. Of a sentence that cites several times, each mark is held against the clause that it
closes or opens. Inaccurate is what is wrong for sure: the source has nothing of it, another one
says it, or the others that are cited carry it without this one. Recall is the share of claims that
their cited sources carry together; precision that of citations which carry their statement, or
without which the others would not.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from guards.core.exchange import Source
from guards.core.reading import Reading
from guards.text.citing.assessed import Assessed
from guards.text.citing.cases import Bench, Case, Cited
from guards.text.citing.clauses import cited_clauses
from guards.text.citing.kept import EXCHANGES_KEPT, Asked, asked, cited_answer, support_of
from guards.text.citing.numbering import Numbering
from guards.text.citing.statements import Statement
from guards.text.slots.citation_mark import MarkKind
from guards.text.slots.source_name import SourceNames, source_names

CITATION_THRESHOLD = 0.7
_SHORTEST_CHARS = 5
_FEWEST_LETTERS = 2


def assess(reading: Reading, threshold: float) -> Assessed:
    """Return what is to be said of the citations of an answer; whoever asks again gets the same.

    Args:
        reading: An exchange with an answer; without one nothing is cited. Of what stands before
            the place from which it is judged only the marks and the numbering are told.
        threshold: From this score on a citation is accurate; inaccurate if as much is lacking.
    """
    return _assessed(asked(reading), threshold)


@lru_cache(maxsize=EXCHANGES_KEPT)
def _assessed(of: Asked, threshold: float) -> Assessed:
    reading = of.reading
    answer = reading.answer
    cited = cited_answer(reading)
    sources = of.exchange.sources
    names = source_names(reading)
    numbering = Numbering(sources, cited.references, names)
    if answer is None or not sources:
        return Assessed((), (), None, None, cited, numbering)
    bench = Bench(cited.raw, support_of(reading), sources, threshold)

    def case(statement: Statement) -> Case:
        return Case(statement, _cited(statement, numbering, names, sources), bench)

    judged = _judged(cited.statements, reading.judged_from)
    whole = {id(statement): case(statement) for statement in judged}
    pieces = (piece for statement in judged for piece in cited_clauses(cited.raw, statement))
    cases = [whole.get(id(piece)) or case(piece) for piece in pieces if _is_judged(piece)]
    claims = [whole[id(statement)] for statement in judged if statement.is_claim]
    found = [one for each in cases for one in each.assessments()]
    precise = [is_precise for each in cases for is_precise in each.precise()]
    missing = (claim.missing(numbering) for claim in claims)
    return Assessed(
        assessments=tuple(found),
        missing=tuple(one for one in missing if one is not None),
        recall=sum(claim.is_carried for claim in claims) / len(claims) if claims else None,
        precision=sum(precise) / len(precise) if precise else None,
        answer=cited,
        numbering=numbering,
    )


def _judged(statements: Sequence[Statement], place: int) -> list[Statement]:
    """Return what is long enough to be judged and ends, or is cited, behind a place."""
    return [one for one in statements if _ends_from(one, place) and _is_judged(one)]


def _ends_from(statement: Statement, place: int) -> bool:
    """Tell whether a statement, or a mark of it, ends behind a place.

    Or right at it, where a mark may yet be missing.
    """
    if not statement.marks:
        return statement.sentence.end >= place
    return max(statement.sentence.end, statement.marks[-1].end) > place


def _is_judged(statement: Statement) -> bool:
    letters = islice(filter(str.isalpha, statement.text), _FEWEST_LETTERS)
    return len(statement.text) >= _SHORTEST_CHARS and len(list(letters)) == _FEWEST_LETTERS


def _cited(
    statement: Statement, numbering: Numbering, names: SourceNames, sources: Sequence[Source]
) -> list[Cited]:
    """Return what a statement cites, each thing once."""
    found: dict[int | str, Cited] = {}
    for mark in statement.marks:
        if mark.kind is MarkKind.NAMED:
            named = names.named(mark.target)
            if len(named) == 1:
                found.setdefault(named[0].id, Cited(mark, None, sources.index(named[0])))
            continue
        for number in numbering.cited_by(mark):
            source = numbering.source_of(number)
            place = None if source is None else sources.index(source)
            found.setdefault(number, Cited(mark, number, place))
    return list(found.values())
