"""An answer with its list of references, its marks and its statements, each read once."""

from guards.core.lazy import lazy
from guards.text.citing.references import References, marks_in_body, read_references
from guards.text.citing.statements import Statement, statements_of
from guards.text.slots.citation_mark import CitationMark


class CitedAnswer:
    """What an answer cites, as far as its text shows. Positions are code points of `raw`."""

    def __init__(self, raw: str) -> None:
        self.raw = raw

    @lazy
    def references(self) -> References | None:
        """The list of references at its end; None if it has none."""
        return read_references(self.raw)

    @lazy
    def marks(self) -> tuple[CitationMark, ...]:
        """Its marks outside that list, in order."""
        return marks_in_body(self.raw, self.references)

    @lazy
    def statements(self) -> tuple[Statement, ...]:
        """Its statements, in order."""
        return statements_of(self.raw, self.references, self.marks)

    def statement_at(self, position: int) -> Statement | None:
        """Return the statement at a place, which may be in a mark behind it."""
        for statement in self.statements:
            sentence = statement.sentence
            in_marks = any(mark.start <= position < mark.end for mark in statement.marks)
            if in_marks or sentence.start <= position < sentence.end:
                return statement
        return None

    def statement_before(self, statement: Statement) -> Statement | None:
        """Return the statement before one on its line; None if it begins the line."""
        at = self.statements.index(statement)
        if not at:
            return None
        before = self.statements[at - 1]
        gap = self.raw[before.sentence.end : statement.sentence.start]
        return None if "\n" in gap else before
