"""Where and how an answer would write a further citation: as it writes the ones it has."""

import re
from collections.abc import Sequence

from guards.text.citing.statements import PARAGRAPH_END, Statement
from guards.text.slots.citation_mark import CitationMark, MarkStyle

_STOPS = ".!?。"
_ROW_END = re.compile(r"\s*\|\s*$")
_LENT_STYLES = frozenset({MarkStyle.LIST, MarkStyle.NOTE, MarkStyle.RAISED})


class Placing:
    """The way in which one answer cites; ``…다[1].`` for one that does not."""

    def __init__(self, raw: str, marks: Sequence[CitationMark]) -> None:
        self._raw = raw
        self._model = next((mark for mark in marks if mark.style in _LENT_STYLES), None)
        before = raw[: self._model.start] if self._model else ""
        self._gap = " " if before.endswith(" ") else ""
        self._is_behind_stop = before.rstrip(" ").endswith(tuple(_STOPS))

    def position(self, statement: Statement) -> int:
        """Return where in the answer the mark of a statement has to stand."""
        sentence = statement.sentence
        if sentence.text.startswith("|") and (end := _ROW_END.search(sentence.text)):
            return sentence.start + end.start()
        if self._is_behind_stop:
            return sentence.end
        return sentence.start + len(sentence.text.rstrip(_STOPS))

    def paragraph_is_over(self, statement: Statement) -> bool:
        """Tell whether a statement's paragraph has ended: one mark may close all of it."""
        return PARAGRAPH_END.search(self._raw, statement.sentence.end) is not None

    def written(self, number: int) -> str:
        """Return the mark, with the blank before it that the answer's own marks have."""
        model = self._model
        if model is None:
            return f"[{number}]"
        return self._gap + model.written(self._raw, (number,)).replace(model.place or "\0", "", 1)
